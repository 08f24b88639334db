import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: `${import.meta.dirname}/..`,
    include: ["test/**/*.test.ts"],
    globalSetup: "test/support/global-setup.ts",
    reporters: ["default", `${import.meta.dirname}/support/count-reporter.ts`],
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 10_000,
  },
});

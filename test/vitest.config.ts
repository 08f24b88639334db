import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: `${import.meta.dirname}/..`,
    include: ["test/**/*.test.ts"],
    globalSetup: "test/support/global-setup.ts",
    reporters: ["default", `${import.meta.dirname}/support/count-reporter.ts`],
    maxWorkers: 2,
    // A machine that is busy elsewhere may keep a process from its turn for longer than any deadline; twice is a fault.
    retry: process.env.CI ? 1 : 0,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 10_000,
  },
});

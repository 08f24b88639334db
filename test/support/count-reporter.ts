import type { Reporter, TestModule } from "vitest/node";

/** Closes with one plain line, for whatever reads the output without knowing vitest. */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const count = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state !== "pending") count[state] += 1;
      }
      // A file that could not be run at all.
      if (module.state() === "failed" && count.failed === 0) count.failed += 1;
    }
    const skipped = count.skipped > 0 ? `, ${count.skipped} skipped` : "";
    process.stdout.write(`${count.passed} passed, ${count.failed} failed${skipped}\n`);
  }
}

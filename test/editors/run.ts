/**
 * Holds conversations in real editors, with the real pi and a scripted model: `node test/editors/run.ts [--all]
 * [--editor name] [--only text]`. By default each scenario in one editor, and the main ones in all; --all: everything.
 * Needs the bundle (`npm run -s bundle`), tmux, Debian, and root; see test/support/debian-roots.ts.
 */
import { parseArgs } from "node:util";
import { editors } from "./editors.ts";
import { reasonAgainst } from "./scenario.ts";
import { scenarios } from "./scenarios.ts";
import { endAll } from "./terminal.ts";

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => {
    endAll();
    process.exit(1);
  });

const { values } = parseArgs({
  options: { all: { type: "boolean" }, editor: { type: "string" }, only: { type: "string" } },
});

let failed = 0;
for (const [at, scenario] of scenarios.entries()) {
  if (values.only !== undefined && !scenario.name.includes(values.only)) continue;
  const able = editors.filter((editor) => reasonAgainst(scenario, editor) === undefined);
  for (const editor of editors) {
    const isChosen =
      values.editor === undefined
        ? values.all || scenario.isMain || able[at % able.length] === editor
        : editor.name === values.editor;
    if (!isChosen) continue;
    const reason = reasonAgainst(scenario, editor);
    if (reason !== undefined) {
      console.log(`skip ${editor.name}: ${scenario.name} (${reason})`);
      continue;
    }
    const start = performance.now();
    try {
      await scenario.run(editor);
      console.log(`ok   ${editor.name}: ${scenario.name} (${Math.round(performance.now() - start)} ms)`);
    } catch (error) {
      failed += 1;
      console.log(`FAIL ${editor.name}: ${scenario.name}\n${(error as Error).message}`);
    }
  }
}
process.exitCode = failed === 0 ? 0 : 1;

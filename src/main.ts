import { runCommandLine } from "./command-line.ts";

runCommandLine(process.argv.slice(2));

/** A pi whose strings are pulled by somebody else: its stdin and stdout are those of a socket. */
import { connect } from "node:net";

const strings = connect(process.argv[2] ?? "");
process.stdin.pipe(strings);
strings.pipe(process.stdout);
strings.on("error", () => process.exit(1));
strings.on("close", () => process.exit());

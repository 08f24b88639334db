// Imported before everything else, and compiled for old versions: an older Node gets one line, not a stack trace.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`pi-language-server needs Node 22.19 or newer; this is Node ${process.versions.node}.\n`);
  process.exit(1);
}

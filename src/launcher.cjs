#!/usr/bin/env node
// The executable. In old JavaScript, so that an older Node gets as far as the message, and next to nothing, so that V8's
// compiled code of the server can be taken from a cache: compiling it anew takes a fifth of the start.
"use strict";
var version = process.versions.node.split(".").map(Number);

if (version[0] < 22 || (version[0] === 22 && version[1] < 19)) {
  process.stderr.write(
    ["pi-language-server needs Node 22.19 or newer; this is Node ", process.versions.node, ".\n"].join(""),
  );
  process.exit(1);
}
try {
  require("node:module").enableCompileCache(cacheFolder(require("node:path"), require("node:os")));
} catch {
  // A user without a home has no cache.
}
require("./server.cjs");

/** A folder that cannot be written costs the cache and nothing else. */
function cacheFolder(path, os) {
  return path.join(process.env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache"), "pi-language-server", "compiled");
}

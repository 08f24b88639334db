import { join } from "node:path";
import { home } from "../agent-dir.ts";

/** Where programs of this system keep what they can make again. */
export function cacheFolder(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): string {
  const name = "pi-language-server";
  if (env.XDG_CACHE_HOME?.startsWith("/")) return join(env.XDG_CACHE_HOME, name);
  if (platform === "darwin") return join(home(env), "Library", "Caches", name);
  if (platform === "win32") return join(env.LOCALAPPDATA || join(home(env), "AppData", "Local"), name, "Cache");
  return join(home(env), ".cache", name);
}

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

/** A pi extension for what pi has no command for: labels, going to another branch, and saying no. */
export default function sessionsExtension(pi: ExtensionAPI): void {
  // A folder that pi cannot be started in.
  if (existsSync(join(process.cwd(), "no-pi-here"))) process.exit(3);
  let refuses = false;
  pi.registerCommand("label", {
    description: "label <entry> <text>",
    handler: async (args) => {
      const [id = "", ...words] = args.split(" ");
      pi.setLabel(id, words.join(" ") || undefined);
    },
  });
  pi.registerCommand("go", {
    description: "go <entry> [summarize]",
    handler: async (args, ctx) => {
      const [id = "", summarize] = args.split(" ");
      await ctx.navigateTree(id, { summarize: summarize !== undefined });
    },
  });
  pi.registerCommand("say", {
    description: "say <text>: a message of the extension",
    handler: async (text) => pi.sendMessage({ customType: "test", content: text, display: true }),
  });
  pi.registerCommand("refuse", {
    description: "refuse session switches",
    handler: async () => {
      refuses = true;
    },
  });
  pi.on("session_before_switch", () => (refuses ? { cancel: true } : undefined));
}

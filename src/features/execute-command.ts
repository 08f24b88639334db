import { nearest } from "../bridge/nearest.ts";
import type { Call } from "../editor/connection.ts";
import { responseError } from "../editor/connection.ts";
import { bridgeMethods } from "../protocol/bridge.ts";
import { commandSpec, commands } from "../protocol/commands.ts";
import { codes } from "../protocol/errors.ts";
import type { Feature } from "./feature.ts";

/** `pi.prompt` for `pi/prompt`, `pi.bridge.state` for `bridge/state`. */
const names = [
  ...Object.keys(commands).map((name) => `pi.${name}`),
  ...Object.keys(bridgeMethods.requests).flatMap((method) =>
    method.startsWith("bridge/") ? [`pi.${method.replace("/", ".")}`] : [],
  ),
];

/** `workspace/executeCommand`: every method, for a client that cannot send requests of its own. */
export function executeCommand(
  isOffered: () => boolean,
  request: (method: string, params: unknown, call: Call) => unknown,
): Feature {
  return {
    capabilities: () => (isOffered() ? { executeCommandProvider: { commands: names } } : {}),
    requests: {
      "workspace/executeCommand": (params, call) => {
        const { command, arguments: args = [] } = params as { command?: unknown; arguments?: unknown };
        if (typeof command !== "string" || !command.startsWith("pi.")) throw unknown(String(command));
        if (!Array.isArray(args)) throw responseError(codes.InvalidParams, `${command}: arguments must be an array.`);
        const name = command.slice("pi.".length);
        const method = name.startsWith("bridge.") ? name.replace(".", "/") : `pi/${name}`;
        if (name.includes(".") && !names.includes(command)) throw unknown(command);
        return request(method, toParams(command, name, args), call);
      },
    },
  };
}

function unknown(command: string) {
  const close = nearest(command, names);
  const hint = close === undefined ? "" : ` Did you mean ${close}?`;
  return responseError(codes.InvalidParams, `There is no command ${JSON.stringify(command.slice(0, 80))}.${hint}`);
}

/** The params object is the first argument, or the arguments are the parameters in the order of the table. */
function toParams(command: string, name: string, args: unknown[]): unknown {
  const [first] = args;
  if (args.length === 0 || (args.length === 1 && (first === null || typeof first === "object"))) return first ?? {};
  const keys = Object.keys(commandSpec(name)?.params().shape ?? {});
  if (args.length > keys.length) {
    const takes = keys.length === 0 ? "no arguments" : `at most ${keys.length} (${keys.join(", ")})`;
    throw responseError(codes.InvalidParams, `${command} takes ${takes}, got ${args.length}.`);
  }
  return Object.fromEntries(args.flatMap((value, at) => (value === null ? [] : [[keys[at], value]])));
}

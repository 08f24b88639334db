import { nearest } from "../bridge/nearest.ts";
import type { Call } from "../editor/connection.ts";
import { responseError } from "../editor/connection.ts";
import { type BridgeRequestName, bridgeMethods } from "../protocol/bridge.ts";
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

/**
 * `workspace/executeCommand`: every method, for a client that cannot send requests of its own; and the commands that are
 * meant for PEOPLE, which are answered at once.
 */
export function executeCommand(
  isOffered: () => boolean,
  request: (method: string, params: unknown, call: Call) => unknown,
  people: Readonly<Record<string, (args: unknown[]) => void>> = {},
): Feature {
  const offered = [...names, ...Object.keys(people)];
  return {
    capabilities: () => (isOffered() ? { executeCommandProvider: { commands: offered } } : {}),
    requests: {
      "workspace/executeCommand": (params, call) => {
        const { command, arguments: args = [] } = Object(params) as { command?: unknown; arguments?: unknown };
        if (typeof command !== "string" || !command.startsWith("pi.")) throw unknown(String(command), offered);
        if (!Array.isArray(args)) throw responseError(codes.InvalidParams, `${command}: arguments must be an array.`);
        const forPeople = Object.hasOwn(people, command) ? people[command] : undefined;
        if (forPeople) {
          // Some editors wait for the answer, and show nothing meanwhile.
          forPeople(args);
          return null;
        }
        const name = command.slice("pi.".length);
        const method = name.startsWith("bridge.") ? name.replace(".", "/") : `pi/${name}`;
        if (name.includes(".") && !names.includes(command)) throw unknown(command, offered);
        return request(method, toParams(command, keysOf(method), args), call);
      },
    },
  };
}

function unknown(command: string, offered: readonly string[]) {
  const close = nearest(command, offered);
  const hint = close === undefined ? "" : ` Did you mean ${close}?`;
  return responseError(codes.InvalidParams, `There is no command ${JSON.stringify(command.slice(0, 80))}.${hint}`);
}

/** The parameters of METHOD in the order of the table. */
function keysOf(method: string): string[] {
  const bridge = Object.hasOwn(bridgeMethods.requests, method) ? (method as BridgeRequestName) : undefined;
  const spec = bridge ? bridgeMethods.requests[bridge] : commandSpec(method.slice("pi/".length));
  return Object.keys(spec?.params().shape ?? {});
}

/** The params object is the first argument, or the arguments are the parameters in the order of KEYS. */
function toParams(command: string, keys: string[], args: unknown[]): unknown {
  const [first] = args;
  if (args.length === 0 || (args.length === 1 && (first === null || typeof first === "object"))) return first ?? {};
  if (args.length > keys.length) {
    const takes = keys.length === 0 ? "no arguments" : `at most ${keys.length} (${keys.join(", ")})`;
    throw responseError(codes.InvalidParams, `${command} takes ${takes}, got ${args.length}.`);
  }
  return Object.fromEntries(args.flatMap((value, at) => (value === null ? [] : [[keys[at], value]])));
}

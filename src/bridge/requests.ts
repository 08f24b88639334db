import { cancelledError, type Call as EditorCall, responseError } from "../editor/connection.ts";
import { RawJson } from "../editor/raw.ts";
import { PiError } from "../pi/error.ts";
import { NO_MODEL_HINT } from "../pi/preflight.ts";
import type { Supervisor } from "../pi/supervisor.ts";
import { isNewer } from "../pi/version.ts";
import { commandSpec, commands, PI_VERSION } from "../protocol/commands.ts";
import { codes } from "../protocol/errors.ts";
import { toResponseError } from "./errors.ts";
import { withImages } from "./images.ts";
import { nearest } from "./nearest.ts";
import { byName } from "./params.ts";
import { validate } from "./validate.ts";

/** What a pi command can be called. Everything else is refused here: it would only be a puzzle to pi. */
const COMMAND_NAME = /^[a-z][a-z0-9_]*$/;

/** More than the id, the type and the names of the members take. */
const ENVELOPE_BYTES = 1024;

/** `pi/<command>`: an editor's request becomes a command, pi's answer becomes the result. */
export class PiRequests {
  private readonly pi: Supervisor;
  private readonly log: (text: string) => void;
  /** The editor's own id of each request that is under way, by the id that pi was given. */
  readonly editorIds = new Map<string, number | string>();

  constructor(pi: Supervisor, log: (text: string) => void) {
    this.pi = pi;
    this.log = log;
  }

  /** Everything up to the queueing happens before this returns: pi sees commands in the order of the calls. */
  async run(command: string, params: unknown, { id, token }: EditorCall): Promise<RawJson | null> {
    try {
      if (token.isCancellationRequested) throw cancelledError();
      const call = this.pi.call(command, this.check(command, params));
      this.editorIds.set(call.id, id);
      const listener = token.onCancellationRequested(() => this.pi.cancel(call));
      try {
        const data = await call.answer;
        return data === undefined ? null : new RawJson(data);
      } finally {
        listener.dispose();
        this.editorIds.delete(call.id);
      }
    } catch (error) {
      throw this.withHint(command, toResponseError(this.withCause(error)));
    }
  }

  /** Reads the image files that a message names. */
  withImages(method: string, params: unknown): unknown {
    const { cwd, maxCommandBytes, shrinkImages } = this.pi.settings;
    const { message } = Object(params) as { message?: unknown };
    const text = typeof message === "string" ? Buffer.byteLength(JSON.stringify(message)) : 0;
    return withImages(method, params, { cwd, limit: maxCommandBytes - text - ENVELOPE_BYTES, shrink: shrinkImages });
  }

  private check(command: string, params: unknown): object {
    if (!COMMAND_NAME.test(command) || command.startsWith("extension_ui_"))
      throw responseError(codes.MethodNotFound, `pi/${command.slice(0, 80)} is not a method.`);
    const object = this.withImages(`pi/${command}`, byName(params));
    const spec = commandSpec(command);
    if (!spec) return this.checkUnknown(command, object);
    const result = validate(spec.params(), object, `pi/${command}`);
    if (result.ok) return result.value;
    const version = this.pi.version;
    if (!result.newer || version === undefined || !isNewer(version, PI_VERSION)) throw result.error;
    this.log(`Passed on to pi ${version}, which may know better: ${result.text}`);
    return object as object;
  }

  /** A command that a newer pi may know goes through; its parameters are its own affair, but for the envelope. */
  private checkUnknown(command: string, params: unknown): object {
    const taken = Object.keys(params as object).filter((key) => key === "id" || key === "type");
    if (!Array.isArray(params) && taken.length === 0) return params as object;
    const message = Array.isArray(params)
      ? `pi/${command}: params must be an object`
      : `pi/${command}: "${taken[0]}" is set by the bridge and cannot be given`;
    const issues = [{ path: taken.slice(0, 1), message }];
    throw new PiError(message, { kind: "invalid_params", issues });
  }

  /** pi's refusal in its own words, and what is known of the cause. */
  private withCause(error: unknown): unknown {
    if (!(error instanceof PiError) || error.data.kind !== "rejected" || this.pi.status.model) return error;
    if (!commandSpec(error.data.command)?.needsModel) return error;
    return new PiError(error.message, { ...error.data, reason: "no_model", hint: NO_MODEL_HINT });
  }

  private withHint(command: string, error: ReturnType<typeof toResponseError>): typeof error {
    if (error.code !== codes.MethodNotFound) return error;
    const close = nearest(command, Object.keys(commands));
    return close === undefined || close === command
      ? error
      : responseError(error.code, `${error.message} Did you mean pi/${close}?`);
  }
}

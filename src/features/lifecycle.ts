import { cancelledError, responseError } from "../editor/connection.ts";
import { codes } from "../protocol/errors.ts";
import type { Feature } from "./feature.ts";

type Phase = "new" | "initialized" | "shutdown";

export interface LifecycleEvents {
  /** @returns the initialize result; throws the error answer when the client asks for what cannot be. */
  initialize(params: Record<string, unknown>): object;
  shutdown(): void;
  exit(code: 0 | 1): void;
}

/** Methods that need no session: a tool may ask what there is to ask. */
const BEFORE_INITIALIZE = new Set(["initialize", "rpc.discover"]);

/** initialize, shutdown, exit, and what may be said between them. */
export class Lifecycle {
  private phase: Phase = "new";
  private readonly events: LifecycleEvents;

  constructor(events: LifecycleEvents) {
    this.events = events;
  }

  get isInitialized(): boolean {
    return this.phase === "initialized";
  }

  /** The code for an editor that goes without a word. */
  get exitCode(): 0 | 1 {
    return this.phase === "shutdown" ? 0 : 1;
  }

  /** Throws when the request comes at the wrong time. */
  admit(method: string): void {
    if (this.phase === "shutdown") throw responseError(codes.InvalidRequest, `${method} after shutdown.`);
    if (this.phase === "new" && !BEFORE_INITIALIZE.has(method))
      throw responseError(codes.ServerNotInitialized, `${method} before initialize.`);
  }

  readonly feature: Feature = {
    requests: {
      initialize: (params, { token }) => {
        if (this.phase !== "new") throw responseError(codes.InvalidRequest, "initialize was sent before.");
        if (token.isCancellationRequested) throw cancelledError();
        // Taken for no parameters at all, what the client asks for would be lost without a word.
        if (Array.isArray(params) && params.length > 0)
          throw responseError(codes.InvalidParams, "initialize: params must be an object, got an array.");
        const result = this.events.initialize((params ?? {}) as Record<string, unknown>);
        this.phase = "initialized";
        return result;
      },
      shutdown: () => {
        this.phase = "shutdown";
        this.events.shutdown();
        return null;
      },
    },
    notifications: {
      initialized: () => {},
      exit: () => this.events.exit(this.exitCode),
    },
  };
}

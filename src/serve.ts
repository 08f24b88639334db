import type { Readable, Writable } from "node:stream";
import { Dialogs } from "./bridge/dialogs.ts";
import { toResponseError } from "./bridge/errors.ts";
import { PiEvents } from "./bridge/events.ts";
import { References } from "./bridge/fetch.ts";
import { OptIn } from "./bridge/opt-in.ts";
import { PiRequests } from "./bridge/requests.ts";
import { Runs } from "./bridge/runs.ts";
import { type Flags, type InitializeParams, readSettings } from "./bridge/settings.ts";
import { StateNotifier, snapshot } from "./bridge/state.ts";
import { type Call, EditorConnection } from "./editor/connection.ts";
import { bridgeMethodsFeature, methodNotFound } from "./features/bridge-methods.ts";
import { configuration } from "./features/configuration.ts";
import { executeCommand } from "./features/execute-command.ts";
import { Lifecycle } from "./features/lifecycle.ts";
import { Messages } from "./features/messages.ts";
import { Trace } from "./features/trace.ts";
import { watchParent } from "./features/watch-parent.ts";
import { DEFAULT_LAUNCH } from "./pi/launch.ts";
import { Supervisor } from "./pi/supervisor.ts";
import { bridgeMethods, PROTOCOL_VERSION } from "./protocol/bridge.ts";
import { commands } from "./protocol/commands.ts";
import { isDialog } from "./protocol/ui.ts";
import type { Level, TraceFile } from "./trace/file.ts";

export interface ServeOptions {
  input: Readable;
  output: Writable;
  version: string;
  flags: Flags;
  /** The environment that pi starts from. */
  env: NodeJS.ProcessEnv;
  traceFile?: TraceFile | undefined;
  /** The editor's process, when the command line names it. */
  clientProcessId?: number | undefined;
  /** Called once, when pi is gone and everything is written. `reason` is for stderr. */
  ended(code: number, reason?: string): void;
}

/** Bytes that may wait for pi before the editor is not read any further, and from which on it is again. */
const BACKLOG_HIGH = 16 * 1024 * 1024;
const BACKLOG_LOW = 4 * 1024 * 1024;
/** How long an editor that does not read may delay the end. */
const LAST_WRITE_MS = 500;

/** One editor, one pi, and the arrows between them. */
export function serve(options: ServeOptions): { end(code: number, reason?: string): void } {
  const optIn = new OptIn();
  let offersCommands = true;
  let ending = false;

  const log = (level: Level, text: string) => {
    options.traceFile?.log(level, text);
    if (lifecycle.isInitialized) messages.log(level, text);
  };

  const end = (code: number, reason?: string) => {
    if (ending) return;
    ending = true;
    dialogs.closeAll("shutdown");
    void pi.stop().then(async () => {
      await Promise.race([editor.end(), new Promise((resolve) => setTimeout(resolve, LAST_WRITE_MS))]);
      options.ended(code, reason);
    });
  };

  const lifecycle = new Lifecycle({
    initialize: (params) => initialize(params),
    shutdown: () => {
      dialogs.closeAll("shutdown");
      void pi.stop();
    },
    exit: end,
  });

  const editor = new EditorConnection(options.input, options.output, {
    request: async (method, params, call) => {
      try {
        lifecycle.admit(method);
        return await request(method, params, call);
      } catch (error) {
        throw toResponseError(error);
      }
    },
    notification: (method, params) => {
      if (!lifecycle.isInitialized && method !== "exit") return;
      const handler = notifications.get(method);
      if (handler) handler(params);
      else if (/^(pi|bridge)\//.test(method))
        log("warning", `${method} came without an id: ignored. It must be a request.`);
    },
    log: (text) => log("warning", text),
    closed: (reason) => end(reason ? 1 : lifecycle.exitCode, reason),
  });

  const pi = new Supervisor({ ...DEFAULT_LAUNCH, cwd: process.cwd() }, options.env, {
    record: (record) => {
      if (record.is === "event") {
        events.event(record.type, record.line);
        runs.record(record.type, record.line);
        if (optIn.referenceAbove !== undefined) references.record(record.type, record.line);
      } else if (isDialog(record.method)) {
        void events.flush();
        dialogs.ask(record.method, record.line);
      } else events.event(`ui/${record.method}`, record.line);
    },
    flush: () => events.flush(),
    chunkEnd: () => events.chunkEnd(),
    changed: () => {
      state.changed();
      messages.tell(pi);
    },
    closeDialogs: (reason) => dialogs.closeAll(reason),
    runEnded: (error) => runs.ended(error),
    log,
    backlog: (bytes) => {
      if (bytes > BACKLOG_HIGH) editor.stopReading("backlog");
      else if (bytes < BACKLOG_LOW) editor.readOn("backlog");
    },
    traffic: (direction, line) => {
      trace.traffic(direction, line);
      options.traceFile?.traffic(direction, line);
    },
  });

  const messages = new Messages(editor);
  const trace = new Trace(editor);
  const requests = new PiRequests(pi, (text) => log("info", text));
  const runs = new Runs(pi, editor);
  const references = new References(pi);
  const events = new PiEvents(editor, optIn, requests.editorIds);
  const dialogs = new Dialogs(pi, editor, optIn, {
    changed: () => state.changed(),
    log: (text) => log("warning", text),
  });
  const takeSnapshot = () => snapshot(pi, dialogs.count);
  const state = new StateNotifier(editor, optIn, takeSnapshot);

  const features = [
    lifecycle.feature,
    trace.feature,
    configuration(optIn, (text) => log("warning", text)),
    bridgeMethodsFeature(options.version, {
      state: takeSnapshot,
      restart: () => pi.restart(),
      run: (params, call) => runs.run(params, call),
      fetch: (id) => references.fetch(id),
      withImages: (method, params) => requests.withImages(method, params),
    }),
    executeCommand(
      () => offersCommands,
      (method, params, call) => request(method, params, call),
    ),
  ];
  const handlers = new Map(features.flatMap((feature) => Object.entries(feature.requests ?? {})));
  const notifications = new Map(features.flatMap((feature) => Object.entries(feature.notifications ?? {})));

  function request(method: string, params: unknown, call: Call): unknown {
    if (method.startsWith("pi/")) return requests.run(method.slice("pi/".length), params, call);
    const handler = handlers.get(method);
    if (!handler) throw methodNotFound(method);
    return handler(params, call);
  }

  function initialize(params: Record<string, unknown>): object {
    const settings = readSettings(params as InitializeParams, options.flags);
    pi.configure(settings.launch);
    optIn.set(settings.optIn);
    offersCommands = settings.executeCommand;
    trace.set(params.trace);
    watchParent([params.processId, options.clientProcessId], {
      gone: (pid) => end(1, `the editor's process ${pid} has ended`),
      log: (text) => log("info", text),
    });
    // Behind the answer: a client must not see anything before it.
    setImmediate(() => {
      for (const warning of settings.warnings) log("warning", warning);
      if (optIn.any && !ending) pi.start();
    });
    return {
      capabilities: Object.assign(
        {
          experimental: {
            pi: {
              version: PROTOCOL_VERSION,
              commands: Object.keys(commands),
              methods: Object.keys(bridgeMethods.requests).filter((method) => method.startsWith("bridge/")),
            },
          },
        },
        ...features.map((feature) => feature.capabilities?.() ?? {}),
      ),
      serverInfo: { name: "pi-language-server", version: options.version },
    };
  }

  return { end };
}

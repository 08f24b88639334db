import type { Readable, Writable } from "node:stream";
import { CancellationToken } from "vscode-jsonrpc/node";
import type { ClientCapabilities } from "vscode-languageserver-protocol";
import { Dialogs } from "./bridge/dialogs.ts";
import { Entries } from "./bridge/entries.ts";
import { toResponseError } from "./bridge/errors.ts";
import { PiEvents } from "./bridge/events.ts";
import { References } from "./bridge/fetch.ts";
import { Gate } from "./bridge/gate.ts";
import { OptIn } from "./bridge/opt-in.ts";
import { PiRequests } from "./bridge/requests.ts";
import { Runs } from "./bridge/runs.ts";
import { Sessions } from "./bridge/sessions.ts";
import { type Flags, type InitializeParams, ownFolder, readSettings } from "./bridge/settings.ts";
import { StateNotifier, snapshot } from "./bridge/state.ts";
import { type Call, EditorConnection, unlessCancelled } from "./editor/connection.ts";
import { RawJson } from "./editor/raw.ts";
import { bridgeMethodsFeature, methodNotFound } from "./features/bridge-methods.ts";
import { Chat } from "./features/chat.ts";
import { Completion } from "./features/completion.ts";
import { configuration } from "./features/configuration.ts";
import { checkDocumentParams } from "./features/document-params.ts";
import { Documents } from "./features/documents.ts";
import { executeCommand } from "./features/execute-command.ts";
import type { Feature } from "./features/feature.ts";
import { Lifecycle } from "./features/lifecycle.ts";
import { Messages } from "./features/messages.ts";
import { sessionsFeature } from "./features/sessions.ts";
import { Trace } from "./features/trace.ts";
import { watchParent } from "./features/watch-parent.ts";
import { SHUTTING_DOWN } from "./pi/exit-error.ts";
import { DEFAULT_LAUNCH, type Launch } from "./pi/launch.ts";
import { Supervisor } from "./pi/supervisor.ts";
import { bridgeMethods, leavesAtOnce, PROTOCOL_VERSION } from "./protocol/bridge.ts";
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
  /** What runs in pi's place, whatever the client asks for. */
  launch?: Partial<Launch> | undefined;
  traceFile?: TraceFile | undefined;
  /** The editor's process, when the command line names it. */
  clientProcessId?: number | undefined;
  /** How long an editor that has been asked something may be silent before the question goes into the chat as well. */
  secondRouteMs?: number | undefined;
  /** Called once, when pi is gone and everything is written. `reason` is for stderr. */
  ended(code: number, reason?: string): void;
}

/** Bytes that may wait for pi before the editor is not read any further, and from which on it is again. */
const BACKLOG_HIGH = 16 * 1024 * 1024;
const BACKLOG_LOW = 4 * 1024 * 1024;
/** How long a feature that has something to finish may delay the end. */
const LAST_WORK_MS = 500;

/** One editor, one pi, and the arrows between them. Its `end` is false when it is ending already. */
export function serve(options: ServeOptions): { end(code: number, reason?: string): boolean } {
  const optIn = new OptIn();
  let offersCommands = true;
  let ending = false;

  const log = (level: Level, text: string) => {
    options.traceFile?.log(level, text);
    if (lifecycle.isInitialized) messages.log(level, text);
  };

  const end = (code: number, reason?: string): boolean => {
    if (ending) return false;
    ending = true;
    dialogs.closeAll("shutdown");
    void sessions.stop();
    const stops = features.map((feature) => feature.stop?.());
    void pi.stop().then(async () => {
      state.flush();
      await Promise.race([Promise.all(stops), new Promise((resolve) => setTimeout(resolve, LAST_WORK_MS))]);
      await editor.end(toResponseError(SHUTTING_DOWN));
      options.ended(code, reason);
    });
    return true;
  };

  const lifecycle = new Lifecycle({
    initialize: (params) => initialize(params),
    shutdown: () => {
      dialogs.closeAll("shutdown");
      for (const feature of features) void feature.stop?.();
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

  const pi = new Supervisor({ ...DEFAULT_LAUNCH, cwd: ownFolder() }, options.env, {
    record: (record) => {
      if (record.is === "event") {
        events.event(record.type, record.line);
        runs.record(record.type, record.line);
        chat.record(record.type, record.line);
        completion.event(record.type);
        if (optIn.referenceAbove !== undefined) references.record(record.type, record.line);
      } else if (isDialog(record.method)) {
        void events.flush();
        dialogs.ask(record.method, record.line);
      } else {
        events.event(`ui/${record.method}`, record.line);
        chat.announcement(record.method, record.line);
      }
    },
    flush: () => events.flush(),
    chunkEnd: () => events.chunkEnd(),
    changed: () => {
      state.changed();
      chat.stateChanged();
      messages.tell(pi);
    },
    closeDialogs: (reason) => dialogs.closeAll(reason),
    runEnded: (error) => {
      runs.ended(error);
      chat.ended(error);
    },
    log,
    backlog: (bytes) => {
      if (bytes > BACKLOG_HIGH) editor.stopReading("backlog");
      else if (bytes < BACKLOG_LOW) editor.readOn("backlog");
    },
    traffic: (direction, line) => {
      trace.traffic(direction, line);
      options.traceFile?.traffic(direction, line);
    },
    process: (note) => {
      options.traceFile?.process(note);
      if ("stderr" in note && lifecycle.isInitialized) messages.log("info", note.stderr);
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
    route: { show: (dialog, token) => chat.route.show(dialog, token) },
  });
  const sessions = new Sessions(pi, options.env, (text) => log("warning", text));
  const gate = new Gate();
  const documents = new Documents();
  const completion = new Completion(pi, documents, options.env, (text) => log("info", text));
  const chat = new Chat({
    pi,
    editor,
    documents,
    messages,
    optIn,
    env: options.env,
    secondRouteMs: options.secondRouteMs,
    ask: async (method, params) => {
      try {
        const result = await request(method, params, { id: method, token: CancellationToken.None });
        return result instanceof RawJson ? result.toJSON() : result;
      } catch (error) {
        throw toResponseError(error);
      }
    },
  });
  const takeSnapshot = () => snapshot(pi, dialogs.count);
  const state = new StateNotifier(editor, optIn, takeSnapshot);

  const features: Feature[] = [
    lifecycle.feature,
    trace.feature,
    configuration(
      optIn,
      () => void events.flush(),
      (text) => log("warning", text),
    ),
    bridgeMethodsFeature(options.version, {
      state: takeSnapshot,
      restart: () => pi.restart(),
      run: (params, call) => runs.run(params, call),
      fetch: (id) => references.fetch(id),
      withImages: (method, params) => requests.withImages(method, params),
    }),
    sessionsFeature({ pi, sessions, entries: new Entries(pi), optIn, state: takeSnapshot }),
    documents.feature,
    completion.feature,
    chat.feature,
    chat.progress.feature,
    executeCommand(
      () => offersCommands,
      (method, params, call) => request(method, params, call),
      chat.commands,
    ),
  ];
  const handlers = new Map(features.flatMap((feature) => Object.entries(feature.requests ?? {})));
  const notifications = new Map(features.flatMap((feature) => Object.entries(feature.notifications ?? {})));

  function request(method: string, params: unknown, call: Call): unknown {
    return gate.pass(method, call, () => dispatch(method, params, call));
  }

  function dispatch(method: string, params: unknown, call: Call): unknown {
    if (method.startsWith("pi/")) return requests.run(method.slice("pi/".length), params, call);
    const handler = handlers.get(method);
    if (!handler) throw methodNotFound(method, handlers.keys());
    checkDocumentParams(method, params);
    const answer = handler(params, call);
    return leavesAtOnce(method) ? unlessCancelled(answer, call.token) : answer;
  }

  function initialize(params: Record<string, unknown>): object {
    const settings = readSettings(params as InitializeParams, options.flags);
    pi.configure({ ...settings.launch, ...options.launch });
    options.traceFile?.hide(settings.launch.env);
    optIn.set(settings.optIn);
    chat.initialize(params);
    offersCommands = settings.executeCommand;
    trace.set(params.trace);
    watchParent([params.processId, options.clientProcessId], {
      gone: (pid) => end(1, `the editor's process ${pid} has ended`),
      log: (text) => void setImmediate(() => log("info", text)),
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
        ...features.map((feature) => feature.capabilities?.(Object(params.capabilities) as ClientCapabilities) ?? {}),
      ),
      serverInfo: { name: "pi-language-server", version: options.version },
    };
  }

  return { end };
}

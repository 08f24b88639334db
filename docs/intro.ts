import { type BridgeRequestSpec, bridgeMethods } from "../src/protocol/bridge.ts";
import { type CommandSpec, commands, PI_VERSION } from "../src/protocol/commands.ts";
import { type ErrorSpec, errors } from "../src/protocol/errors.ts";
import { type JsonSchema, type JsonSchemas, jsonSchemas } from "../src/protocol/json-schema.ts";
import { options, piOptIn } from "../src/protocol/options.ts";
import { PROTOCOL_VERSION } from "../src/protocol/versions.ts";
import { code, fence, json, link, paragraphs, table } from "./markdown.ts";
import { inlineType, typeText } from "./typetext.ts";

/** What holds for all methods. */
export function intro(schemas: JsonSchemas): string {
  return paragraphs(
    "## How it works",
    framing,
    "### Opting in",
    optIn,
    optInTable(schemas),
    "### Options",
    `\`initializationOptions\` of \`initialize\`, all of them optional. A wrong value fails \`initialize\` and the message names the key; an unknown key is only logged. Options beat the flags of the command line.`,
    optionTable(schemas),
    "### Lifecycle",
    lifecycle,
    "### Parameters and results",
    parameters,
    "### Order",
    order(),
    "### Cancelling",
    cancelling(),
    "### Dialogs",
    dialogs,
    "### Commands for `workspace/executeCommand`",
    executeCommand,
    "### Errors",
    errorSection(schemas),
  );
}

const framing = `pi-language-server is a language server. It speaks JSON-RPC 2.0 over stdin and stdout, each message after a
\`Content-Length\` header, as the Language Server Protocol lays down. What pi can do is in requests and notifications beside
those of LSP:

- A **command** of pi is the request \`pi/<command>\`. Its params are the command without \`id\` and \`type\`, its result is the response's \`data\`, or \`null\`.
- An **event** of pi is the notification \`pi/<type>\`. Its params are pi's record as it is.
- A **dialog** that an extension of pi opens is a request from the server to the editor: \`pi/ui/<method>\`.
- An **announcement** of an extension is a notification: \`pi/ui/<method>\`.
- What the bridge itself adds is called \`bridge/…\`, and \`rpc.discover\` returns this protocol as an OpenRPC document.

Names and fields are pi's own. This page describes pi ${PI_VERSION}; where pi 0.84 differs, it says so. A command, an event or a field
that a newer pi brings passes through.`;

const optIn = `An editor that wants more than standard LSP messages says so in \`initialize\`, as \`capabilities.experimental.pi\`, or as
\`initializationOptions.pi\` if it cannot set capabilities. To an editor that says nothing, the server sends nothing but LSP.
\`pi/…\` requests can be sent in any case.

${fence(
  "json",
  json({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: {
      processId: 4242,
      rootUri: "file:///home/ada/shop",
      capabilities: { experimental: { pi: { events: true, dialogs: ["select", "confirm", "input", "editor"] } } },
    },
  }),
)}

The result has \`capabilities.experimental.pi = { version: ${PROTOCOL_VERSION}, commands: […], methods: […] }\`: the commands of pi that this server
knows, and the \`bridge/…\` methods that it has. \`version\` rises when a client would break. The opt-in can change later, by
\`workspace/didChangeConfiguration\` with \`{ settings: { pi: … } }\`.`;

const lifecycle = `\`initialize\` is answered at once and does not wait for pi. For an editor that opted in, pi is started right after it; otherwise
when it is first needed. Requests that arrive before pi is ready wait. ${link("bridge/state")} tells how pi is, as a request and as a
notification. When pi exits, every open request is answered with the error \`exited\`.

Before \`initialize\` only \`rpc.discover\` is answered. After \`shutdown\` everything but \`exit\` is refused.`;

const parameters = `Params that are absent, \`null\`, \`{}\` or \`[]\` all mean "no parameters". What an editor sends is checked: an unknown key, a wrong type
or an unknown word is refused with an error that names it, because pi itself checks almost nothing. \`id\` and \`type\` are the
bridge's to set and are refused too. Only where pi is known to be newer than this table, unknown keys and words are passed on.

What pi sends is not checked: results, events and dialogs arrive as pi wrote them. Expect members that this page does not know.

There is no time-out on requests. \`pi/prompt\` with an extension command, \`pi/bash\` and \`pi/compact\` may take minutes.`;

function order(): string {
  const overtaking = Object.entries<CommandSpec>(commands).filter(([, spec]) => spec.order === "overtakes");
  const rows = overtaking.map(([name, spec]) => [
    link(`pi/${name}`),
    spec.drops ? spec.drops.map((dropped) => code(`pi/${dropped}`)).join(", ") : "nothing",
  ]);
  return paragraphs(
    `Messages arrive in the order in which pi wrote its records, answers included. Commands reach pi in the order in which the editor
sent them, with three exceptions. These, and the answers to dialogs, overtake what is still waiting, and drop a part of it:`,
    table(["Overtakes", "Waiting requests that it answers with −32800; pi never sees them"], rows),
    `These run alone: what was sent after one of them waits for its answer. ${names((spec) => spec.order === "alone")},
${link("bridge/resume")}.`,
    `And ${names((spec) => spec.order === "in_turn")} waits until pi has answered the one before, with all that was sent after it, but no longer than
5 s, or 1 s where that one starts with \`/\`: pi takes in a message for a moment, and loses another one that comes meanwhile.`,
  );
}

function cancelling(): string {
  const rows = Object.entries<CommandSpec>(commands)
    .filter(([, spec]) => spec.cancel)
    .map(([name, spec]) => [link(`pi/${name}`), `${code(spec.cancel?.send ?? "")} is sent`, "pi's own answer to it"]);
  const own = Object.entries<BridgeRequestSpec>(bridgeMethods.requests).flatMap(([name, { cancel }]) =>
    cancel ? [[link(name), cancel.does, cancel.answer]] : [],
  );
  return paragraphs(
    "`$/cancelRequest` before a command was written means that pi never sees it. After that:",
    table(
      ["Request", "What happens", "What the request is answered with"],
      [...rows, ...own, ["every other one", "nothing", "−32800 at once; pi's late answer is dropped"]],
    ),
    `Cancelling \`pi/prompt\` does not stop the run that it started. To stop a run, send ${link("pi/abort")}.`,
  );
}

const dialogs = `pi waits for a dialog until it is answered, and an extension waits with it. Answer with one of the forms that the method lists; an
error, \`null\` or anything else counts as cancelled. A dialog that the editor did not ask for in \`dialogs\` is shown as a question in
the open chat document, or by \`window/showMessageRequest\` and, when that is not answered, in a chat document that is made for it.

A dialog can end without an answer: its \`timeout\` passes, \`pi/abort\` is sent, the session is replaced, or pi exits. The editor then
gets \`$/cancelRequest\` for the request and the notification ${link("bridge/dialog_closed")} with the \`id\` in the dialog's params, and
takes the dialog off the screen. An answer that comes later is ignored.`;

const executeCommand = `Every command is also an LSP command, \`pi.<command>\`, and \`bridge/<name>\` is \`pi.bridge.<name>\`. It takes the params object as
its only argument, or the parameters one by one in the order of the tables below, with \`null\` for one that is left out. It is
answered as the request is.

${fence(
  "json",
  [
    { command: "pi.prompt", arguments: [{ message: "Hello" }] },
    { command: "pi.set_model", arguments: ["anthropic", "claude-sonnet-4-20250514"] },
  ]
    .map((params, index) => json({ jsonrpc: "2.0", id: 2 + index, method: "workspace/executeCommand", params }))
    .join("\n"),
)}

\`pi.chat.*\`, \`pi.ask.*\` and \`pi.pick.*\` are for people, and work without arguments: [editors](editors/README.md) says what they do.
They are answered with \`null\` at once; what comes of them is seen in the chat, or told by \`window/showMessage\`.`;

function errorSection(schemas: JsonSchemas): string {
  const rows = Object.entries<ErrorSpec>(errors).map(([kind, { code: number, summary, data }]) => [
    String(number).replace("-", "−"),
    data ? code(kind) : "",
    summary,
  ]);
  const shapes = Object.values<ErrorSpec>(errors).flatMap(({ data }) => (data ? schemas.of(data()) : []));
  return paragraphs(
    table(["Code", "`data.kind`", "When"], rows),
    "The `data` of an error is one of these:",
    fence("ts", `type ErrorData =${typeText({ oneOf: shapes })}`),
  );
}

/** A row for each option, for this page and for others that list them. */
export function optionTable(schemas = jsonSchemas()): string {
  return membersTable("Option", schemas, schemas.resolve(schemas.of(options())));
}

function optInTable(schemas: JsonSchemas): string {
  return membersTable("Member", schemas, schemas.resolve(schemas.of(piOptIn())));
}

function membersTable(title: string, schemas: JsonSchemas, schema: JsonSchema): string {
  const rows = Object.entries(schema.properties ?? {}).map(([name, member]) => [
    code(name),
    code(inlineType(member)),
    member.default === undefined ? "" : code(JSON.stringify(member.default)),
    member.description ?? schemas.resolve(member).description ?? "",
  ]);
  return table([title, "Type", "Default", "Meaning"], rows);
}

function names(test: (spec: CommandSpec) => boolean): string {
  return Object.entries<CommandSpec>(commands)
    .filter(([, spec]) => test(spec))
    .map(([name]) => link(`pi/${name}`))
    .join(", ");
}

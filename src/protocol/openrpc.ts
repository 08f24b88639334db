import { type BridgeNotificationSpec, type BridgeRequestSpec, bridgeMethods, PROTOCOL_VERSION } from "./bridge.ts";
import { type CommandSpec, commandGroups, PI_VERSION } from "./commands.ts";
import { codes, type ErrorSpec, errors } from "./errors.ts";
import { type EventSpec, eventGroups } from "./events.ts";
import { type JsonSchema, type JsonSchemas, jsonSchemas } from "./json-schema.ts";
import { notification, type OpenRpcMethod, request } from "./openrpc-method.ts";
import { options } from "./options.ts";
import { type AnnouncementSpec, announcements, type DialogSpec, dialogs } from "./ui.ts";

export interface OpenRpcDocument {
  openrpc: "1.3.2";
  info: { title: string; version: string; description: string };
  methods: OpenRpcMethod[];
  components: { schemas: Record<string, JsonSchema>; errors: Record<string, { code: number; message: string }> };
  [extension: `x-${string}`]: unknown;
}

/** This protocol, for tools. VERSION is that of the package. */
export function openrpcDocument(version: string): OpenRpcDocument {
  const schemas = jsonSchemas();
  const methods = [
    ...grouped<CommandSpec>(commandGroups).map(([tag, name, spec]) => command(schemas, tag, name, spec)),
    ...Object.entries(bridgeMethods.requests).map(([name, spec]) => bridgeRequest(schemas, name, spec)),
    ...grouped<EventSpec>(eventGroups).map(([tag, name, spec]) => event(schemas, tag, name, spec)),
    ...Object.entries(dialogs).map(([name, spec]) => dialog(schemas, name, spec)),
    ...Object.entries(announcements).map(([name, spec]) => announcement(schemas, name, spec)),
  ];
  for (const [name, spec] of Object.entries(bridgeMethods.notifications)) addNotification(schemas, methods, name, spec);
  const initializationOptions = schemas.of(options());
  return {
    openrpc: "1.3.2",
    info: { title: "pi-language-server", version, description: DESCRIPTION },
    methods,
    components: { schemas: schemas.shared, errors: errorComponents() },
    "x-protocolVersion": PROTOCOL_VERSION,
    "x-piVersion": PI_VERSION,
    "x-initializationOptions": initializationOptions,
    "x-errors": Object.entries<ErrorSpec>(errors).map(([kind, { code, summary, data }]) => ({
      ...(data ? { kind, data: schemas.of(data()) } : {}),
      code,
      summary,
    })),
  };
}

const DESCRIPTION =
  "The coding agent pi over JSON-RPC 2.0. Methods whose `x-direction` is `server-to-client` are sent by the server, " +
  "and only to clients that ask for them in `initialize`.";

function command(schemas: JsonSchemas, tag: string, name: string, spec: CommandSpec): OpenRpcMethod {
  return {
    ...request(schemas, "client-to-server", tag, `pi/${name}`, spec),
    errors: refs("InvalidParams", "MethodNotFound", "RequestFailed", "RequestCancelled", "ServerNotInitialized"),
    "x-executeCommand": `pi.${name}`,
    ...(spec.cancel ? { "x-cancel": spec.cancel.send } : {}),
    ...(spec.order ? { "x-order": spec.order } : {}),
  };
}

function bridgeRequest(schemas: JsonSchemas, name: string, spec: BridgeRequestSpec): OpenRpcMethod {
  return {
    ...request(schemas, "client-to-server", "Bridge", name, spec),
    errors: refs("InvalidParams", "RequestFailed", "RequestCancelled", "ServerNotInitialized"),
    ...(name.startsWith("bridge/") ? { "x-executeCommand": `pi.${name.replace("/", ".")}` } : {}),
  };
}

function event(schemas: JsonSchemas, tag: string, name: string, spec: EventSpec): OpenRpcMethod {
  return notification(schemas, tag, `pi/${name}`, spec, spec.record(), spec.example);
}

function announcement(schemas: JsonSchemas, name: string, spec: AnnouncementSpec): OpenRpcMethod {
  return notification(schemas, "Announcements", `pi/ui/${name}`, spec, spec.record(), spec.example);
}

function dialog(schemas: JsonSchemas, name: string, spec: DialogSpec): OpenRpcMethod {
  const example = { params: spec.example.record, result: spec.example.answer };
  const asRequest = { ...spec, params: spec.record, result: spec.answer, example };
  return request(schemas, "server-to-client", "Dialogs", `pi/ui/${name}`, asRequest);
}

/** A method name is unique in OpenRPC: where a request has the same name, the notification hangs on it. */
function addNotification(
  schemas: JsonSchemas,
  methods: OpenRpcMethod[],
  name: string,
  spec: BridgeNotificationSpec,
): void {
  const method = notification(schemas, "Bridge", name, spec, spec.params(), spec.example);
  const namesake = methods.find((other) => other.name === name);
  if (namesake) namesake["x-notification"] = method;
  else methods.push(method);
}

function refs(...names: (keyof typeof codes)[]): { $ref: string }[] {
  return names.map((name) => ({ $ref: `#/components/errors/${name}` }));
}

/** One for each code: OpenRPC wants the codes of a method to be unique. What they carry is in `x-errors`. */
function errorComponents(): Record<string, { code: number; message: string }> {
  return Object.fromEntries(
    Object.entries(codes).map(([name, code]) => {
      const summaries = Object.values<ErrorSpec>(errors).flatMap((error) => (error.code === code ? error.summary : []));
      return [name, { code, message: summaries.join(" Or: ") }];
    }),
  );
}

function grouped<Spec>(groups: Record<string, Record<string, Spec>>): [tag: string, name: string, spec: Spec][] {
  return Object.entries(groups).flatMap(([tag, specs]) =>
    Object.entries(specs).map(([name, spec]): [string, string, Spec] => [tag, name, spec]),
  );
}

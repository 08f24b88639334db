/**
 * Holds the tables against the types that pi itself exports. Nothing here runs: `tsc` is the test, and a command, event
 * or field that a new pi brings is a type error that names it.
 */
import type {
  JsonAgentSessionEvent,
  RpcCommand,
  RpcExtensionUIRequest,
  RpcExtensionUIResponse,
  RpcResponse,
} from "@earendil-works/pi-coding-agent";
import type { CommandName, Params, Result } from "../../src/protocol/commands.ts";
import type { EventName, EventRecord } from "../../src/protocol/events.ts";
import type { AgentMessage, AssistantMessage, SessionEntry, Usage } from "../../src/protocol/shapes/types.ts";
import type {
  AnnouncementName,
  AnnouncementRecord,
  DialogAnswer,
  DialogName,
  DialogRecord,
} from "../../src/protocol/ui.ts";
import type { Assignable, Equal, Failing, Flat, KeysLacking, None, Wire } from "./types.ts";

// Commands.

type PiParams<N> = Flat<Omit<Extract<RpcCommand, { type: N }>, "id" | "type">>;
type PiData<N> = Extract<RpcResponse, { command: N; success: true }> extends { data: infer Data } ? Wire<Data> : null;

/** The parameters as pi gets them: the bridge has read the image files that an editor names. */
type Sent<T> = {
  [K in keyof T]: K extends "images"
    ? Extract<NonNullable<T[K]>, unknown[]> extends (infer I)[]
      ? Extract<I, { data: string }>[]
      : never
    : T[K];
};

/** zod infers an object without members as one that has none, pi's type as one that may have any. */
type Members<T> = [keyof T] extends [never] ? object : string extends keyof T ? object : Flat<T>;

export type CommandsWeLack = None<Exclude<RpcCommand["type"], CommandName>>;
export type CommandsPiLacks = None<Exclude<CommandName, RpcCommand["type"]>>;
export type CommandsWithOtherParams = None<
  Failing<{ [N in CommandName]: Equal<Members<Sent<Params<N>>>, Members<PiParams<N>>> }>
>;
export type CommandsWithOtherResults = None<Failing<{ [N in CommandName]: Assignable<PiData<N>, Result<N>> }>>;
export type ResultFieldsWeLack = None<
  { [N in CommandName]: KeysLacking<N, NonNullable<PiData<N>>, NonNullable<Result<N>>> }[CommandName]
>;

// What results are made of, member by member: a field that we lack is still assignable.

type PiMessage = PiData<"get_messages">["messages"][number];
type PiEntry = PiData<"get_entries">["entries"][number];

export type MessageFieldsWeLack = None<
  {
    [R in PiMessage["role"]]: KeysLacking<R, Extract<PiMessage, { role: R }>, Extract<AgentMessage, { role: R }>>;
  }[PiMessage["role"]]
>;
export type EntryFieldsWeLack = None<
  {
    [T in PiEntry["type"]]: KeysLacking<T, Extract<PiEntry, { type: T }>, Extract<SessionEntry, { type: T }>>;
  }[PiEntry["type"]]
>;
export type OtherFieldsWeLack = None<
  | KeysLacking<"Usage", PiOf<PiMessage, "assistant">["usage"], Usage>
  | KeysLacking<"content", PiOf<PiMessage, "assistant">["content"][number], AssistantMessage["content"][number]>
  | KeysLacking<"get_commands", PiData<"get_commands">["commands"][number], Result<"get_commands">["commands"][number]>
  | KeysLacking<
      "delta",
      PiEvent<"message_update">["assistantMessageEvent"],
      EventRecord<"message_update">["assistantMessageEvent"]
    >
>;
type PiOf<Message, Role> = Extract<Message, { role: Role }>;

// Events. `extension_error` is one only in RPC mode, and pi's type of events leaves it out.

type TypedEvent = Exclude<EventName, "extension_error">;
type PiEvent<N> = Wire<Extract<JsonAgentSessionEvent, { type: N }>>;

export type EventsWeLack = None<Exclude<JsonAgentSessionEvent["type"], EventName>>;
export type EventsPiLacks = None<Exclude<TypedEvent, JsonAgentSessionEvent["type"]>>;
export type EventsWithOtherRecords = None<Failing<{ [N in TypedEvent]: Assignable<PiEvent<N>, EventRecord<N>> }>>;
export type EventFieldsWeLack = None<{ [N in TypedEvent]: KeysLacking<N, PiEvent<N>, EventRecord<N>> }[TypedEvent]>;

// Dialogs and announcements.

type UiMethod = DialogName | AnnouncementName;
type PiUi<N> = Wire<Extract<RpcExtensionUIRequest, { method: N }>>;
type PiAnswer = RpcExtensionUIResponse extends infer R ? (R extends unknown ? Omit<R, "type" | "id"> : never) : never;

export type UiMethodsWeLack = None<Exclude<RpcExtensionUIRequest["method"], UiMethod>>;
export type UiMethodsPiLacks = None<Exclude<UiMethod, RpcExtensionUIRequest["method"]>>;
export type DialogsWithOtherRecords = None<Failing<{ [N in DialogName]: Equal<PiUi<N>, Wire<DialogRecord<N>>> }>>;
export type DialogsWithOtherAnswers = None<
  Failing<{ [N in DialogName]: Assignable<Exclude<DialogAnswer<N>, null>, PiAnswer> }>
>;
export type AnnouncementsWithOtherRecords = None<
  Failing<{ [N in AnnouncementName]: Equal<PiUi<N>, Wire<AnnouncementRecord<N>>> }>
>;

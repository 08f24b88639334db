/**
 * What `pi-language-server/protocol` gives to clients that are written in TypeScript: the types of every message, and for
 * every method the constant that `sendRequest`, `onRequest`, `sendNotification` and `onNotification` take.
 *
 * Importing it starts nothing. It needs `vscode-languageserver-protocol` and, for the types, `zod`; it runs in a browser.
 */
import { ProtocolNotificationType, ProtocolRequestType, ProtocolRequestType0 } from "vscode-languageserver-protocol";
import type {
  BridgeNotificationName,
  BridgeNotificationParams,
  BridgeParams,
  BridgeRequestName,
  BridgeResult,
} from "./protocol/bridge.ts";
import type { CommandName, Params, Result } from "./protocol/commands.ts";
import type { ErrorData } from "./protocol/errors.ts";
import type { EventName, EventRecord } from "./protocol/events.ts";
import type { AnnouncementName, AnnouncementRecord, DialogAnswer, DialogName, DialogRecord } from "./protocol/ui.ts";

export type {
  BridgeNotificationName,
  BridgeNotificationParams,
  BridgeParams,
  BridgeRequestName,
  BridgeResult,
  DialogClosedReason,
  ServerCapability,
} from "./protocol/bridge.ts";
export { codes, type ErrorCode } from "./protocol/codes.ts";
export type { CommandName, CommandSpec, Params, Result } from "./protocol/commands.ts";
export type { ErrorData, ErrorKind, UnavailableReason } from "./protocol/errors.ts";
export type { EventName, EventRecord } from "./protocol/events.ts";
export type { Options, PiOptIn } from "./protocol/options.ts";
export type * from "./protocol/shapes/types.ts";
export type { BridgeState } from "./protocol/state.ts";
export type {
  AnnouncementName,
  AnnouncementRecord,
  DialogAnswer,
  DialogName,
  DialogRecord,
} from "./protocol/ui.ts";
export { PI_VERSION, PROTOCOL_VERSION } from "./protocol/versions.ts";

// Commands of pi.

export const PiPromptRequest = request("prompt");
export const PiSteerRequest = request("steer");
export const PiFollowUpRequest = request("follow_up");
export const PiAbortRequest = bare("abort");
export const PiClearQueueRequest = bare("clear_queue");
export const PiNewSessionRequest = request("new_session");
export const PiGetStateRequest = bare("get_state");
export const PiGetMessagesRequest = bare("get_messages");
export const PiSetModelRequest = request("set_model");
export const PiCycleModelRequest = bare("cycle_model");
export const PiGetAvailableModelsRequest = bare("get_available_models");
export const PiSetThinkingLevelRequest = request("set_thinking_level");
export const PiCycleThinkingLevelRequest = bare("cycle_thinking_level");
export const PiGetAvailableThinkingLevelsRequest = bare("get_available_thinking_levels");
export const PiSetSteeringModeRequest = request("set_steering_mode");
export const PiSetFollowUpModeRequest = request("set_follow_up_mode");
export const PiCompactRequest = request("compact");
export const PiSetAutoCompactionRequest = request("set_auto_compaction");
export const PiSetAutoRetryRequest = request("set_auto_retry");
export const PiAbortRetryRequest = bare("abort_retry");
export const PiBashRequest = request("bash");
export const PiAbortBashRequest = bare("abort_bash");
export const PiGetSessionStatsRequest = bare("get_session_stats");
export const PiExportHtmlRequest = request("export_html");
export const PiSwitchSessionRequest = request("switch_session");
export const PiForkRequest = request("fork");
export const PiCloneRequest = bare("clone");
export const PiGetForkMessagesRequest = bare("get_fork_messages");
export const PiGetEntriesRequest = request("get_entries");
export const PiGetTreeRequest = bare("get_tree");
export const PiGetLastAssistantTextRequest = bare("get_last_assistant_text");
export const PiSetSessionNameRequest = request("set_session_name");
export const PiGetCommandsRequest = bare("get_commands");

// Events of pi.

export const PiAgentStartNotification = event("agent_start");
export const PiAgentEndNotification = event("agent_end");
export const PiAgentSettledNotification = event("agent_settled");
export const PiTurnStartNotification = event("turn_start");
export const PiTurnEndNotification = event("turn_end");
export const PiMessageStartNotification = event("message_start");
export const PiMessageUpdateNotification = event("message_update");
export const PiMessageEndNotification = event("message_end");
export const PiToolExecutionStartNotification = event("tool_execution_start");
export const PiToolExecutionUpdateNotification = event("tool_execution_update");
export const PiToolExecutionEndNotification = event("tool_execution_end");
export const PiQueueUpdateNotification = event("queue_update");
export const PiEntryAppendedNotification = event("entry_appended");
export const PiSessionInfoChangedNotification = event("session_info_changed");
export const PiThinkingLevelChangedNotification = event("thinking_level_changed");
export const PiCompactionStartNotification = event("compaction_start");
export const PiCompactionEndNotification = event("compaction_end");
export const PiAutoRetryStartNotification = event("auto_retry_start");
export const PiAutoRetryEndNotification = event("auto_retry_end");
export const PiSummarizationRetryScheduledNotification = event("summarization_retry_scheduled");
export const PiSummarizationRetryAttemptStartNotification = event("summarization_retry_attempt_start");
export const PiSummarizationRetryFinishedNotification = event("summarization_retry_finished");
export const PiBashExecutionUpdateNotification = event("bash_execution_update");
export const PiExtensionErrorNotification = event("extension_error");

// Dialogs and announcements of pi's extensions.

export const PiUiSelectRequest = dialog("select");
export const PiUiConfirmRequest = dialog("confirm");
export const PiUiInputRequest = dialog("input");
export const PiUiEditorRequest = dialog("editor");
export const PiUiNotifyNotification = announcement("notify");
export const PiUiSetStatusNotification = announcement("setStatus");
export const PiUiSetWidgetNotification = announcement("setWidget");
export const PiUiSetTitleNotification = announcement("setTitle");
export const PiUiSetEditorTextNotification = announcement("set_editor_text");

// What the bridge adds.

export const BridgeStateRequest = bareBridgeRequest("bridge/state");
export const BridgeRunRequest = bridgeRequest("bridge/run");
export const BridgeFetchRequest = bridgeRequest("bridge/fetch");
export const BridgeRestartRequest = bareBridgeRequest("bridge/restart");
export const BridgeListSessionsRequest = bridgeRequest("bridge/list_sessions");
export const BridgeResumeRequest = bridgeRequest("bridge/resume");
export const BridgeTreeRequest = bridgeRequest("bridge/tree");
export const BridgeHistoryRequest = bridgeRequest("bridge/history");
export const RpcDiscoverRequest = bareBridgeRequest("rpc.discover");
export const BridgeStateNotification = bridgeNotification("bridge/state");
export const BridgeDialogClosedNotification = bridgeNotification("bridge/dialog_closed");

// Interfaces, because the editor then shows `CommandRequest<"prompt">` and not everything that is in it.

export interface CommandRequest<N extends CommandName>
  extends ProtocolRequestType<Params<N>, Result<N>, never, ErrorData | undefined, void> {}

export interface BareCommandRequest<N extends CommandName>
  extends ProtocolRequestType0<Result<N>, never, ErrorData | undefined, void> {}

export interface EventNotification<N extends EventName> extends ProtocolNotificationType<EventRecord<N>, void> {}

export interface DialogRequest<N extends DialogName>
  extends ProtocolRequestType<DialogRecord<N>, DialogAnswer<N>, never, undefined, void> {}

export interface AnnouncementNotification<N extends AnnouncementName>
  extends ProtocolNotificationType<AnnouncementRecord<N>, void> {}

export interface BridgeRequest<N extends BridgeRequestName>
  extends ProtocolRequestType<BridgeParams<N>, BridgeResult<N>, unknown, ErrorData | undefined, void> {}

export interface BareBridgeRequest<N extends BridgeRequestName>
  extends ProtocolRequestType0<BridgeResult<N>, never, ErrorData | undefined, void> {}

export interface BridgeNotification<N extends BridgeNotificationName>
  extends ProtocolNotificationType<BridgeNotificationParams<N>, void> {}

/** Commands without parameters: zod infers an object without members as a record of nothing. */
export type BareCommandName = { [N in CommandName]: string extends keyof Params<N> ? N : never }[CommandName];

/** The bridge's requests without parameters. */
export type BareBridgeRequestName = {
  [N in BridgeRequestName]: string extends keyof BridgeParams<N> ? N : never;
}[BridgeRequestName];

function request<N extends Exclude<CommandName, BareCommandName>>(name: N): CommandRequest<N> {
  return new ProtocolRequestType(`pi/${name}`);
}

function bare<N extends BareCommandName>(name: N): BareCommandRequest<N> {
  return new ProtocolRequestType0(`pi/${name}`);
}

function event<N extends EventName>(name: N): EventNotification<N> {
  return new ProtocolNotificationType(`pi/${name}`);
}

function dialog<N extends DialogName>(name: N): DialogRequest<N> {
  return new ProtocolRequestType(`pi/ui/${name}`);
}

function announcement<N extends AnnouncementName>(name: N): AnnouncementNotification<N> {
  return new ProtocolNotificationType(`pi/ui/${name}`);
}

function bridgeRequest<N extends Exclude<BridgeRequestName, BareBridgeRequestName>>(name: N): BridgeRequest<N> {
  return new ProtocolRequestType(name);
}

function bareBridgeRequest<N extends BareBridgeRequestName>(name: N): BareBridgeRequest<N> {
  return new ProtocolRequestType0(name);
}

function bridgeNotification<N extends BridgeNotificationName>(name: N): BridgeNotification<N> {
  return new ProtocolNotificationType(name);
}

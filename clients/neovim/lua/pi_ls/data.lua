--- What the protocol of pi-language-server has. Written by docs/generate.ts from the tables in src/protocol.
-- stylua: ignore start

---@class pi_ls.Param
---@field name string
---@field type "string"|"number"|"boolean"|"json"
---@field required boolean
---@field values? string[] the only ones that are allowed
---@field about string

---@class pi_ls.Method
---@field summary string
---@field params pi_ls.Param[]

local M = {}

--- The version of the protocol that this client speaks.
M.protocol = 1

--- The commands of pi.
---@type table<string, pi_ls.Method>
M.commands = {
  ["prompt"] = {
    summary = "Send a message of the user to the agent.",
    params = {
      { name = "message", type = "string", required = true, about = "The text of the message." },
      { name = "images", type = "json", required = false, about = "Images that go with the message." },
      { name = "streamingBehavior", type = "string", required = false, values = { "steer", "followUp" }, about = "While the agent runs: `steer` delivers after the current turn, `followUp` when it would stop." },
    },
  },
  ["steer"] = {
    summary = "Queue a message that the running agent gets after the current turn's tool calls.",
    params = {
      { name = "message", type = "string", required = true, about = "The text of the message." },
      { name = "images", type = "json", required = false, about = "Images that go with the message." },
    },
  },
  ["follow_up"] = {
    summary = "Queue a message that the agent gets when it would otherwise stop.",
    params = {
      { name = "message", type = "string", required = true, about = "The text of the message." },
      { name = "images", type = "json", required = false, about = "Images that go with the message." },
    },
  },
  ["abort"] = {
    summary = "Stop the agent, and answer when it is idle.",
    params = {},
  },
  ["clear_queue"] = {
    summary = "Take all queued messages out of pi's queue and return their texts.",
    params = {},
  },
  ["new_session"] = {
    summary = "Start a fresh session.",
    params = {
      { name = "parentSession", type = "string", required = false, about = "The session file that the new session descends from." },
    },
  },
  ["get_state"] = {
    summary = "Get the state of the session.",
    params = {},
  },
  ["get_messages"] = {
    summary = "Get all messages of the conversation.",
    params = {},
  },
  ["set_model"] = {
    summary = "Use another model.",
    params = {
      { name = "provider", type = "string", required = true, about = "The model's `provider`, as in `pi/get_available_models`." },
      { name = "modelId", type = "string", required = true, about = "The model's `id`." },
    },
  },
  ["cycle_model"] = {
    summary = "Use the next available model.",
    params = {},
  },
  ["get_available_models"] = {
    summary = "List all configured models.",
    params = {},
  },
  ["set_thinking_level"] = {
    summary = "Set how much the model thinks.",
    params = {
      { name = "level", type = "string", required = true, values = { "off", "minimal", "low", "medium", "high", "xhigh", "max" }, about = "The thinking level." },
    },
  },
  ["cycle_thinking_level"] = {
    summary = "Use the next thinking level.",
    params = {},
  },
  ["get_available_thinking_levels"] = {
    summary = "List the thinking levels of the current model.",
    params = {},
  },
  ["set_steering_mode"] = {
    summary = "Set how queued steering messages are delivered after a turn.",
    params = {
      { name = "mode", type = "string", required = true, values = { "all", "one-at-a-time" }, about = "Deliver all queued messages at once, or the oldest one each time." },
    },
  },
  ["set_follow_up_mode"] = {
    summary = "Set how queued follow-up messages are delivered when the agent would stop.",
    params = {
      { name = "mode", type = "string", required = true, values = { "all", "one-at-a-time" }, about = "Deliver all queued messages at once, or the oldest one each time." },
    },
  },
  ["compact"] = {
    summary = "Replace the older part of the conversation with a summary, to free context.",
    params = {
      { name = "customInstructions", type = "string", required = false, about = "What the summary should keep in view." },
    },
  },
  ["set_auto_compaction"] = {
    summary = "Turn automatic compaction on or off.",
    params = {
      { name = "enabled", type = "boolean", required = true, about = "Compact when the context is nearly full." },
    },
  },
  ["set_auto_retry"] = {
    summary = "Turn automatic retry after transient errors on or off.",
    params = {
      { name = "enabled", type = "boolean", required = true, about = "Retry when the provider is overloaded, limits the rate or fails." },
    },
  },
  ["abort_retry"] = {
    summary = "Stop waiting for a retry, and do not retry.",
    params = {},
  },
  ["bash"] = {
    summary = "Run a shell command and put its output into the conversation.",
    params = {
      { name = "command", type = "string", required = true, about = "The command line." },
      { name = "excludeFromContext", type = "boolean", required = false, about = "Keep the output in the session, but do not show it to the model." },
    },
  },
  ["abort_bash"] = {
    summary = "Stop every running `bash` command.",
    params = {},
  },
  ["get_session_stats"] = {
    summary = "Get the session's token counts, cost and use of the context window.",
    params = {},
  },
  ["export_html"] = {
    summary = "Write the session to an HTML file.",
    params = {
      { name = "outputPath", type = "string", required = false, about = "The file to write. pi chooses a name when it is absent." },
    },
  },
  ["switch_session"] = {
    summary = "Load another session file.",
    params = {
      { name = "sessionPath", type = "string", required = true, about = "The session file, as in `sessionFile`." },
    },
  },
  ["fork"] = {
    summary = "Start a new session from the point before an earlier user message.",
    params = {
      { name = "entryId", type = "string", required = true, about = "A user message, as listed by `pi/get_fork_messages`." },
    },
  },
  ["clone"] = {
    summary = "Copy the current branch into a new session and go on there.",
    params = {},
  },
  ["get_fork_messages"] = {
    summary = "List the user messages that `pi/fork` can start from.",
    params = {},
  },
  ["get_entries"] = {
    summary = "Get the session's entries in the order in which they were appended.",
    params = {
      { name = "since", type = "string", required = false, about = "Only entries after this entry id." },
    },
  },
  ["get_tree"] = {
    summary = "Get the session's entries as a tree.",
    params = {},
  },
  ["get_last_assistant_text"] = {
    summary = "Get the text of the agent's last answer.",
    params = {},
  },
  ["set_session_name"] = {
    summary = "Name the session.",
    params = {
      { name = "name", type = "string", required = true, about = "The name that session lists show." },
    },
  },
  ["get_commands"] = {
    summary = "List the extension commands, prompt templates and skills that `/name` in a prompt runs.",
    params = {},
  },
}

--- The requests that the bridge adds.
---@type table<string, pi_ls.Method>
M.requests = {
  ["bridge/state"] = {
    summary = "Get the state of the pi process and of the run.",
    params = {},
  },
  ["bridge/restart"] = {
    summary = "End pi, if it runs, and start it again on the same session.",
    params = {},
  },
  ["rpc.discover"] = {
    summary = "Get this protocol as an OpenRPC document.",
    params = {},
  },
  ["bridge/run"] = {
    summary = "Send a message and wait until the agent has done everything that follows from it.",
    params = {
      { name = "message", type = "string", required = true, about = "The text of the message." },
      { name = "images", type = "json", required = false, about = "Images that go with the message." },
      { name = "streamingBehavior", type = "string", required = false, values = { "steer", "followUp" }, about = "While the agent runs: `steer` delivers after the current turn, `followUp` when it would stop." },
      { name = "workDoneToken", type = "json", required = false, about = "For progress, as in LSP." },
      { name = "partialResultToken", type = "json", required = false, about = "For the text while it streams." },
    },
  },
  ["bridge/fetch"] = {
    summary = "Get what a reference stands for.",
    params = {
      { name = "id", type = "string", required = true, about = "The `id` of the reference." },
    },
  },
  ["bridge/list_sessions"] = {
    summary = "List pi's stored sessions, the one that was written last first.",
    params = {
      { name = "cwd", type = "string", required = false, about = "The sessions of this folder. Relative to pi's working directory." },
      { name = "all", type = "boolean", required = false, about = "The sessions of all folders." },
      { name = "query", type = "string", required = false, about = "Words that all must be in the name or the messages, in any case and also as parts of words." },
      { name = "limit", type = "number", required = false, about = "How many sessions at most: 1 to 1000, default 50." },
      { name = "cursor", type = "string", required = false, about = "The `cursor` of the page before. The other parameters as there." },
    },
  },
  ["bridge/resume"] = {
    summary = "Go on with a stored session.",
    params = {
      { name = "id", type = "string", required = false, about = "The session's id, or the beginning of it." },
      { name = "file", type = "string", required = false, about = "The session file. Relative to pi's working directory." },
    },
  },
  ["bridge/tree"] = {
    summary = "Get the open session's tree as a flat list, in the order in which the entries were appended.",
    params = {
      { name = "limit", type = "number", required = false, about = "How many nodes at most: 1 to 100000, default 1000." },
      { name = "cursor", type = "string", required = false, about = "The `cursor` of the page before." },
    },
  },
  ["bridge/history"] = {
    summary = "Get the conversation of the open session in pages, the newest page first.",
    params = {
      { name = "before", type = "string", required = false, about = "The `before` of the page that comes after this one." },
      { name = "limit", type = "number", required = false, about = "How many messages at most: 1 to 100000, default 100." },
    },
  },
}

return M

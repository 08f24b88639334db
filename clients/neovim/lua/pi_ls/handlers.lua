--- What arrives from the bridge, by method. Each is guarded: an error in one does not touch the next message.

local autocommands = require("pi_ls.autocommands")
local chat = require("pi_ls.chat")
local conversations = require("pi_ls.conversation")
local notify = require("pi_ls.notify")
local render = require("pi_ls.render")
local text = require("pi_ls.text")

local M = {}

local levels = { warning = notify.warn, error = notify.error }

---@param params table of a `pi/tool_execution_…` event
local function call_of(params)
  return { id = params.toolCallId, name = params.toolName, arguments = params.args or {} }
end

---@type fun(conversation: pi_ls.Conversation, params: table): table
local function ask(conversation, params) return conversation.dialogs:ask(params) end

---@type table<string, fun(conversation: pi_ls.Conversation, params: table): any>
M.by_method = {
  ["bridge/state"] = function(conversation, state) conversation:on_state(state) end,
  ["bridge/dialog_closed"] = function(conversation, params) conversation.dialogs:close(params.id, params.reason) end,

  ["window/showMessage"] = function(conversation, params)
    local level = ({ "error", "warning" })[params.type]
    local is_new = not level or conversation:tell(level, params.message)
    if is_new and not (level and chat.is_open(conversation)) then
      (levels[level] or notify.info)(params.message)
    end
  end,

  ["pi/message_start"] = function(conversation, params)
    conversation.changes:on_message(params.message)
    conversation.transcript:message_start(params.message)
  end,
  ["pi/message_update"] = function(conversation, params)
    conversation.changes:on_update(params.assistantMessageEvent)
    conversation.transcript:message_update(params.assistantMessageEvent)
  end,
  ["pi/message_end"] = function(conversation, params) conversation.transcript:message_end(params.message) end,

  ["pi/tool_execution_start"] = function(conversation, params)
    local call = call_of(params)
    conversation.changes:on_call(call)
    conversation.transcript:tool(call, { is = "running" })
  end,
  ["pi/tool_execution_update"] = function(conversation, params)
    conversation.transcript:tool(call_of(params), { is = "running" }, params.partialResult)
  end,
  ["pi/tool_execution_end"] = function(conversation, params)
    local call = conversation.transcript:known_call(params.toolCallId) or call_of(params)
    conversation.changes:on_result(call, params.result, params.isError)
    local is = params.isError and "failed" or "done"
    conversation.transcript:tool(call, { is = is, ms = params.durationMs }, params.result)
  end,

  ["pi/agent_settled"] = function(conversation, params)
    conversation.changes:on_settled()
    autocommands.send("PiSettled", conversation, { aborted = params.aborted == true })
  end,

  ["pi/auto_retry_start"] = function(conversation, params)
    local wait, why = text.duration(params.delayMs), text.one_line(params.errorMessage, 100)
    local note = ("↻ retry %d of %d in %s: %s"):format(params.attempt, params.maxAttempts, wait, why)
    conversation.transcript:note(note, "PiWarning")
  end,
  ["pi/auto_retry_end"] = function(conversation, params)
    if params.success then return end
    conversation.transcript:note("✗ given up: " .. (params.finalError or "the model failed"), "PiError")
  end,
  ["pi/summarization_retry_scheduled"] = function(conversation, params)
    conversation.transcript:note(("↻ the summary failed: %s"):format(params.errorMessage), "PiWarning")
  end,
  ["pi/compaction_start"] = function(conversation, params)
    conversation.transcript:note(("⋯ compacting the conversation (%s)"):format(params.reason))
  end,
  ["pi/compaction_end"] = function(conversation, params)
    if params.result then
      conversation.transcript:append(render.compaction(params.result.tokensBefore, params.result.summary))
    elseif params.aborted then
      conversation.transcript:note("■ the compaction was stopped", "PiWarning")
    else
      conversation.transcript:note("✗ " .. (params.errorMessage or "the compaction failed"), "PiError")
    end
  end,

  ["pi/bash_execution_update"] = function(conversation, params)
    conversation.shell:on_output(params.id, params.delta)
  end,
  ["pi/extension_error"] = function(conversation, params)
    local name = vim.fs.basename(params.extensionPath)
    conversation.transcript:note(("✗ extension %s, %s: %s"):format(name, params.event, params.error), "PiError")
  end,

  ["pi/ui/select"] = ask,
  ["pi/ui/confirm"] = ask,
  ["pi/ui/input"] = ask,
  ["pi/ui/editor"] = ask,

  ["pi/ui/notify"] = function(_, params)
    local tell = levels[params.notifyType] or notify.info
    tell(text.plain(params.message))
  end,
  ["pi/ui/setStatus"] = function(conversation, params)
    conversation.announced.status[params.statusKey] = params.statusText and text.plain(params.statusText)
    vim.cmd.redrawstatus({ bang = true })
  end,
  ["pi/ui/setWidget"] = function(conversation, params)
    conversation.announced.widgets[params.widgetKey] = params.widgetLines
    conversation.prompt:decorate()
  end,
  ["pi/ui/setTitle"] = function(conversation, params)
    conversation.announced.title = text.plain(params.title)
    vim.cmd.redrawstatus({ bang = true })
  end,
  ["pi/ui/set_editor_text"] = function(conversation, params) conversation.prompt:add(params.text, false) end,
}

--- For vim.lsp: the same, with the conversation looked up.
---@return table<string, lsp.Handler>
function M.table()
  local handlers = {}
  for method in pairs(M.by_method) do
    handlers[method] = function(_, params, context)
      local conversation = conversations.by_client[context.client_id]
      -- It has just been ended. A question still needs an answer.
      if not conversation then return vim.NIL end
      local ok, result = xpcall(M.by_method[method], debug.traceback, conversation, params)
      if ok then return result end
      require("vim.lsp.log").error("pi_ls", method, result)
      notify.error(("an error while showing %s: %s"):format(method, text.one_line(result, 200)))
      return vim.NIL
    end
  end
  return handlers
end

return M

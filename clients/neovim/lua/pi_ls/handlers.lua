--- What arrives from the bridge, by method. Each is guarded: an error in one does not touch the next message.

local autocommands = require("pi_ls.autocommands")
local conversations = require("pi_ls.conversation")
local notify = require("pi_ls.notify")
local text = require("pi_ls.text")

local M = {}

local levels = { info = "info", warning = "warn", error = "error" }

---@type table<string, fun(conversation: pi_ls.Conversation, params: table): any>
M.by_method = {
  ["bridge/state"] = function(conversation, state) conversation:on_state(state) end,
  ["bridge/dialog_closed"] = function(conversation, params) conversation.dialogs:close(params.id, params.reason) end,

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
    local call = { id = params.toolCallId, name = params.toolName, arguments = params.args }
    conversation.changes:on_tool_start(call)
    conversation.transcript:tool(call, { is = "running" })
  end,
  ["pi/tool_execution_update"] = function(conversation, params)
    local call = { id = params.toolCallId, name = params.toolName, arguments = params.args }
    conversation.transcript:tool(call, { is = "running" }, params.partialResult)
  end,
  ["pi/tool_execution_end"] = function(conversation, params)
    local call = conversation.transcript:known_call(params.toolCallId)
      or { id = params.toolCallId, name = params.toolName, arguments = {} }
    local is = params.isError and "failed" or "done"
    conversation.changes:on_tool_end(call, params.result, params.isError)
    conversation.transcript:tool(call, { is = is, ms = params.durationMs }, params.result)
  end,

  ["pi/agent_settled"] = function(conversation, params)
    conversation.changes:on_run_end()
    autocommands.send("PiSettled", conversation, { aborted = params.aborted == true })
  end,

  ["pi/auto_retry_start"] = function(conversation, params)
    conversation.transcript:note(
      ("↻ retry %d of %d in %s: %s"):format(
        params.attempt,
        params.maxAttempts,
        text.duration(params.delayMs),
        text.one_line(params.errorMessage, 100)
      ),
      "PiWarning"
    )
  end,
  ["pi/auto_retry_end"] = function(conversation, params)
    if not params.success then
      conversation.transcript:note("✗ given up: " .. (params.finalError or "the model failed"), "PiError")
    end
  end,
  ["pi/summarization_retry_scheduled"] = function(conversation, params)
    conversation.transcript:note(("↻ the summary failed: %s"):format(params.errorMessage), "PiWarning")
  end,
  ["pi/compaction_start"] = function(conversation, params)
    conversation.transcript:note(("⋯ compacting the conversation (%s)"):format(params.reason))
  end,
  ["pi/compaction_end"] = function(conversation, params)
    if params.result then
      local title = ("compacted, %d tokens before"):format(params.result.tokensBefore)
      conversation.transcript:append(require("pi_ls.render").summary(title, params.result.summary))
    elseif params.aborted then
      conversation.transcript:note("■ the compaction was stopped", "PiWarning")
    else
      conversation.transcript:note("✗ " .. (params.errorMessage or "the compaction failed"), "PiError")
    end
  end,

  ["pi/bash_execution_update"] = function(conversation, params) conversation:on_bash_output(params.id, params.delta) end,
  ["pi/extension_error"] = function(conversation, params)
    local name = vim.fs.basename(params.extensionPath)
    conversation.transcript:note(("✗ extension %s, %s: %s"):format(name, params.event, params.error), "PiError")
  end,

  ["pi/ui/select"] = function(conversation, params) return conversation.dialogs:ask(params) end,
  ["pi/ui/confirm"] = function(conversation, params) return conversation.dialogs:ask(params) end,
  ["pi/ui/input"] = function(conversation, params) return conversation.dialogs:ask(params) end,
  ["pi/ui/editor"] = function(conversation, params) return conversation.dialogs:ask(params) end,

  ["pi/ui/notify"] = function(_, params)
    notify[levels[params.notifyType or "info"] or "info"](text.plain(params.message))
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
  ["pi/ui/set_editor_text"] = function(conversation, params) conversation.prompt:insert(params.text) end,
}

--- For vim.lsp: the same, with the conversation looked up.
---@return table<string, lsp.Handler>
function M.table()
  local handlers = {}
  for method in pairs(M.by_method) do
    handlers[method] = function(_, params, context)
      local conversation = conversations.by_client[context.client_id]
      if not conversation then
        -- It has just been ended. A question still needs an answer.
        return vim.NIL
      end
      local ok, result = xpcall(M.by_method[method], debug.traceback, conversation, params)
      if not ok then
        require("vim.lsp.log").error("pi_ls", method, result)
        notify.error(("an error while showing %s: %s"):format(method, text.one_line(result, 200)))
        return vim.NIL
      end
      return result
    end
  end
  return handlers
end

return M

--- The subcommands of `:Pi` that have a face of their own: one table for what they do, for completion and for the help.

local attachments = require("pi_ls.attachments")
local chat = require("pi_ls.chat")
local config = require("pi_ls.config")
local context = require("pi_ls.context")
local conversations = require("pi_ls.conversation")
local data = require("pi_ls.data")
local float = require("pi_ls.float")
local notify = require("pi_ls.notify")
local pick = require("pi_ls.pick")
local stats = require("pi_ls.stats")

local Conversation = conversations.Conversation

local M = {}

---@class pi_ls.Subcommand
---@field [1] string name
---@field [2] string arguments, for the help
---@field [3] string what it does
---@field [4] fun(target: pi_ls.Conversation, call: pi_ls.Call)
---@field complete? string[]|fun(lead: string): string[]
---@field on? "running"|"nothing" only a conversation that is there already, or none; else one is started for it

--- Sends TEXT about the file that is worked on, or about the range.
---@param target pi_ls.Conversation
---@param call pi_ls.Call
---@param text string
local function send_about(target, call, text)
  local mention = context.mention(context.source(), target.cwd, call.first, call.last)
  chat.open(target)
  target:send(("%s %s"):format(mention, text))
end

--- Sends the arguments as a message; without any, it only opens the prompt.
---@param behavior? "steer"|"followUp"
local function message(behavior)
  return function(target, call)
    chat.open(target)
    if call.args ~= "" then target:send(call.args, { behavior = behavior }) end
  end
end

--- A text of the user's own, in the option `prompts`.
---@param name string
---@param text string
---@return pi_ls.Subcommand
function M.of_prompt(name, text)
  return { name, "", text, function(target, call) send_about(target, call, text) end }
end

---@type pi_ls.Subcommand[]
M.list = {
  {
    "toggle",
    "[name]",
    "Open or close the chat of this tab page, or of the conversation of that name. The same as `:Pi` alone.",
    function(_, call) chat.toggle(conversations.get(call.args ~= "" and call.args or nil)) end,
    complete = function() return vim.tbl_keys(conversations.all) end,
    on = "nothing",
  },
  {
    "open",
    "[layout]",
    "Open the chat, or go to it; with a layout, an open one moves there.",
    function(target, call) chat.open(target, call.words[1]) end,
    complete = chat.layouts,
  },
  { "close", "", "Close the windows of the chat. The conversation goes on.", chat.close, on = "running" },
  { "prompt", "[text]", "Send a message; without one, go to the prompt.", message() },
  { "steer", "[text]", "Send a message that the running agent gets after its present step.", message("steer") },
  { "follow_up", "[text]", "Send a message that the agent gets when it would stop.", message("followUp") },
  {
    "ask",
    "[text]",
    "Ask about the current file, or with a range about its lines. Without a text, the mention goes into the prompt.",
    function(target, call)
      if call.args ~= "" then return send_about(target, call, call.args) end
      target.prompt:insert(context.mention(context.source(), target.cwd, call.first, call.last) .. " ")
      chat.open(target)
      vim.cmd.startinsert({ bang = true })
    end,
  },
  {
    "fix",
    "",
    "Have the current file or the range fixed; its diagnostics go along.",
    function(target, call)
      local ok, diagnostics = pcall(context.diagnostics, context.source(), target.cwd, call.first, call.last)
      send_about(target, call, config.current.prompts.fix .. (ok and "\n\n" .. diagnostics or ""))
    end,
  },
  {
    "explain",
    "",
    "Have the current file or the range explained.",
    function(target, call) send_about(target, call, config.current.prompts.explain) end,
  },
  {
    "review",
    "",
    "Have the changes since the last commit reviewed.",
    function(target)
      context.git_diff(target.cwd, function(diff)
        chat.open(target)
        target:send(config.current.prompts.review .. "\n\n" .. diff)
      end, notify.error)
    end,
  },
  {
    "attach",
    "{what} [file]",
    "Put into the prompt: buffer, selection, diagnostics, quickfix, diff, image FILE, clipboard. none: no image.",
    attachments.run,
    complete = attachments.names,
  },
  {
    "abort",
    "",
    "Stop the agent. Queued messages come back into the prompt.",
    Conversation.abort,
    on = "running",
  },
  { "new", "", "Start a new session.", function(target) target.session:replace("pi/new_session") end },
  {
    "resume",
    "[id]",
    "Go on with another session of this folder: choose one, or give the beginning of its id.",
    function(target, call)
      if not call.words[1] then return pick.session(target) end
      target.session:replace("bridge/resume", { id = call.words[1] })
    end,
  },
  {
    "sessions",
    "[words]",
    "Choose from the sessions of all folders; with words, from those that have them.",
    function(target, call) pick.session(target, call.args ~= "" and call.args or nil, true) end,
  },
  { "tree", "", "Show the session's tree; choosing a message of yours forks from there.", pick.tree },
  { "fork", "", "Start a new session from before an earlier message.", pick.fork_message },
  {
    "clone",
    "",
    "Copy the session, and go on in the copy.",
    function(target)
      target.session:replace("pi/clone", nil, function() notify.info("a copy of the session") end)
    end,
  },
  {
    "model",
    "[provider/id]",
    "Choose the model.",
    function(target, call)
      local provider, id = call.args:match("^([^/]+)/(.+)$")
      if not provider then return pick.model(target, call.args) end
      target:request("pi/set_model", { provider = provider, modelId = id })
    end,
  },
  {
    "thinking",
    "[level]",
    "Choose how much the model thinks.",
    function(target, call)
      if not call.words[1] then return pick.thinking(target) end
      target:request("pi/set_thinking_level", { level = call.words[1] })
    end,
    complete = data.commands.set_thinking_level.params[1].values,
  },
  {
    "compact",
    "[instructions]",
    "Replace the older part of the conversation with a summary.",
    function(target, call)
      local params = call.args ~= "" and { customInstructions = call.args } or nil
      -- An error is in the transcript already.
      target:request("pi/compact", params, function(err) return err ~= nil end)
    end,
  },
  { "stats", "", "Show tokens, cost, and use of the context.", stats.show },
  {
    "export",
    "[file]",
    "Write the session as HTML.",
    function(target, call)
      local path = call.args ~= "" and vim.fn.fnamemodify(vim.fn.expand(call.args), ":p") or nil
      target:request("pi/export_html", { outputPath = path }, function(err, result)
        if not err then notify.info("written: " .. result.path) end
      end)
    end,
    complete = function(lead) return vim.fn.getcompletion(lead, "file") end,
  },
  {
    "name",
    "{name}",
    "Name the session.",
    function(target, call)
      if call.args == "" then error("which name? :Pi name NAME", 0) end
      target:request("pi/set_session_name", { name = call.args })
    end,
  },
  {
    "bash",
    "{command}",
    "Run a shell command through pi, and show its output. `:Pi! bash` keeps it from the model.",
    function(target, call)
      if call.args == "" then error("which command? :Pi bash COMMAND", 0) end
      chat.open(target)
      target.shell:run(call.args, call.bang)
    end,
  },
  {
    "queue",
    "[clear]",
    "Show the messages that wait; `clear` takes them back into the prompt.",
    function(target, call)
      local lines = target.prompt:queued()
      if call.words[1] == "clear" then
        target:clear_queue()
      elseif #lines == 0 then
        notify.info("no message waits")
      else
        float.show(lines, "queue")
      end
    end,
    complete = { "clear" },
    on = "running",
  },
  {
    "attention",
    "[refuse]",
    "Open the oldest question that an extension asks; `refuse` answers it with a refusal.",
    function(target, call)
      local dialogs = target.dialogs
      local found = call.words[1] == "refuse" and dialogs:refuse() or not call.words[1] and dialogs:open()
      if not found then notify.info("no question waits") end
    end,
    complete = { "refuse" },
    on = "running",
  },
  {
    "diff",
    "",
    "Show what the last run changed, file by file, in diff mode.",
    function(target) require("pi_ls.review").diff(target.changes) end,
    on = "running",
  },
  {
    "changes",
    "",
    "Every place that the last run touched, in the quickfix list.",
    function(target) require("pi_ls.review").quickfix(target.changes) end,
    on = "running",
  },
  {
    "older",
    "",
    "Load older messages of the session.",
    function(target) target.session:older() end,
    on = "running",
  },
  {
    "restart",
    "",
    "Start pi again on the same session; also the bridge, if it does not run.",
    conversations.restart,
    on = "running",
  },
  {
    "stop",
    "",
    "End this tab page's conversation and its agent. The session can be resumed.",
    function(target)
      chat.close(target)
      target:stop()
    end,
    on = "running",
  },
  {
    "log",
    "",
    "Open the log of Neovim's LSP client, where the bridge's messages are.",
    function() vim.cmd.tabnew(vim.fn.fnameescape(vim.lsp.get_log_path())) end,
    on = "nothing",
  },
  {
    "health",
    "",
    "Check all that is needed: `:checkhealth pi_ls`.",
    function() vim.cmd.checkhealth("pi_ls") end,
    on = "nothing",
  },
}

return M

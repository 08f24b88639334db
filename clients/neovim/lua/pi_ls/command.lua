--- `:Pi {subcommand}`: a table for what has a face of its own; every other command of pi and of the bridge, by name.

local chat = require("pi_ls.chat")
local config = require("pi_ls.config")
local context = require("pi_ls.context")
local conversations = require("pi_ls.conversation")
local data = require("pi_ls.data")
local notify = require("pi_ls.notify")
local pick = require("pi_ls.pick")

local M = {}

---@class pi_ls.Call what `:Pi` was given
---@field args string all behind the subcommand
---@field words string[]
---@field bang boolean
---@field first? integer the range
---@field last? integer

---@class pi_ls.Subcommand
---@field [1] string name
---@field [2] string arguments, for the help
---@field [3] string what it does
---@field run fun(call: pi_ls.Call)
---@field complete? fun(lead: string): string[]

---@return pi_ls.Conversation
local function conversation() return conversations.get() end

---@param words string[]
local function words(...)
  local list = { ... }
  return function() return list end
end

--- Puts VALUE into the prompt, and the cursor behind it.
local function into_prompt(value)
  local target = conversation()
  target.prompt:insert(value)
  chat.open(target)
end

--- Sends TEXT about the file that is worked on, or about the range.
---@param text string
---@param call pi_ls.Call
local function send_about(text, call)
  local target = conversation()
  local buf = context.source()
  local mention = context.mention(buf, target.cwd, call.first, call.last)
  local message = ("%s %s"):format(mention, text)
  chat.open(target)
  target:send(context.expand(message, target.cwd))
end

--- Opens the prompt with the text, so that it can be completed; sends it when there is one.
---@param send fun(target: pi_ls.Conversation, text: string)
local function message(send)
  return function(call)
    local target = conversation()
    chat.open(target)
    if call.args ~= "" then send(target, call.args) end
  end
end

---@type table<string, fun(call: pi_ls.Call)>
local attachments = {
  buffer = function() into_prompt(context.mention(context.source(), conversation().cwd) .. " ") end,
  selection = function(call)
    local first, last = call.first, call.last
    if not first then
      local marks = { vim.fn.line("'<"), vim.fn.line("'>") }
      if marks[1] == 0 then error("there is no selection", 0) end
      first, last = marks[1], marks[2]
    end
    into_prompt(context.mention(context.source(), conversation().cwd, first, last) .. " ")
  end,
  diagnostics = function(call)
    into_prompt(context.diagnostics(context.source(), conversation().cwd, call.first, call.last))
  end,
  quickfix = function() into_prompt(context.quickfix(conversation().cwd)) end,
  diff = function() context.git_diff(conversation().cwd, into_prompt, notify.error) end,
  image = function(call)
    local path = vim.fn.fnamemodify(vim.fn.expand(call.words[2] or ""), ":p")
    if vim.fn.filereadable(path) == 0 then error("give the path of an image: :Pi attach image FILE", 0) end
    conversation().prompt:attach({ type = "image", path = path })
    chat.open(conversation())
  end,
  clipboard = function()
    local target = conversation()
    context.clipboard_image(function(image)
      target.prompt:attach(image)
      chat.open(target)
    end, notify.error)
  end,
}

---@type pi_ls.Subcommand[]
M.subcommands = {
  {
    "toggle",
    "[name]",
    "Open or close the chat of this tab page, or of the conversation of that name. The same as `:Pi` alone.",
    run = function(call) chat.toggle(conversations.get(call.words[1])) end,
    complete = function() return vim.tbl_keys(conversations.all) end,
  },
  {
    "open",
    "[layout]",
    "Open the chat, or go to it.",
    run = function(call) chat.open(conversation(), call.words[1]) end,
    complete = words("right", "left", "bottom", "float", "tab"),
  },
  {
    "close",
    "",
    "Close the windows of the chat. The conversation goes on.",
    run = function() chat.close(conversation()) end,
  },
  {
    "prompt",
    "[text]",
    "Send a message; without one, go to the prompt.",
    run = message(function(target, text) target:send(context.expand(text, target.cwd)) end),
  },
  {
    "steer",
    "[text]",
    "Send a message that the running agent gets after its present step.",
    run = message(function(target, text) target:send(text, { behavior = "steer" }) end),
  },
  {
    "follow_up",
    "[text]",
    "Send a message that the agent gets when it would stop.",
    run = message(function(target, text) target:send(text, { behavior = "followUp" }) end),
  },
  {
    "ask",
    "[text]",
    "Ask about the current file, or with a range about its lines. Without a text, the mention goes into the prompt.",
    run = function(call)
      if call.args ~= "" then
        send_about(call.args, call)
      else
        local mention = context.mention(context.source(), conversation().cwd, call.first, call.last)
        into_prompt(mention .. " ")
        vim.cmd.startinsert({ bang = true })
      end
    end,
  },
  {
    "fix",
    "",
    "Have the current file or the range fixed; its diagnostics go along.",
    run = function(call)
      local target = conversation()
      local ok, diagnostics = pcall(context.diagnostics, context.source(), target.cwd, call.first, call.last)
      send_about(config.current.prompts.fix .. (ok and "\n\n" .. diagnostics or ""), call)
    end,
  },
  {
    "explain",
    "",
    "Have the current file or the range explained.",
    run = function(call) send_about(config.current.prompts.explain, call) end,
  },
  {
    "review",
    "",
    "Have the changes since the last commit reviewed.",
    run = function()
      local target = conversation()
      context.git_diff(target.cwd, function(diff)
        chat.open(target)
        target:send(config.current.prompts.review .. "\n\n" .. diff)
      end, notify.error)
    end,
  },
  {
    "attach",
    "{what} [file]",
    "Put something into the prompt: buffer, selection, diagnostics, quickfix, diff, image FILE, or clipboard.",
    run = function(call)
      local attach = attachments[call.words[1] or ""]
      if not attach then error("attach what? " .. table.concat(vim.fn.sort(vim.tbl_keys(attachments)), ", "), 0) end
      attach(call)
    end,
    complete = function() return vim.tbl_keys(attachments) end,
  },
  {
    "abort",
    "",
    "Stop the agent. Queued messages come back into the prompt.",
    run = function() conversation():abort() end,
  },
  {
    "new",
    "",
    "Start a new session.",
    run = function() conversation():replace_session("pi/new_session") end,
  },
  {
    "resume",
    "[id]",
    "Go on with another session of this folder: choose one, or give the beginning of its id.",
    run = function(call)
      if call.words[1] then
        pick.resume(conversation(), { id = call.words[1] })
      else
        pick.session(conversation())
      end
    end,
  },
  {
    "sessions",
    "[words]",
    "Choose from the sessions of all folders; with words, from those that have them.",
    run = function(call) pick.session(conversation(), call.args ~= "" and call.args or nil, true) end,
  },
  {
    "tree",
    "",
    "Show the session's tree; choosing a message of yours forks from there.",
    run = function() pick.tree(conversation()) end,
  },
  {
    "fork",
    "",
    "Start a new session from before an earlier message.",
    run = function() pick.fork_message(conversation()) end,
  },
  {
    "clone",
    "",
    "Copy the session, and go on in the copy.",
    run = function()
      conversation():replace_session("pi/clone", nil, function() notify.info("a copy of the session") end)
    end,
  },
  {
    "model",
    "[provider/id]",
    "Choose the model.",
    run = function(call)
      local provider, id = call.args:match("^([^/]+)/(.+)$")
      if provider then
        conversation():request("pi/set_model", { provider = provider, modelId = id })
      else
        pick.model(conversation())
      end
    end,
  },
  {
    "thinking",
    "[level]",
    "Choose how much the model thinks.",
    run = function(call)
      if call.words[1] then
        conversation():request("pi/set_thinking_level", { level = call.words[1] })
      else
        pick.thinking(conversation())
      end
    end,
    complete = function() return data.commands.set_thinking_level.params[1].values end,
  },
  {
    "compact",
    "[instructions]",
    "Replace the older part of the conversation with a summary.",
    run = function(call)
      local params = call.args ~= "" and { customInstructions = call.args } or nil
      conversation():request("pi/compact", params, function(err)
        -- The transcript has told it.
        return err ~= nil
      end)
    end,
  },
  {
    "stats",
    "",
    "Show tokens, cost, and use of the context.",
    run = function()
      conversation():request("pi/get_session_stats", nil, function(err, stats)
        if not err then chat.show(M.stats(stats), "statistics") end
      end)
    end,
  },
  {
    "export",
    "[file]",
    "Write the session as HTML.",
    run = function(call)
      local path = call.words[1] and vim.fn.fnamemodify(vim.fn.expand(call.words[1]), ":p")
      conversation():request("pi/export_html", { outputPath = path }, function(err, result)
        if not err then notify.info("written: " .. result.path) end
      end)
    end,
    complete = function(lead) return vim.fn.getcompletion(lead, "file") end,
  },
  {
    "name",
    "{name}",
    "Name the session.",
    run = function(call) conversation():request("pi/set_session_name", { name = call.args }) end,
  },
  {
    "bash",
    "{command}",
    "Run a shell command through pi, and show its output. `:Pi! bash` keeps it from the model.",
    run = function(call)
      if call.args == "" then error("which command? :Pi bash COMMAND", 0) end
      chat.open(conversation())
      conversation():bash(call.args, call.bang or nil)
    end,
  },
  {
    "queue",
    "[clear]",
    "Show the messages that wait; `clear` takes them back into the prompt.",
    run = function(call)
      local target = conversation()
      if call.words[1] == "clear" then
        target:request("pi/clear_queue", nil, function(err, queue)
          if not err then target.prompt:give_back(vim.list_extend(queue.steering, queue.followUp)) end
        end)
        return
      end
      local lines = {}
      for _, text in ipairs(target.state.queue.steering) do
        lines[#lines + 1] = "⏵ " .. text:gsub("\n", " ")
      end
      for _, text in ipairs(target.state.queue.followUp) do
        lines[#lines + 1] = "⏭ " .. text:gsub("\n", " ")
      end
      if #lines == 0 then
        notify.info("no message waits")
      else
        chat.show(lines, "queue")
      end
    end,
    complete = words("clear"),
  },
  {
    "attention",
    "[refuse]",
    "Open the oldest question that an extension asks; `refuse` answers it with a refusal.",
    run = function(call)
      local dialogs = conversation().dialogs
      local found
      if call.words[1] == "refuse" then
        found = dialogs:refuse()
      else
        found = dialogs:open()
      end
      if not found then notify.info("no question waits") end
    end,
    complete = words("refuse"),
  },
  {
    "diff",
    "",
    "Show what the last run changed, file by file, in diff mode.",
    run = function() conversation().changes:diff() end,
  },
  {
    "changes",
    "",
    "Every place that the last run touched, in the quickfix list.",
    run = function() conversation().changes:quickfix() end,
  },
  {
    "older",
    "",
    "Load older messages of the session.",
    run = function() conversation():load_older() end,
  },
  {
    "restart",
    "",
    "Start pi again on the same session; also the bridge, if it does not run.",
    run = function()
      local target = conversation()
      if target.client_id then
        target:request("bridge/restart")
      else
        target:start()
      end
    end,
  },
  {
    "stop",
    "",
    "End this tab page's conversation and its agent. The session can be resumed.",
    run = function()
      local target = conversation()
      chat.close(target)
      target:stop()
    end,
  },
  {
    "log",
    "",
    "Open the log of Neovim's LSP client, where the bridge's messages are.",
    run = function() vim.cmd("tabnew " .. vim.fn.fnameescape(vim.lsp.get_log_path())) end,
  },
  {
    "health",
    "",
    "Check all that is needed: `:checkhealth pi_ls`.",
    run = function() vim.cmd.checkhealth("pi_ls") end,
  },
}

---@param stats table
---@return string[]
function M.stats(stats)
  local tokens, usage = stats.tokens, stats.contextUsage
  local lines = {
    ("session   %s"):format(stats.sessionId),
    ("messages  %d (%d of yours, %d answers)"):format(stats.totalMessages, stats.userMessages, stats.assistantMessages),
    ("tools     %d calls"):format(stats.toolCalls),
    ("tokens    %d in, %d out, %d from the cache"):format(tokens.input, tokens.output, tokens.cacheRead),
    ("cost      $%.4f"):format(stats.cost),
  }
  if usage and type(usage.percent) == "number" then
    lines[#lines + 1] = ("context   %.1f%% of %d tokens"):format(usage.percent, usage.contextWindow)
  end
  if stats.sessionFile then lines[#lines + 1] = ("file      %s"):format(vim.fn.fnamemodify(stats.sessionFile, ":~")) end
  return lines
end

--- `key=value` words, or one JSON object, as the parameters of a command.
---@param call pi_ls.Call
---@param params { name: string, type: string }[]
local function parameters(call, params)
  if vim.startswith(call.args, "{") then return vim.json.decode(call.args) end
  local result = {}
  for _, word in ipairs(call.words) do
    local name, value = word:match("^([%w_]+)=(.*)$")
    local known = vim.iter(params):find(function(param) return param.name == name end)
    if not known then
      local names = vim.tbl_map(function(param) return param.name .. "=" end, params)
      error(("%q is no parameter. There are: %s"):format(word, table.concat(names, " ")), 0)
    end
    if known.type == "string" then
      result[name] = value
    else
      local ok, decoded = pcall(vim.json.decode, value)
      if ok then
        result[name] = decoded
      else
        result[name] = value
      end
    end
  end
  return next(result) and result or nil
end

---@param name string
---@return string? method
---@return table? spec
local function generic(name)
  if data.commands[name] then return "pi/" .. name, data.commands[name] end
  local method = name:gsub("^bridge%.", "bridge/")
  if data.requests[method] then return method, data.requests[method] end
end

---@param name string
---@return pi_ls.Subcommand?
local function named(name)
  return vim.iter(M.subcommands):find(function(subcommand) return subcommand[1] == name end)
end

---@return string[]
function M.names()
  local names = {}
  for _, subcommand in ipairs(M.subcommands) do
    names[#names + 1] = subcommand[1]
  end
  for name in pairs(config.current.prompts) do
    if not named(name) then names[#names + 1] = name end
  end
  for name in pairs(data.commands) do
    if not named(name) then names[#names + 1] = name end
  end
  for method in pairs(data.requests) do
    names[#names + 1] = (method:gsub("/", "."))
  end
  table.sort(names)
  return names
end

---@param name string
---@param call pi_ls.Call
local function run(name, call)
  local subcommand = named(name)
  if subcommand then return subcommand.run(call) end
  if config.current.prompts[name] then return send_about(config.current.prompts[name], call) end
  local method, spec = generic(name)
  if not method then error(("there is no :Pi %s"):format(name), 0) end
  conversation():request(method, parameters(call, spec.params), function(err, result)
    if not err and result ~= nil and result ~= vim.NIL then
      chat.show(vim.split(vim.inspect(result), "\n"), method, "lua")
    elseif not err then
      notify.info(name .. ": done")
    end
  end)
end

--- What `:Pi` does.
---@param options table as |nvim_create_user_command()| gives it
function M.run(options)
  local name, rest = options.args:match("^(%S*)%s*(.*)$")
  local call = {
    args = vim.trim(rest),
    words = vim.split(vim.trim(rest), "%s+", { trimempty = true }),
    bang = options.bang,
    first = options.range > 0 and options.line1 or nil,
    last = options.range > 0 and options.line2 or nil,
  }
  local ok, err = pcall(run, name == "" and "toggle" or name, call)
  if not ok then notify.error(err) end
end

---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  local typed = line:match("Pi!?%s+(.*)$") or ""
  local name = typed:match("^(%S+)%s")
  local candidates
  if not name then
    candidates = M.names()
  else
    local subcommand = named(name)
    local _, spec = generic(name)
    if subcommand then
      candidates = subcommand.complete and subcommand.complete(lead) or {}
    elseif spec then
      candidates = {}
      for _, param in ipairs(spec.params) do
        for _, value in ipairs(param.values or { "" }) do
          candidates[#candidates + 1] = ("%s=%s"):format(param.name, value)
        end
      end
    end
  end
  candidates = vim.tbl_filter(function(candidate) return vim.startswith(candidate, lead) end, candidates or {})
  table.sort(candidates)
  return candidates
end

return M

--- Choosing: sessions, entries of the tree, messages to fork from, models, thinking levels. By vim.ui.select, so that
--- whatever replaces it takes over.

local chat = require("pi_ls.chat")
local notify = require("pi_ls.notify")
local text = require("pi_ls.text")
local tree = require("pi_ls.tree")

local api = vim.api

local M = {}

---@class pi_ls.Picker
---@field prompt string
---@field format fun(item: any): string
---@field preview? fun(item: any): string
---@field filetype? string of the previews; else Markdown
---@field choose fun(item: any)

--- Lets the person choose one of ITEMS. A preview is offered as Neovim 0.12 defines it (`preview_item`), which pickers
--- follow, and as snacks.nvim takes it.
---@param items any[]
---@param picker pi_ls.Picker
function M.select(items, picker)
  if #items == 0 then return notify.info("there is nothing to choose from") end
  local filetype = picker.filetype or "markdown"
  local rows = vim.tbl_map(function(item)
    local preview = picker.preview and { text = picker.preview(item), ft = filetype }
    return { item = item, preview = preview }
  end, items)
  local options =
    { prompt = picker.prompt, kind = "pi", format_item = function(row) return picker.format(row.item) end }
  if picker.preview then
    options.snacks = { preview = "preview", layout = { preset = "default" } }
    options.preview_item = function(row)
      local buf = api.nvim_create_buf(false, true)
      api.nvim_buf_set_lines(buf, 0, -1, false, vim.split(row.preview.text, "\n", { plain = true }))
      vim.bo[buf].bufhidden = "wipe"
      vim.bo[buf].filetype = filetype
      return { buf = buf }
    end
  end
  vim.ui.select(rows, options, function(row)
    if row then picker.choose(row.item) end
  end)
end

--- Asks for what can be chosen from; an error is shown.
---@param conversation pi_ls.Conversation
---@param method string
---@param params? table
---@param callback fun(result: table)
local function ask(conversation, method, params, callback)
  conversation:request(method, params, function(err, result)
    if not err then callback(result) end
  end)
end

--- How long ago, in one word.
---@param iso string ISO 8601
local function ago(iso)
  local ok, seconds = pcall(vim.fn.strptime, "%Y-%m-%dT%H:%M:%S", iso:sub(1, 19))
  if not ok or seconds == 0 then return "" end
  -- The time is UTC, and strptime reads local time.
  local utc = os.date("!*t")
  utc.isdst = nil
  local age = math.max(0, os.time(utc) - seconds)
  if age < 3600 then return ("%dm"):format(age / 60) end
  if age < 86400 then return ("%dh"):format(age / 3600) end
  return ("%dd"):format(age / 86400)
end

---@param session table
local function session_preview(session)
  return table.concat({
    "# " .. (session.name or session.firstMessage or session.id),
    "",
    ("%s, %s messages"):format(session.modified:sub(1, 16):gsub("T", " "), session.messageCount or "?"),
    "`" .. vim.fn.fnamemodify(session.cwd, ":~") .. "`",
    "",
    "## First",
    session.firstMessage or "",
    "",
    "## Last",
    session.lastMessage or "",
  }, "\n")
end

---@param conversation pi_ls.Conversation
---@param query? string
---@param all? boolean of all folders
function M.session(conversation, query, all)
  local params = { query = query, all = all or nil, limit = 200 }
  ask(conversation, "bridge/list_sessions", params, function(result)
    M.select(result.sessions, {
      prompt = "Resume a session",
      format = function(session)
        local title = session.name or text.one_line(session.firstMessage or "", 60)
        local last = text.one_line(session.lastMessage or "", 60)
        local mark = session.current and "●" or " "
        local where = all and "  " .. vim.fn.fnamemodify(session.cwd, ":~") or ""
        local more = last ~= title and last ~= "" and "  │ " .. last or ""
        return ("%s %4s  %s%s%s"):format(mark, ago(session.modified), title, where, more)
      end,
      preview = session_preview,
      choose = function(session) conversation.session:replace("bridge/resume", { file = session.file }) end,
    })
  end)
end

--- Forks from a message, and gives its text back for editing.
---@param conversation pi_ls.Conversation
---@param entry string
local function fork(conversation, entry)
  conversation.session:replace("pi/fork", { entryId = entry }, function(result)
    if result.text then conversation.prompt:set(result.text) end
    chat.open(conversation)
  end)
end

--- Forks from the message of the person that has LATER others after it.
---@param conversation pi_ls.Conversation
---@param later integer
---@param entry? string if it is known
function M.fork_at(conversation, later, entry)
  if entry then return fork(conversation, entry) end
  ask(conversation, "pi/get_fork_messages", nil, function(result)
    local message = result.messages[#result.messages - later]
    if not message then return notify.warn("pi has no message to fork from there") end
    fork(conversation, message.entryId)
  end)
end

---@param conversation pi_ls.Conversation
function M.fork_message(conversation)
  ask(conversation, "pi/get_fork_messages", nil, function(result)
    M.select(vim.iter(result.messages):rev():totable(), {
      prompt = "Fork from before",
      format = function(message) return text.one_line(message.text, 100) end,
      preview = function(message) return message.text end,
      choose = function(message) fork(conversation, message.entryId) end,
    })
  end)
end

--- The session's entries with its branches. Choosing a message of the person forks from there.
---@param conversation pi_ls.Conversation
function M.tree(conversation)
  ask(conversation, "bridge/tree", { limit = 2000 }, function(result)
    M.select(tree.shown(result.nodes), {
      prompt = "The session's tree",
      format = function(node)
        local mark = node.id == result.leafId and "●" or node.active and "│" or " "
        local label = node.label and ("[%s] "):format(node.label) or ""
        local what = text.one_line(node.preview, 80)
        return ("%s %s%s%s: %s"):format(mark, ("  "):rep(node.depth), label, node.role or node.type, what)
      end,
      preview = function(node)
        local label = node.label and "\n\nLabel: " .. node.label or ""
        return ("# %s\n%s%s\n\n%s"):format(node.role or node.type, node.timestamp, label, node.preview)
      end,
      choose = function(node)
        if node.role ~= "user" then return notify.info("a session can be forked from a message of yours only") end
        fork(conversation, node.id)
      end,
    })
  end)
end

---@param conversation pi_ls.Conversation
---@param words? string only models that have it in their names
function M.model(conversation, words)
  ask(conversation, "pi/get_available_models", nil, function(result)
    local function is_meant(model) return (model.provider .. "/" .. model.id):lower():find(words:lower(), 1, true) end
    local models = words and vim.tbl_filter(is_meant, result.models) or result.models
    M.select(models, {
      prompt = "Model",
      format = function(model)
        local current = conversation.state.model or {}
        local mark = current.id == model.id and current.provider == model.provider and "●" or " "
        return ("%s %s  %s  %dk"):format(mark, model.id, model.provider, (model.contextWindow or 0) / 1000)
      end,
      choose = function(model)
        conversation:request("pi/set_model", { provider = model.provider, modelId = model.id })
      end,
    })
  end)
end

---@param conversation pi_ls.Conversation
function M.thinking(conversation)
  ask(conversation, "pi/get_available_thinking_levels", nil, function(result)
    M.select(result.levels, {
      prompt = "Thinking",
      format = function(level) return (conversation.state.thinkingLevel == level and "● " or "  ") .. level end,
      choose = function(level) conversation:request("pi/set_thinking_level", { level = level }) end,
    })
  end)
end

return M

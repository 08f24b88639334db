--- Choosing: sessions, entries of the tree, messages to fork from, models, thinking levels. By vim.ui.select, so that
--- whatever replaces it takes over.

local notify = require("pi_ls.notify")
local text = require("pi_ls.text")

local M = {}

---@param items table[]
---@param prompt string
---@param format fun(item: table): string
---@param choose fun(item: table)
local function select(items, prompt, format, choose)
  if #items == 0 then
    notify.info("there is nothing to choose from")
    return
  end
  vim.ui.select(items, { prompt = prompt, kind = "pi", format_item = format }, function(item)
    if item then choose(item) end
  end)
end

---@param conversation pi_ls.Conversation
---@param method string
---@return boolean
local function has(conversation, method)
  if conversation.ready and not conversation.methods[method] then
    notify.error(("this bridge has no %s: npm update -g pi-language-server"):format(method))
    return false
  end
  return true
end

--- How long ago, in one word.
---@param time string|number ISO 8601, or milliseconds since 1970
local function ago(time)
  local seconds = tonumber(time) and tonumber(time) / 1000
  if not seconds then
    local year, month, day, hour, minute = tostring(time):match("^(%d+)-(%d+)-(%d+)T(%d+):(%d+)")
    if not year then return "" end
    local utc = os.time({ year = year, month = month, day = day, hour = hour, min = minute, isdst = false })
    -- os.time reads local time.
    local offset = os.time(os.date("*t", utc)) - os.time(os.date("!*t", utc))
    seconds = utc + offset
  end
  local age = os.time() - seconds
  if age < 3600 then
    return ("%dm"):format(math.max(0, age / 60))
  elseif age < 86400 then
    return ("%dh"):format(age / 3600)
  end
  return ("%dd"):format(age / 86400)
end

--- @param conversation pi_ls.Conversation
--- @param query? string
--- @param all? boolean of all folders
function M.session(conversation, query, all)
  if not has(conversation, "bridge/list_sessions") then return end
  local params = { query = query, all = all or nil, limit = 200 }
  conversation:request("bridge/list_sessions", params, function(err, result)
    if err then return end
    select(result.sessions, "Resume a session", function(session)
      local title = session.name or text.one_line(session.firstMessage or "", 60)
      local last = session.lastMessage and text.one_line(session.lastMessage, 60) or ""
      local mark = session.current and "●" or " "
      local where = all and "  " .. vim.fn.fnamemodify(session.cwd, ":~") or ""
      return ("%s %4s  %s%s  %s"):format(
        mark,
        ago(session.modified),
        title,
        where,
        last ~= title and "│ " .. last or ""
      )
    end, function(session) M.resume(conversation, session) end)
  end)
end

---@param conversation pi_ls.Conversation
---@param session { id?: string, file?: string }
function M.resume(conversation, session)
  if has(conversation, "bridge/resume") then
    local params = session.file and { file = session.file } or { id = session.id }
    conversation:replace_session("bridge/resume", params)
  end
end

--- Forks from a message, and gives its text back for editing.
---@param conversation pi_ls.Conversation
---@param entry string
function M.fork(conversation, entry)
  conversation:replace_session("pi/fork", { entryId = entry }, function(result)
    if result.text then conversation.prompt:set(result.text) end
    require("pi_ls.chat").open(conversation)
  end)
end

--- Forks from the message of the user that has LATER others after it.
---@param conversation pi_ls.Conversation
---@param later integer
---@param entry? string if it is known
function M.fork_at(conversation, later, entry)
  if entry then
    M.fork(conversation, entry)
    return
  end
  conversation:request("pi/get_fork_messages", nil, function(err, result)
    local message = not err and result.messages[#result.messages - later]
    if message then
      M.fork(conversation, message.entryId)
    elseif not err then
      notify.warn("pi has no message to fork from there")
    end
  end)
end

---@param conversation pi_ls.Conversation
function M.fork_message(conversation)
  conversation:request("pi/get_fork_messages", nil, function(err, result)
    if not err then
      local messages = vim.iter(result.messages):rev():totable()
      select(
        messages,
        "Fork from before",
        function(message) return text.one_line(message.text, 100) end,
        function(message) M.fork(conversation, message.entryId) end
      )
    end
  end)
end

--- Nodes in the order of the tree, each with its depth: it grows only where a branch begins.
---@param nodes table[]
local function ordered(nodes)
  local children, by_id = {}, {}
  for _, node in ipairs(nodes) do
    by_id[node.id] = node
  end
  local roots = {}
  for _, node in ipairs(nodes) do
    local parent = node.parentId and by_id[node.parentId]
    local list = parent and (children[parent.id] or {}) or roots
    list[#list + 1] = node
    if parent then children[parent.id] = list end
  end
  local result = {}
  -- A stack, since a long session is deeper than Lua's calls.
  local stack = {}
  for at = #roots, 1, -1 do
    stack[#stack + 1] = { roots[at], 0 }
  end
  while #stack > 0 do
    local node, depth = unpack(table.remove(stack))
    result[#result + 1] = vim.tbl_extend("force", node, { depth = depth })
    local below = children[node.id] or {}
    for at = #below, 1, -1 do
      stack[#stack + 1] = { below[at], #below > 1 and depth + 1 or depth }
    end
  end
  return result
end

--- The session's entries with its branches. Choosing a message of the user forks from there.
---@param conversation pi_ls.Conversation
function M.tree(conversation)
  if not has(conversation, "bridge/tree") then return end
  conversation:request("bridge/tree", { limit = 2000 }, function(err, result)
    if err then return end
    local shown = vim.tbl_filter(
      function(node)
        return node.role == "user" or node.role == "assistant" or node.type ~= "message" or node.label ~= nil
      end,
      ordered(result.nodes)
    )
    select(shown, "The session's tree", function(node)
      local mark = node.id == result.leafId and "●" or node.active and "│" or " "
      local label = node.label and ("[%s] "):format(node.label) or ""
      local indent = ("  "):rep(node.depth)
      return ("%s %s%s%s: %s"):format(mark, indent, label, node.role or node.type, text.one_line(node.preview, 80))
    end, function(node)
      if node.role == "user" then
        M.fork(conversation, node.id)
      else
        notify.info("a session can be forked from a message of yours only")
      end
    end)
  end)
end

---@param conversation pi_ls.Conversation
function M.model(conversation)
  conversation:request("pi/get_available_models", nil, function(err, result)
    if err then return end
    select(result.models, "Model", function(model)
      local current = conversation.state.model or {}
      local mark = current.id == model.id and current.provider == model.provider and "●" or " "
      return ("%s %s  %s  %dk"):format(mark, model.id, model.provider, (model.contextWindow or 0) / 1000)
    end, function(model) conversation:request("pi/set_model", { provider = model.provider, modelId = model.id }) end)
  end)
end

---@param conversation pi_ls.Conversation
function M.thinking(conversation)
  conversation:request("pi/get_available_thinking_levels", nil, function(err, result)
    if err then return end
    select(
      result.levels,
      "Thinking",
      function(level) return (conversation.state.thinkingLevel == level and "● " or "  ") .. level end,
      function(level) conversation:request("pi/set_thinking_level", { level = level }) end
    )
  end)
end

return M

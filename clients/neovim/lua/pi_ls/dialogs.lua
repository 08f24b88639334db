--- Questions of extensions. They queue, and take no keystroke that was meant for something else: one opens by itself
--- only while the prompt is focused and empty and nobody types, and then the cursor is on "Decide later". A question
--- is answered by choosing an answer, never by Enter alone and never by closing a window.

local autocommands = require("pi_ls.autocommands")
local config = require("pi_ls.config")
local menu = require("pi_ls.menu")
local text = require("pi_ls.text")

local api = vim.api

---@class pi_ls.Question
---@field params table pi's record
---@field resolve fun(answer: table) ends it; later calls do nothing
---@field was_shown boolean it does not open by itself any more
---@field close? fun() takes it off the screen

---@class pi_ls.Dialogs
---@field private conversation pi_ls.Conversation
---@field private queue pi_ls.Question[]
---@field private timer? uv.uv_timer_t
local Dialogs = {}
Dialogs.__index = Dialogs

local M = {}

local LATER, REFUSE, ANSWER = "Decide later", "Refuse", "Answer …"

--- When the last key was typed.
local last_key = 0
vim.on_key(function(_, typed)
  if typed ~= "" then last_key = vim.uv.now() end
end, api.nvim_create_namespace("pi_ls.keys"))

---@param conversation pi_ls.Conversation
function M.new(conversation) return setmetatable({ conversation = conversation, queue = {} }, Dialogs) end

function Dialogs:count() return #self.queue end

---@return table? params of the oldest
function Dialogs:first() return self.queue[1] and self.queue[1].params end

--- Takes a question, and returns its answer when there is one: the handler is a coroutine of vim.lsp.
---@param params table
---@return table
function Dialogs:ask(params)
  local running = coroutine.running()
  local question = { params = params, was_shown = false }
  local is_over = false
  question.resolve = function(answer)
    if is_over then return end
    is_over = true
    for at, other in ipairs(self.queue) do
      if other == question then table.remove(self.queue, at) end
    end
    self:changed()
    coroutine.resume(running, answer)
    self:offer()
  end
  self.queue[#self.queue + 1] = question
  self:changed()
  autocommands.send("PiAttention", self.conversation, { title = params.title, method = params.method })
  self:offer()
  return coroutine.yield()
end

---@private
function Dialogs:changed()
  vim.schedule(function() vim.cmd.redrawstatus({ bang = true }) end)
end

--- The question ended without an answer.
---@param id string
---@param reason string
function Dialogs:close(id, reason)
  for _, question in ipairs(self.queue) do
    if question.params.id == id then
      if question.close then question.close() end
      if reason == "timeout" then
        local title = text.one_line(question.params.title, 60)
        self.conversation.transcript:note(("■ expired: %s"):format(title), "PiWarning")
      end
      question.resolve({ cancelled = true })
      return
    end
  end
end

function Dialogs:close_all()
  for _, question in ipairs(vim.list_extend({}, self.queue)) do
    self:close(question.params.id, "exited")
  end
end

--- Opens the oldest new question, if that takes no keystroke from anybody; else tries again when keys have stopped.
function Dialogs:offer()
  local question = vim.iter(self.queue):find(function(other) return not other.was_shown end)
  if not question or self:is_open() then return end
  local prompt = self.conversation.prompt
  if api.nvim_get_current_buf() ~= prompt.buf then
    -- Entering the prompt comes here again.
    return
  end
  local quiet = vim.uv.now() - last_key
  if prompt:is_empty() and quiet >= config.current.idle_ms and not vim.fn.mode():find("^[cr]") then
    self:present(question, true)
  else
    self.timer = self.timer or vim.uv.new_timer()
    local wait = math.max(50, config.current.idle_ms - quiet)
    self.timer:start(wait, 0, vim.schedule_wrap(function() self:offer() end))
  end
end

---@private
function Dialogs:is_open()
  return vim.iter(self.queue):any(function(question) return question.close ~= nil end)
end

--- Opens the oldest question, because the person asked for it.
---@return boolean
function Dialogs:open()
  local question = self.queue[1]
  if not question then return false end
  if not question.close then self:present(question, false) end
  return true
end

--- Answers the oldest question with a refusal.
---@return boolean
function Dialogs:refuse()
  local question = self.queue[1]
  if not question then return false end
  if question.close then question.close() end
  question.resolve({ cancelled = true })
  return true
end

---@param provider "select"|"input"
local function is_replaced(provider) return not debug.getinfo(vim.ui[provider], "S").source:find("vim[/\\]ui%.lua$") end

--- Takes away the floating windows that came since; a picker's own way to close it is not known.
local function closer_of_new_floats()
  local before = {}
  for _, win in ipairs(api.nvim_list_wins()) do
    before[win] = true
  end
  return function()
    for _, win in ipairs(api.nvim_list_wins()) do
      if not before[win] and api.nvim_win_is_valid(win) and api.nvim_win_get_config(win).relative ~= "" then
        pcall(api.nvim_win_close, win, true)
      end
    end
  end
end

---@private
---@param question pi_ls.Question
---@param items string[]
---@param deaf_ms integer
---@param choose fun(item: string)
function Dialogs:choose(question, items, deaf_ms, choose)
  local params = question.params
  local chosen = function(item)
    question.close = nil
    if item and item ~= LATER then
      choose(item)
    else
      self:changed()
      self:offer()
    end
  end
  if is_replaced("select") then
    local title = params.message and params.message ~= "" and params.title .. " " .. params.message or params.title
    question.close = closer_of_new_floats()
    vim.ui.select(items, { prompt = title, kind = "pi" }, chosen)
    return
  end
  local about = {}
  if params.message and params.message ~= "" then
    about = vim.split(text.plain(params.message), "\n", { plain = true })
    about[#about + 1] = ""
  end
  local options = { title = text.one_line(params.title, 70), about = about, deaf_ms = deaf_ms }
  question.close = menu.select(items, options, function(at) chosen(at and items[at]) end)
end

---@private
---@param question pi_ls.Question
---@param by_itself boolean nobody asked for it to open
function Dialogs:present(question, by_itself)
  question.was_shown = true
  local deaf_ms = by_itself and math.min(500, config.current.idle_ms) or 0
  local kind = question.params.method
  if kind == "select" then
    local items = vim.list_extend({ LATER }, question.params.options)
    items[#items + 1] = REFUSE
    self:choose(
      question,
      items,
      deaf_ms,
      function(item) question.resolve(item == REFUSE and { cancelled = true } or { value = item }) end
    )
  elseif kind == "confirm" then
    self:choose(
      question,
      { LATER, "No", "Yes" },
      deaf_ms,
      function(item) question.resolve({ confirmed = item == "Yes" }) end
    )
  elseif by_itself then
    self:choose(question, { LATER, ANSWER, REFUSE }, deaf_ms, function(item)
      if item == REFUSE then
        question.resolve({ cancelled = true })
      else
        self:write(question)
      end
    end)
  else
    self:write(question)
  end
end

--- For a question that is answered by writing.
---@private
---@param question pi_ls.Question
function Dialogs:write(question)
  local params = question.params
  if params.method == "editor" then
    self:edit(question)
    return
  end
  local answered = function(value)
    question.close = nil
    -- Enter alone answers nothing.
    if value and value ~= "" then
      question.resolve({ value = value })
    else
      self:changed()
    end
  end
  if is_replaced("input") then
    question.close = closer_of_new_floats()
    vim.ui.input({ prompt = params.title .. ": " }, answered)
  else
    local options = { title = text.one_line(params.title, 70), placeholder = params.placeholder }
    question.close = menu.input(options, answered)
  end
end

--- A buffer: writing it answers, leaving it cancels.
---@private
---@param question pi_ls.Question
function Dialogs:edit(question)
  local params = question.params
  local prefill = params.prefill or ""
  local buf = api.nvim_create_buf(false, false)
  api.nvim_buf_set_name(buf, ("pi://%s/%s"):format(self.conversation.name, params.id))
  vim.bo[buf].buftype = "acwrite"
  vim.bo[buf].bufhidden = "hide"
  vim.bo[buf].swapfile = false
  vim.bo[buf].filetype = "markdown"
  api.nvim_buf_set_lines(buf, 0, -1, false, vim.split((prefill:gsub("\n$", "")), "\n", { plain = true }))
  vim.bo[buf].modified = false
  vim.cmd("botright split")
  local win = api.nvim_get_current_win()
  vim.wo[win].winfixbuf = false
  api.nvim_win_set_buf(win, buf)
  vim.wo[win].winbar = "%#PiAttention# "
    .. text.one_line(params.title, 60):gsub("%%", "%%%%")
    .. "  :w answers, :q cancels "
  local finish = function(answer)
    question.close = nil
    vim.schedule(function() pcall(api.nvim_buf_delete, buf, { force = true }) end)
    question.resolve(answer)
  end
  question.close = function()
    question.close = nil
    pcall(api.nvim_buf_delete, buf, { force = true })
  end
  api.nvim_create_autocmd("BufWriteCmd", {
    buffer = buf,
    callback = function()
      vim.bo[buf].modified = false
      local value = table.concat(api.nvim_buf_get_lines(buf, 0, -1, false), "\n")
      finish({ value = prefill:sub(-1) == "\n" and value .. "\n" or value })
    end,
  })
  api.nvim_create_autocmd("BufWinLeave", {
    buffer = buf,
    callback = function() finish({ cancelled = true }) end,
  })
end

return M

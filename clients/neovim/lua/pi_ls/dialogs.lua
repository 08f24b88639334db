--- Questions of extensions. They queue, and take no keystroke that was meant for something else: one opens by itself
--- only while the prompt is focused and empty and nobody types, and then the cursor is on "Decide later". A question
--- is answered by choosing an answer, never by Enter alone and never by closing a window.

local autocommands = require("pi_ls.autocommands")
local config = require("pi_ls.config")
local notify = require("pi_ls.notify")
local question_window = require("pi_ls.question")
local store = require("pi_ls.store")
local text = require("pi_ls.text")
local typing = require("pi_ls.typing")

---@class pi_ls.Question
---@field params table pi's record
---@field was_shown boolean it does not open by itself any more
---@field close? fun(at_once?: boolean): string? takes it off the screen where it is; returns what was written there
---@field win? integer where it is, unless something else shows it
---@field resolve fun(answer: table, unsent?: string) ends it, once. UNSENT was written, and is no answer
---@field put_off fun(unsent?: string) it was closed without an answer, and waits

---@class pi_ls.Dialogs
---@field private conversation pi_ls.Conversation
---@field private queue pi_ls.Question[]
---@field private is_watching boolean an offer waits for the keys to stop
local Dialogs = {}
Dialogs.__index = Dialogs

local M = {}

---@param question pi_ls.Question
local function title_of(question) return text.one_line(question.params.title, 60) end

---@param conversation pi_ls.Conversation
function M.new(conversation)
  return setmetatable({ conversation = conversation, queue = {}, is_watching = false }, Dialogs)
end

function Dialogs:count() return #self.queue end

---@return table? params of the oldest
function Dialogs:first() return self.queue[1] and self.queue[1].params end

--- Takes a question, and returns its answer when there is one: the handler is a coroutine of vim.lsp.
---@param params table
---@return table
function Dialogs:ask(params)
  local running, is_over = coroutine.running(), false
  ---@type pi_ls.Question
  local question = { params = params, was_shown = false }
  question.put_off = function(unsent)
    question.close, question.win = nil, nil
    self:keep(question, "closed", unsent)
    self:changed()
  end
  question.resolve = function(answer, unsent)
    if is_over then return end
    is_over, question.close, question.win = true, nil, nil
    self:keep(question, "refused", unsent)
    self.queue = vim.tbl_filter(function(other) return other ~= question end, self.queue)
    self:changed()
    coroutine.resume(running, answer)
  end
  self.queue[#self.queue + 1] = question
  -- Not before this coroutine has yielded: a picker may answer at once.
  vim.schedule(function() self:changed() end)
  autocommands.send("PiAttention", self.conversation, { title = params.title, method = params.method })
  return coroutine.yield()
end

--- Bars show how many there are; the next one may open.
---@private
function Dialogs:changed()
  vim.schedule(function() vim.cmd.redrawstatus({ bang = true }) end)
  self:offer()
end

--- What was written, and is no answer, is not lost.
---@private
---@param question pi_ls.Question
---@param what string happened to the question
---@param unsent? string
---@return boolean whether there is something
function Dialogs:keep(question, what, unsent)
  if not unsent or unsent == "" then return false end
  store.remember(unsent)
  local note = ("■ %s: %s. What you wrote is in the prompt's history"):format(what, title_of(question))
  self.conversation.transcript:note(note, "PiWarning")
  return true
end

--- The question ended without an answer.
---@param id string
---@param reason string
function Dialogs:close(id, reason)
  local question = vim.iter(self.queue):find(function(other) return other.params.id == id end)
  if not question then return end
  local is_kept = self:keep(question, "over", question.close and question.close())
  if reason == "timeout" and not is_kept then
    self.conversation.transcript:note("■ expired: " .. title_of(question), "PiWarning")
  end
  question.resolve({ cancelled = true })
end

function Dialogs:close_all()
  for _, question in ipairs(self.queue) do
    self:close(question.params.id, "exited")
  end
end

--- The oldest new question, if one may open by itself.
---@private
---@return pi_ls.Question?
function Dialogs:due()
  local is_open = vim.iter(self.queue):any(function(question) return question.close ~= nil end)
  if is_open or not self.conversation.prompt:is_ready_for_questions() then return nil end
  return vim.iter(self.queue):find(function(question) return not question.was_shown end)
end

--- Opens the oldest new question as soon as that takes no keystroke from anybody. Entering the prompt, and emptying it,
--- come here again.
function Dialogs:offer()
  if self.is_watching or not self:due() then return end
  self.is_watching = true
  typing.when_quiet(config.current.idle_ms, function()
    self.is_watching = false
    local question = self:due()
    if question then self:present(question, true) end
  end)
end

--- What cannot be shown is refused: pi waits for it.
---@private
---@param question pi_ls.Question
---@param by_itself boolean
function Dialogs:present(question, by_itself)
  question.was_shown = true
  local ok, err = pcall(question_window.show, question, self.conversation.name, by_itself)
  if ok then return end
  notify.error(("%q cannot be shown, and is refused: %s"):format(question.params.title, err))
  question.resolve({ cancelled = true })
end

--- Opens the oldest question, because the person asked for it.
---@return boolean whether there is one
function Dialogs:open()
  local question = self.queue[1]
  -- Its window may be gone without a word.
  if question and question.win and not vim.api.nvim_win_is_valid(question.win) then
    question.put_off(question.close(true))
  end
  if question and not question.close then self:present(question, false) end
  return question ~= nil
end

--- Answers the oldest question with a refusal.
---@return boolean whether there was one
function Dialogs:refuse()
  local question = self.queue[1]
  if not question then return false end
  question.resolve({ cancelled = true }, question.close and question.close(true))
  return true
end

return M

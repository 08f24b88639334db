--- The session of a conversation: which one is shown, its older pages, and going to another one.

local autocommands = require("pi_ls.autocommands")
local config = require("pi_ls.config")
local notify = require("pi_ls.notify")
local page = require("pi_ls.page")

---@class pi_ls.Session
---@field private conversation pi_ls.Conversation
---@field private shown? string the id of the session that the transcript shows
---@field private last? table the last session that was told of: `{id, file?, cwd}`
---@field private before? string the cursor of the next older page
local Session = {}
Session.__index = Session

---@param conversation pi_ls.Conversation
---@return pi_ls.Session
function Session.new(conversation) return setmetatable({ conversation = conversation }, Session) end

--- Where a bridge that is started again is to go on. What is shown is then read anew.
---@return { file: string }?
function Session:origin()
  local session = self.last
  self.shown = nil
  local file = session and session.file
  -- A session without an answer has no file yet; one of a pi on another machine has its file there.
  local has_file = file and (vim.uv.fs_stat(file) or not vim.uv.fs_stat(session.cwd))
  return has_file and { file = file } or nil
end

---@param state table `bridge/state`
function Session:on_state(state)
  self.last = state.session or self.last
  if state.session and state.session.id ~= self.shown then
    self.shown = state.session.id
    self:load()
  end
end

--- A request that replaces the session. The transcript is drawn anew, before CALLBACK gets the result.
---@param method string
---@param params? table
---@param callback? fun(result: any)
function Session:replace(method, params, callback)
  self.conversation:request(method, params, function(err, result)
    if err then return end
    if type(result) == "table" and result.cancelled then return notify.warn("an extension refused it") end
    self:refresh(callback and function() callback(result) end)
  end)
end

--- Asks for the state, and draws the session anew if it is another one.
---@param callback? fun()
function Session:refresh(callback)
  self.conversation:request("bridge/state", nil, function(err, state)
    if not err then self.conversation:on_state(state) end
    if callback then callback() end
  end)
end

--- Draws the session from what pi has: its last page.
function Session:load()
  local transcript = self.conversation.transcript
  transcript:reset()
  if not self.shown then return end
  self.conversation:forget_told()
  self.before = nil
  self:load_page(function(is_empty)
    if is_empty then
      local model = self.conversation.state.model and self.conversation.state.model.id or "no model yet"
      transcript:welcome({
        "A new session with " .. model .. ".",
        "",
        "Write below what you want.",
        ":Pi <Tab> lists all, :help pi_ls explains it.",
      })
    end
    autocommands.send("PiSession", self.conversation)
  end)
end

--- Loads the next older page, at the top.
---@private
---@param callback? fun(is_empty: boolean)
function Session:load_page(callback)
  local session = self.shown
  local params = { limit = config.current.page, before = self.before }
  self.conversation:request("bridge/history", params, function(err, result)
    -- Another session may have come in between.
    if err or self.shown ~= session then return end
    self.before = result.before
    local transcript = self.conversation.transcript
    local older = vim.tbl_filter(function(item) return not transcript:has_live(item.message) end, result.messages)
    transcript:prepend(page.chunk(older), result.before ~= nil)
    if callback then callback(#result.messages == 0) end
  end)
end

--- Loads older messages, if there are any.
function Session:older()
  if not self.before then return notify.info("this is the beginning") end
  self:load_page()
end

return Session

--- One conversation: a bridge with its agent, a transcript, and a prompt. It outlives its windows, and its bridge.

local autocommands = require("pi_ls.autocommands")
local client = require("pi_ls.client")
local config = require("pi_ls.config")
local data = require("pi_ls.data")
local notify = require("pi_ls.notify")
local render = require("pi_ls.render")

local M = {}

--- A bridge that ends so often within so many seconds is not started again.
local MAX_RESTARTS, RESTART_WINDOW_S = 3, 60

---@class pi_ls.Conversation
---@field name string
---@field cwd string
---@field client_id? integer
---@field ready boolean the bridge has answered `initialize`
---@field state table the last `bridge/state`
---@field methods table<string, boolean> the `bridge/…` methods that the bridge has
---@field transcript pi_ls.Transcript
---@field prompt pi_ls.Prompt
---@field dialogs pi_ls.Dialogs
---@field changes pi_ls.Changes
---@field announced table what extensions put on the screen: `status`, `widgets`, `title`
---@field ended boolean ended on purpose
---@field private is_stopping boolean the queue is being emptied, to abort then
---@field private waiting fun()[] what was asked before the bridge was ready
---@field private unanswered table<table, string> texts that pi has not taken yet
---@field private starts integer[] when the bridge was started
---@field private restarts integer how often this bridge has restarted pi
---@field private shown_session? string the session that the transcript shows
---@field private before? string the cursor of the next older page
---@field private bashes table<integer, table>
local Conversation = {}
Conversation.__index = Conversation

---@type table<string, pi_ls.Conversation>
M.all = {}
---@type table<integer, pi_ls.Conversation>
M.by_client = {}

local idle = {
  phase = "stopped",
  activity = "idle",
  restarts = 0,
  queue = { steering = {}, followUp = {} },
  dialogs = 0,
}

--- The conversation of this tab page.
---@return pi_ls.Conversation?
function M.current()
  local buf = vim.api.nvim_get_current_buf()
  for _, conversation in pairs(M.all) do
    if conversation:owns(buf) then return conversation end
  end
  return M.all[vim.t.pi_ls or ""]
end

--- The conversation of this tab page or the one called NAME, made if there is none.
---@param name? string
---@return pi_ls.Conversation
function M.get(name)
  local found = name and M.all[name] or not name and M.current()
  if found then
    vim.t.pi_ls = found.name
    return found
  end
  if not name then
    local number = 1
    while M.all[("pi %d"):format(number)] do
      number = number + 1
    end
    name = ("pi %d"):format(number)
  end
  local conversation = M.new(name)
  vim.t.pi_ls = name
  return conversation
end

---@param name string
---@return pi_ls.Conversation
function M.new(name)
  local self = setmetatable({
    name = name,
    cwd = vim.fn.getcwd(),
    ready = false,
    ended = false,
    state = idle,
    methods = {},
    announced = { status = {}, widgets = {} },
    waiting = {},
    unanswered = {},
    starts = {},
    bashes = {},
  }, Conversation)
  M.all[name] = self
  self.transcript = require("pi_ls.transcript").new()
  vim.api.nvim_buf_set_name(self.transcript.buf, ("pi://%s/chat"):format(name))
  vim.bo[self.transcript.buf].filetype = "pi-chat"
  require("pi_ls.jump").map(self)
  self.dialogs = require("pi_ls.dialogs").new(self)
  self.changes = require("pi_ls.changes").new(self)
  self.prompt = require("pi_ls.prompt").new(self)
  self:start()
  return self
end

---@param buf integer
function Conversation:owns(buf) return self.transcript.buf == buf or (self.prompt ~= nil and self.prompt.buf == buf) end

--- Starts the bridge, which starts pi.
---@param session? table|string
function Conversation:start(session)
  self.starts[#self.starts + 1] = os.time()
  self.ready, self.restarts, self.is_stopping = false, 0, false
  local id, err = client.start({
    cwd = self.cwd,
    buf = self.prompt.buf,
    session = session,
    on_init = function(_, result) self:on_ready(result) end,
    on_exit = function(code, signal) self:on_exit(code, signal) end,
  })
  if not id then
    self.transcript:note("✗ " .. err, "PiError")
    notify.error(err)
    return
  end
  -- Before anything can arrive: the handlers find the conversation by it.
  self.client_id = id
  M.by_client[id] = self
end

---@private
---@param result table of `initialize`
function Conversation:on_ready(result)
  local capability = vim.tbl_get(result, "capabilities", "experimental", "pi")
  if not capability then
    notify.error("this language server is no pi-language-server: check `cmd`")
  elseif capability.version ~= data.protocol then
    local old = capability.version < data.protocol and "the bridge" or "this plugin"
    notify.error(
      ("the bridge speaks version %s of the protocol, this plugin version %s: update %s. "):format(
        capability.version,
        data.protocol,
        old
      ) .. "`npm update -g pi-language-server` updates both."
    )
  end
  for _, method in ipairs(capability and capability.methods or {}) do
    self.methods[method] = true
  end
  self.ready = true
  local waiting = self.waiting
  self.waiting = {}
  for _, request in ipairs(waiting) do
    request()
  end
  require("pi_ls.attach").all(self)
end

--- The bridge has ended. If nobody wanted that, it is started again on the same session.
---@private
function Conversation:on_exit(code, signal)
  if self.client_id then M.by_client[self.client_id] = nil end
  self.client_id, self.ready = nil, false
  local session = self.state.session
  self.state = idle
  self.dialogs:close_all()
  if self.ended or vim.v.exiting ~= vim.NIL then return end
  self:give_back(true)
  local why = signal ~= 0 and ("signal %d"):format(signal) or ("exit code %d"):format(code)
  local recent = vim.tbl_filter(function(at) return os.time() - at < RESTART_WINDOW_S end, self.starts)
  if #recent > MAX_RESTARTS then
    local text = ("the bridge ended again (%s) and is not started any more. :Pi restart tries once more."):format(why)
    self.transcript:note("✗ " .. text, "PiError")
    notify.error(text)
    return
  end
  self.transcript:note(("■ the bridge ended (%s) and is started again"):format(why), "PiWarning")
  -- What is shown is read anew from the session.
  self.shown_session = nil
  local file = session and session.file
  -- A session without an answer has no file yet; one of a pi on another machine has its file there.
  local has_file = file and (vim.uv.fs_stat(file) or not vim.uv.fs_stat(session.cwd))
  self:start(has_file and { file = file } or nil)
end

--- Ends the conversation: the bridge, and both buffers.
function Conversation:stop()
  self.ended = true
  self.prompt:save()
  if self.client_id then client.stop(self.client_id) end
  M.all[self.name] = nil
  for _, buf in ipairs({ self.prompt.buf, self.transcript.buf }) do
    pcall(vim.api.nvim_buf_delete, buf, { force = true })
  end
end

--- Sends a request, now or as soon as the bridge is ready. An error is shown, unless CALLBACK returns true for it.
---@param method string
---@param params? table
---@param callback? fun(err: lsp.ResponseError?, result: any): boolean?
---@return integer? request_id
function Conversation:request(method, params, callback)
  if not self.ready then
    if not self.client_id then
      notify.error("the bridge does not run. :Pi restart starts it")
      return
    end
    self.waiting[#self.waiting + 1] = function() self:request(method, params, callback) end
    return
  end
  local sent, id = client.request(self.client_id, method, params, self.prompt.buf, function(err, result)
    local handled = callback and callback(err, result)
    if err and not handled then notify.error(err.message) end
  end)
  return sent and id or nil
end

--- Whether the agent works, so that a message must say when it is to be delivered.
function Conversation:is_running() return self.state.activity ~= "idle" end

--- Sends a message as it is meant: a prompt, or while the agent runs a steer or a follow-up.
---@param message string
---@param options? { behavior?: "steer"|"followUp", images?: table[] }
function Conversation:send(message, options)
  options = options or {}
  local params = { message = message }
  if options.images and #options.images > 0 then params.images = options.images end
  -- Also when idle: whether it runs may have changed since the last state, and pi then needs to know.
  params.streamingBehavior = options.behavior or "steer"
  local ticket = {}
  self.unanswered[ticket] = message
  self:request("pi/prompt", params, function(err)
    self.unanswered[ticket] = nil
    if err then
      self.prompt:give_back({ message })
      self.transcript:note("✗ not sent: " .. err.message, "PiError")
      local hint = type(err.data) == "table" and err.data.hint
      if hint then self.transcript:note("  " .. hint) end
      return true
    end
  end)
end

--- Runs a shell command through pi; its output streams into the transcript.
---@param command string
---@param exclude? boolean keep it from the model
function Conversation:bash(command, exclude)
  local block = { command = command, output = {}, call = { id = {}, name = "!", arguments = {} } }
  block.show = function(result)
    self.transcript:custom(block.call.id, render.bash(command, table.concat(block.output), result))
  end
  local id
  id = self:request("pi/bash", { command = command, excludeFromContext = exclude }, function(err, result)
    if id then self.bashes[id] = nil end
    if err then
      block.show({ cancelled = true })
      return
    end
    if #block.output == 0 then block.output = { result.output } end
    block.show(result)
  end)
  if id then self.bashes[id] = block end
  block.show()
end

---@param id integer
---@param delta string
function Conversation:on_bash_output(id, delta)
  local block = self.bashes[id]
  if block then
    block.output[#block.output + 1] = delta
    block.show()
  end
end

--- Stops the agent for good: what waits in the queue comes back into the prompt first, else pi would go on with it.
function Conversation:abort()
  if not self.ready then return end
  if next(self.bashes) then self:request("pi/abort_bash") end
  local abort = function()
    self.is_stopping = false
    self:request("pi/abort", nil, function(err)
      self:give_back(false)
      return err == nil
    end)
  end
  -- An abort overtakes whatever waits, so it is sent when the queue is empty; asked for twice, at once.
  if self.is_stopping then
    abort()
    return
  end
  self.is_stopping = true
  self:request("pi/clear_queue", nil, function(err, queue)
    if not err then self.prompt:give_back(vim.list_extend(queue.steering, queue.followUp)) end
    if self.is_stopping then abort() end
    -- pi 0.84 has no such command; its queue goes on after the abort.
    return true
  end)
end

--- Texts that pi has not taken come back into the prompt. A slash command may just take long.
---@private
---@param all boolean
function Conversation:give_back(all)
  local texts = {}
  for ticket, message in pairs(self.unanswered) do
    if all or message:sub(1, 1) ~= "/" then
      texts[#texts + 1] = message
      self.unanswered[ticket] = nil
    end
  end
  self.prompt:give_back(texts)
end

--- A request that replaces the session. The transcript is drawn anew, before whatever is asked next is answered.
---@param method string
---@param params? table
---@param callback? fun(result: any)
function Conversation:replace_session(method, params, callback)
  self:request(method, params, function(err, result)
    if err then return end
    if type(result) == "table" and result.cancelled then
      notify.warn("an extension refused it")
      return
    end
    self:refresh(function()
      if callback then callback(result) end
    end)
  end)
end

--- Asks for the state, and draws the session anew if it is another one.
---@param callback? fun()
function Conversation:refresh(callback)
  self:request("bridge/state", nil, function(err, state)
    if not err then self:on_state(state) end
    if callback then callback() end
  end)
end

---@param state table
function Conversation:on_state(state)
  local old = self.state
  self.state = state
  if state.session and state.session.id ~= self.shown_session then
    self.shown_session = state.session.id
    self:load()
  end
  if state.error and not vim.deep_equal(state.error, old.error) then
    self.transcript:note("✗ " .. state.error.message, "PiError")
    self.transcript:note("  " .. state.error.hint)
  elseif state.phase == "ready" then
    if state.restarts > self.restarts then self.transcript:note("■ pi ended and was started again", "PiWarning") end
    self.restarts = state.restarts
  end
  if state.phase == "ready" then
    for _, warning in ipairs(state.warnings or {}) do
      if not vim.deep_equal(old.warnings, state.warnings) then
        self.transcript:note(("! %s %s"):format(warning.message, warning.hint), "PiWarning")
      end
    end
  end
  if state.lost and not vim.deep_equal(state.lost, old.lost) then
    local texts = vim.list_extend({}, state.lost.prompts)
    vim.list_extend(texts, state.lost.steering)
    self.prompt:give_back(vim.list_extend(texts, state.lost.followUp))
  end
  self.prompt:decorate()
  vim.cmd.redrawstatus({ bang = true })
end

--- Draws the session from what pi has: its last page.
function Conversation:load()
  self.transcript:reset()
  self.before = nil
  self:load_page(function(is_empty)
    if is_empty then
      local model = self.state.model and self.state.model.id or "no model yet"
      self.transcript:welcome({
        "A new session with " .. model .. ".",
        "",
        "Write below what you want.",
        ":Pi <Tab> lists what there is, :help pi_ls explains it.",
      })
    end
    autocommands.send("PiSession", self)
  end)
end

--- Loads the next older page, at the top.
---@param callback? fun(is_empty: boolean)
function Conversation:load_page(callback)
  local session = self.shown_session
  local show = function(items, before)
    -- Another session came in between.
    if self.shown_session ~= session then return end
    self.before = before
    self.transcript:prepend(render.page(items), before ~= nil)
    if callback then callback(#items == 0) end
  end
  if self.methods["bridge/history"] then
    local params = { limit = config.current.page, before = self.before }
    self:request("bridge/history", params, function(err, result)
      if not err then show(result.messages, result.before) end
    end)
  else
    self:request("pi/get_messages", nil, function(err, result)
      if not err then show(vim.tbl_map(function(message) return { message = message } end, result.messages)) end
    end)
  end
end

--- Loads older messages, if there are any.
function Conversation:load_older()
  if self.before then
    self:load_page()
  else
    notify.info("this is the beginning")
  end
end

M.Conversation = Conversation
return M

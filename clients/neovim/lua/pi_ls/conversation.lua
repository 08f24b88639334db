--- A conversation: a bridge with its agent, and everything here that belongs to it. It outlives its windows.

local Outgoing = require("pi_ls.outgoing")
local Requests = require("pi_ls.requests")
local client = require("pi_ls.client")
local data = require("pi_ls.data")
local notify = require("pi_ls.notify")

local M = {}

--- A bridge that ends so often within so many seconds is not started again.
local MAX_RESTARTS, RESTART_WINDOW_S = 3, 60

---@class pi_ls.Conversation
---@field name string
---@field cwd string
---@field client_id? integer
---@field ready boolean the bridge has answered `initialize`
---@field state table the last `bridge/state`
---@field transcript pi_ls.Transcript
---@field prompt pi_ls.Prompt
---@field session pi_ls.Session
---@field shell pi_ls.Shell
---@field dialogs pi_ls.Dialogs
---@field changes pi_ls.Changes
---@field announced table what extensions put on the screen: `status`, `widgets`, `title`
---@field ended boolean ended on purpose
---@field private requests pi_ls.Requests
---@field private outgoing pi_ls.Outgoing
---@field private restarts integer how often this bridge has restarted pi
---@field private told table<string, boolean> failures that the transcript tells
---@field private starts integer[] when the bridge was started
local Conversation = {}
M.Conversation = Conversation
Conversation.__index = Conversation

---@type table<string, pi_ls.Conversation>
M.all = {}
---@type table<integer, pi_ls.Conversation>
M.by_client = {}

local idle =
  { phase = "stopped", activity = "idle", restarts = 0, queue = { steering = {}, followUp = {} }, dialogs = 0 }

--- The conversation whose buffer BUF is.
---@param buf integer
---@return pi_ls.Conversation?
function M.of_buffer(buf)
  for _, conversation in pairs(M.all) do
    if conversation.transcript.buf == buf or conversation.prompt.buf == buf then return conversation end
  end
end

--- The conversation of this tab page.
---@return pi_ls.Conversation?
function M.current() return M.of_buffer(vim.api.nvim_get_current_buf()) or M.all[vim.t.pi_ls or ""] end

--- The conversation of this tab page or the one called NAME, made if there is none.
---@param name? string
---@return pi_ls.Conversation
function M.get(name)
  local found = name and M.all[name] or not name and M.current()
  local number = 1
  while not name and M.all[("pi %d"):format(number)] do
    number = number + 1
  end
  found = found or M.new(name or ("pi %d"):format(number))
  vim.t.pi_ls = found.name
  return found
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
    announced = { status = {}, widgets = {} },
    outgoing = Outgoing.new(),
    told = {},
    starts = {},
  }, Conversation)
  self.requests = Requests.new(self)
  self.transcript = require("pi_ls.transcript").new(("pi://%s/chat"):format(name))
  self.session = require("pi_ls.session").new(self)
  self.shell = require("pi_ls.shell").new(self)
  self.dialogs = require("pi_ls.dialogs").new(self)
  self.changes = require("pi_ls.changes").new(self)
  self.prompt = require("pi_ls.prompt").new(self)
  M.all[name] = self
  require("pi_ls.jump").map(self)
  require("pi_ls.rescue").watch(self)
  self:start()
  return self
end

--- Starts pi again on the same session; also the bridge, if it does not run.
---@param conversation pi_ls.Conversation
function M.restart(conversation)
  if conversation.client_id then return conversation:request("bridge/restart") end
  conversation:start(conversation.session:origin())
end

--- Starts the bridge, which starts pi.
---@param session? table|string as in the bridge's option
function Conversation:start(session)
  self.starts[#self.starts + 1] = os.time()
  self.ready, self.restarts = false, 0
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
    local versions = "the bridge speaks version %s of the protocol, this plugin version %s: update %s. "
    local how = "`npm update -g pi-language-server` updates both."
    notify.error(versions:format(capability.version, data.protocol, old) .. how)
  end
  self.ready = true
  self.requests:ready()
  require("pi_ls.attach").all(self)
end

--- The bridge has ended. If nobody wanted that, it is started again on the same session.
---@private
function Conversation:on_exit(code, signal)
  if self.client_id then M.by_client[self.client_id] = nil end
  self.client_id, self.ready = nil, false
  self.dialogs:close_all()
  if self.ended or vim.v.exiting ~= vim.NIL then return end
  -- What waits in pi's queue goes down with it.
  local queue = self.state.queue
  self.prompt:give_back(
    self.outgoing:give_up(true, vim.list_extend(vim.list_slice(queue.steering), queue.followUp))
  )
  self.requests:ended()
  local why = signal ~= 0 and ("signal %d"):format(signal) or ("exit code %d"):format(code)
  local recent = vim.tbl_filter(function(at) return os.time() - at < RESTART_WINDOW_S end, self.starts)
  self.state = idle
  if #recent > MAX_RESTARTS then
    local gave_up = ("the bridge ended again (%s) and is not started any more. :Pi restart tries once more."):format(
      why
    )
    self.transcript:note("✗ " .. gave_up, "PiError")
    notify.error(gave_up)
    return
  end
  self.transcript:note(("■ the bridge ended (%s) and is started again"):format(why), "PiWarning")
  self:start(self.session:origin())
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
---@param callback? pi_ls.Callback
---@return integer? request_id
function Conversation:request(method, params, callback) return self.requests:add(method, params, callback) end

local signs = { error = { "✗ ", "PiError" }, warning = { "! ", "PiWarning" } }

--- Tells a failure in the transcript, once: the bridge tells it by a message, and with a hint by its state.
---@param level "error"|"warning"
---@param message string
---@param hint? string
---@return boolean whether it was new
function Conversation:tell(level, message, hint)
  local is_new = not self.told[message]
  -- By the names that a person knows.
  hint = hint and hint:gsub("bridge/restart", ":Pi restart")
  if is_new then
    self.transcript:note(signs[level][1] .. message .. (hint and " " .. hint or ""), signs[level][2])
  elseif hint and not self.told[hint] then
    self.transcript:note(hint)
  end
  self.told[message] = true
  if hint then self.told[hint] = true end
  return is_new
end

--- The transcript is empty again.
function Conversation:forget_told() self.told = {} end

---@param lost? table of a `bridge/state`
---@return string[]
local function texts_of(lost)
  return lost and vim.iter({ lost.prompts, lost.steering, lost.followUp }):flatten():totable() or {}
end

---@param state table
function Conversation:on_state(state)
  local old = self.state
  self.state = state
  self.session:on_state(state)
  if state.error then self:tell("error", state.error.message, state.error.hint) end
  if state.phase == "ready" then
    if state.restarts > self.restarts then
      self.transcript:note("■ pi ended and was started again", "PiWarning")
    end
    self.restarts = state.restarts
    for _, warning in ipairs(state.warnings or {}) do
      self:tell("warning", warning.message, warning.hint)
    end
  end
  self.prompt:give_back(self.outgoing:lost(texts_of(state.lost), texts_of(old.lost)))
  self.prompt:decorate()
  vim.cmd.redrawstatus({ bang = true })
end

--- Sends a message: a prompt, or while the agent runs a steer or a follow-up. With the lines that it mentions.
---@param written string
---@param options? { behavior?: "steer"|"followUp", images?: table[] }
function Conversation:send(written, options)
  options = options or {}
  local message = { text = written, sent = require("pi_ls.context").expand(written, self.cwd) }
  -- The behaviour also when idle: whether it runs may have changed since the last state, and pi then needs to know.
  local params = { message = message.sent, streamingBehavior = options.behavior or "steer" }
  if options.images and #options.images > 0 then params.images = options.images end
  self.outgoing:add(message)
  self:request("pi/prompt", params, function(err)
    if self.outgoing:answered(message, err ~= nil) then self.prompt:give_back({ written }) end
    if not err then return end
    vim.iter(options.images or {}):each(function(image) self.prompt:attach(image) end)
    local kind = type(err.data) == "table" and err.data.kind
    -- Why there is no pi is told by the state.
    local why = (kind == "unavailable" or kind == "exited") and "there is no pi" or err.message
    self.transcript:note("✗ not sent: " .. why, "PiError")
    return true
  end)
end

--- Stops the agent for good: what waits in the queue comes back into the prompt, else pi would go on with it.
function Conversation:abort()
  if not self.ready then return end
  self.shell:stop()
  -- Both at once: a prompt that pi is still taking in keeps the first one back, and the second one overtakes it then.
  self:clear_queue(true)
  self:request("pi/abort", nil, function(err)
    self.prompt:give_back(self.outgoing:give_up(false))
    return err == nil
  end)
end

--- Takes what waits in the queue back into the prompt.
---@param is_quiet? boolean without a word where there is no such command, as in pi 0.84
function Conversation:clear_queue(is_quiet)
  self:request("pi/clear_queue", nil, function(err, queue)
    if not err then self.prompt:give_back(vim.list_extend(queue.steering, queue.followUp)) end
    return is_quiet
  end)
end

return M

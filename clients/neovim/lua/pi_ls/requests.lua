--- What is asked of a bridge: it waits until the bridge is ready, and is answered once, also when the bridge ends.
--- Neovim answers nothing that was open then.

local client = require("pi_ls.client")
local notify = require("pi_ls.notify")

---@class pi_ls.Request
---@field method string
---@field params? table
---@field callback? pi_ls.Callback

---@alias pi_ls.Callback fun(err: lsp.ResponseError?, result: any): boolean? whether an error needs no more words

---@class pi_ls.Requests
---@field private conversation pi_ls.Conversation
---@field private waiting pi_ls.Request[]
---@field private open table<integer, pi_ls.Request> in the order in which they were sent
---@field private sent integer
local Requests = {}
Requests.__index = Requests

---@param conversation pi_ls.Conversation
---@return pi_ls.Requests
function Requests.new(conversation)
  return setmetatable({ conversation = conversation, waiting = {}, open = {}, sent = 0 }, Requests)
end

---@param request pi_ls.Request
---@param err? lsp.ResponseError
---@return boolean whether the person is to be told
local function answer(request, err, result)
  local is_handled = request.callback and request.callback(err, result)
  return err ~= nil and not is_handled
end

---@param method string
---@param params? table
---@param callback? pi_ls.Callback
---@return integer? request_id
function Requests:add(method, params, callback)
  local request = { method = method, params = params, callback = callback }
  if not self.conversation.client_id then
    local message = "the bridge does not run. :Pi restart starts it"
    if answer(request, { message = message }) then notify.error(message) end
  elseif self.conversation.ready then
    return self:send(request)
  else
    self.waiting[#self.waiting + 1] = request
  end
end

---@private
---@param request pi_ls.Request
---@return integer? request_id
function Requests:send(request)
  self.sent = self.sent + 1
  local number = self.sent
  self.open[number] = request
  local conversation = self.conversation
  local function answered(err, result)
    if not self.open[number] then return end
    self.open[number] = nil
    if answer(request, err, result) then notify.error(err.message) end
  end
  local buf = conversation.prompt.buf
  local is_sent, id = client.request(conversation.client_id, request.method, request.params, buf, answered)
  return is_sent and id or nil
end

--- The bridge is ready.
function Requests:ready()
  local waiting = self.waiting
  self.waiting = {}
  for _, request in ipairs(waiting) do
    self:send(request)
  end
end

--- The bridge has ended: so nothing else will be answered.
function Requests:ended()
  local numbers = vim.tbl_keys(self.open)
  table.sort(numbers)
  local all = vim.tbl_map(function(number) return self.open[number] end, numbers)
  vim.list_extend(all, self.waiting)
  self.open, self.waiting = {}, {}
  local message = "the bridge has ended"
  local is_to_be_told = false
  for _, request in ipairs(all) do
    is_to_be_told = answer(request, { message = message }) or is_to_be_told
  end
  if is_to_be_told then notify.error(message) end
end

return Requests

--- Messages on their way to pi. What does not arrive goes back to the person, and only once: that a message is lost can
--- be told twice, by the error that answers it and by the bridge's state, in either order.

---@class pi_ls.OutgoingMessage
---@field text string as it was written
---@field sent string as it was sent, with the lines that it mentions

---@class pi_ls.Outgoing
---@field private open pi_ls.OutgoingMessage[]
---@field private refused string[] what an error has given back already, as it was sent
local Outgoing = {}
Outgoing.__index = Outgoing

---@return pi_ls.Outgoing
function Outgoing.new() return setmetatable({ open = {}, refused = {} }, Outgoing) end

---@param message pi_ls.OutgoingMessage
function Outgoing:add(message) table.insert(self.open, message) end

---@generic T
---@param list T[]
---@param is fun(item: T): boolean
---@return T? item that was taken out
local function take(list, is)
  for at, item in ipairs(list) do
    if is(item) then return table.remove(list, at) end
  end
end

--- pi has answered.
---@param message pi_ls.OutgoingMessage
---@param is_refused boolean
---@return boolean whether it is to be given back
function Outgoing:answered(message, is_refused)
  local is_open = take(self.open, function(other) return other == message end) ~= nil
  if is_open and is_refused then table.insert(self.refused, message.sent) end
  return is_open and is_refused
end

--- The bridge tells of texts that were lost, of all since pi has last taken one.
---@param lost string[]
---@param before string[] what it told before
---@return string[] texts that are to be given back
function Outgoing:lost(lost, before)
  local told, texts = vim.list_extend({}, before), {}
  for _, text in ipairs(lost) do
    local function is_it(other) return other == text end
    if not take(told, is_it) and not take(self.refused, is_it) then
      local message = take(self.open, function(other) return other.sent == text end)
      table.insert(texts, message and message.text or text)
    end
  end
  return texts
end

--- All that is not answered; without slash commands if the bridge lives on: they may just take long.
---@param is_over boolean
---@param queued? string[] what pi had in its queue, and is lost too
---@return string[]
function Outgoing:give_up(is_over, queued)
  local texts = {}
  for _, text in ipairs(queued or {}) do
    local message = take(self.open, function(other) return other.sent == text end)
    table.insert(texts, message and message.text or text)
  end
  local function is_given_up(message) return is_over or message.text:sub(1, 1) ~= "/" end
  local message = take(self.open, is_given_up)
  while message do
    table.insert(texts, message.text)
    message = take(self.open, is_given_up)
  end
  return texts
end

return Outgoing

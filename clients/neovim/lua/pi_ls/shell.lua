--- Shell commands of the person, which pi runs. Their output streams into the transcript.

local changes = require("pi_ls.changes")
local render = require("pi_ls.render")

---@class pi_ls.Shell
---@field private conversation pi_ls.Conversation
---@field private running table<integer, fun(delta: string)> by the id of the request
local Shell = {}
Shell.__index = Shell

---@param conversation pi_ls.Conversation
---@return pi_ls.Shell
function Shell.new(conversation) return setmetatable({ conversation = conversation, running = {} }, Shell) end

---@param command string
---@param exclude? boolean keep it from the model
function Shell:run(command, exclude)
  local key, output = {}, ""
  local function show(result) self.conversation.transcript:replace(key, render.bash(command, output, result)) end
  show()
  local id
  local params = { command = command, excludeFromContext = exclude or nil }
  id = self.conversation:request("pi/bash", params, function(err, result)
    if id then self.running[id] = nil end
    if not err and output == "" then output = result.output end
    show(err and { failed = err.message } or result)
    changes.refresh()
    return err ~= nil
  end)
  if id then self.running[id] = function(delta)
    output = output .. delta
    show()
  end end
end

---@param id integer
---@param delta string
function Shell:on_output(id, delta)
  if self.running[id] then self.running[id](delta) end
end

--- Stops whatever runs.
function Shell:stop()
  if next(self.running) then self.conversation:request("pi/abort_bash") end
end

return Shell

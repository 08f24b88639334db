--- What is going on, for status lines. Everything comes from the last `bridge/state`; nothing is asked for.

local conversations = require("pi_ls.conversation")
local text = require("pi_ls.text")

local M = {}

---@class pi_ls.Status
---@field conversation string
---@field phase "stopped"|"starting"|"ready"|"restarting"|"failed"
---@field activity "idle"|"running"|"compacting"|"retrying"
---@field model? string
---@field thinking? string
---@field session? string its name, or the beginning of its id
---@field percent? number of the context window
---@field cost? number in US dollars
---@field queued integer
---@field questions integer how many questions wait for an answer
---@field extensions table<string, string> what extensions set

---@param conversation pi_ls.Conversation
---@return pi_ls.Status
function M.of(conversation)
  local state = conversation.state
  local usage = state.usage or {}
  local session = state.session
  return {
    conversation = conversation.name,
    phase = state.phase,
    activity = state.activity,
    model = state.model and state.model.id,
    thinking = state.thinkingLevel,
    session = session and (session.name or session.id:sub(1, 8)),
    percent = type(usage.percent) == "number" and usage.percent or nil,
    cost = type(usage.cost) == "number" and usage.cost or nil,
    queued = #state.queue.steering + #state.queue.followUp,
    questions = conversation.dialogs:count(),
    extensions = conversation.announced.status,
  }
end

local activities =
  { idle = "○", running = "● working", compacting = "● compacting", retrying = "↻ retrying" }

---@param status pi_ls.Status
---@return string
local function activity(status) return status.phase == "ready" and activities[status.activity] or status.phase end

--- One line, without highlighting. Empty when there is no conversation in this tab page.
---@param conversation? pi_ls.Conversation
---@return string
function M.line(conversation)
  conversation = conversation or conversations.current()
  if not conversation then return "" end
  local status = M.of(conversation)
  local parts = { "pi " .. activity(status) }
  if status.percent then parts[#parts + 1] = ("%.0f%%"):format(status.percent) end
  if status.queued > 0 then parts[#parts + 1] = ("%d queued"):format(status.queued) end
  if status.questions > 0 then parts[#parts + 1] = ("? %d"):format(status.questions) end
  return table.concat(parts, " · ")
end

--- Text in a 'winbar'.
---@param value any
local function escaped(value) return (tostring(value):gsub("%%", "%%%%")) end

local function of_window() return conversations.of_buffer(vim.api.nvim_win_get_buf(vim.g.statusline_winid or 0)) end

--- The bar above the transcript.
function M.winbar()
  local conversation = of_window()
  if not conversation then return "" end
  local status = M.of(conversation)
  local group = status.phase ~= "ready" and "PiWarning" or status.activity == "idle" and "PiDim" or "PiRunning"
  local title = conversation.announced.title or conversation.state.session and conversation.state.session.name
  local left = { ("%%#PiTitle# %s "):format(escaped(title or conversation.name)) }
  left[#left + 1] = ("%%#%s#%s"):format(group, escaped(activity(status)))
  local right = {}
  for _, value in vim.spairs(status.extensions) do
    right[#right + 1] = text.one_line(value, 30)
  end
  right[#right + 1] = status.model
  if status.thinking and status.thinking ~= "off" then right[#right + 1] = status.thinking end
  if status.percent then right[#right + 1] = ("%.0f%%"):format(status.percent) end
  if status.cost and status.cost > 0 then right[#right + 1] = ("$%.2f"):format(status.cost) end
  return table.concat(left) .. "%<%=%#PiDim#" .. escaped(table.concat(right, " · ")) .. " "
end

--- The bar above the prompt: what waits for the person.
function M.promptbar()
  local conversation = of_window()
  if not conversation then return "" end
  local status = M.of(conversation)
  if status.questions > 0 then
    local title = text.one_line(conversation.dialogs:first().title, 60)
    local more = status.questions > 1 and (" (and %d more)"):format(status.questions - 1) or ""
    return ("%%#PiAttention# ? %s%s  :Pi attention "):format(escaped(title), more)
  end
  local words = {
    running = "%s steers, %s follows up, %s stops",
    compacting = "%s waits for the compaction, %s follows up, %s stops",
    retrying = "%s waits for the retry, %s follows up, %s stops",
  }
  local keys = require("pi_ls.config").current.keys
  local word = words[status.activity]
  local send = keys.send
  if vim.api.nvim_get_mode().mode:find("^i") then
    send = require("pi_ls.config").current.enter_sends and "<CR>" or keys.send_insert
  end
  return "%#PiDim# "
    .. (word and escaped(word:format(send or "-", keys.follow_up or "-", keys.abort or "-")) or "prompt")
end

return M

--- Messages as pieces of the transcript. Pure: what is written here is the same for a page of history and for what
--- arrives live.

local Chunk = require("pi_ls.chunk")
local config = require("pi_ls.config")
local output = require("pi_ls.output")
local text = require("pi_ls.text")

local M = {}

local titles = { user = "You", assistant = "pi", custom = "Note" }

--- The heading of a turn.
---@param role string
---@param message table
---@param entry? string
function M.heading(role, message, entry)
  local chunk = Chunk.new()
  chunk:add("## " .. (titles[role] or role), role == "user" and "PiUser" or "PiAssistant")
  local clock = message.timestamp and os.date("%H:%M", math.floor(message.timestamp / 1000)) or ""
  local model = role == "assistant" and message.model and message.model .. "  " or ""
  chunk:mark({ row = 0, turn = { role = role, entry = entry }, eol = { { vim.trim(model .. clock), "PiDim" } } })
  chunk:add("")
  return chunk
end

--- The text and the images of a message, or of a part of it. A code block that it leaves open is closed.
---@param content any
---@param chunk? pi_ls.Chunk what it is added to
function M.content(content, chunk)
  chunk = chunk or Chunk.new()
  local body = text.plain(text.of(content))
  if body ~= "" then
    chunk:add(body)
    local open = text.open_fence(body)
    if open then chunk:add(open) end
  end
  output.add_images(chunk, content)
  return chunk
end

--- What a fold of thinking covers.
---@param thinking string
---@param last integer its last row
---@return pi_ls.Mark
function M.thinking_mark(thinking, last)
  local fold = config.current.fold_thinking and "closed" or "open"
  return { row = 0, end_row = last, fold = fold, block = { kind = "thinking", output = thinking } }
end

---@param body string
local function quoted(body) return "> " .. vim.trim(body):gsub("\n", "\n> ") end

---@param thinking string
function M.thinking(thinking)
  local chunk = Chunk.new()
  chunk:add(quoted(thinking), "PiThinking")
  chunk:mark(M.thinking_mark(thinking, chunk:row() - 1))
  return chunk
end

--- How an answer ended, where it did not just stop.
---@param message table
---@return pi_ls.Chunk?
function M.ending(message)
  if message.stopReason == "error" then
    return M.note("✗ " .. (message.errorMessage or "The model failed."), "PiError")
  elseif message.stopReason == "aborted" then
    return M.note("■ stopped", "PiWarning")
  elseif message.stopReason == "length" then
    return M.note("■ cut: the answer became too long", "PiWarning")
  end
end

---@param title string
---@param body string
function M.summary(title, body)
  local chunk = Chunk.new()
  chunk:add("▸ " .. title, "PiTool")
  chunk:add(quoted(text.plain(body)), "PiThinking")
  local block = { kind = "summary", output = body }
  chunk:mark({ row = 0, end_row = chunk:row() - 1, fold = "closed", block = block })
  return chunk
end

--- A line that is no message: a retry, an error, a restart.
---@param note string
---@param group? string
function M.note(note, group)
  local chunk = Chunk.new()
  chunk:add(text.plain(note), group or "PiDim")
  return chunk
end

---@param result? table `{exitCode?, cancelled?, failed?: string}`
local function sign_of(result)
  if not result then return { "● running", "PiRunning" } end
  if result.failed then return { "✗ " .. result.failed, "PiError" } end
  if result.cancelled then return { "■ stopped", "PiWarning" } end
  if (result.exitCode or 0) ~= 0 then return { ("✗ exit %d"):format(result.exitCode), "PiError" } end
  return { "✓", "PiOk" }
end

--- A command of the person's own.
---@param command string
---@param printed string
---@param result? table absent while it runs
function M.bash(command, printed, result)
  local chunk = Chunk.new()
  local body = ("$ %s\n%s"):format(command, text.plain(printed))
  chunk:add("▸ !" .. text.one_line(command, 70), "PiTool")
  chunk:mark({ row = 0, eol = { sign_of(result) } })
  output.add(chunk, body, "sh", result ~= nil)
  chunk:mark({
    row = 0,
    end_row = chunk:row() - 1,
    fold = result and "open" or nil,
    block = { kind = "bash", output = body },
  })
  return chunk
end

---@param tokens integer
---@param summary string
function M.compaction(tokens, summary) return M.summary(("compacted, %d tokens before"):format(tokens), summary) end

--- A message that is neither the person's nor an answer. nil: it is not shown.
---@param message table
---@return pi_ls.Chunk?
function M.other(message)
  if message.role == "compactionSummary" then
    return M.compaction(message.tokensBefore or 0, message.summary or "")
  elseif message.role == "branchSummary" then
    return M.summary("summary of the branch that was left", message.summary or "")
  elseif message.role == "bashExecution" then
    return M.bash(message.command, message.output or "", message)
  elseif message.role == "custom" and message.display then
    return M.content(message.content, M.heading("custom", message))
  end
end

---@param message table
---@param entry? string
function M.user(message, entry) return M.content(message.content, M.heading("user", message, entry)) end

return M

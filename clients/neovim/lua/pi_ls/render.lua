--- Messages as pieces of the transcript. Pure: what is written here is the same for a page of history and for what
--- arrives live.

local Chunk = require("pi_ls.chunk")
local config = require("pi_ls.config")
local text = require("pi_ls.text")
local tools = require("pi_ls.tools")

local M = {}

local titles = { user = "You", assistant = "pi", bashExecution = "Shell", custom = "Note" }

---@param timestamp? number milliseconds
local function clock(timestamp) return timestamp and os.date("%H:%M", math.floor(timestamp / 1000)) or "" end

--- The heading of a turn.
---@param role string
---@param message table
---@param entry? string
function M.heading(role, message, entry)
  local chunk = Chunk.new()
  chunk:add("## " .. (titles[role] or role), role == "user" and "PiUser" or "PiAssistant")
  local note = role == "assistant" and message.model or nil
  chunk:mark({
    row = 0,
    turn = { role = role, entry = entry, text = text.of(message.content) },
    eol = { { vim.trim((note and note .. "  " or "") .. clock(message.timestamp)), "PiDim" } },
  })
  chunk:add("")
  return chunk
end

---@param chunk pi_ls.Chunk
---@param content any
local function add_content(chunk, content)
  local body = text.plain(text.of(content))
  if body ~= "" then
    chunk:add(body)
    local open = text.open_fence(body)
    if open then chunk:add(open) end
  end
  for _, block in ipairs(type(content) == "table" and content or {}) do
    if block.type == "image" then
      chunk:add(("[image %s, %s]"):format(block.mimeType, text.size(#(block.data or "") * 3 / 4)), "PiDim")
    end
  end
end

---@param thinking string
function M.thinking(thinking)
  local chunk = Chunk.new()
  chunk:add("> " .. vim.trim(thinking):gsub("\n", "\n> "), "PiThinking")
  chunk:mark({
    row = 0,
    end_row = chunk:row() - 1,
    fold = config.current.fold_thinking and "closed" or "open",
    block = { kind = "thinking", output = thinking },
  })
  return chunk
end

--- How an answer ended, where it did not just stop.
---@param message table
---@return pi_ls.Chunk?
function M.ending(message)
  local chunk = Chunk.new()
  if message.stopReason == "error" then
    chunk:add("✗ " .. text.plain(message.errorMessage or "The model failed."), "PiError")
  elseif message.stopReason == "aborted" then
    chunk:add("■ stopped", "PiWarning")
  elseif message.stopReason == "length" then
    chunk:add("■ cut: the answer became too long", "PiWarning")
  else
    return nil
  end
  return chunk
end

---@param title string
---@param body string
function M.summary(title, body)
  local chunk = Chunk.new()
  chunk:add("▸ " .. title, "PiTool")
  chunk:add("> " .. vim.trim(text.plain(body)):gsub("\n", "\n> "), "PiThinking")
  chunk:mark({
    row = 0,
    end_row = chunk:row() - 1,
    fold = "closed",
    block = { kind = "summary", output = body },
  })
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

--- A command of the user's own.
---@param command string
---@param output string
---@param result? table `{exitCode, cancelled, truncated, fullOutputPath}`; absent while it runs
function M.bash(command, output, result)
  local chunk = Chunk.new()
  local body = ("$ %s\n%s"):format(command, text.plain(output))
  local lines, left_out = text.excerpt(body, config.current.tool_lines, result == nil)
  local fence = text.fence(body)
  chunk:add("▸ !" .. text.one_line(command, 70), "PiTool")
  local sign = { "● running", "PiRunning" }
  if result and result.cancelled then
    sign = { "■ stopped", "PiWarning" }
  elseif result and (result.exitCode or 0) ~= 0 then
    sign = { ("✗ exit %d"):format(result.exitCode), "PiError" }
  elseif result then
    sign = { "✓", "PiOk" }
  end
  chunk:mark({ row = 0, eol = { sign } })
  chunk:add(fence .. "sh")
  for _, line in ipairs(lines) do
    chunk:add(line)
  end
  chunk:add(fence)
  if left_out > 0 then chunk:add(("… %d more lines: K shows them"):format(left_out), "PiDim") end
  chunk:mark({
    row = 0,
    end_row = chunk:row() - 1,
    fold = result and "open" or nil,
    block = { kind = "bash", output = body, result = result },
  })
  return chunk
end

---@param message table
---@return pi_ls.Chunk?
function M.other(message)
  if message.role == "compactionSummary" then
    return M.summary(("compacted, %d tokens before"):format(message.tokensBefore or 0), message.summary or "")
  elseif message.role == "branchSummary" then
    return M.summary("summary of the branch that was left", message.summary or "")
  elseif message.role == "bashExecution" then
    return M.bash(message.command, message.output or "", message)
  elseif message.role == "custom" and message.display then
    local chunk = M.heading("custom", message)
    add_content(chunk, message.content)
    return chunk
  end
end

---@param message table
---@param entry? string
function M.user(message, entry)
  local chunk = M.heading("user", message, entry)
  add_content(chunk, message.content)
  return chunk
end

--- Messages in their order, oldest first.
---@param items { entryId?: string, message: table }[]
---@return pi_ls.Chunk
function M.page(items)
  local results = {}
  for _, item in ipairs(items) do
    if item.message.role == "toolResult" then results[item.message.toolCallId] = item.message end
  end
  local chunk = Chunk.new()
  local speaker
  local function add(piece)
    if piece and #piece.lines > 0 then
      chunk:append(piece)
      chunk:gap()
    end
  end
  for _, item in ipairs(items) do
    local message = item.message
    if message.role == "user" then
      add(M.user(message, item.entryId))
    elseif message.role == "assistant" then
      if speaker ~= "assistant" then add(M.heading("assistant", message, item.entryId)) end
      for _, block in ipairs(message.content or {}) do
        if block.type == "text" and vim.trim(block.text) ~= "" then
          local piece = Chunk.new()
          add_content(piece, block.text)
          add(piece)
        elseif block.type == "thinking" and vim.trim(block.thinking or "") ~= "" then
          add(M.thinking(block.thinking))
        elseif block.type == "toolCall" then
          local result = results[block.id]
          local is = not result and "waiting" or result.isError and "failed" or "done"
          add(tools.chunk(block, result, { is = is, ms = result and result.durationMs }))
        end
      end
      add(M.ending(message))
    else
      add(M.other(message))
    end
    -- Tool results are shown with their calls, in the same turn.
    if message.role ~= "toolResult" and message.role ~= "system" then speaker = message.role end
  end
  return chunk
end

return M

--- A page of a session's history, as a piece of the transcript.

local Chunk = require("pi_ls.chunk")
local render = require("pi_ls.render")
local tools = require("pi_ls.tools")

local M = {}

---@param block table of an answer
---@param results table<string, table> tool results by the call's id
---@return pi_ls.Chunk?
local function part(block, results)
  if block.type == "toolCall" then
    local result = results[block.id]
    local is = not result and "waiting" or result.isError and "failed" or "done"
    return tools.chunk(block, result, { is = is, ms = result and result.durationMs })
  elseif vim.trim(block.text or block.thinking or "") == "" then
    return nil
  end
  return block.text and render.content(block.text) or render.thinking(block.thinking)
end

--- Messages in their order, oldest first.
---@param items { entryId?: string, message: table }[]
---@return pi_ls.Chunk
function M.chunk(items)
  local results = {}
  for _, item in ipairs(items) do
    if item.message.role == "toolResult" then results[item.message.toolCallId] = item.message end
  end
  local chunk, speaker = Chunk.new(), nil
  local function add(piece)
    if piece and #piece.lines > 0 then
      chunk:append(piece)
      chunk:gap()
    end
  end
  for _, item in ipairs(items) do
    local message = item.message
    if message.role == "user" then
      add(render.user(message, item.entryId))
    elseif message.role == "assistant" then
      if speaker ~= "assistant" then add(render.heading("assistant", message, item.entryId)) end
      for _, block in ipairs(message.content or {}) do
        add(part(block, results))
      end
      add(render.ending(message))
    else
      add(render.other(message))
    end
    -- Tool results are shown with their calls, in the same turn.
    if message.role ~= "toolResult" and message.role ~= "system" then speaker = message.role end
  end
  return chunk
end

return M

--- The output of a tool or of a shell command in the transcript: fenced, and cut.

local config = require("pi_ls.config")
local text = require("pi_ls.text")

local M = {}

--- Lines while it runs: the block is replaced with each piece that comes.
local RUNNING_LINES = 10

local diff_groups = { ["+"] = "PiDiffAdd", ["-"] = "PiDiffDelete", ["@"] = "PiDiffPlace" }

---@param language string
---@param line string
---@return string? group
local function group_of(language, line)
  if language == "diff" then return diff_groups[line:sub(1, 1)] or "PiToolOutput" end
  return language == "" and "PiToolOutput" or nil
end

--- Adds BODY to CHUNK: its end while it goes on, its beginning when it is over.
---@param chunk pi_ls.Chunk
---@param body string
---@param language string
---@param is_over boolean
---@return integer lines that are shown
function M.add(chunk, body, language, is_over)
  local limit = is_over and config.current.tool_lines or RUNNING_LINES
  local lines, left_out = text.excerpt(body, limit, not is_over)
  local fence = text.fence(body)
  chunk:add(fence .. language)
  if left_out > 0 and not is_over then chunk:add(("… %d lines before"):format(left_out), "PiDim") end
  for _, line in ipairs(lines) do
    chunk:add(line, group_of(language, line))
  end
  if left_out > 0 and is_over then chunk:add(("… %d more lines: K shows them"):format(left_out), "PiDim") end
  chunk:add(fence)
  return #lines
end

--- Adds a line for each image in CONTENT.
---@param chunk pi_ls.Chunk
---@param content any
function M.add_images(chunk, content)
  for _, block in ipairs(type(content) == "table" and content or {}) do
    if block.type == "image" then
      chunk:add(("[image %s, %s]"):format(block.mimeType, text.size(#(block.data or "") * 3 / 4)), "PiDim")
    end
  end
end

return M

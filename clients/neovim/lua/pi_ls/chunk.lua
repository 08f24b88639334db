--- A piece of the transcript before it is in the buffer: lines, and what is to know about them by row.

---@class pi_ls.Mark
---@field row integer from 0, within the chunk
---@field end_row? integer the last row
---@field group? string highlight of the rows
---@field eol? table virtual text at the end of the row, as in |nvim_buf_set_extmark()|
---@field fold? "open"|"closed"
---@field turn? pi_ls.Turn
---@field block? pi_ls.Block

---@class pi_ls.Block what a part of the transcript stands for
---@field kind "tool"|"thinking"|"bash"|"summary"
---@field call? table the tool call
---@field result? table its result
---@field output? string what is shown whole

---@class pi_ls.Turn
---@field role string
---@field entry? string the id of its entry in the session, where it is known

---@class pi_ls.Chunk
---@field lines string[]
---@field marks pi_ls.Mark[]
local Chunk = {}
Chunk.__index = Chunk

---@return pi_ls.Chunk
function Chunk.new() return setmetatable({ lines = {}, marks = {} }, Chunk) end

--- The row that the next line gets.
function Chunk:row() return #self.lines end

---@param text string one line or several
---@param group? string
function Chunk:add(text, group)
  local from = #self.lines
  for line in vim.gsplit(text, "\n", { plain = true }) do
    self.lines[#self.lines + 1] = line
  end
  if group then self:mark({ row = from, end_row = #self.lines - 1, group = group }) end
end

--- An empty line, unless there is one.
function Chunk:gap()
  if self.lines[#self.lines] ~= "" then self.lines[#self.lines + 1] = "" end
end

---@param mark pi_ls.Mark
function Chunk:mark(mark) self.marks[#self.marks + 1] = mark end

--- Adds all of OTHER, at the end.
---@param other pi_ls.Chunk
function Chunk:append(other)
  local offset = #self.lines
  vim.list_extend(self.lines, other.lines)
  for _, mark in ipairs(other.marks) do
    local moved = vim.tbl_extend("force", {}, mark)
    moved.row = mark.row + offset
    moved.end_row = mark.end_row and mark.end_row + offset
    self.marks[#self.marks + 1] = moved
  end
end

return Chunk

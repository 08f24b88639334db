--- An answer while it streams. It is only ever appended, so that a delta costs the same in a long transcript.

local Chunk = require("pi_ls.chunk")
local paint = require("pi_ls.paint")
local render = require("pi_ls.render")
local text = require("pi_ls.text")

local api = vim.api

--- Bytes of an incomplete block that is highlighted anew with each piece that comes.
local OPEN_LIMIT = 4096

--- Bytes at once from which on nothing is highlighted before the text is complete: no model writes as fast.
local BURST = 2048

--- Bytes of a block from which on it is not highlighted, and of a text that is highlighted as a whole in the end.
local LIMIT = 12000

---@class pi_ls.Part a text, or thinking
---@field kind "text"|"thinking"
---@field bytes integer
---@field text string[]
---@field from? integer its first row, once it has one
---@field block integer the first row of the block of Markdown that is not complete
---@field block_bytes integer
---@field fence? string what closes the code block that is open

---@class pi_ls.Answer
---@field private transcript pi_ls.Transcript
---@field private parts table<integer, pi_ls.Part> by contentIndex
---@field private open? pi_ls.Part the one that is being written
---@field private calls table<integer, string> the ids of tool calls by contentIndex
local Answer = {}
Answer.__index = Answer

---@param transcript pi_ls.Transcript
---@return pi_ls.Answer
function Answer.new(transcript) return setmetatable({ transcript = transcript, parts = {}, calls = {} }, Answer) end

---@param event table `assistantMessageEvent` of pi
function Answer:update(event)
  local index = event.contentIndex
  if event.type == "text_delta" then
    self:stream(index, "text", event.delta)
  elseif event.type == "thinking_delta" then
    self:stream(index, "thinking", event.delta)
  elseif event.type == "text_end" or event.type == "thinking_end" then
    self:close()
  elseif event.type == "toolcall_start" then
    local call = { id = event.id or ("live:" .. index), name = event.toolName or "tool", arguments = {} }
    self:call(index, call, "calling")
  elseif event.type == "toolcall_end" then
    self:call(index, event.toolCall, "waiting")
  end
end

---@private
---@param index integer
---@param call table
---@param is "calling"|"waiting"
function Answer:call(index, call, is)
  local known = self.calls[index]
  if known and known ~= call.id then self.transcript:rename_call(known, call.id) end
  self.calls[index] = call.id
  self.transcript:tool(call, { is = is })
end

---@private
---@param index integer
---@param kind "text"|"thinking"
---@param delta string
function Answer:stream(index, kind, delta)
  local part = self.parts[index]
  if not part then
    self:close()
    part = { kind = kind, bytes = 0, text = {}, block = 0, block_bytes = 0 }
    self.parts[index] = part
  end
  part.bytes = part.bytes + #delta
  part.text[#part.text + 1] = delta
  if self.open ~= part then
    -- A text that began with a line break, or nothing at all yet, opens no lines.
    delta = table.concat(part.text):gsub("^%s+", "")
    if delta == "" then return end
    self:close()
    self.open = part
    self.transcript:put((self.transcript:is_empty() and "" or "\n") .. (kind == "thinking" and "> " or ""))
    part.from = api.nvim_buf_line_count(self.transcript.buf) - 1
    part.block = part.from
  end
  delta = text.plain(delta)
  if kind == "thinking" then
    self.transcript:put(delta:gsub("\n", "\n> "))
  else
    part.block_bytes = part.block_bytes + #delta
    local row, lines = self.transcript:put(delta)
    self:paint(part, row, lines, #delta)
  end
end

--- Highlights what has become complete from ROW on, and what is not complete if it is short.
---@private
---@param part pi_ls.Part
---@param row integer the first row that changed
---@param lines string[] what was added to it, and behind it
---@param added integer bytes of it
function Answer:paint(part, row, lines, added)
  local buf = self.transcript.buf
  local boundary
  for at = 1, #lines - 1 do
    -- The first one ends a line that was there already.
    local line = at == 1 and api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or lines[at]
    if line == "" then
      boundary = not part.fence and row + at or boundary
    elseif line:find("^ ? ? ?[`~][`~][`~]") then
      part.fence = text.fence_after(line, part.fence)
    end
  end
  if boundary then
    if added <= BURST and part.block_bytes <= LIMIT then paint.rows(buf, part.block, boundary) end
    part.block, part.block_bytes = boundary, #lines[#lines]
  end
  if part.block_bytes <= OPEN_LIMIT then paint.rows(buf, part.block, api.nvim_buf_line_count(buf)) end
end

--- Ends the text that streams, so that something else can follow.
function Answer:close()
  local part, transcript = self.open, self.transcript
  self.open = nil
  if not part then return end
  local buf = transcript.buf
  local row = api.nvim_buf_line_count(buf) - 1
  if part.kind == "thinking" then
    transcript:put("\n")
    local chunk = Chunk.new()
    chunk:mark(render.thinking_mark(table.concat(part.text), row - part.from))
    chunk:mark({ row = 0, end_row = row - part.from, group = "PiThinking" })
    transcript:decorate(part.from, chunk)
    return
  end
  part.fence = text.fence_after(api.nvim_buf_get_lines(buf, row, row + 1, false)[1], part.fence)
  transcript:put(part.fence and "\n" .. part.fence .. "\n" or "\n")
  local last = api.nvim_buf_line_count(buf)
  if part.bytes <= LIMIT then
    -- In one piece: a list may go on behind an empty line.
    paint.rows(buf, part.from, last)
  elseif part.block_bytes <= LIMIT then
    paint.rows(buf, part.block, last)
  end
end

--- The answer as pi has it in the end.
---@param message table
function Answer:finish(message)
  self:close()
  for at, block in ipairs(message.content or {}) do
    local part = self.parts[at - 1]
    local whole = block.text or block.thinking or ""
    if block.type == "toolCall" and not self.transcript:known_call(block.id) then
      self:call(at - 1, block, "waiting")
    elseif vim.trim(whole) ~= "" and (part and part.bytes or 0) ~= #whole then
      return self:rewrite(message)
    end
  end
end

--- Deltas were missed, or changed by an extension: all from the first text on is written anew.
---@private
---@param message table
function Answer:rewrite(message)
  local first
  for _, part in pairs(self.parts) do
    first = math.min(first or part.from or math.huge, part.from or math.huge)
  end
  local transcript = self.transcript
  if first and first < math.huge then transcript:cut(first) end
  for _, block in ipairs(message.content) do
    if block.type == "toolCall" then
      transcript:forget_call(block.id)
      self:call(-1, block, "waiting")
    elseif vim.trim(block.text or block.thinking or "") ~= "" then
      transcript:append(block.text and render.content(block.text) or render.thinking(block.thinking))
    end
  end
end

return Answer

--- The buffer that shows a conversation. Everything that is written into it goes through here.
---
--- Order: the last line is empty, and separates; while a text streams, it is that text's last line. What streams is
--- only ever appended, so a delta costs the same in a long transcript as in a short one. Only the block of a tool call
--- is replaced, as long as the tool runs, and then it is short.

local Chunk = require("pi_ls.chunk")
local config = require("pi_ls.config")
local folds = require("pi_ls.folds")
local paint = require("pi_ls.paint")
local render = require("pi_ls.render")
local text = require("pi_ls.text")
local tools = require("pi_ls.tools")

local api = vim.api
local LOOK = api.nvim_create_namespace("pi_ls.look")
local BLOCK = api.nvim_create_namespace("pi_ls.block")
local TURN = api.nvim_create_namespace("pi_ls.turn")

local WELCOME = api.nvim_create_namespace("pi_ls.welcome")

--- Bytes of an incomplete block that is highlighted anew with each piece that comes.
local OPEN_LIMIT = 4096

--- Bytes at once from which on nothing is highlighted before the text is complete: no model writes as fast.
local BURST = 2048

--- Bytes of a text that is highlighted once more as a whole when it is complete.
local WHOLE_LIMIT = 8192

local OLDER = "⋯ older messages"

---@class pi_ls.Transcript
---@field buf integer
---@field private blocks table<integer, { block: pi_ls.Block, fold?: "open"|"closed" }> by extmark
---@field private turns table<integer, { role: string, entry?: string, text?: string }> by extmark
---@field private tools table<string, { mark: integer, call: table, state: pi_ls.ToolState, result?: table }>
---@field private live? pi_ls.Live the answer that streams
---@field private tail integer bytes in the last line
---@field private speaker? string the role of the last turn
---@field private editing integer
---@field has_older boolean
local Transcript = {}
Transcript.__index = Transcript

---@class pi_ls.Live
---@field parts table<integer, pi_ls.Part> by contentIndex
---@field open? integer the contentIndex that is being written
---@field calls table<integer, string> contentIndex to the key in `tools`

---@class pi_ls.Part a text, or thinking, that streams
---@field kind "text"|"thinking"
---@field bytes integer
---@field text string[]
---@field from integer its first row
---@field block integer the first row of the block of Markdown that is not complete
---@field block_bytes integer
---@field fence? string what closes the code block that is open

---@return pi_ls.Transcript
function Transcript.new()
  local buf = api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = "hide"
  vim.bo[buf].undolevels = -1
  vim.bo[buf].modifiable = false
  local self = setmetatable({ buf = buf, editing = 0 }, Transcript)
  self:reset()
  return self
end

function Transcript:reset()
  self.blocks, self.turns, self.tools = {}, {}, {}
  self.live, self.speaker = nil, nil
  self.tail, self.has_older = 0, false
  self:edit(function()
    for _, namespace in ipairs({ LOOK, BLOCK, TURN }) do
      api.nvim_buf_clear_namespace(self.buf, namespace, 0, -1)
    end
    for _, win in ipairs(vim.fn.win_findbuf(self.buf)) do
      folds.fill(win, {})
    end
    api.nvim_buf_set_lines(self.buf, 0, -1, false, { "" })
  end)
end

--- Runs CHANGE with the buffer modifiable. Windows whose cursor is in the last line follow what is added.
---@param change fun()
function Transcript:edit(change)
  if not api.nvim_buf_is_valid(self.buf) then return end
  if self.editing > 0 then return change() end
  local last = api.nvim_buf_line_count(self.buf)
  local following = vim.tbl_filter(
    function(win) return api.nvim_win_get_cursor(win)[1] >= last end,
    vim.fn.win_findbuf(self.buf)
  )
  self.editing = 1
  if last == 1 then api.nvim_buf_clear_namespace(self.buf, WELCOME, 0, -1) end
  vim.bo[self.buf].modifiable = true
  local ok, err = pcall(change)
  vim.bo[self.buf].modifiable = false
  self.editing = 0
  last = api.nvim_buf_line_count(self.buf)
  for _, win in ipairs(following) do
    pcall(api.nvim_win_set_cursor, win, { last, self.tail })
  end
  if not ok then error(err, 0) end
end

--- What an empty transcript says. It is no text: the first line that is added takes it away.
---@param lines string[]
function Transcript:welcome(lines)
  local virtual = vim.tbl_map(function(line) return { { line, "PiDim" } } end, lines)
  api.nvim_buf_set_extmark(self.buf, WELCOME, 0, 0, { virt_text = virtual[1], virt_text_pos = "overlay" })
  api.nvim_buf_set_extmark(self.buf, WELCOME, 0, 0, { virt_lines = vim.list_slice(virtual, 2) })
end

--- Adds to the very end.
---@private
---@param addition string
---@return string[] lines of it
function Transcript:put(addition)
  local lines = vim.split(addition, "\n", { plain = true })
  local row = api.nvim_buf_line_count(self.buf) - 1
  api.nvim_buf_set_text(self.buf, row, self.tail, row, self.tail, lines)
  self.tail = #lines == 1 and self.tail + #addition or #lines[#lines]
  return lines
end

---@private
---@param row integer where the chunk's first line is
---@param chunk pi_ls.Chunk
---@return integer? block the extmark of its first block
function Transcript:decorate(row, chunk)
  local first
  for _, mark in ipairs(chunk.marks) do
    local at = row + mark.row
    if mark.group then
      api.nvim_buf_set_extmark(self.buf, LOOK, at, 0, {
        end_row = row + (mark.end_row or mark.row) + 1,
        end_col = 0,
        hl_group = mark.group,
        hl_eol = true,
        priority = 110,
        strict = false,
      })
    end
    if mark.eol then
      api.nvim_buf_set_extmark(self.buf, LOOK, at, 0, { virt_text = mark.eol, virt_text_pos = "eol" })
    end
    if mark.turn then
      local id = api.nvim_buf_set_extmark(self.buf, TURN, at, 0, {})
      self.turns[id] = mark.turn
    end
    if mark.block then
      local last = row + mark.end_row
      local id = api.nvim_buf_set_extmark(self.buf, BLOCK, at, 0, { end_row = last, end_col = 0 })
      self.blocks[id] = { block = mark.block, fold = mark.fold }
      first = first or id
      if mark.fold and mark.end_row > mark.row then folds.add(self.buf, at, last, mark.fold) end
    end
  end
  return first
end

--- Adds CHUNK behind everything else.
---@param chunk pi_ls.Chunk
---@return integer? block
function Transcript:append(chunk)
  local block
  self:edit(function()
    self:close()
    local lines = chunk.lines
    if lines[#lines] ~= "" then
      lines = vim.list_extend({}, lines)
      lines[#lines + 1] = ""
    end
    local count = api.nvim_buf_line_count(self.buf)
    local is_empty = count == 1 and self.tail == 0
    api.nvim_buf_set_lines(self.buf, is_empty and 0 or count, count, false, lines)
    self.tail = 0
    local first_row = is_empty and 0 or count
    paint.rows(self.buf, first_row, first_row + #lines)
    block = self:decorate(first_row, chunk)
  end)
  return block
end

--- Adds a page of older messages, before everything else.
---@param chunk pi_ls.Chunk
---@param has_older boolean whether there is more
function Transcript:prepend(chunk, has_older)
  self:edit(function()
    if self.has_older then api.nvim_buf_set_lines(self.buf, 0, 2, false, {}) end
    local page = Chunk.new()
    if has_older then
      page:add(OLDER .. (config.current.keys.older_page and ": " .. config.current.keys.older_page or ""), "PiDim")
      page:add("")
    end
    page:append(chunk)
    page:gap()
    local count = api.nvim_buf_line_count(self.buf)
    if count == 1 and self.tail == 0 then
      api.nvim_buf_set_lines(self.buf, 0, 1, false, page.lines)
      self.tail = 0
    else
      api.nvim_buf_set_lines(self.buf, 0, 0, false, page.lines)
    end
    paint.rows(self.buf, 0, #page.lines)
    self:decorate(0, page)
    self.has_older = has_older
  end)
  self.speaker = self.speaker or self:last_role()
end

---@private
function Transcript:last_role()
  local mark = api.nvim_buf_get_extmarks(self.buf, TURN, -1, 0, { limit = 1 })[1]
  return mark and self.turns[mark[1]].role
end

--- Ends the text that streams, so that something else can follow.
---@private
function Transcript:close()
  local live = self.live
  local part = live and live.open and live.parts[live.open]
  if not part then return end
  live.open = nil
  if part.kind == "text" then
    local row = api.nvim_buf_line_count(self.buf) - 1
    part.fence = text.fence_after(api.nvim_buf_get_lines(self.buf, row, row + 1, false)[1], part.fence)
    if part.fence then self:put("\n" .. part.fence) end
    self:put("\n")
    local last = api.nvim_buf_line_count(self.buf)
    if part.bytes <= WHOLE_LIMIT then
      -- In one piece: a list may go on behind an empty line.
      paint.rows(self.buf, part.from, last)
    elseif part.block_bytes <= config.current.highlight_limit then
      paint.rows(self.buf, part.block, last)
    end
  else
    self:put("\n")
    local chunk = Chunk.new()
    chunk:mark({
      row = 0,
      end_row = api.nvim_buf_line_count(self.buf) - 2 - part.from,
      group = "PiThinking",
      fold = config.current.fold_thinking and "closed" or "open",
      block = { kind = "thinking", output = table.concat(part.text) },
    })
    self:decorate(part.from, chunk)
  end
end

--- Highlights what has become complete from ROW on, and what is not complete if it is short.
---@private
---@param part pi_ls.Part
---@param row integer the first row that changed
---@param pieces string[] what was added, by line
---@param added integer bytes of it
function Transcript:paint(part, row, pieces, added)
  local boundary
  for at = 1, #pieces - 1 do
    local line = pieces[at]
    -- The first one ends a line that was there already.
    if at == 1 then line = api.nvim_buf_get_lines(self.buf, row, row + 1, false)[1] end
    if line == "" then
      boundary = not part.fence and row + at or boundary
    elseif line:find("^ ? ? ?[`~][`~][`~]") then
      part.fence = text.fence_after(line, part.fence)
    end
  end
  if boundary then
    if added <= BURST and part.block_bytes <= config.current.highlight_limit then
      paint.rows(self.buf, part.block, boundary)
    end
    part.block, part.block_bytes = boundary, #pieces[#pieces]
  end
  if part.block_bytes <= OPEN_LIMIT then paint.rows(self.buf, part.block, api.nvim_buf_line_count(self.buf)) end
end

--- Adds to a text or to thinking. Constant cost: see the head of this file.
---@private
---@param index integer
---@param kind "text"|"thinking"
---@param delta string
function Transcript:stream(index, kind, delta)
  self:edit(function()
    local live = self:living()
    local part = live.parts[index]
    if not part then
      self:close()
      part = { kind = kind, bytes = 0, text = {}, from = 0, block = 0, block_bytes = 0 }
      live.parts[index] = part
    end
    part.bytes = part.bytes + #delta
    part.text[#part.text + 1] = delta
    if live.open ~= index then
      -- A text that began with a line break, or nothing at all yet, opens no lines.
      local first = table.concat(part.text):gsub("^%s+", "")
      if first == "" then return end
      self:close()
      live.open = index
      delta = first
      local is_empty = api.nvim_buf_line_count(self.buf) == 1 and self.tail == 0
      self:put((is_empty and "" or "\n") .. (kind == "thinking" and "> " or ""))
      part.from = api.nvim_buf_line_count(self.buf) - 1
      part.block = part.from
    end
    delta = text.plain(delta)
    if kind == "thinking" then
      self:put(delta:gsub("\n", "\n> "))
      return
    end
    part.block_bytes = part.block_bytes + #delta
    local row = api.nvim_buf_line_count(self.buf) - 1
    self:paint(part, row, self:put(delta), #delta)
  end)
end

--- The answer that streams. A client that came in the middle of one has not seen its beginning.
---@private
---@param message? table
---@return pi_ls.Live
function Transcript:living(message)
  if not self.live then
    if self.speaker ~= "assistant" then
      self:append(render.heading("assistant", message or {}))
      self.speaker = "assistant"
    end
    self.live = { parts = {}, calls = {} }
  end
  return self.live
end

---@param message table
function Transcript:message_start(message)
  if message.role == "assistant" then
    self.live = nil
    self:living(message)
  end
end

---@param event table `assistantMessageEvent` of pi
function Transcript:message_update(event)
  local index = event.contentIndex
  if event.type == "text_delta" then
    self:stream(index, "text", event.delta)
  elseif event.type == "thinking_delta" then
    self:stream(index, "thinking", event.delta)
  elseif event.type == "text_end" or event.type == "thinking_end" then
    self:edit(function() self:close() end)
  elseif event.type == "toolcall_start" then
    self:call(index, { id = event.id or ("live:" .. index), name = event.toolName or "tool", arguments = {} }, {
      is = "calling",
    })
  elseif event.type == "toolcall_end" then
    self:call(index, event.toolCall, { is = "waiting" })
  end
end

--- Shows a tool call, or shows it anew.
---@private
---@param index integer
---@param call table
---@param state pi_ls.ToolState
function Transcript:call(index, call, state)
  local live = self:living()
  local key = live.calls[index]
  if key and key ~= call.id then
    self.tools[call.id], self.tools[key] = self.tools[key], nil
  end
  live.calls[index] = call.id
  self:tool(call, state)
end

---@param call table `{id, name, arguments}`
---@param state pi_ls.ToolState
---@param result? table
function Transcript:tool(call, state, result)
  local known = self.tools[call.id]
  self:custom(call.id, tools.chunk(call, result, state))
  known = known or self.tools[call.id]
  known.call, known.state, known.result = call, state, result
end

--- Shows CHUNK, in the place where it was shown before under the same key.
---@param key any
---@param chunk pi_ls.Chunk
function Transcript:custom(key, chunk)
  local known = self.tools[key]
  if not known then
    self.tools[key] = { mark = self:append(chunk) }
    return
  end
  self:edit(function()
    local mark = api.nvim_buf_get_extmark_by_id(self.buf, BLOCK, known.mark, { details = true })
    -- The session was replaced meanwhile.
    if not mark[1] then return end
    local from, to = mark[1], mark[3].end_row
    if self.blocks[known.mark].fold then folds.remove(self.buf, from) end
    api.nvim_buf_del_extmark(self.buf, BLOCK, known.mark)
    self.blocks[known.mark] = nil
    api.nvim_buf_clear_namespace(self.buf, LOOK, from, to + 1)
    paint.clear(self.buf, from, to + 1)
    api.nvim_buf_set_lines(self.buf, from, to + 1, false, chunk.lines)
    paint.rows(self.buf, from, from + #chunk.lines)
    known.mark = self:decorate(from, chunk)
  end)
end

---@param id string
---@return table? call
function Transcript:known_call(id) return self.tools[id] and self.tools[id].call end

--- The message that counts: what was put together from deltas gives way to it.
---@param message table
function Transcript:message_end(message)
  if message.role == "user" then
    self:append(render.user(message))
    self.speaker = "user"
  elseif message.role == "assistant" then
    self:finish(message)
  elseif message.role ~= "toolResult" and message.role ~= "system" then
    local chunk = render.other(message)
    if chunk then
      self:append(chunk)
      self.speaker = message.role
    end
  end
end

---@private
---@param message table
function Transcript:finish(message)
  local live = self:living(message)
  self:edit(function() self:close() end)
  for at, block in ipairs(message.content or {}) do
    local part = live.parts[at - 1]
    local whole = block.text or block.thinking
    if block.type == "toolCall" then
      if not self.tools[block.id] then self:call(at - 1, block, { is = "waiting" }) end
    elseif whole and vim.trim(whole) ~= "" and (part and part.bytes or 0) ~= #whole then
      self:rewrite(message)
      break
    end
  end
  local ending = render.ending(message)
  if ending then self:append(ending) end
  self.live = nil
end

--- Deltas were missed, or changed by an extension: the answer is written anew, behind its heading's place.
---@private
---@param message table
function Transcript:rewrite(message)
  local first
  for _, part in pairs(self.live.parts) do
    first = math.min(first or part.from, part.from)
  end
  self:edit(function()
    if first then
      api.nvim_buf_set_lines(self.buf, first, -1, false, { "" })
      self.tail = 0
    end
    for _, block in ipairs(message.content) do
      if block.type == "toolCall" then
        self.tools[block.id] = nil
        self:tool(block, { is = "waiting" })
      elseif block.type == "thinking" then
        self:append(render.thinking(block.thinking))
      elseif vim.trim(block.text or "") ~= "" then
        local chunk = Chunk.new()
        chunk:add(text.plain(block.text))
        self:append(chunk)
      end
    end
  end)
end

--- A line that is no message.
---@param note string
---@param group? string
function Transcript:note(note, group) self:append(render.note(note, group)) end

--- What is under ROW.
---@param row integer from 0
---@return pi_ls.Block?
function Transcript:block_at(row)
  local marks = api.nvim_buf_get_extmarks(self.buf, BLOCK, { row, 0 }, { row, -1 }, { overlap = true, limit = 1 })
  local found = marks[1] and self.blocks[marks[1][1]]
  return found and found.block
end

--- The turn that ROW belongs to, and how many turns of the user come after it.
---@param row integer
---@return { role: string, entry?: string, text?: string }?
---@return integer later
function Transcript:turn_at(row)
  local later = 0
  for _, mark in ipairs(api.nvim_buf_get_extmarks(self.buf, TURN, -1, 0, {})) do
    local turn = self.turns[mark[1]]
    if mark[2] <= row then
      return turn, later
    elseif turn.role == "user" then
      later = later + 1
    end
  end
  return nil, later
end

--- The row of the next turn, or of the one before.
---@param row integer
---@param forward boolean
---@return integer?
function Transcript:next_turn(row, forward)
  local from, to = { row + 1, 0 }, -1
  if not forward then
    if row == 0 then return nil end
    from, to = { row - 1, 0 }, 0
  end
  local mark = api.nvim_buf_get_extmarks(self.buf, TURN, from, to, { limit = 1 })[1]
  return mark and mark[2]
end

--- For a window that has come to show the transcript.
---@param win integer
function Transcript:fold(win)
  local ranges = {}
  for _, mark in ipairs(api.nvim_buf_get_extmarks(self.buf, BLOCK, 0, -1, { details = true })) do
    local known = self.blocks[mark[1]]
    if known and known.fold and mark[4].end_row > mark[2] then
      ranges[#ranges + 1] = { mark[2], mark[4].end_row, known.fold }
    end
  end
  folds.fill(win, ranges)
end

--- The virtual text at the end of a line, which a closed fold would hide.
---@param buf integer
---@param row integer
---@return table chunks
function Transcript.label(buf, row)
  for _, mark in ipairs(api.nvim_buf_get_extmarks(buf, LOOK, { row, 0 }, { row, -1 }, { details = true })) do
    if mark[4].virt_text then return vim.list_extend({ { " " } }, mark[4].virt_text) end
  end
  return {}
end

return Transcript

--- The buffer that shows a conversation. Everything that is written into it goes through here.
---
--- Order: the last line is empty, and separates; while a text streams, it is that text's last line. What streams is
--- only ever appended, so a delta costs the same in a long transcript as in a short one. Only the block of a tool call
--- is replaced, as long as the tool runs, and then it is short.

local Answer = require("pi_ls.answer")
local Chunk = require("pi_ls.chunk")
local buffer_name = require("pi_ls.buffer_name")
local Places = require("pi_ls.places")
local config = require("pi_ls.config")
local paint = require("pi_ls.paint")
local render = require("pi_ls.render")
local tools = require("pi_ls.tools")

local api = vim.api
local LOOK = api.nvim_create_namespace("pi_ls.look")
local WELCOME = api.nvim_create_namespace("pi_ls.welcome")

---@class pi_ls.Transcript
---@field buf integer
---@field places pi_ls.Places
---@field has_older boolean
---@field private blocks table<any, integer> what can be replaced: the place of its block by its key
---@field private calls table<string, table> tool calls by id
---@field private answer? pi_ls.Answer the one that streams
---@field private tail integer bytes in the last line
---@field private speaker? string the role of the last turn
---@field private live table<string, boolean> messages that came whole, not by a page of the history
---@field private is_editing boolean
---@field private name string
---@field private is_unloaded boolean its text is gone: what comes is in the session, which is drawn anew
local Transcript = {}
Transcript.__index = Transcript

---@param name string of its buffer
---@return pi_ls.Transcript
function Transcript.new(name)
  local self = setmetatable({ name = name, is_editing = false }, Transcript)
  self:make()
  return self
end

--- Makes its buffer, or makes an empty one of it again: `:edit` has emptied it, `:bdelete` taken it away.
function Transcript:make()
  if not self.buf or not api.nvim_buf_is_loaded(self.buf) then
    self.buf = api.nvim_create_buf(false, true)
    buffer_name.give(self.buf, self.name)
    self.places = Places.new(self.buf)
  end
  for option, value in pairs({ bufhidden = "hide", undolevels = -1, modifiable = false, filetype = "pi-chat" }) do
    vim.bo[self.buf][option] = value
  end
  self.is_unloaded = false
  api.nvim_create_autocmd("BufUnload", {
    buffer = self.buf,
    once = true,
    callback = function() self.is_unloaded = true end,
  })
  self:reset()
end

function Transcript:reset()
  self.blocks, self.calls, self.answer, self.speaker = {}, {}, nil, nil
  self.tail, self.has_older, self.live = 0, false, {}
  self:edit(function()
    api.nvim_buf_clear_namespace(self.buf, LOOK, 0, -1)
    self.places:clear()
    api.nvim_buf_set_lines(self.buf, 0, -1, false, { "" })
  end)
end

--- Runs CHANGE with the buffer modifiable. Windows whose cursor is in the last line follow what is added.
---@param change fun()
function Transcript:edit(change)
  if self.is_unloaded then return end
  if self.is_editing then return change() end
  local last = api.nvim_buf_line_count(self.buf)
  local function is_at_end(win) return api.nvim_win_get_cursor(win)[1] >= last end
  local following = vim.tbl_filter(is_at_end, vim.fn.win_findbuf(self.buf))
  if last == 1 then api.nvim_buf_clear_namespace(self.buf, WELCOME, 0, -1) end
  self.is_editing, vim.bo[self.buf].modifiable = true, true
  local ok, err = pcall(change)
  self.is_editing, vim.bo[self.buf].modifiable = false, false
  last = api.nvim_buf_line_count(self.buf)
  for _, win in ipairs(following) do
    pcall(api.nvim_win_set_cursor, win, { last, self.tail })
  end
  if not ok then error(err, 0) end
end

---@return boolean
function Transcript:is_empty() return self.tail == 0 and api.nvim_buf_line_count(self.buf) == 1 end

--- What an empty transcript says. It is no text: the first line that is added takes it away.
---@param lines string[]
function Transcript:welcome(lines)
  local virtual = vim.tbl_map(function(line) return { { line, "PiDim" } } end, lines)
  api.nvim_buf_set_extmark(self.buf, WELCOME, 0, 0, { virt_text = virtual[1], virt_text_pos = "overlay" })
  api.nvim_buf_set_extmark(self.buf, WELCOME, 0, 0, { virt_lines = vim.list_slice(virtual, 2) })
end

--- Adds to the very end, within `edit`.
---@param addition string
---@return integer row of its first line
---@return string[] lines of it
function Transcript:put(addition)
  local lines = vim.split(addition, "\n", { plain = true })
  local row = api.nvim_buf_line_count(self.buf) - 1
  api.nvim_buf_set_text(self.buf, row, self.tail, row, self.tail, lines)
  self.tail = #lines == 1 and self.tail + #addition or #lines[#lines]
  return row, lines
end

--- Replaces rows by the lines of CHUNK, highlighted.
---@private
---@param from integer
---@param to integer
---@param chunk pi_ls.Chunk
---@return integer? block the place of its first block
function Transcript:set(from, to, chunk)
  api.nvim_buf_set_lines(self.buf, from, to, false, chunk.lines)
  paint.rows(self.buf, from, from + #chunk.lines)
  return self:decorate(from, chunk)
end

---@param row integer where the chunk's first line is
---@param chunk pi_ls.Chunk
---@return integer? block the place of its first block
function Transcript:decorate(row, chunk)
  local first
  for _, mark in ipairs(chunk.marks) do
    local from, last = row + mark.row, row + (mark.end_row or mark.row)
    if mark.group then
      api.nvim_buf_set_extmark(self.buf, LOOK, from, 0, {
        end_row = last + 1,
        hl_group = mark.group,
        hl_eol = true,
        priority = 110,
        strict = false,
      })
    end
    if mark.eol then
      api.nvim_buf_set_extmark(self.buf, LOOK, from, 0, { virt_text = mark.eol, virt_text_pos = "eol" })
    end
    if mark.turn then self.places:add_turn(from, mark.turn) end
    if mark.block then
      local id = self.places:add_block(from, last, mark)
      first = first or id
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
    if self.answer then self.answer:close() end
    chunk:gap()
    local from = self:is_empty() and 0 or api.nvim_buf_line_count(self.buf)
    self.tail = 0
    block = self:set(from, -1, chunk)
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
      local key = config.current.keys.older_page
      page:add("⋯ older messages" .. (key and ": " .. key or ""), "PiDim")
      page:add("")
    end
    page:append(chunk)
    page:gap()
    self:set(0, self:is_empty() and 1 or 0, page)
    self.has_older = has_older
  end)
  self.speaker = self.speaker or self.places:last_role()
end

--- Shows CHUNK, in the place where it was shown before under the same key.
---@param key any
---@param chunk pi_ls.Chunk
function Transcript:replace(key, chunk)
  if not self.blocks[key] then
    self.blocks[key] = self:append(chunk)
    return
  end
  self:edit(function()
    local from, last = self.places:take_block(self.blocks[key])
    if not from then return end
    api.nvim_buf_clear_namespace(self.buf, LOOK, from, last + 1)
    paint.clear(self.buf, from, last + 1)
    self.blocks[key] = self:set(from, last + 1, chunk)
  end)
end

--- Shows a tool call, or shows it anew.
---@param call table `{id, name, arguments}`
---@param state pi_ls.ToolState
---@param result? table
function Transcript:tool(call, state, result)
  self.calls[call.id] = call
  self:replace(call.id, tools.chunk(call, result, state))
end

---@param id string
---@return table? call
function Transcript:known_call(id) return self.calls[id] end

--- A call whose id was not known at its beginning.
---@param from string
---@param to string
function Transcript:rename_call(from, to)
  self.blocks[to], self.calls[to] = self.blocks[from], self.calls[from]
  self:forget_call(from)
end

--- From here on the call is shown in a new place.
---@param id string
function Transcript:forget_call(id)
  self.blocks[id], self.calls[id] = nil, nil
end

--- The answer that streams. A client that came in the middle of one has not seen its beginning.
---@private
---@param message? table
---@return pi_ls.Answer
function Transcript:streaming(message)
  if not self.answer then
    if self.speaker ~= "assistant" then self:append(render.heading("assistant", message or {})) end
    self.speaker = "assistant"
    self.answer = Answer.new(self)
  end
  return self.answer
end

---@param message table
function Transcript:message_start(message)
  if message.role ~= "assistant" then return end
  self.answer = nil
  self:streaming(message)
end

---@param event table `assistantMessageEvent` of pi
function Transcript:message_update(event)
  local answer = self:streaming()
  self:edit(function() answer:update(event) end)
end

---@param message table
---@return string? key which a message has in the history too
local function key_of(message) return message.timestamp and ("%s %d"):format(message.role, message.timestamp) end

--- Whether it came live: a page that was asked for before may have it too.
---@param message table
function Transcript:has_live(message)
  local key = message.role ~= "toolResult" and key_of(message)
  return key and self.live[key] or false
end

--- The message that counts: what was put together from deltas gives way to it.
---@param message table
function Transcript:message_end(message)
  local key = key_of(message)
  if key then self.live[key] = true end
  if message.role == "assistant" then
    local answer = self:streaming(message)
    self:edit(function() answer:finish(message) end)
    self.answer = nil
    local ending = render.ending(message)
    if ending then self:append(ending) end
  elseif message.role ~= "toolResult" and message.role ~= "system" then
    local chunk = message.role == "user" and render.user(message) or render.other(message)
    if not chunk then return end
    self:append(chunk)
    self.speaker = message.role
  end
end

--- A line that is no message.
---@param note string
---@param group? string
function Transcript:note(note, group) self:append(render.note(note, group)) end

--- Takes away all from ROW on, within `edit`. The empty line before it stays, and separates.
---@param row integer
function Transcript:cut(row)
  api.nvim_buf_set_lines(self.buf, row, -1, false, {})
  self.tail = 0
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

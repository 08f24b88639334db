--- Keys in the transcript: from turn to turn, to files, to the whole of a tool call.

local chat = require("pi_ls.chat")
local config = require("pi_ls.config")
local notify = require("pi_ls.notify")
local tools = require("pi_ls.tools")

local api = vim.api

local M = {}

local function cursor_row() return api.nvim_win_get_cursor(0)[1] - 1 end

--- The line of the new file that ROW of a diff shows.
---@param buf integer
---@param row integer
---@return integer?
local function line_in_diff(buf, row)
  local lines = api.nvim_buf_get_lines(buf, 0, row + 1, false)
  local count = 0
  for at = #lines, 1, -1 do
    local start = lines[at]:match("^@@ %-%d+,?%d* %+(%d+)")
    if start then return tonumber(start) + math.max(0, count - (lines[row + 1]:sub(1, 1) == "-" and 0 or 1)) end
    if lines[at]:match("^```") then return nil end
    if not lines[at]:match("^%-") then count = count + 1 end
  end
end

--- The path under the cursor, with its line: `src/a.ts:12`, `@src/a.ts#L12-20`.
---@return string?
---@return integer?
local function path_under_cursor()
  local word = vim.fn.expand("<cWORD>"):gsub("^[`'\"(%[<@]+", "")
  local path, line = word:match("^([^#:]+)[#:]L?(%d+)")
  path = path or word:match("^[^#:]+")
  return path and path:gsub("[`'\")%]>,;.]+$", ""), tonumber(line)
end

---@param conversation pi_ls.Conversation
local function open(conversation)
  local row = cursor_row()
  local path, line = path_under_cursor()
  if path and vim.uv.fs_stat(conversation.changes:absolute(path)) then
    conversation.changes:open(path, line)
    return
  end
  local block = conversation.transcript:block_at(row)
  local arguments = block and block.call and block.call.arguments
  if arguments and type(arguments.path) == "string" then
    conversation.changes:open(arguments.path, line_in_diff(conversation.transcript.buf, row) or arguments.offset)
  else
    notify.info("no file under the cursor")
  end
end

---@param conversation pi_ls.Conversation
local function yank_code(conversation)
  local buf = conversation.transcript.buf
  local lines = api.nvim_buf_get_lines(buf, 0, -1, false)
  local row = cursor_row() + 1
  local fence, from
  for at, line in ipairs(lines) do
    local run = line:match("^%s*(```+)") or line:match("^%s*(~~~+)")
    if run and not fence then
      fence, from = run, at
    elseif fence and run and vim.startswith(run, fence) and vim.trim(line) == run then
      if from <= row and row <= at then
        local code = table.concat(vim.list_slice(lines, from + 1, at - 1), "\n") .. "\n"
        vim.fn.setreg(vim.v.register, code, "V")
        notify.info(("%d lines yanked"):format(at - from - 1))
        return
      end
      fence = nil
    end
  end
  notify.info("no code block under the cursor")
end

---@param conversation pi_ls.Conversation
local function show(conversation)
  local block = conversation.transcript:block_at(cursor_row())
  if not block then
    notify.info("nothing under the cursor to show whole")
  elseif block.kind == "tool" then
    chat.show(tools.whole(block.call, block.result), block.call.name)
  else
    chat.show(vim.split(block.output, "\n", { plain = true }), block.kind)
  end
end

---@param conversation pi_ls.Conversation
local function fork(conversation)
  local turn, later = conversation.transcript:turn_at(cursor_row())
  if not turn then
    notify.info("no message under the cursor")
    return
  end
  -- In an answer: the message that it answers, which has as many messages of the user after it.
  require("pi_ls.pick").fork_at(conversation, later, turn.role == "user" and turn.entry or nil)
end

---@param conversation pi_ls.Conversation
function M.map(conversation)
  local keys = config.current.keys
  local buf = conversation.transcript.buf
  local map = function(lhs, action, about)
    if lhs then
      vim.keymap.set(
        "n",
        lhs,
        function() action(conversation) end,
        { buffer = buf, desc = "pi: " .. about, nowait = lhs ~= "[[" and lhs ~= "]]" }
      )
    end
  end
  local turn = function(forward)
    return function()
      local row = conversation.transcript:next_turn(cursor_row(), forward)
      if row then api.nvim_win_set_cursor(0, { row + 1, 0 }) end
    end
  end
  map(keys.next_turn, turn(true), "next message")
  map(keys.previous_turn, turn(false), "previous message")
  map(keys.open, open, "open the file")
  map("gf", open, "open the file")
  map(keys.yank_code, yank_code, "yank the code block")
  map(keys.show, show, "show the tool call")
  map(keys.fork, fork, "fork from here")
  map(keys.prompt, function()
    chat.open(conversation)
    vim.cmd.startinsert()
  end, "go to the prompt")
  map(keys.older_page, function() conversation:load_older() end, "older messages")
  map(keys.abort, function() conversation:abort() end, "stop")
  -- Scrolling to the beginning goes on with what is before it.
  vim.api.nvim_create_autocmd("CursorMoved", {
    buffer = buf,
    callback = function()
      if conversation.transcript.has_older and cursor_row() == 0 then conversation:load_older() end
    end,
  })
end

return M

--- Keys in the transcript: from turn to turn, to files, to the whole of a tool call.

local chat = require("pi_ls.chat")
local config = require("pi_ls.config")
local float = require("pi_ls.float")
local notify = require("pi_ls.notify")
local pick = require("pi_ls.pick")
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
  local absolute = path and conversation.changes:absolute(path)
  if absolute and vim.uv.fs_stat(absolute) then return chat.edit(absolute, line) end
  local block = conversation.transcript.places:block_at(row)
  local arguments = block and block.call and block.call.arguments
  if not arguments or type(arguments.path) ~= "string" then return notify.info("no file under the cursor") end
  line = line_in_diff(conversation.transcript.buf, row) or arguments.offset
  chat.edit(conversation.changes:absolute(arguments.path), line)
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
  local block = conversation.transcript.places:block_at(cursor_row())
  if not block then
    notify.info("nothing under the cursor to show whole")
  elseif block.kind == "tool" then
    float.show(tools.whole(block.call, block.result), block.call.name)
  else
    float.show(vim.split(block.output, "\n", { plain = true }), block.kind)
  end
end

---@param conversation pi_ls.Conversation
local function fork(conversation)
  local turn, later = conversation.transcript.places:turn_at(cursor_row())
  if not turn then return notify.info("no message under the cursor") end
  -- In an answer: the message that it answers, which has as many messages of the person after it.
  pick.fork_at(conversation, later, turn.role == "user" and turn.entry or nil)
end

---@param forward boolean
local function turn(forward)
  return function(conversation)
    local row = conversation.transcript.places:next_turn(cursor_row(), forward)
    if row then api.nvim_win_set_cursor(0, { row + 1, 0 }) end
  end
end

--- What the keys of the transcript do, by their names in the option `keys`.
---@type table<string, fun(conversation: pi_ls.Conversation)>
local actions = {
  next_turn = turn(true),
  previous_turn = turn(false),
  open = open,
  yank_code = yank_code,
  show = show,
  fork = fork,
  prompt = function(conversation)
    chat.open(conversation)
    vim.cmd.startinsert()
  end,
  older_page = function(conversation) conversation.session:older() end,
  abort = function(conversation) conversation:abort() end,
}

---@param conversation pi_ls.Conversation
function M.map(conversation)
  local buf = conversation.transcript.buf
  local function map(lhs, action, about)
    -- [[ and ]] are prefixes of nothing, but filetype plugins map them too.
    local options = { buffer = buf, desc = "pi: " .. about, nowait = lhs ~= "[[" and lhs ~= "]]" }
    vim.keymap.set("n", lhs, function() action(conversation) end, options)
  end
  for _, key in ipairs(config.key_table) do
    local lhs, action = config.current.keys[key[1]], actions[key[1]]
    if lhs and action then map(lhs, action, key[3]) end
  end
  map("gf", open, "Open the file under the cursor.")
  -- Scrolling to the beginning goes on with what is before it.
  api.nvim_create_autocmd("CursorMoved", {
    buffer = buf,
    callback = function()
      if conversation.transcript.has_older and cursor_row() == 0 then conversation.session:older() end
    end,
  })
end

return M

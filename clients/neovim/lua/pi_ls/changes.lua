--- The files that a run changed: what they were before, buffers brought up to date, and a diff of it all.
--- pi may run on another machine; then its files are not here, and nothing of this happens.

local chat = require("pi_ls.chat")
local notify = require("pi_ls.notify")
local tools = require("pi_ls.tools")

local api = vim.api

local MAX_BYTES = 4 * 1024 * 1024

---@class pi_ls.Change
---@field before? string nil: the file did not exist
---@field places { line: integer, text: string }[]

---@class pi_ls.Changes
---@field files table<string, pi_ls.Change> by path: what the last run changed
---@field private conversation pi_ls.Conversation
---@field private snapshots table<string, string|false> by path; false: no such file
---@field private calls table<integer, { name: string, head: string }> tool calls whose path is not known yet
---@field private is_over boolean
local Changes = {}
Changes.__index = Changes

local M = {}

---@param conversation pi_ls.Conversation
function M.new(conversation)
  local self = { conversation = conversation, files = {}, snapshots = {}, calls = {}, is_over = true }
  return setmetatable(self, Changes)
end

---@private
---@param path string
function Changes:absolute(path)
  local session = self.conversation.state.session
  local cwd = session and session.cwd or self.conversation.cwd
  path = vim.fs.normalize(path)
  return path:sub(1, 1) == "/" and path or vim.fs.joinpath(cwd, path)
end

---@param path string
---@return string|false
local function read(path)
  local stat = vim.uv.fs_stat(path)
  if not stat or stat.type ~= "file" or stat.size > MAX_BYTES then return false end
  local file = io.open(path, "rb")
  if not file then return false end
  local content = file:read("*a")
  file:close()
  return content
end

--- Keeps what FILE is now, unless this run has touched it before.
---@private
---@param path string as the tool has it
function Changes:keep(path)
  local absolute = self:absolute(path)
  if self.snapshots[absolute] == nil then self.snapshots[absolute] = read(absolute) end
end

--- The first message after a settled run begins the next one.
---@param message table
function Changes:on_message(message)
  if self.is_over and (message.role == "user" or message.role == "assistant") then
    self.files, self.snapshots, self.is_over = {}, {}, false
  end
end

function Changes:on_run_end()
  self.is_over = true
  self.calls = {}
end

--- A call's path is known long before its content: that is the time to look at the file.
---@param event table
function Changes:on_update(event)
  if event.type == "toolcall_start" then
    self.calls[event.contentIndex] = { name = event.toolName or "", head = "" }
  elseif event.type == "toolcall_delta" then
    local call = self.calls[event.contentIndex]
    if call and tools.changes_files(call.name) then
      call.head = call.head .. event.delta:sub(1, 4096)
      local path = call.head:match('"path"%s*:%s*"([^"\\]+)"')
      if path then self:keep(path) end
      if path or #call.head > 4096 then self.calls[event.contentIndex] = nil end
    end
  elseif event.type == "toolcall_end" then
    self.calls[event.contentIndex] = nil
    self:on_tool_start(event.toolCall)
  end
end

---@param call table
function Changes:on_tool_start(call)
  if tools.changes_files(call.name) and type(call.arguments) == "table" and type(call.arguments.path) == "string" then
    self:keep(call.arguments.path)
  end
end

--- The text that PATCH was applied to, from the text that came of it.
---@param after string
---@param patch string
---@return string?
local function reversed(after, patch)
  local lines = vim.split(after, "\n", { plain = true })
  local result, at = {}, 1
  for line in vim.gsplit(patch, "\n", { plain = true }) do
    local start = line:match("^@@ %-%d+,?%d* %+(%d+)")
    local sign, rest = line:sub(1, 1), line:sub(2)
    if start then
      while at < tonumber(start) do
        result[#result + 1] = lines[at]
        at = at + 1
      end
    elseif sign == "-" and not line:find("^%-%-%- ") then
      result[#result + 1] = rest
    elseif (sign == "+" and not line:find("^%+%+%+ ")) or sign == " " then
      if lines[at] ~= rest then return nil end
      if sign == " " then result[#result + 1] = rest end
      at = at + 1
    end
  end
  vim.list_extend(result, lines, at)
  return table.concat(result, "\n")
end

---@param patch string
---@return { line: integer, text: string }[]
local function places_in(patch)
  local places, line = {}, nil
  local is_new = true
  for text in vim.gsplit(patch, "\n", { plain = true }) do
    local start = text:match("^@@ %-%d+,?%d* %+(%d+)")
    local sign = text:sub(1, 1)
    if start then
      line, is_new = tonumber(start), true
    elseif line and (sign == "+" or sign == "-") then
      if is_new then places[#places + 1] = { line = line, text = vim.trim(text:sub(2)) } end
      is_new = false
      line = sign == "+" and line + 1 or line
    elseif line then
      line, is_new = line + 1, true
    end
  end
  return places
end

---@param call table
---@param result any
---@param is_error boolean
function Changes:on_tool_end(call, result, is_error)
  local path = type(call.arguments) == "table" and call.arguments.path
  if tools.changes_files(call.name) and type(path) == "string" and not is_error then
    self:record(self:absolute(path), result)
  end
  if tools.changes_files(call.name) or call.name == "bash" then self:refresh() end
end

---@private
---@param path string
---@param result any
function Changes:record(path, result)
  local after = read(path)
  if after == false then return end
  local details = type(result) == "table" and type(result.details) == "table" and result.details or {}
  local patch = type(details.patch) == "string" and details.patch or nil
  local before = self.snapshots[path]
  -- The tool was faster than we: then the patch tells what was there.
  if before == after and patch then before = reversed(after, patch) or before end
  local change = self.files[path]
  if not change then
    change = { before = before or nil, places = {} }
    self.files[path] = change
  end
  vim.list_extend(change.places, patch and places_in(patch) or { { line = 1, text = "written" } })
end

--- Loaded buffers of files that are not what they were. A buffer with changes of its own is never overwritten.
---@private
function Changes:refresh()
  for _, buf in ipairs(api.nvim_list_bufs()) do
    if api.nvim_buf_is_loaded(buf) and vim.bo[buf].buftype == "" then
      local name = api.nvim_buf_get_name(buf)
      if name ~= "" and vim.uv.fs_stat(name) then
        if not vim.bo[buf].modified then
          local autoread = vim.bo[buf].autoread
          vim.bo[buf].autoread = true
          vim.cmd(("silent! checktime %d"):format(buf))
          vim.bo[buf].autoread = autoread
        elseif self.files[vim.fs.normalize(name)] and not vim.b[buf].pi_ls_told then
          vim.b[buf].pi_ls_told = true
          notify.warn(
            ("%s was changed by the agent, and has changes of yours: not reloaded"):format(vim.fs.basename(name))
          )
        end
      end
    end
  end
end

---@return string[] paths
function Changes:paths()
  local paths = vim.tbl_keys(self.files)
  table.sort(paths)
  return paths
end

--- Every place that the last run touched, in the quickfix list.
function Changes:quickfix()
  local items = {}
  for _, path in ipairs(self:paths()) do
    for _, place in ipairs(self.files[path].places) do
      items[#items + 1] = { filename = path, lnum = place.line, text = place.text }
    end
  end
  vim.fn.setqflist({}, " ", { title = "pi: the last run", items = items })
  if #items == 0 then
    notify.info("the last run changed no file")
  else
    vim.cmd("botright copen")
  end
end

--- A tab page with PATH as it was before the run, and as it is.
---@param path string
function Changes:show(path)
  local change = self.files[path]
  vim.cmd("tabnew " .. vim.fn.fnameescape(path))
  local filetype = vim.bo.filetype
  vim.cmd.diffthis()
  vim.cmd("leftabove vsplit")
  local buf = api.nvim_create_buf(false, true)
  local before = (change.before or ""):gsub("\n$", "")
  api.nvim_buf_set_lines(buf, 0, -1, false, vim.split(before, "\n", { plain = true }))
  api.nvim_buf_set_name(buf, ("pi://before/%d/%s"):format(buf, vim.fs.basename(path)))
  vim.bo[buf].bufhidden = "wipe"
  vim.bo[buf].filetype = filetype
  vim.bo[buf].modifiable = false
  api.nvim_win_set_buf(0, buf)
  vim.cmd.diffthis()
  vim.cmd.wincmd("p")
end

--- `:Pi diff`: of one file, or of one that is chosen.
function Changes:diff()
  local paths = self:paths()
  if #paths == 0 then
    notify.info("the last run changed no file")
  elseif #paths == 1 then
    self:show(paths[1])
  else
    vim.ui.select(paths, {
      prompt = "Changed by the last run",
      format_item = function(path) return vim.fn.fnamemodify(path, ":~:.") end,
    }, function(path)
      if path then self:show(path) end
    end)
  end
end

--- Opens PATH at LINE, beside the chat.
---@param path string
---@param line? integer
function Changes:open(path, line)
  local absolute = self:absolute(path)
  if not vim.uv.fs_stat(absolute) then
    notify.warn("there is no file " .. path)
    return
  end
  api.nvim_set_current_win(chat.other_window())
  vim.cmd.edit(vim.fn.fnameescape(absolute))
  if line then pcall(api.nvim_win_set_cursor, 0, { math.min(line, api.nvim_buf_line_count(0)), 0 }) end
end

return M

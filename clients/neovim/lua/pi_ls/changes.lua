--- The files that a run changed, and what they were before; buffers are brought up to date.
--- pi may run on another machine; then its files are not here, and nothing of this happens.

local notify = require("pi_ls.notify")
local patch = require("pi_ls.patch")
local tools = require("pi_ls.tools")

local api = vim.api

local MAX_BYTES = 4 * 1024 * 1024

---@class pi_ls.Changes
---@field files table<string, string|false> what the last run changed: by path, what it was before; false: not there
---@field private conversation pi_ls.Conversation
---@field private snapshots table<string, string|false> by path, of all that this run has set out to change
---@field private heads table<integer, string> the beginnings of arguments whose path is not known yet
---@field private began? number when the run began, in seconds; nil: none goes on
local Changes = {}
Changes.__index = Changes

local M = {}

---@param conversation pi_ls.Conversation
function M.new(conversation)
  return setmetatable({ conversation = conversation, files = {}, snapshots = {}, heads = {} }, Changes)
end

--- Where pi's PATH is.
---@param path string
function Changes:absolute(path)
  local session = self.conversation.state.session
  path = vim.fs.normalize(path)
  return path:sub(1, 1) == "/" and path or vim.fs.joinpath(session and session.cwd or self.conversation.cwd, path)
end

---@param path string
---@return string|false
local function read(path)
  local stat = vim.uv.fs_stat(path)
  if not stat or stat.type ~= "file" or stat.size > MAX_BYTES then return false end
  local file = io.open(path, "rb")
  local content = file and file:read("*a")
  if file then file:close() end
  return content or false
end

--- Keeps what the file of a tool is now, unless this run has touched it before.
---@private
---@param path string as the tool has it
function Changes:keep(path)
  local absolute = self:absolute(path)
  if self.snapshots[absolute] ~= nil then return end
  local stat = vim.uv.fs_stat(absolute)
  -- The tool may have been faster than we.
  local is_new = stat and self.began and stat.birthtime.sec + stat.birthtime.nsec / 1e9 >= self.began
  self.snapshots[absolute] = not is_new and read(absolute)
end

--- The first message after a settled run begins the next one.
---@param message table
function Changes:on_message(message)
  if self.began or message.role ~= "user" and message.role ~= "assistant" then return end
  -- File systems tell the time by a coarser clock.
  self.files, self.snapshots, self.began = {}, {}, (message.timestamp or math.huge) / 1000 - 0.01
end

function Changes:on_settled()
  self.began, self.heads = nil, {}
  M.refresh()
end

--- A call's path is known long before its content: that is the time to look at the file.
---@param event table `assistantMessageEvent` of pi
function Changes:on_update(event)
  local index = event.contentIndex
  if event.type == "toolcall_start" then
    self.heads[index] = tools.changes_files(event.toolName or "") and "" or nil
  elseif event.type == "toolcall_delta" and self.heads[index] then
    local head = self.heads[index] .. event.delta:sub(1, 4096)
    local path = head:match('"path"%s*:%s*"([^"\\]+)"')
    if path then self:keep(path) end
    self.heads[index] = not path and #head <= 4096 and head or nil
  elseif event.type == "toolcall_end" then
    self.heads[index] = nil
    self:on_call(event.toolCall)
  end
end

---@param call table
---@return string? path as the tool has it
local function path_of(call)
  local path = tools.changes_files(call.name) and type(call.arguments) == "table" and call.arguments.path
  return type(path) == "string" and path or nil
end

---@param call table
function Changes:on_call(call)
  local path = path_of(call)
  if path then self:keep(path) end
end

---@param call table
---@param result any
---@param is_error boolean
function Changes:on_result(call, result, is_error)
  local path = path_of(call)
  if path and not is_error then
    path = self:absolute(path)
    local after, before = read(path), self.snapshots[path]
    local details = type(result) == "table" and type(result.details) == "table" and result.details or {}
    -- The tool was faster than we, or in the midst of writing: then the patch tells what was there.
    if after and before and vim.startswith(after, before) and type(details.patch) == "string" then
      before = patch.reversed(after, details.patch) or before
    end
    if after and self.files[path] == nil then self.files[path] = before end
  end
  if path or call.name == "bash" then M.refresh() end
end

---@param buf integer
local function tell_conflict(buf)
  local name = vim.fs.basename(api.nvim_buf_get_name(buf))
  notify.warn(("%s was changed by the agent, and has changes of yours: not reloaded"):format(name))
end

--- Loaded buffers of files that are not what they were. A buffer with changes of its own is never overwritten: of each
--- change of its file it is told once, as Neovim keeps when it has looked at the file.
function M.refresh()
  for _, buf in ipairs(api.nvim_list_bufs()) do
    local name = api.nvim_buf_get_name(buf)
    if api.nvim_buf_is_loaded(buf) and vim.bo[buf].buftype == "" and name ~= "" and vim.uv.fs_stat(name) then
      local autoread = vim.bo[buf].autoread
      vim.bo[buf].autoread = true
      -- In place of Neovim's own question, which waits for a key.
      local conflict = vim.bo[buf].modified
        and api.nvim_create_autocmd(
          "FileChangedShell",
          { buffer = buf, callback = function() tell_conflict(buf) end }
        )
      vim.cmd(("silent! checktime %d"):format(buf))
      if conflict then api.nvim_del_autocmd(conflict) end
      vim.bo[buf].autoread = autoread
    end
  end
end

return M

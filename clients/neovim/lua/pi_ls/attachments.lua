--- What `:Pi attach` puts into the prompt.

local chat = require("pi_ls.chat")
local context = require("pi_ls.context")
local notify = require("pi_ls.notify")

---@param target pi_ls.Conversation
---@param value string
local function into_prompt(target, value)
  target.prompt:insert(value)
  chat.open(target)
end

--- How the files of the kinds that pi takes begin, as patterns of Lua.
local beginnings = { "^\137PNG", "^\255\216\255", "^GIF8", "^RIFF....WEBP" }

---@param path string
local function is_image(path)
  local file = io.open(path, "rb")
  local head = file and file:read(12) or ""
  if file then file:close() end
  return vim.iter(beginnings):any(function(beginning) return head:find(beginning) ~= nil end)
end

---@type table<string, fun(target: pi_ls.Conversation, call: pi_ls.Call)>
local kinds = {
  buffer = function(target) into_prompt(target, context.mention(context.source(), target.cwd) .. " ") end,
  selection = function(target, call)
    local first, last = call.first or vim.fn.line("'<"), call.last or vim.fn.line("'>")
    if first == 0 then error("there is no selection", 0) end
    into_prompt(target, context.mention(context.source(), target.cwd, first, last) .. " ")
  end,
  diagnostics = function(target, call)
    into_prompt(target, context.diagnostics(context.source(), target.cwd, call.first, call.last))
  end,
  quickfix = function(target) into_prompt(target, context.quickfix(target.cwd)) end,
  diff = function(target)
    context.git_diff(target.cwd, function(diff) into_prompt(target, diff) end, notify.error)
  end,
  image = function(target, call)
    local written = call.args:match("^%S+%s+(.+)$")
    if not written then error("give the path of an image: :Pi attach image FILE", 0) end
    local path = vim.fn.fnamemodify(vim.fn.expand(written), ":p")
    if vim.fn.filereadable(path) == 0 then error("there is no file " .. path, 0) end
    if not is_image(path) then error("no image that pi takes (PNG, JPEG, GIF, WebP): " .. path, 0) end
    target.prompt:attach({ type = "image", path = path })
    chat.open(target)
  end,
  clipboard = function(target)
    context.clipboard_image(function(image)
      target.prompt:attach(image)
      chat.open(target)
    end, notify.error)
  end,
  none = function(target) target.prompt:detach() end,
}

local M = { names = vim.tbl_keys(kinds) }

---@param target pi_ls.Conversation
---@param call pi_ls.Call
function M.run(target, call)
  local attach = kinds[call.words[1] or ""]
  if not attach then error("attach what? " .. table.concat(vim.fn.sort(M.names), ", "), 0) end
  attach(target, call)
end

return M

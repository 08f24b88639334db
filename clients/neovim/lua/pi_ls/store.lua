--- What outlives Neovim: the history of prompts, and drafts. Small JSON files in stdpath("state").

local M = {}

local MAX_HISTORY = 500

---@param name string
local function path(name) return vim.fs.joinpath(vim.fn.stdpath("state"), "pi_ls", name) end

---@param name string
local function read(name)
  local file = io.open(path(name))
  if not file then return {} end
  local ok, value = pcall(vim.json.decode, file:read("*a"))
  file:close()
  return ok and type(value) == "table" and value or {}
end

--- Whole or not at all: another Neovim may read at the same time.
---@param name string
---@param value table
local function write(name, value)
  local file = path(name)
  vim.fn.mkdir(vim.fs.dirname(file), "p")
  local new = ("%s.%d"):format(file, vim.uv.os_getpid())
  local handle = io.open(new, "w")
  if handle then
    handle:write(vim.json.encode(value))
    handle:close()
    vim.uv.fs_rename(new, file)
  end
end

---@return string[] oldest first
function M.history() return read("history.json") end

---@param text string
function M.remember(text)
  local history = read("history.json")
  if history[#history] == text then return end
  history[#history + 1] = text
  if #history > MAX_HISTORY then history = vim.list_slice(history, #history - MAX_HISTORY + 1) end
  write("history.json", history)
end

---@param key string
---@return string?
function M.draft(key) return read("drafts.json")[key] end

---@param key string
---@param text string nothing: no draft
---@param own string what this Neovim has read or written before. Another one's draft is not taken away; it goes into
--- the history when it gives way to a new one.
function M.save_draft(key, text, own)
  local drafts = read("drafts.json")
  local draft, there = text ~= "" and text or nil, drafts[key]
  local is_of_other = there and there ~= own and there ~= text
  if is_of_other and not draft then return end
  if is_of_other then M.remember(there) end
  if there ~= draft then
    drafts[key] = draft
    write("drafts.json", vim.tbl_isempty(drafts) and vim.empty_dict() or drafts)
  end
end

return M

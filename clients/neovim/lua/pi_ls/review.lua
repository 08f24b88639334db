--- What the last run changed, to look at: in diff mode, and in the quickfix list.

local notify = require("pi_ls.notify")
local pick = require("pi_ls.pick")

local api = vim.api

local M = {}

local diff = vim.text and vim.text.diff or vim.diff

---@param changes pi_ls.Changes
---@return string[] paths sorted; empty, and told so, when there are none
local function paths_of(changes)
  local paths = vim.tbl_keys(changes.files)
  table.sort(paths)
  if #paths == 0 then notify.info("the last run changed no file") end
  return paths
end

---@param path string
---@return string[]
local function lines_now(path)
  local ok, lines = pcall(vim.fn.readfile, path)
  return ok and lines or {}
end

---@param before string|false
---@return string[]
local function lines_before(before) return vim.split((before or ""):gsub("\n$", ""), "\n", { plain = true }) end

--- A tab page with PATH as it was before the run, and as it is.
---@param path string
---@param before string|false
local function show(path, before)
  vim.cmd.tabnew(vim.fn.fnameescape(path))
  local filetype = vim.bo.filetype
  vim.wo[0][0].winbar = "now"
  vim.cmd.diffthis()
  vim.cmd("leftabove vsplit")
  local buf = api.nvim_create_buf(false, true)
  api.nvim_buf_set_lines(buf, 0, -1, false, before and lines_before(before) or {})
  api.nvim_buf_set_name(buf, ("pi://before/%d/%s"):format(buf, vim.fs.basename(path)))
  for option, value in pairs({ bufhidden = "wipe", filetype = filetype, modifiable = false }) do
    vim.bo[buf][option] = value
  end
  api.nvim_win_set_buf(0, buf)
  -- On both sides, so that their lines are beside each other.
  vim.wo[0][0].winbar = before and "before" or "before: there was no such file"
  vim.cmd.diffthis()
  vim.cmd.wincmd("p")
end

--- `:Pi diff`: of one file, or of one that is chosen.
---@param changes pi_ls.Changes
function M.diff(changes)
  local paths = paths_of(changes)
  if #paths == 0 then return end
  if #paths == 1 then return show(paths[1], changes.files[paths[1]]) end
  pick.select(paths, {
    prompt = "Changed by the last run",
    format = function(path) return vim.fn.fnamemodify(path, ":~:.") end,
    preview = function(path)
      return diff(changes.files[path] or "", table.concat(lines_now(path), "\n") .. "\n", { ctxlen = 3 })
    end,
    filetype = "diff",
    choose = function(path) show(path, changes.files[path]) end,
  })
end

--- Every place that the last run touched, in the quickfix list.
---@param changes pi_ls.Changes
function M.quickfix(changes)
  local paths = paths_of(changes)
  if #paths == 0 then return end
  local items = {}
  for _, path in ipairs(paths) do
    local now = lines_now(path)
    local before = changes.files[path] and table.concat(lines_before(changes.files[path]), "\n") .. "\n" or ""
    for _, hunk in ipairs(diff(before, table.concat(now, "\n") .. "\n", { result_type = "indices" })) do
      local line = math.max(1, hunk[3])
      items[#items + 1] = { filename = path, lnum = line, text = vim.trim(now[line] or "") }
    end
  end
  vim.fn.setqflist({}, " ", { title = "pi: the last run", items = items })
  vim.cmd("botright copen")
end

return M

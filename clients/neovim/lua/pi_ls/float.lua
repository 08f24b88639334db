--- Floating windows in the middle of the screen.

local api = vim.api

local M = {}

---@class pi_ls.Float
---@field width integer
---@field height integer
---@field title string
---@field group? string highlight of the title

--- Opens BUF in a float, and goes there.
---@param buf integer
---@param float pi_ls.Float
---@return integer win
function M.open(buf, float)
  local width = math.max(1, math.min(float.width, vim.o.columns - 4))
  local height = math.max(1, math.min(float.height, vim.o.lines - 6))
  local win = api.nvim_open_win(buf, true, {
    relative = "editor",
    style = "minimal",
    width = width,
    height = height,
    row = math.max(0, math.floor((vim.o.lines - height) / 2) - 1),
    col = math.floor((vim.o.columns - width) / 2),
    border = "rounded",
    title = { { (" %s "):format(float.title), float.group or "FloatTitle" } },
  })
  for name, value in pairs({ wrap = true, linebreak = true }) do
    api.nvim_set_option_value(name, value, { win = win, scope = "local" })
  end
  return win
end

--- Something to read. `q` and `<Esc>` close it.
---@param lines string[]
---@param title string
---@param filetype? string
function M.show(lines, title, filetype)
  local buf = api.nvim_create_buf(false, true)
  api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].bufhidden = "wipe"
  vim.bo[buf].modifiable = false
  vim.bo[buf].filetype = filetype or "markdown"
  local most = math.floor(vim.o.lines * 0.7)
  M.open(buf, { width = math.floor(vim.o.columns * 0.8), height = math.min(#lines, most), title = title })
  for _, key in ipairs({ "q", "<Esc>" }) do
    vim.keymap.set("n", key, "<Cmd>close<CR>", { buffer = buf, nowait = true })
  end
end

return M

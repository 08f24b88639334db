--- A list and a line of input in floating windows: for questions of the agent, where Neovim's own vim.ui.select and
--- vim.ui.input would block everything that arrives, and could not be taken off the screen when a question expires.

local float = require("pi_ls.float")
local typing = require("pi_ls.typing")

local api = vim.api

local M = {}

---@class pi_ls.MenuOptions
---@field title string
---@field about? string[] lines above the items
---@field deaf_ms integer how long keys do nothing: they were meant for what was there before

--- A float with LINES, which is over once: by a choice, or when its window closes, or is closed.
---@param lines string[]
---@param title string
---@param choose fun(choice: any) nil: closed without one
---@return { buf: integer, win: integer, finish: fun(choice?: any), close: fun(at_once?: boolean): string? }
local function open(lines, title, choose)
  local buf = api.nvim_create_buf(false, true)
  api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].bufhidden = "wipe"
  local width = math.max(40, vim.fn.strdisplaywidth(title) + 4)
  for _, line in ipairs(lines) do
    width = math.max(width, vim.fn.strdisplaywidth(line) + 1)
  end
  width = math.min(width, vim.o.columns - 4)
  local height = 0
  for _, line in ipairs(lines) do
    height = height + math.max(1, math.ceil(vim.fn.strdisplaywidth(line) / width))
  end
  local win = float.open(buf, { width = width, height = height, title = title, group = "PiAttention" })
  local is_over = false
  local function take_away()
    if not api.nvim_win_is_valid(win) then return end
    if api.nvim_get_current_win() == win then vim.cmd.stopinsert() end
    api.nvim_win_close(win, true)
  end
  local function finish(choice)
    if is_over then return end
    is_over = true
    take_away()
    choose(choice)
  end
  local function close(at_once)
    is_over = true
    if not api.nvim_win_is_valid(win) then return end
    local written = vim.trim(api.nvim_buf_get_lines(buf, 0, 1, false)[1])
    api.nvim_win_set_config(win, { title = " over ", title_pos = "left" })
    -- Keys that are on their way must not hit another window.
    typing.when_quiet(not at_once and api.nvim_get_current_win() == win and 500 or 0, take_away)
    return written
  end
  api.nvim_create_autocmd("WinClosed", {
    pattern = tostring(win),
    once = true,
    callback = vim.schedule_wrap(function() finish() end),
  })
  return { buf = buf, win = win, finish = finish, close = close }
end

--- Lets the person choose one of ITEMS. The first one is where the cursor is.
---@param items string[]
---@param options pi_ls.MenuOptions
---@param choose fun(at?: integer) nil: closed without a choice
---@return fun(at_once?: boolean) close
function M.select(items, options, choose)
  local about = options.about or {}
  local lines = vim.list_extend({}, about)
  for _, item in ipairs(items) do
    lines[#lines + 1] = " " .. item:gsub("\n", " ")
  end
  vim.cmd.stopinsert()
  local menu = open(lines, options.title, choose)
  local opened = vim.uv.now()
  vim.bo[menu.buf].modifiable = false
  vim.wo[menu.win].cursorline = true
  local first = #about + 1
  api.nvim_win_set_cursor(menu.win, { first, 0 })
  local function map(keys, action)
    for _, lhs in ipairs(keys) do
      vim.keymap.set("n", lhs, function()
        if vim.uv.now() - opened >= options.deaf_ms then action() end
      end, { buffer = menu.buf, nowait = true })
    end
  end
  local function row() return api.nvim_win_get_cursor(menu.win)[1] end
  local function move(step)
    return function() api.nvim_win_set_cursor(menu.win, { math.min(math.max(row() + step, first), #lines), 0 }) end
  end
  map({ "j", "<Down>", "<C-n>" }, move(1))
  map({ "k", "<Up>", "<C-p>" }, move(-1))
  map({ "<CR>" }, function() menu.finish(row() >= first and row() - #about or nil) end)
  map({ "q", "<Esc>", "<C-c>" }, menu.finish)
  return function(at_once) menu.close(at_once) end
end

--- Lets the person write one line.
---@param options { title: string, placeholder?: string }
---@param answer fun(text?: string)
---@return fun(at_once?: boolean): string? close gives back what was written
function M.input(options, answer)
  local menu = open({ "" }, options.title, answer)
  local function line() return api.nvim_buf_get_lines(menu.buf, 0, 1, false)[1] end
  if options.placeholder then
    local namespace = api.nvim_create_namespace("pi_ls.input")
    local hint = { virt_text = { { options.placeholder, "PiDim" } }, virt_text_pos = "overlay" }
    local function show()
      api.nvim_buf_clear_namespace(menu.buf, namespace, 0, -1)
      if line() == "" then api.nvim_buf_set_extmark(menu.buf, namespace, 0, 0, hint) end
    end
    show()
    api.nvim_create_autocmd({ "TextChanged", "TextChangedI" }, { buffer = menu.buf, callback = show })
  end
  vim.keymap.set({ "n", "i" }, "<CR>", function() menu.finish(line()) end, { buffer = menu.buf })
  vim.keymap.set({ "n", "i" }, "<C-c>", function() menu.finish() end, { buffer = menu.buf })
  for _, lhs in ipairs({ "q", "<Esc>" }) do
    vim.keymap.set("n", lhs, function() menu.finish() end, { buffer = menu.buf, nowait = true })
  end
  vim.cmd.startinsert()
  return menu.close
end

return M

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

--- How long keys do nothing after one that means nothing here: somebody writes, and has not seen the question.
local STRAY_MS = 1000

---@class pi_ls.Menu
---@field buf integer
---@field win integer
---@field finish fun(choice?: any)
---@field close fun(at_once?: boolean): string? gives back what was written

--- A float with LINES, which is over once: by a choice, or when its window closes, or is closed.
---@param lines string[]
---@param title string
---@param choose fun(choice: any, written: string) no choice: closed without one, with WRITTEN in its first line
---@return pi_ls.Menu
local function open(lines, title, choose)
  local buf = api.nvim_create_buf(false, true)
  api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  -- What is written outlives a window that was closed without a word.
  vim.bo[buf].bufhidden = "hide"
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
  local function first_line()
    return api.nvim_buf_is_valid(buf) and vim.trim(api.nvim_buf_get_lines(buf, 0, 1, false)[1]) or ""
  end
  local function take_away()
    if api.nvim_win_is_valid(win) then
      if api.nvim_get_current_win() == win then vim.cmd.stopinsert() end
      api.nvim_win_close(win, true)
    end
    if api.nvim_buf_is_valid(buf) then api.nvim_buf_delete(buf, { force = true }) end
  end
  local function finish(choice)
    if is_over then return end
    is_over = true
    local written = first_line()
    take_away()
    choose(choice, written)
  end
  local function close(at_once)
    is_over = true
    local written = first_line()
    local is_shown = api.nvim_win_is_valid(win)
    if is_shown then api.nvim_win_set_config(win, { title = " over ", title_pos = "left" }) end
    -- Keys that are on their way must not hit another window.
    typing.when_quiet(is_shown and not at_once and api.nvim_get_current_win() == win and 500 or 0, take_away)
    return written
  end
  api.nvim_create_autocmd("WinClosed", {
    pattern = tostring(win),
    once = true,
    callback = vim.schedule_wrap(function() finish() end),
  })
  return { buf = buf, win = win, finish = finish, close = close }
end

--- Keys that move or do something in a window, and mean nothing in a menu.
---@return string[]
local function stray_keys()
  local keys = { "<lt>", "<Bar>", "<Space>", "<BS>", "<Del>", "<Tab>", "<S-Tab>" }
  for byte = 33, 126 do
    local key = string.char(byte)
    if not key:find("[<|]") then keys[#keys + 1] = key end
  end
  for byte = ("a"):byte(), ("z"):byte() do
    keys[#keys + 1] = ("<C-%s>"):format(string.char(byte))
  end
  return keys
end

--- Lets the person choose one of ITEMS. The first one is where the cursor is. Of what somebody writes without having
--- seen the menu nothing chooses: a key that means nothing here makes it deaf, and puts the cursor back.
---@param items string[]
---@param options pi_ls.MenuOptions
---@param choose fun(at?: integer) nil: closed without a choice
---@return pi_ls.Menu
function M.select(items, options, choose)
  local about = options.about or {}
  local lines = vim.list_extend({}, about)
  for _, item in ipairs(items) do
    lines[#lines + 1] = " " .. item:gsub("\n", " ")
  end
  vim.cmd.stopinsert()
  local menu = open(lines, options.title, choose)
  local deaf_until = vim.uv.now() + options.deaf_ms
  vim.bo[menu.buf].modifiable = false
  vim.wo[menu.win].cursorline = true
  local first = #about + 1
  api.nvim_win_set_cursor(menu.win, { first, 0 })
  local function stray()
    deaf_until = math.max(deaf_until, vim.uv.now() + STRAY_MS)
    api.nvim_win_set_cursor(menu.win, { first, 0 })
  end
  local function map(keys, action, when_deaf)
    for _, lhs in ipairs(keys) do
      vim.keymap.set({ "n", "x" }, lhs, function()
        local is_deaf = vim.uv.now() < deaf_until
        if not is_deaf then
          action()
        elseif when_deaf then
          when_deaf()
        end
      end, { buffer = menu.buf, nowait = true })
    end
  end
  local function row() return api.nvim_win_get_cursor(menu.win)[1] end
  local function move(step)
    return function() api.nvim_win_set_cursor(menu.win, { math.min(math.max(row() + step, first), #lines), 0 }) end
  end
  local function leave() menu.finish() end
  map(stray_keys(), stray, stray)
  map({ "j" }, move(1), stray)
  map({ "k" }, move(-1), stray)
  map({ "q" }, leave, stray)
  map({ "<Down>" }, move(1))
  map({ "<Up>" }, move(-1))
  map({ "<CR>" }, function() menu.finish(row() >= first and row() - #about or nil) end)
  map({ "<Esc>", "<C-c>" }, leave)
  local close = menu.close
  -- Nothing is written here.
  menu.close = function(at_once) close(at_once) end
  return menu
end

--- Lets the person write one line.
---@param options { title: string, placeholder?: string }
---@param answer fun(text?: string, written: string) no text: closed, with this in it
---@return pi_ls.Menu
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
  return menu
end

return M

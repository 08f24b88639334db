--- The windows of a conversation: the transcript, and below it the prompt. Closing them keeps the conversation.

local autocommands = require("pi_ls.autocommands")
local config = require("pi_ls.config")
local notify = require("pi_ls.notify")

local api = vim.api

local M = {}

--- Of a small screen, a part would be too small: then it is LEAST.
---@param size number columns or lines, or a part of WHOLE
---@param whole integer
---@param least integer
local function cells(size, whole, least)
  local wanted = size < 1 and math.max(least, size * whole) or size
  return math.floor(math.max(1, math.min(wanted, whole - 10)))
end

--- The windows of this tab page that show BUF.
---@param buf integer
---@return integer?
local function window_of(buf)
  for _, win in ipairs(api.nvim_tabpage_list_wins(0)) do
    if api.nvim_win_get_buf(win) == buf then return win end
  end
end

local function options(win, values)
  for name, value in pairs(values) do
    api.nvim_set_option_value(name, value, { win = win, scope = "local" })
  end
end

local common = {
  number = false,
  relativenumber = false,
  signcolumn = "no",
  foldcolumn = "0",
  list = false,
  spell = false,
  wrap = true,
  linebreak = true,
  winfixbuf = true,
}

---@param win integer
---@param conversation pi_ls.Conversation
local function dress_chat(win, conversation)
  options(win, common)
  options(win, {
    breakindent = true,
    conceallevel = 2,
    concealcursor = "nc",
    cursorline = false,
    foldmethod = "manual",
    foldenable = true,
    foldtext = "v:lua.require'pi_ls.folds'.text()",
    fillchars = "fold: ,eob: ",
    winhighlight = "Folded:Normal",
    winbar = "%{%v:lua.require'pi_ls.status'.winbar()%}",
    smoothscroll = true,
  })
  conversation.transcript.places:fold(win)
end

local function dress_prompt(win)
  options(win, common)
  options(win, {
    winfixheight = true,
    fillchars = "eob: ",
    winbar = "%{%v:lua.require'pi_ls.status'.promptbar()%}",
  })
end

---@param chat integer
---@param prompt integer
---@return integer chat_window
---@return integer prompt_window
local function split(chat, prompt, command)
  vim.cmd(command)
  local top = api.nvim_get_current_win()
  api.nvim_win_set_buf(top, chat)
  vim.cmd("belowright split")
  api.nvim_win_set_buf(0, prompt)
  return top, api.nvim_get_current_win()
end

local function column(command)
  return function(chat, prompt)
    return split(chat, prompt, ("%s %dvsplit"):format(command, cells(config.current.width, vim.o.columns, 44)))
  end
end

---@type table<string, fun(chat: integer, prompt: integer): integer, integer>
local layouts = {
  right = column("botright"),
  left = column("topleft"),
  bottom = function(chat, prompt)
    return split(chat, prompt, ("botright %dsplit"):format(cells(config.current.height, vim.o.lines, 12)))
  end,
  tab = function(chat, prompt) return split(chat, prompt, "tab split") end,
  float = function(chat, prompt)
    local width, height = math.floor(vim.o.columns * 0.8), math.floor(vim.o.lines * 0.8)
    local below = config.current.prompt_height
    local place = {
      relative = "editor",
      width = width,
      height = math.max(1, height - below - 2),
      row = math.max(0, math.floor((vim.o.lines - height) / 2) - 1),
      col = math.floor((vim.o.columns - width) / 2),
      border = "rounded",
    }
    local top = api.nvim_open_win(chat, false, place)
    place.row, place.height = place.row + place.height + 2, below
    return top, api.nvim_open_win(prompt, true, place)
  end,
}

--- Their names.
M.layouts = vim.tbl_keys(layouts)

--- Opens the chat in this tab page, or goes to it, and puts the cursor into the prompt.
---@param conversation pi_ls.Conversation
---@param wanted? string a layout; an open chat of another one moves
function M.open(conversation, wanted)
  local layout = wanted or config.current.layout
  if not layouts[layout] then
    error(("there is no layout %q. There are: %s"):format(layout, table.concat(M.layouts, ", ")), 0)
  end
  local chat, prompt = window_of(conversation.transcript.buf), window_of(conversation.prompt.buf)
  if not chat or not prompt or wanted and wanted ~= vim.t.pi_ls_layout then
    M.close(conversation)
    local ok, top, below = pcall(layouts[layout], conversation.transcript.buf, conversation.prompt.buf)
    if not ok then
      M.close(conversation)
      error("there is no room for the chat here: make Neovim larger, or close a window", 0)
    end
    chat, prompt = top, below
    vim.t.pi_ls_layout = layout
    api.nvim_win_set_height(prompt, config.current.prompt_height)
    dress_chat(chat, conversation)
    dress_prompt(prompt)
    vim.t.pi_ls = conversation.name
    api.nvim_win_set_cursor(chat, { api.nvim_buf_line_count(conversation.transcript.buf), 0 })
  end
  api.nvim_set_current_win(prompt)
  autocommands.send("PiOpen", conversation)
end

---@param conversation pi_ls.Conversation
---@return boolean
function M.is_open(conversation)
  return window_of(conversation.transcript.buf) ~= nil or window_of(conversation.prompt.buf) ~= nil
end

---@param conversation pi_ls.Conversation
function M.close(conversation)
  for _, buf in ipairs({ conversation.prompt.buf, conversation.transcript.buf }) do
    local win = window_of(buf)
    if win and not pcall(api.nvim_win_close, win, true) then
      -- The last window of Neovim stays, with something else in it.
      options(win, { winfixbuf = false })
      api.nvim_win_call(win, vim.cmd.enew)
    end
  end
end

---@param conversation pi_ls.Conversation
function M.toggle(conversation)
  local is_whole = window_of(conversation.transcript.buf) and window_of(conversation.prompt.buf)
  local change = is_whole and M.close or M.open
  change(conversation)
end

--- Scrolls to the end, where the answer will be.
---@param conversation pi_ls.Conversation
function M.follow(conversation)
  for _, win in ipairs(vim.fn.win_findbuf(conversation.transcript.buf)) do
    api.nvim_win_set_cursor(win, { api.nvim_buf_line_count(conversation.transcript.buf), 0 })
  end
end

--- A window that is not of the chat, for a file. Made, if there is none.
---@return integer
function M.other_window()
  local previous = vim.fn.win_getid(vim.fn.winnr("#"))
  local candidates = vim.list_extend({ previous }, api.nvim_tabpage_list_wins(0))
  for _, win in ipairs(candidates) do
    if win ~= 0 and api.nvim_win_is_valid(win) and api.nvim_win_get_config(win).relative == "" then
      local buf = api.nvim_win_get_buf(win)
      if not vim.wo[win].winfixbuf and vim.bo[buf].buftype == "" then return win end
    end
  end
  vim.cmd("topleft vsplit")
  local win = api.nvim_get_current_win()
  options(win, { winfixbuf = false, winbar = "", foldmethod = "manual" })
  vim.cmd.enew()
  return win
end

--- Opens the file at PATH, at LINE, beside the chat.
---@param path string absolute
---@param line? integer
function M.edit(path, line)
  if not vim.uv.fs_stat(path) then return notify.warn("there is no file " .. path) end
  api.nvim_set_current_win(M.other_window())
  local ok, err = pcall(vim.cmd.edit, vim.fn.fnameescape(path))
  if not ok then return notify.error("not opened: " .. err:gsub("^.-(E%d+:)", "%1")) end
  if line then pcall(api.nvim_win_set_cursor, 0, { math.min(line, api.nvim_buf_line_count(0)), 0 }) end
end

return M

--- A list and a line of input in floating windows: for questions of the agent, where Neovim's own vim.ui.select and
--- vim.ui.input would block everything that arrives, and could not be taken off the screen when a question expires.

local api = vim.api

local M = {}

---@class pi_ls.MenuOptions
---@field title string
---@field about? string[] lines above the items
---@field deaf_ms integer how long keys do nothing: they were meant for what was there before

---@param lines string[]
---@param title string
---@return integer buf
---@return integer win
local function float(lines, title)
  local buf = api.nvim_create_buf(false, true)
  api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].bufhidden = "wipe"
  local width = vim.fn.strdisplaywidth(title) + 4
  for _, line in ipairs(lines) do
    width = math.max(width, vim.fn.strdisplaywidth(line) + 1)
  end
  width = math.min(math.max(width, 40), vim.o.columns - 4)
  local height = 0
  for _, line in ipairs(lines) do
    height = height + math.max(1, math.ceil(vim.fn.strdisplaywidth(line) / width))
  end
  height = math.min(height, vim.o.lines - 6)
  local win = api.nvim_open_win(buf, true, {
    relative = "editor",
    style = "minimal",
    width = width,
    height = height,
    row = math.floor((vim.o.lines - height) / 2) - 1,
    col = math.floor((vim.o.columns - width) / 2),
    border = "rounded",
    title = { { (" %s "):format(title), "PiAttention" } },
  })
  vim.wo[win].wrap = true
  vim.wo[win].linebreak = true
  return buf, win
end

---@param win integer
local function close(win)
  if api.nvim_win_is_valid(win) then api.nvim_win_close(win, true) end
end

--- Lets the person choose one of ITEMS. The first one is where the cursor is.
---@param items string[]
---@param options pi_ls.MenuOptions
---@param choose fun(at?: integer) nil: closed without a choice
---@return fun() close
function M.select(items, options, choose)
  local about = options.about or {}
  local lines = vim.list_extend({}, about)
  for _, item in ipairs(items) do
    lines[#lines + 1] = " " .. item:gsub("\n", " ")
  end
  vim.cmd.stopinsert()
  local buf, win = float(lines, options.title)
  local opened = vim.uv.now()
  vim.bo[buf].modifiable = false
  vim.wo[win].cursorline = true
  local first = #about + 1
  api.nvim_win_set_cursor(win, { first, 0 })
  local done = false
  local finish = function(at)
    if not done then
      done = true
      close(win)
      choose(at)
    end
  end
  local map = function(lhs, action)
    vim.keymap.set("n", lhs, function()
      if vim.uv.now() - opened >= options.deaf_ms then action() end
    end, { buffer = buf, nowait = true })
  end
  local move = function(step)
    local row = api.nvim_win_get_cursor(win)[1] + step
    api.nvim_win_set_cursor(win, { math.min(math.max(row, first), #lines), 0 })
  end
  for lhs, step in pairs({ j = 1, ["<Down>"] = 1, ["<C-n>"] = 1, k = -1, ["<Up>"] = -1, ["<C-p>"] = -1 }) do
    map(lhs, function() move(step) end)
  end
  map("<CR>", function()
    local at = api.nvim_win_get_cursor(win)[1] - #about
    finish(at >= 1 and at or nil)
  end)
  for _, lhs in ipairs({ "q", "<Esc>", "<C-c>" }) do
    map(lhs, finish)
  end
  api.nvim_create_autocmd("WinClosed", {
    pattern = tostring(win),
    once = true,
    callback = function() vim.schedule(finish) end,
  })
  return function()
    done = true
    close(win)
  end
end

--- Lets the person write one line.
---@param options { title: string, placeholder?: string }
---@param answer fun(text?: string)
---@return fun() close
function M.input(options, answer)
  local buf, win = float({ "" }, options.title)
  if options.placeholder then
    local namespace = api.nvim_create_namespace("pi_ls.input")
    local show = function()
      local is_empty = api.nvim_buf_get_lines(buf, 0, 1, false)[1] == ""
      api.nvim_buf_clear_namespace(buf, namespace, 0, -1)
      if is_empty then
        local hint = { { options.placeholder, "PiDim" } }
        api.nvim_buf_set_extmark(buf, namespace, 0, 0, { virt_text = hint, virt_text_pos = "overlay" })
      end
    end
    show()
    api.nvim_create_autocmd({ "TextChanged", "TextChangedI" }, { buffer = buf, callback = show })
  end
  local done = false
  local finish = function(text)
    if not done then
      done = true
      vim.cmd.stopinsert()
      close(win)
      answer(text)
    end
  end
  vim.keymap.set(
    { "n", "i" },
    "<CR>",
    function() finish(api.nvim_buf_get_lines(buf, 0, 1, false)[1]) end,
    { buffer = buf }
  )
  for _, lhs in ipairs({ "q", "<Esc>" }) do
    vim.keymap.set("n", lhs, finish, { buffer = buf, nowait = true })
  end
  vim.keymap.set({ "n", "i" }, "<C-c>", function() finish() end, { buffer = buf })
  api.nvim_create_autocmd("WinClosed", {
    pattern = tostring(win),
    once = true,
    callback = function() vim.schedule(finish) end,
  })
  vim.cmd.startinsert()
  return function()
    done = true
    close(win)
  end
end

return M

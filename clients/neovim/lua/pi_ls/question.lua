--- How a question of an extension is shown, and how it is answered there.

local config = require("pi_ls.config")
local menu = require("pi_ls.menu")
local question_buffer = require("pi_ls.question_buffer")
local text = require("pi_ls.text")

local api = vim.api

local M = {}

--- Whether something else than Neovim's own answers this function of vim.ui.
---@param name "select"|"input"
local function is_replaced(name) return not debug.getinfo(vim.ui[name], "S").source:find("vim[/\\]ui%.lua$") end

--- Takes away the floating windows that came since; a picker's own way to close it is not known.
---@return fun()
local function closer_of_new_floats()
  local before = api.nvim_list_wins()
  return function()
    for _, win in ipairs(api.nvim_list_wins()) do
      local is_new = not vim.tbl_contains(before, win) and api.nvim_win_is_valid(win)
      if is_new and api.nvim_win_get_config(win).relative ~= "" then pcall(api.nvim_win_close, win, true) end
    end
  end
end

---@class pi_ls.QuestionItem
---@field label string
---@field run fun() what choosing it does

---@param question pi_ls.Question
---@param menu_shown pi_ls.Menu
local function shown_in(question, menu_shown)
  question.close, question.win = menu_shown.close, menu_shown.win
end

--- A picker takes any letter that is typed: what opens BY_ITSELF is our own menu, which takes none.
---@param question pi_ls.Question
---@param items pi_ls.QuestionItem[]
---@param by_itself boolean
local function choose_from(question, items, by_itself)
  local params = question.params
  local message = params.message and text.plain(params.message) or ""
  table.insert(items, 1, { label = "Decide later", run = question.put_off })
  local function label(item) return item.label end
  if is_replaced("select") and not by_itself then
    question.close = closer_of_new_floats()
    local prompt = message ~= "" and params.title .. " " .. message or params.title
    vim.ui.select(items, { prompt = prompt, kind = "pi", format_item = label }, function(item)
      local run = item and item.run or question.put_off
      run()
    end)
  else
    local deaf_ms = by_itself and math.min(500, config.current.idle_ms) or 0
    local options = { title = text.one_line(params.title, 70), about = {}, deaf_ms = deaf_ms }
    if message ~= "" then options.about = vim.split(message .. "\n", "\n", { plain = true }) end
    local shown = menu.select(vim.tbl_map(label, items), options, function(at)
      local run = at and items[at].run or question.put_off
      run()
    end)
    shown_in(question, shown)
  end
end

---@param question pi_ls.Question
local function write_line(question)
  local params = question.params
  local function answered(value, written)
    -- Enter alone answers nothing.
    if not value or value == "" then return question.put_off(written) end
    question.resolve({ value = value })
  end
  if is_replaced("input") then
    question.close = closer_of_new_floats()
    vim.ui.input({ prompt = params.title .. ": " }, answered)
  else
    local options = { title = text.one_line(params.title, 70), placeholder = params.placeholder }
    shown_in(question, menu.input(options, answered))
  end
end

--- Shows QUESTION. One that opens BY_ITSELF takes no keys for a moment: they were meant for the prompt.
---@param question pi_ls.Question
---@param conversation string its name
---@param by_itself boolean
function M.show(question, conversation, by_itself)
  local function item(label, answer)
    return { label = label, run = function() question.resolve(answer) end }
  end
  local function write()
    question.close = nil
    if question.params.method == "editor" then
      question_buffer.open(question, conversation)
    else
      write_line(question)
    end
  end
  local refuse = item("Refuse", { cancelled = true })
  local kind = question.params.method
  if kind == "select" then
    local items = vim.tbl_map(
      function(option) return item(option, { value = option }) end,
      question.params.options
    )
    items[#items + 1] = refuse
    choose_from(question, items, by_itself)
  elseif kind == "confirm" then
    choose_from(question, { item("No", { confirmed = false }), item("Yes", { confirmed = true }) }, by_itself)
  elseif by_itself then
    choose_from(question, { { label = "Answer …", run = write }, refuse }, by_itself)
  else
    write()
  end
end

return M

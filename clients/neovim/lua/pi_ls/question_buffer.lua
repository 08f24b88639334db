--- A question that is answered by a longer text, in a buffer: writing it answers, leaving it refuses.

local buffer_name = require("pi_ls.buffer_name")
local text = require("pi_ls.text")
local typing = require("pi_ls.typing")

local api = vim.api

local M = {}

---@param question pi_ls.Question
---@param conversation string its name
function M.open(question, conversation)
  local params = question.params
  local prefill = params.prefill or ""
  local buf = api.nvim_create_buf(false, false)
  buffer_name.give(buf, ("pi://%s/%s"):format(conversation, params.id))
  for name, value in pairs({ buftype = "acwrite", bufhidden = "hide", swapfile = false, filetype = "markdown" }) do
    vim.bo[buf][name] = value
  end
  api.nvim_buf_set_lines(buf, 0, -1, false, vim.split((prefill:gsub("\n$", "")), "\n", { plain = true }))
  vim.bo[buf].modified = false
  vim.cmd("botright split")
  local win = api.nvim_get_current_win()
  vim.wo[win].winfixbuf = false
  api.nvim_win_set_buf(win, buf)
  local title = text.one_line(params.title, 60):gsub("%%", "%%%%")
  vim.wo[win].winbar = ("%%#PiAttention# %s%%<  :w answers, :q refuses "):format(title)

  local is_over = false
  local function written()
    local value = table.concat(api.nvim_buf_get_lines(buf, 0, -1, false), "\n")
    return prefill:sub(-1) == "\n" and value .. "\n" or value
  end
  --- What the person has changed, and did not send.
  local function unsent() return vim.bo[buf].modified and vim.trim(written()) or "" end
  local function finish(answer, lost)
    if is_over then return end
    is_over = true
    vim.schedule(function() pcall(api.nvim_buf_delete, buf, { force = true }) end)
    question.resolve(answer, lost)
  end
  question.win = win
  question.close = function(at_once)
    is_over = true
    local value = api.nvim_buf_is_loaded(buf) and unsent() or ""
    -- Nobody can write into it any more, but keys that are on their way must not hit another window.
    typing.when_quiet(not at_once and api.nvim_get_current_buf() == buf and 500 or 0, function()
      if api.nvim_get_current_buf() == buf then vim.cmd.stopinsert() end
      pcall(api.nvim_buf_delete, buf, { force = true })
    end)
    return value
  end
  api.nvim_create_autocmd("BufWriteCmd", {
    buffer = buf,
    callback = function()
      vim.bo[buf].modified = false
      finish({ value = written() })
    end,
  })
  api.nvim_create_autocmd("BufWinLeave", {
    buffer = buf,
    callback = function() finish({ cancelled = true }, unsent()) end,
  })
end

return M

--- The folds of a transcript. They are manual ones: Neovim computes no fold expression while somebody types in insert
--- mode, which is just when answers arrive. Manual folds belong to a window, so each window gets its own.

local M = {}

---@param win integer
---@param from integer row from 0
---@param to integer
---@param state "open"|"closed"
local function fold_in(win, from, to, state)
  vim.api.nvim_win_call(win, function()
    vim.cmd(("silent! %d,%dfold"):format(from + 1, to + 1))
    if state == "open" then vim.cmd(("silent! %d,%dfoldopen"):format(from + 1, to + 1)) end
  end)
end

---@param buf integer
---@param from integer
---@param to integer
---@param state "open"|"closed"
function M.add(buf, from, to, state)
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    fold_in(win, from, to, state)
  end
end

--- Takes away the fold at ROW, if there is one.
---@param buf integer
---@param row integer
function M.remove(buf, row)
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    vim.api.nvim_win_call(win, function()
      if vim.fn.foldlevel(row + 1) > 0 then
        local view = vim.fn.winsaveview()
        vim.cmd(("silent! normal! %dGzd"):format(row + 1))
        vim.fn.winrestview(view)
      end
    end)
  end
end

--- All folds of a transcript, for a window that has just come to show it.
---@param win integer
---@param ranges { [1]: integer, [2]: integer, [3]: "open"|"closed" }[]
function M.fill(win, ranges)
  vim.api.nvim_win_call(win, function() vim.cmd("silent! normal! zE") end)
  for _, range in ipairs(ranges) do
    fold_in(win, range[1], range[2], range[3])
  end
end

--- 'foldtext': what is folded, and how much of it. The first line tells it already.
function M.text()
  local line = vim.fn.getline(vim.v.foldstart)
  local count = vim.v.foldend - vim.v.foldstart
  if line:sub(1, 2) == "> " then
    return { { "▸ thinking", "PiThinking" }, { ("  %d lines"):format(count + 1), "PiDim" } }
  end
  local name, target = line:match("^(▸ %S+)(.*)$")
  local chunks = { { name or line, "PiTool" }, { target or "", "PiToolTarget" } }
  local eol = require("pi_ls.transcript").label(vim.api.nvim_get_current_buf(), vim.v.foldstart - 1)
  vim.list_extend(chunks, eol)
  chunks[#chunks + 1] = { ("  %d lines"):format(count), "PiDim" }
  return chunks
end

return M

--- Whether somebody types.

local M = {}

local last_key = 0
vim.on_key(function(_, typed)
  if typed ~= "" then last_key = vim.uv.now() end
end, vim.api.nvim_create_namespace("pi_ls.typing"))

--- Runs ACTION once no key has been typed for so many milliseconds: at once, if that is so already. While a command
--- line or a question of Neovim's own is open, somebody types.
---@param ms integer 0: at once
---@param action fun()
function M.when_quiet(ms, action)
  local left = vim.fn.mode():find("^[cr]") and ms or ms - (vim.uv.now() - last_key)
  if left <= 0 then return action() end
  vim.defer_fn(function() M.when_quiet(ms, action) end, left)
end

return M

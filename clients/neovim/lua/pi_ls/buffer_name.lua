--- Names of buffers. One may be taken by a buffer of nobody, from a session of Neovim's: it has the name, and nothing
--- else.

local api = vim.api

local M = {}

--- Gives BUF the name; a buffer that has it already is wiped out.
---@param buf integer
---@param name string
function M.give(buf, name)
  for _, other in ipairs(api.nvim_list_bufs()) do
    if other ~= buf and api.nvim_buf_get_name(other) == name then api.nvim_buf_delete(other, { force = true }) end
  end
  api.nvim_buf_set_name(buf, name)
end

return M

--- pi inside Neovim, on Neovim's own LSP client.

local M = {}

M.was_set_up = false

--- Optional. What is not given stays at its default; a wrong option is an error that names it.
---@param options? pi_ls.Config
function M.setup(options)
  local config = require("pi_ls.config")
  config.current = config.merge(options)
  M.was_set_up = true
  if vim.fn.has("nvim-0.11") == 0 then
    vim.api.nvim_create_autocmd("FileType", {
      group = vim.api.nvim_create_augroup("pi_ls.attach", {}),
      callback = function(event) require("pi_ls.attach").file(event.buf) end,
    })
  end
end

--- The state of this tab page's conversation; nil without one.
---@return pi_ls.Status?
function M.status()
  local conversation = require("pi_ls.conversation").current()
  return conversation and require("pi_ls.status").of(conversation)
end

--- The same as a short line, for a 'statusline'.
---@return string
function M.statusline() return require("pi_ls.status").line() end

--- Sends MESSAGE in this tab page's conversation, which is started if there is none.
---@param message string
function M.send(message) require("pi_ls.conversation").get():send(message) end

--- Any request of the protocol, such as `pi/get_state`.
---@param method string
---@param params? table
---@param callback? fun(err: table?, result: any): boolean?
function M.request(method, params, callback) require("pi_ls.conversation").get():request(method, params, callback) end

return M

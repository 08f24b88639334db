--- Buffers of files and the agent's language server: they join the conversation of their tab page, if there is one.

local config = require("pi_ls.config")

local M = {}

---@param buf integer
---@return boolean
local function is_file(buf)
  return vim.api.nvim_buf_is_loaded(buf) and vim.bo[buf].buftype == "" and vim.api.nvim_buf_get_name(buf) ~= ""
end

---@param buf integer
function M.file(buf)
  if not config.current.attach or not is_file(buf) then return end
  local conversation = require("pi_ls.conversation").current()
  if conversation and conversation.ready then vim.lsp.buf_attach_client(buf, conversation.client_id) end
end

--- The files that were open before the agent was.
---@param conversation pi_ls.Conversation
function M.all(conversation)
  if not config.current.attach or not M.enabled() then return end
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if is_file(buf) then vim.lsp.buf_attach_client(buf, conversation.client_id) end
  end
end

--- Whether the user asked for it: `vim.lsp.enable("pi_ls")`, or `setup` on Neovim 0.10.
function M.enabled()
  if vim.lsp.is_enabled then return vim.lsp.is_enabled("pi_ls") end
  if vim.fn.has("nvim-0.11") == 1 then
    return vim.lsp._enabled_configs ~= nil and vim.lsp._enabled_configs.pi_ls ~= nil
  end
  return require("pi_ls").was_set_up
end

return M

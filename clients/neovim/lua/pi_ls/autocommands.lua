--- The `User` autocommands: one table for what is sent, and for the help.

local M = {}

---@type { [1]: string, [2]: string, [3]: string }[] pattern, when, what `data` has beside `conversation`
M.events = {
  { "PiOpen", "The chat was opened.", "" },
  { "PiSession", "A session was drawn: a new one, another one, or the same one again.", "" },
  { "PiSettled", "The agent has done everything, and will not go on by itself.", "`aborted`" },
  { "PiAttention", "An extension asks a question.", "`title`, `method`" },
}

---@param pattern string
---@param conversation pi_ls.Conversation
---@param data? table
function M.send(pattern, conversation, data)
  vim.api.nvim_exec_autocmds("User", {
    pattern = pattern,
    data = vim.tbl_extend("force", { conversation = conversation.name }, data or {}),
  })
end

return M

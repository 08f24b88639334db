--- Highlight groups. All are links by default, so that a colour scheme or the user can set them.

local M = {}

---@type { [1]: string, [2]: string, [3]: string }[] name, what it links to, what it is for
M.groups = {
  { "PiUser", "Title", "headings of your messages" },
  { "PiAssistant", "Function", "headings of the agent's messages" },
  { "PiThinking", "Comment", "thinking, summaries" },
  { "PiTool", "Special", "the first line of a tool call" },
  { "PiToolTarget", "Normal", "what a folded tool call works on" },
  { "PiToolOutput", "Normal", "what a tool gives back" },
  { "PiDiffAdd", "DiffAdd", "added lines" },
  { "PiDiffDelete", "DiffDelete", "removed lines" },
  { "PiDiffPlace", "Comment", "places in a diff" },
  { "PiRunning", "DiagnosticInfo", "what is going on" },
  { "PiOk", "DiagnosticOk", "what went well" },
  { "PiWarning", "DiagnosticWarn", "retries, stops, restarts" },
  { "PiError", "DiagnosticError", "errors" },
  { "PiAttention", "WarningMsg", "questions that wait for you" },
  { "PiTitle", "Title", "the name in the bar above the chat" },
  { "PiQueue", "DiagnosticHint", "messages that wait in the queue" },
  { "PiWidget", "Normal", "lines of extensions below the prompt" },
  { "PiDim", "Comment", "times, models, hints" },
}

function M.define()
  for _, group in ipairs(M.groups) do
    vim.api.nvim_set_hl(0, group[1], { link = group[2], default = true })
  end
end

return M

--- What `:Pi stats` shows.

local float = require("pi_ls.float")

local M = {}

---@param stats table the result of `pi/get_session_stats`
---@return string[]
local function lines_of(stats)
  local tokens, usage = stats.tokens, stats.contextUsage
  local lines = {
    ("session   %s"):format(stats.sessionId),
    ("messages  %d: yours %d, answers %d"):format(
      stats.totalMessages,
      stats.userMessages,
      stats.assistantMessages
    ),
    ("tools     %d calls"):format(stats.toolCalls),
    ("tokens    %d in, %d out, %d from the cache"):format(tokens.input, tokens.output, tokens.cacheRead),
    ("cost      $%.4f"):format(stats.cost),
  }
  if usage and type(usage.percent) == "number" then
    lines[#lines + 1] = ("context   %.1f%% of %d tokens"):format(usage.percent, usage.contextWindow)
  end
  if stats.sessionFile then
    lines[#lines + 1] = ("file      %s"):format(vim.fn.fnamemodify(stats.sessionFile, ":~"))
  end
  return lines
end

---@param conversation pi_ls.Conversation
function M.show(conversation)
  conversation:request("pi/get_session_stats", nil, function(err, stats)
    if not err then float.show(lines_of(stats), "statistics") end
  end)
end

return M

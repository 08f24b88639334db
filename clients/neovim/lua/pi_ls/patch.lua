--- Unified diffs, as pi's `edit` gives them.

local M = {}

--- The text that PATCH was applied to, from the text that came of it.
---@param after string
---@param patch string
---@return string? before nil: the patch does not fit
function M.reversed(after, patch)
  local lines, result, at = vim.split(after, "\n", { plain = true }), {}, 1
  for line in vim.gsplit(patch, "\n", { plain = true }) do
    local start = tonumber(line:match("^@@ %-%d+,?%d* %+(%d+)"))
    local sign, rest = line:sub(1, 1), line:sub(2)
    if start then
      vim.list_extend(result, lines, at, start - 1)
      at = start
    elseif sign == "-" and not line:find("^%-%-%- ") then
      result[#result + 1] = rest
    elseif (sign == "+" and not line:find("^%+%+%+ ")) or sign == " " then
      if lines[at] ~= rest then return nil end
      if sign == " " then result[#result + 1] = rest end
      at = at + 1
    end
  end
  return table.concat(vim.list_extend(result, lines, at), "\n")
end

return M

--- Texts of pi and of tools, made fit for a Markdown buffer.

local M = {}

--- Without what only a terminal understands.
---@param text string
function M.plain(text)
  if text:find("\27", 1, true) then
    text = text:gsub("\27%[[%d;?]*[%a]", ""):gsub("\27%][^\7\27]*[\7\27]\\?", "")
  end
  if text:find("\r", 1, true) then text = text:gsub("\r\n", "\n"):gsub("\r", "\n") end
  return text
end

--- A fence that nothing in TEXT closes.
---@param text string
function M.fence(text)
  local longest = 2
  for run in text:gmatch("`+") do
    longest = math.max(longest, #run)
  end
  return ("`"):rep(longest + 1)
end

--- The fence that is open after LINE, when OPEN was open before it.
---@param line string
---@param open? string
---@return string?
function M.fence_after(line, open)
  local run, rest = line:match("^ ? ? ?(```+)([^`]*)$")
  if not run then
    run, rest = line:match("^ ? ? ?(~~~+)(.*)$")
  end
  if run and not open then
    return run
  elseif run and vim.startswith(run, open) and vim.trim(rest) == "" then
    return nil
  end
  return open
end

--- The fence that TEXT leaves open, if it does.
---@param text string
---@return string?
function M.open_fence(text)
  local open
  if text:find("```", 1, true) or text:find("~~~", 1, true) then
    for line in vim.gsplit(text, "\n", { plain = true }) do
      open = M.fence_after(line, open)
    end
  end
  return open
end

--- The text blocks of a message's content.
---@param content any a string, or a list of blocks
---@return string
function M.of(content)
  if type(content) == "string" then return content end
  local parts = {}
  for _, block in ipairs(content or {}) do
    if block.type == "text" then
      parts[#parts + 1] = block.text
    elseif block.type == "reference" then
      parts[#parts + 1] = (block.preview or "") .. "\n…"
    end
  end
  return table.concat(parts, "\n")
end

---@param bytes integer
function M.size(bytes)
  if bytes < 1024 then
    return ("%d B"):format(bytes)
  elseif bytes < 1024 * 1024 then
    return ("%.0f KB"):format(bytes / 1024)
  end
  return ("%.1f MB"):format(bytes / 1024 / 1024)
end

---@param ms? number
function M.duration(ms)
  if not ms then
    return ""
  elseif ms < 1000 then
    return ("%d ms"):format(ms)
  elseif ms < 60000 then
    return ("%.1f s"):format(ms / 1000)
  end
  return ("%d:%02d min"):format(math.floor(ms / 60000), math.floor(ms / 1000) % 60)
end

--- The first line, cut to WIDTH cells.
---@param text any
---@param width integer
function M.one_line(text, width)
  local line = vim.trim(tostring(text or "")):match("^[^\n]*") or ""
  if vim.fn.strdisplaywidth(line) <= width then return line end
  return vim.fn.strcharpart(line, 0, width - 1) .. "…"
end

--- The first or last COUNT lines, and how many are left out.
---@param text string
---@param count integer
---@param from_end? boolean
---@return string[] lines
---@return integer left_out
function M.excerpt(text, count, from_end)
  local lines = vim.split((text:gsub("\n$", "")), "\n", { plain = true })
  local left_out = math.max(0, #lines - count)
  if left_out == 0 then return lines, 0 end
  return from_end and vim.list_slice(lines, left_out + 1) or vim.list_slice(lines, 1, count), left_out
end

return M

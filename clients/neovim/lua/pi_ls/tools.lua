--- How tool calls look. A tool that is not in the table below shows its arguments and its output.

local Chunk = require("pi_ls.chunk")
local config = require("pi_ls.config")
local text = require("pi_ls.text")

local M = {}

--- Lines of output while a tool runs: it is replaced with each piece that comes.
local RUNNING_LINES = 10
--- A diff that is longer is folded.
local LONG_DIFF = 60

---@class pi_ls.ToolState
---@field is "calling"|"waiting"|"running"|"done"|"failed"
---@field ms? number

---@class pi_ls.ToolLook
---@field target? string the argument that a person would name
---@field body fun(args: table, output: string, state: pi_ls.ToolState, details: table): string?, string? text, language
---@field changes? boolean the tool changes files

local function output_of(_, output) return output, "" end

---@param edits any
local function edit_list(args)
  local edits = args.edits
  if type(edits) == "string" then
    local ok, decoded = pcall(vim.json.decode, edits)
    edits = ok and decoded or nil
  end
  if type(edits) ~= "table" then edits = { { oldText = args.oldText, newText = args.newText } } end
  return edits.oldText and { edits } or edits
end

--- The edits of a call that is not carried out yet.
local function proposed_diff(args)
  local lines = {}
  for at, edit in ipairs(edit_list(args)) do
    if at > 1 then lines[#lines + 1] = "" end
    for _, side in ipairs({ { "-", edit.oldText }, { "+", edit.newText } }) do
      for line in vim.gsplit((side[2] or ""):gsub("\n$", ""), "\n", { plain = true }) do
        lines[#lines + 1] = side[1] .. line
      end
    end
  end
  return table.concat(lines, "\n")
end

---@type table<string, pi_ls.ToolLook>
local looks = {
  bash = {
    target = "command",
    body = function(args, output) return ("$ %s\n%s"):format(args.command or "", output), "sh" end,
  },
  edit = {
    target = "path",
    changes = true,
    body = function(args, output, state, details)
      if state.is == "failed" then return output, "" end
      if type(details.patch) == "string" then
        return details.patch:gsub("^%-%-%- [^\n]*\n%+%+%+ [^\n]*\n", ""), "diff"
      end
      return proposed_diff(args), "diff"
    end,
  },
  write = {
    target = "path",
    changes = true,
    body = function(args, output, state)
      if state.is == "failed" then return output, "" end
      return "+" .. (args.content or ""):gsub("\n$", ""):gsub("\n", "\n+"), "diff"
    end,
  },
  read = { target = "path", body = output_of },
  ls = { target = "path", body = output_of },
  grep = { target = "pattern", body = output_of },
  find = { target = "pattern", body = output_of },
}

local fallback = {
  body = function(args, output)
    if vim.tbl_isempty(args) then return output, "" end
    return vim.inspect(args) .. (output ~= "" and "\n\n" .. output or ""), ""
  end,
}

---@param name string
---@return boolean
function M.changes_files(name) return looks[name] ~= nil and looks[name].changes == true end

--- What the call works on, in one line.
---@param call table
function M.target(call)
  local look = looks[call.name] or fallback
  local args = call.arguments or {}
  local target = look.target and args[look.target] or args.path or args.command or args.title or args.query
  if type(target) ~= "string" then return "" end
  if call.name == "read" and args.offset then target = ("%s:%d"):format(target, args.offset) end
  return text.one_line(target, 70)
end

local signs = {
  calling = { "…", "PiDim" },
  waiting = { "…", "PiDim" },
  running = { "● running", "PiRunning" },
  done = { "✓", "PiOk" },
  failed = { "✗", "PiError" },
}

local diff_groups = { ["+"] = "PiDiffAdd", ["-"] = "PiDiffDelete", ["@"] = "PiDiffPlace" }

--- The whole of it, for `K`.
---@param call table
---@param result? table a toolResult message, or the result in tool_execution_end
---@return string[]
function M.whole(call, result)
  local lines = { "# " .. call.name, "", "```lua" }
  vim.list_extend(lines, vim.split(vim.inspect(call.arguments or {}), "\n"))
  vim.list_extend(lines, { "```", "" })
  local output = text.plain(text.of(result and result.content))
  local fence = text.fence(output)
  lines[#lines + 1] = fence
  vim.list_extend(lines, vim.split(output, "\n"))
  lines[#lines + 1] = fence
  return lines
end

---@param call table `{id, name, arguments}`
---@param result? table
---@param state pi_ls.ToolState
---@return pi_ls.Chunk
function M.chunk(call, result, state)
  local chunk = Chunk.new()
  local look = looks[call.name] or fallback
  local is_over = state.is == "done" or state.is == "failed"
  local target = M.target(call)
  chunk:add(("▸ %s%s"):format(call.name, target ~= "" and "  " .. target or ""), "PiTool")
  local sign = signs[state.is]
  local label = vim.trim(sign[1] .. " " .. (is_over and text.duration(state.ms) or ""))
  chunk:mark({ row = 0, eol = { { label, sign[2] } } })
  local output = text.plain(text.of(result and result.content))
  local details = type(result) == "table" and type(result.details) == "table" and result.details or {}
  local ok, body, language = pcall(look.body, call.arguments or {}, output, state, details)
  if not ok then
    body, language = output, ""
  end
  body = body or ""
  local lines, left_out = text.excerpt(body, is_over and config.current.tool_lines or RUNNING_LINES, not is_over)
  if body ~= "" and state.is ~= "calling" then
    local fence = text.fence(body)
    chunk:add(fence .. (language or ""))
    if left_out > 0 and not is_over then chunk:add(("… %d lines before"):format(left_out), "PiDim") end
    local first = chunk:row()
    for at, line in ipairs(lines) do
      chunk:add(line)
      local group
      if language == "diff" then
        group = diff_groups[line:sub(1, 1)] or "PiToolOutput"
      elseif language == "" then
        group = "PiToolOutput"
      end
      if group then chunk:mark({ row = first + at - 1, end_row = first + at - 1, group = group }) end
    end
    if left_out > 0 and is_over then chunk:add(("… %d more lines: K shows them"):format(left_out), "PiDim") end
    chunk:add(fence)
  end
  for _, block in ipairs(type(result) == "table" and result.content or {}) do
    if block.type == "image" then
      chunk:add(("[image %s, %s]"):format(block.mimeType, text.size(#(block.data or "") * 3 / 4)), "PiDim")
    end
  end
  local last = chunk:row() - 1
  local keep_open = look.changes and #lines <= LONG_DIFF and state.is == "done"
  local fold = (keep_open or state.is == "failed" or not config.current.fold_tools) and "open" or "closed"
  chunk:mark({
    row = 0,
    end_row = last,
    fold = is_over and last > 0 and fold or nil,
    block = { kind = "tool", call = call, result = result },
  })
  return chunk
end

return M

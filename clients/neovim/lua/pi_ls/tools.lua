--- How tool calls look. A tool that is not in the table below shows its arguments and its output.

local Chunk = require("pi_ls.chunk")
local config = require("pi_ls.config")
local output = require("pi_ls.output")
local text = require("pi_ls.text")

local M = {}

--- A diff that is longer is folded.
local LONG_DIFF = 60

---@class pi_ls.ToolState
---@field is "calling"|"waiting"|"running"|"done"|"failed"
---@field ms? number

---@class pi_ls.ToolLook
---@field target? string the argument that a person would name
---@field body fun(args: table, output: string, state: pi_ls.ToolState, details: table): string?, string? text, language
---@field changes? boolean the tool changes files

local function only_output(_, printed) return printed, "" end

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
    body = function(args, printed) return ("$ %s\n%s"):format(args.command or "", printed), "sh" end,
  },
  edit = {
    target = "path",
    changes = true,
    body = function(args, printed, state, details)
      if state.is == "failed" then return printed, "" end
      if type(details.patch) == "string" then
        return details.patch:gsub("^%-%-%- [^\n]*\n%+%+%+ [^\n]*\n", ""), "diff"
      end
      return proposed_diff(args), "diff"
    end,
  },
  write = {
    target = "path",
    changes = true,
    body = function(args, printed, state)
      if state.is == "failed" then return printed, "" end
      return "+" .. (args.content or ""):gsub("\n$", ""):gsub("\n", "\n+"), "diff"
    end,
  },
  read = { target = "path", body = only_output },
  ls = { target = "path", body = only_output },
  grep = { target = "pattern", body = only_output },
  find = { target = "pattern", body = only_output },
}

local fallback = {
  body = function(args, printed)
    if vim.tbl_isempty(args) then return printed, "" end
    return vim.inspect(args) .. (printed ~= "" and "\n\n" .. printed or ""), ""
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

--- The whole of it, for `K`.
---@param call table
---@param result? table a toolResult message, or the result in tool_execution_end
---@return string[]
function M.whole(call, result)
  local lines = { "# " .. call.name, "", "```lua" }
  vim.list_extend(lines, vim.split(vim.inspect(call.arguments or {}), "\n"))
  vim.list_extend(lines, { "```", "" })
  local printed = text.plain(text.of(result and result.content))
  local fence = text.fence(printed)
  return vim.list_extend(lines, vim.split(fence .. "\n" .. printed .. "\n" .. fence, "\n"))
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
  local printed = text.plain(text.of(result and result.content))
  local details = type(result) == "table" and type(result.details) == "table" and result.details or {}
  local ok, body, language = pcall(look.body, call.arguments or {}, printed, state, details)
  if not ok then
    body, language = printed, ""
  end
  body = body or ""
  local shown = 0
  if body ~= "" and state.is ~= "calling" then shown = output.add(chunk, body, language or "", is_over) end
  output.add_images(chunk, result and result.content)
  local last = chunk:row() - 1
  local keep_open = look.changes and shown <= LONG_DIFF and state.is == "done"
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

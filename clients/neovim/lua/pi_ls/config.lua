--- The options of `setup`: one table for defaults, validation and help.

local M = {}

---@class pi_ls.Keys
---@field send string|false
---@field send_insert string|false
---@field follow_up string|false
---@field abort string|false
---@field older string|false
---@field newer string|false
---@field next_turn string|false
---@field previous_turn string|false
---@field open string|false
---@field yank_code string|false
---@field show string|false
---@field fork string|false
---@field prompt string|false
---@field older_page string|false

---@class pi_ls.Config
---@field cmd? string[] the words that start the bridge
---@field init_options table
---@field layout "right"|"left"|"bottom"|"float"|"tab"
---@field width number
---@field height number
---@field prompt_height integer
---@field enter_sends boolean
---@field attach boolean
---@field idle_ms integer
---@field coalesce_ms integer
---@field page integer
---@field tool_lines integer
---@field fold_thinking boolean
---@field fold_tools boolean
---@field highlight_limit integer
---@field keys pi_ls.Keys
---@field prompts table<string, string>

---@class pi_ls.Option
---@field [1] string name
---@field [2] string type, as in LuaCATS
---@field [3] any default
---@field [4] string what it does
---@field check? fun(value: any): boolean

local function is_list_of_strings(value)
  if type(value) ~= "table" or #value == 0 then return false end
  return vim.iter(value):all(function(word) return type(word) == "string" end)
end

local function one_of(...)
  local words = { ... }
  return function(value) return vim.tbl_contains(words, value) end
end

local function is_positive(value) return type(value) == "number" and value > 0 end

--- What each key does, its default, and where it is mapped. `false` as a key maps nothing.
---@type { [1]: string, [2]: string, [3]: string, [4]: "prompt"|"chat" }[]
M.key_table = {
  { "send", "<CR>", "Send the prompt; while the agent runs, it steers. Normal mode.", "prompt" },
  { "send_insert", "<C-s>", "The same in insert mode.", "prompt" },
  { "follow_up", "<M-CR>", "Send the prompt for when the agent would stop.", "prompt" },
  { "abort", "<C-c>", "Stop the agent, and take queued messages back into the prompt.", "prompt" },
  { "older", "<C-p>", "An older prompt of the history.", "prompt" },
  { "newer", "<C-n>", "A newer prompt of the history.", "prompt" },
  { "next_turn", "]]", "The next message.", "chat" },
  { "previous_turn", "[[", "The message before.", "chat" },
  {
    "open",
    "<CR>",
    "Open the file, or the place in the diff, under the cursor. `gf` does the same.",
    "chat",
  },
  { "yank_code", "yc", "Yank the code block under the cursor.", "chat" },
  { "show", "K", "Show the tool call under the cursor whole.", "chat" },
  { "fork", "f", "Start a new session from before the message under the cursor.", "chat" },
  { "prompt", "i", "Go to the prompt.", "chat" },
  { "older_page", "gp", "Load older messages.", "chat" },
}

local function default_keys()
  local keys = {}
  for _, key in ipairs(M.key_table) do
    keys[key[1]] = key[2]
  end
  return keys
end

---@type pi_ls.Option[]
M.options = {
  {
    "cmd",
    "string[]?",
    nil,
    "The words that start the bridge. Default: the one of the package that this plugin is part of; "
      .. 'else `{ "pi-language-server", "--stdio" }`.',
    check = is_list_of_strings,
  },
  {
    "init_options",
    "table",
    {},
    "Options of the bridge, such as `command`, `args`, `trust` or `env`; docs/PROTOCOL.md lists them.",
  },
  {
    "layout",
    '"right"|"left"|"bottom"|"float"|"tab"',
    "right",
    "Where the chat opens.",
    check = one_of("right", "left", "bottom", "float", "tab"),
  },
  {
    "width",
    "number",
    0.42,
    "Width of the chat: columns, or below 1 a part of the screen, but at least 44 columns.",
    check = is_positive,
  },
  { "height", "number", 0.5, "Height of a chat at the bottom, likewise.", check = is_positive },
  { "prompt_height", "integer", 6, "Lines of the prompt's window.", check = is_positive },
  { "enter_sends", "boolean", false, "`<CR>` sends in insert mode too, unless the completion menu is open." },
  { "attach", "boolean", true, "Attach buffers of files to the agent's language server as well." },
  {
    "idle_ms",
    "integer",
    1000,
    "How long no key must have been typed before a question of an extension opens by itself.",
  },
  {
    "coalesce_ms",
    "integer",
    33,
    "The bridge merges what streams within so many milliseconds.",
    check = is_positive,
  },
  { "page", "integer", 100, "How many messages of a session are loaded at once.", check = is_positive },
  {
    "tool_lines",
    "integer",
    200,
    "Lines of a tool's output in the chat; `K` shows all.",
    check = is_positive,
  },
  { "fold_thinking", "boolean", true, "Close the folds of thinking." },
  { "fold_tools", "boolean", true, "Close the folds of tool calls, except those that change files." },
  {
    "highlight_limit",
    "integer",
    12000,
    "Bytes of a paragraph or a code block, from which on it is not highlighted.",
    check = is_positive,
  },
  { "keys", "pi_ls.Keys", default_keys(), "Keys in the chat and in the prompt; `false` maps nothing." },
  {
    "prompts",
    "table<string, string>",
    {
      fix = "Fix the problems in this code.",
      explain = "Explain this code.",
      review = "Review these changes. Look for bugs, and say what is missing.",
    },
    "Texts of `:Pi fix`, `:Pi explain`, `:Pi review`. Each further one is a subcommand of its own.",
  },
}

---@return pi_ls.Config
function M.defaults()
  local defaults = {}
  for _, option in ipairs(M.options) do
    defaults[option[1]] = vim.deepcopy(option[3])
  end
  return defaults
end

---@type pi_ls.Config
M.current = M.defaults()

--- Options over the defaults. A wrong one is an error that names it.
---@param options? table
---@return pi_ls.Config
function M.merge(options)
  options = options or {}
  local known = {}
  for _, option in ipairs(M.options) do
    known[option[1]] = option
  end
  for name, value in pairs(options) do
    local option = known[name]
    if not option then
      error(("pi_ls.setup: there is no option %q. There are: %s"):format(name, table.concat(M.names(), ", ")), 0)
    end
    local kind = type(option[3] == nil and {} or option[3])
    if type(value) ~= kind or (option.check and not option.check(value)) then
      error(("pi_ls.setup: %s must be %s, got %s"):format(name, option[2], vim.inspect(value)), 0)
    end
  end
  for name, lhs in pairs(options.keys or {}) do
    if default_keys()[name] == nil then error(("pi_ls.setup: there is no key %q"):format("keys." .. name), 0) end
    if lhs ~= false and type(lhs) ~= "string" then
      error(("pi_ls.setup: keys.%s must be a string or false, got %s"):format(name, vim.inspect(lhs)), 0)
    end
  end
  local merged = vim.tbl_deep_extend("force", M.defaults(), options)
  merged.cmd = options.cmd
  return merged
end

---@return string[]
function M.names()
  return vim.tbl_map(function(option) return option[1] end, M.options)
end

return M

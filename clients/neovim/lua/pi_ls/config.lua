--- The options of `setup`: one table for defaults, validation and help.

local M = {}

---@class pi_ls.Option
---@field [1] string name
---@field [2] string type, as in LuaCATS
---@field [3] any default
---@field [4] string what it does
---@field [5]? fun(value: any): boolean what else a value must be

local function has_strings(value)
  for _, text in pairs(value) do
    if type(text) ~= "string" then return false end
  end
  return true
end

local function is_command(value) return #value > 0 and has_strings(value) end

local layouts = { "right", "left", "bottom", "float", "tab" }
local function is_layout(value) return vim.tbl_contains(layouts, value) end

local function is_positive(value) return value > 0 end

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
    is_command,
  },
  {
    "init_options",
    "table",
    {},
    "Options of the bridge, such as `command`, `args`, `trust` or `env`; docs/PROTOCOL.md lists them.",
  },
  { "layout", '"right"|"left"|"bottom"|"float"|"tab"', "right", "Where the chat opens.", is_layout },
  {
    "width",
    "number",
    0.42,
    "Width of the chat: columns, or below 1 a part of the screen, but at least 44 columns.",
    is_positive,
  },
  { "height", "number", 0.5, "Height of a chat at the bottom: lines, or below 1 a part.", is_positive },
  { "prompt_height", "integer", 6, "Lines of the prompt's window.", is_positive },
  { "enter_sends", "boolean", false, "`<CR>` sends in insert mode too, unless the completion menu is open." },
  { "attach", "boolean", true, "Attach buffers of files to the agent's language server as well." },
  { "idle_ms", "integer", 1000, "How long no key was typed before a question of an extension opens by itself." },
  { "coalesce_ms", "integer", 33, "The bridge merges what streams within so many milliseconds.", is_positive },
  { "page", "integer", 100, "How many messages of a session are loaded at once.", is_positive },
  { "tool_lines", "integer", 200, "Lines of a tool's output in the chat; `K` shows all.", is_positive },
  { "fold_thinking", "boolean", true, "Close the folds of thinking." },
  { "fold_tools", "boolean", true, "Close the folds of tool calls, except those that change files." },
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
    has_strings,
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
  for name, value in pairs(options) do
    local option = vim.iter(M.options):find(function(other) return other[1] == name end)
    if not option then
      local names = vim.iter(M.options):map(function(other) return other[1] end):join(", ")
      error(("pi_ls.setup: there is no option %q. There are: %s"):format(name, names), 0)
    end
    local kind = option[3] == nil and "table" or type(option[3])
    if type(value) ~= kind or (option[5] and not option[5](value)) then
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

return M

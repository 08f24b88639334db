--- Writes `doc/pi_ls.txt` and `lua/pi_ls/types.lua` of the client from its tables and annotations, or gives their texts.
--- `node test/neovim/root.ts 0.12 nvim -l test/neovim/help.lua`

local root = vim.fs.dirname(
  vim.fs.dirname(vim.fs.dirname(vim.fs.normalize(vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p"))))
)
local client = root .. "/clients/neovim"
package.path = client .. "/lua/?.lua;" .. client .. "/lua/?/init.lua;" .. package.path

local WIDTH = 78

local out = {}

local function line(text) out[#out + 1] = text or "" end

--- Words in lines of WIDTH, behind INDENT.
local function wrap(text, indent)
  indent = indent or ""
  local current = indent
  for word in text:gmatch("%S+") do
    if #current > #indent and #current + #word + 1 > WIDTH then
      line(current)
      current = indent
    end
    current = current .. (#current > #indent and " " or "") .. word
  end
  line(current)
end

local function right(left, tag)
  local stars = "*" .. tag .. "*"
  line(left .. (" "):rep(math.max(1, WIDTH - #left - #stars)) .. stars)
end

local function section(title, tag)
  line()
  line(("="):rep(WIDTH))
  right(title, tag)
  line()
end

--- A term with its explanation beside it, or below it.
local function entry(term, text, indent)
  indent = indent or 20
  if #term < indent - 1 then
    local before = #out
    wrap(text, (" "):rep(indent))
    out[before + 1] = term .. out[before + 1]:sub(#term + 1)
  else
    line(term)
    wrap(text, (" "):rep(indent))
  end
end

local function code(text)
  line(">lua")
  for row in vim.gsplit(text, "\n", { plain = true }) do
    line("    " .. row)
  end
  line("<")
end

local function introduction()
  right("*pi_ls.txt*  pi, the coding agent, on Neovim's own LSP client", "pi_ls")
  line()
  wrap(
    "pi_ls talks to pi-language-server, a language server that has the coding agent pi behind it. The chat is a "
      .. "buffer, the prompt is a buffer, and everything between them and the agent goes through |vim.lsp|."
  )
  line()
  wrap("Neovim 0.10 or newer, Node 22.19 or newer, and pi. Nothing else.")
  section("INSTALLING", "pi_ls-install")
  wrap("The npm package of the bridge has this plugin in it, so that both are of one version: >")
  line("    npm install -g pi-language-server @earendil-works/pi-coding-agent")
  line("<")
  wrap("`pi-language-server path neovim` prints the folder of the plugin. Add it to 'runtimepath' in init.lua:")
  code('vim.opt.runtimepath:append(vim.trim(vim.fn.system({ "pi-language-server", "path", "neovim" })))')
  wrap("With lazy.nvim, which sets 'runtimepath' itself, it is a plugin among yours:")
  code('{ dir = "FOLDER", name = "pi_ls", lazy = false }')
  wrap("Then `:Pi` opens the chat and starts the agent. With")
  code('vim.lsp.enable("pi_ls") -- Neovim 0.11 and newer')
  wrap(
    "the buffers of your files join the agent's language server once it runs; no agent is started because a file "
      .. 'is opened. On Neovim 0.10, `require("pi_ls").setup()` does the same. `:checkhealth pi_ls` looks at all that is needed.'
  )
end

local function chat(config)
  section("THE CHAT", "pi_ls-chat")
  wrap(
    "A conversation belongs to its tab page: `:Pi` in another one starts another agent. `:Pi toggle NAME` goes to a "
      .. "conversation of that name from anywhere. Closing the windows ends nothing."
  )
  line()
  wrap(
    "Thinking and tool calls are folded; |zo| and |zc| open and close them. What changes files is shown as a diff. "
      .. "While the cursor is in the last line, the window follows the answer. Long sessions are loaded page by page: "
      .. "going to the first line loads what is before it."
  )
  line()
  for _, key in ipairs(config.key_table) do
    if key[4] == "chat" then entry(key[2], key[3]) end
  end
  section("THE PROMPT", "pi_ls-prompt")
  wrap(
    "An ordinary buffer, with the filetype pi-prompt. While the agent runs, what is sent steers it. `!command` runs a "
      .. "shell command through pi and shows it to the model, `!!command` does not show it. `/` completes pi's commands and "
      .. "`@` files by |i_CTRL-X_CTRL-O|, or by itself with a completion plugin or |vim.lsp.completion.enable()|. "
      .. "`@path#L10-20` sends these lines along, as they are in the buffer. Drafts and the history survive restarts."
  )
  line()
  for _, key in ipairs(config.key_table) do
    if key[4] == "prompt" then entry(key[2], key[3]) end
  end
  section("QUESTIONS", "pi_ls-questions")
  wrap(
    "Extensions of pi ask: they let you choose, confirm, or write. A question takes no key that was meant for something "
      .. "else. It waits in a queue, the bar above the prompt and |pi_ls.statusline()| show it, and `:Pi attention` opens it. "
      .. "By itself it opens only while the prompt is focused and empty and no key was typed for |pi_ls-idle_ms|. The cursor "
      .. 'is then on "Decide later", so Enter alone answers nothing; closing the window answers nothing either. To refuse, '
      .. 'choose "Refuse", or `:Pi attention refuse`. A question for a longer text is a buffer: |:w| answers, |:q| cancels. '
      .. "What has expired disappears. What was written into a question, and did not answer it, is in the prompt's history."
  )
  line()
  wrap(
    "In the menu of a question `j` and `k` or the arrows move, `<CR>` chooses, `q` and `<Esc>` leave. Any other letter is "
      .. 'one of a text that was meant for the prompt: it puts the cursor back on "Decide later", and for a second no key '
      .. "does anything."
  )
  line()
  wrap(
    "|vim.ui.select()| and |vim.ui.input()| are used for what you open where something has replaced them; else small windows of this "
      .. "plugin, because those of Neovim stop everything that arrives."
  )
end

local function commands(subcommands)
  section("COMMANDS", "pi_ls-commands")
  right(":Pi {subcommand} [arguments]", ":Pi")
  line()
  for _, subcommand in ipairs(subcommands) do
    right("", ":Pi-" .. subcommand[1])
    line(vim.trim((":Pi %s %s"):format(subcommand[1], subcommand[2])))
    wrap(subcommand[3], (" "):rep(8))
  end
  line()
  wrap(
    "Every other command of pi, and every request of the bridge, is a subcommand as well. It takes its parameters as "
      .. "`name=value` or as one JSON object, and its result is shown. What offers a choice does so by |vim.ui.select()|; "
      .. "sessions, the tree, messages to fork from and changed files have previews, for pickers that show them."
  )
  line()
  local data = require("pi_ls.data")
  local own = {}
  for _, subcommand in ipairs(subcommands) do
    own[subcommand[1]] = true
  end
  local names = vim.tbl_keys(data.commands)
  table.sort(names)
  for _, name in ipairs(names) do
    if not own[name] then entry("    " .. name, data.commands[name].summary:gsub("`", ""), 34) end
  end
  local methods = vim.tbl_keys(data.requests)
  table.sort(methods)
  for _, name in ipairs(methods) do
    entry("    " .. name:gsub("/", "."), data.requests[name].summary:gsub("`", ""), 34)
  end
  line()
  line("Mappings that you can use; none is made by default:")
  line()
  for _, row in ipairs({
    { "toggle", "open or close the chat" },
    { "prompt", "go to the prompt" },
    { "ask", "ask about the file, or the selection" },
    { "fix", "have it fixed" },
    { "explain", "have it explained" },
    { "abort", "stop the agent" },
    { "attention", "open a question" },
    { "diff", "show what the last run changed" },
  }) do
    entry(("    <Plug>(pi-%s)"):format(row[1]), row[2], 34)
  end
end

local function options(config)
  section("OPTIONS", "pi_ls-options")
  wrap(
    '`require("pi_ls").setup({ … })` is optional, and so is every option. A wrong one is an error that names it.'
  )
  line()
  for _, option in ipairs(config.options) do
    right(option[1], "pi_ls-" .. option[1])
    local default = option[1] == "keys" and "see |pi_ls-chat|, |pi_ls-prompt|"
      or vim.inspect(option[3], { newline = " ", indent = "" })
    line(("        %s"):format(option[2]))
    if option[1] ~= "prompts" then line(("        Default: %s"):format(default)) end
    wrap(option[4], (" "):rep(8))
    if option[1] == "keys" then
      line("        Names:")
      for _, key in ipairs(config.key_table) do
        line(("            %-16s%s"):format(key[1], key[2]))
      end
    elseif option[1] == "prompts" then
      for name, text in vim.spairs(option[3]) do
        line(("            %-10s%q"):format(name, text))
      end
    end
    line()
  end
end

--- The functions of the module, with what is written above them.
local function functions()
  section("FUNCTIONS", "pi_ls-functions")
  local about = {}
  for row in io.lines(client .. "/lua/pi_ls/init.lua") do
    local comment = row:match("^%-%-%-%s?(.*)$")
    local name, arguments = row:match("^function M%.([%w_]+)%((.-)%)")
    if comment then
      about[#about + 1] = comment
    elseif name then
      right(('require("pi_ls").%s(%s)'):format(name, arguments), ("pi_ls.%s()"):format(name))
      local text = {}
      for _, words in ipairs(about) do
        if not words:find("^@") then text[#text + 1] = words end
      end
      wrap(table.concat(text, " "), (" "):rep(8))
      for _, words in ipairs(about) do
        if words:find("^@") then line((" "):rep(8) .. words:sub(2)) end
      end
      line()
      about = {}
    else
      about = {}
    end
  end
end

local function events()
  section("AUTOCOMMANDS", "pi_ls-autocommands")
  wrap("|User| autocommands. `data` of the event has `conversation`, its name, and what is listed.")
  line()
  for _, event in ipairs(require("pi_ls.autocommands").events) do
    entry(event[1], event[2] .. (event[3] ~= "" and " data: " .. event[3] or ""))
  end
end

local function highlights()
  section("HIGHLIGHTS", "pi_ls-highlights")
  for _, group in ipairs(require("pi_ls.highlights").groups) do
    entry(group[1], ("%s (links to %s)"):format(group[3], group[2]))
  end
end

local function text()
  out = {}
  local config = require("pi_ls.config")
  introduction()
  chat(config)
  commands(require("pi_ls.subcommands").list)
  options(config)
  functions()
  events()
  highlights()
  line()
  line("vim:tw=78:ts=8:ft=help:norl:")
  return table.concat(out, "\n") .. "\n"
end

--- The classes of the options, for the language server of whoever writes a configuration.
local function types()
  local config = require("pi_ls.config")
  local lines = {
    "---@meta",
    "--- Written by test/neovim/help.lua from the tables in config.lua.",
    "-- stylua: ignore start",
    "",
    "---@class pi_ls.Keys",
  }
  for _, key in ipairs(config.key_table) do
    lines[#lines + 1] = ("---@field %s? string|false %s"):format(key[1], key[3])
  end
  vim.list_extend(lines, { "", "---@class pi_ls.Config" })
  for _, option in ipairs(config.options) do
    lines[#lines + 1] = ("---@field %s? %s %s"):format(option[1], (option[2]:gsub("%?$", "")), option[4])
  end
  return table.concat(lines, "\n") .. "\n"
end

--- The generated files by their paths.
local function files()
  return { [client .. "/doc/pi_ls.txt"] = text(), [client .. "/lua/pi_ls/types.lua"] = types() }
end

if arg and arg[0] and arg[0]:find("help%.lua$") then
  for path, content in vim.spairs(files()) do
    local file = assert(io.open(path, "w"))
    file:write(content)
    file:close()
    io.stdout:write(path .. "\n")
  end
  vim.cmd.helptags(client .. "/doc")
end

return { files = files }

--- `:checkhealth pi_ls`: the plugin's own needs, and what the bridge's doctor says.

local M = {}

local reporters = { ok = "ok", warn = "warn", fail = "error" }

function M.check()
  local health = vim.health
  health.start("pi_ls: Neovim")
  if vim.fn.has("nvim-0.10") == 1 then
    health.ok("Neovim " .. tostring(vim.version()))
  else
    health.error("Neovim 0.10 or newer is needed")
    return
  end
  if pcall(vim.treesitter.language.add, "markdown") then
    health.ok("the Markdown parser is there: the chat is highlighted")
  else
    health.warn("there is no tree-sitter parser for Markdown: the chat is not highlighted")
  end

  health.start("pi_ls: the bridge")
  local settings = require("pi_ls.client").resolved()
  local cmd, init_options = settings.cmd, settings.init_options
  if type(cmd) == "function" then return health.info("it is started by a function: nothing is known of it") end
  local missing = require("pi_ls.client").missing(cmd)
  if missing then return health.error(missing) end
  local words = vim.tbl_filter(function(word) return word ~= "--stdio" end, cmd)
  if init_options.command then vim.list_extend(words, { "--pi", vim.json.encode(init_options.command) }) end
  vim.list_extend(words, { "doctor", "--json" })
  if init_options.args then vim.list_extend(vim.list_extend(words, { "--" }), init_options.args) end
  -- Blocking is what a health check is for.
  local result = vim.system(words, { text = true }):wait(60000)
  local ok, report = pcall(vim.json.decode, result.stdout or "", { luanil = { object = true } })
  if not ok or type(report) ~= "table" then
    health.error(("`%s` failed: %s"):format(table.concat(words, " "), vim.trim(result.stderr or "")))
    return
  end
  for _, check in ipairs(report.checks) do
    local tell = health[reporters[check.status] or "info"]
    local found = ("%s: %s"):format(check.name, check.found)
    if check.hint then
      tell(found, { check.hint })
    else
      tell(found)
    end
  end

  health.start("pi_ls: conversations")
  local none = true
  for name, conversation in pairs(require("pi_ls.conversation").all) do
    none = false
    local state = conversation.state
    local tell = state.error and health.error or health.ok
    tell(
      ("%s: %s, %s%s"):format(name, state.phase, state.activity, state.error and ": " .. state.error.message or "")
    )
  end
  if none then health.info("none: `:Pi` starts one") end
end

return M

--- The bridge as a client of vim.lsp: how it is started, asked, and what is done when it ends.

local config = require("pi_ls.config")

local M = {}

M.name = "pi_ls"

--- What this plugin does not show, or knows by other means: not worth the bytes. To a client without `agent_start` the
--- bridge sends progress as LSP has it, which vim.lsp.status() and its users show.
local EXCLUDED = {
  "agent_start",
  "agent_end",
  "turn_start",
  "turn_end",
  "entry_appended",
  "summarization_retry_attempt_start",
}

--- The words that start the bridge: those of the package that this file is in, so that both are of one version.
---@return string[]
function M.command()
  if config.current.cmd then return config.current.cmd end
  local here = debug.getinfo(1, "S").source:sub(2)
  -- The plugin's folder may be a link to the one in the package.
  here = vim.uv.fs_realpath(here) or here
  local package = vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(here)))))
  local own = package .. "/dist/pi-language-server.cjs"
  if vim.uv.fs_stat(own) then return { "node", own, "--stdio" } end
  return { "pi-language-server", "--stdio" }
end

--- What has to be installed before COMMAND can be run.
---@param command string[]
---@return string?
function M.missing(command)
  local name = command[1]
  if vim.fn.executable(name) == 1 then return nil end
  if name == "node" then return "there is no node in the PATH of Neovim. Install Node 22.19 or newer" end
  return ("%s is not executable. Install it: npm install -g pi-language-server"):format(name)
end

--- The configuration that `lsp/pi_ls.lua` ships.
---@return vim.lsp.ClientConfig
function M.config()
  return {
    name = M.name,
    cmd = M.command(),
    init_options = config.current.init_options,
    capabilities = {
      experimental = {
        pi = {
          events = { exclude = EXCLUDED },
          dialogs = { "select", "confirm", "input", "editor" },
          coalesce = { ms = config.current.coalesce_ms },
        },
      },
    },
    -- Called for each buffer of a file. No agent starts because a file is opened: it joins the one that is there.
    root_dir = function(buf) require("pi_ls.attach").file(buf) end,
  }
end

--- Ours with what `vim.lsp.config("pi_ls", …)` and `vim.lsp.config("*", …)` say.
---@return vim.lsp.ClientConfig
function M.resolved()
  local base = M.config()
  if vim.fn.has("nvim-0.11") == 1 then
    local own = vim.lsp.config[M.name]
    if own then
      -- The file was read before `setup`, or not at all.
      local cmd = config.current.cmd or own.cmd or base.cmd
      base = vim.tbl_deep_extend("force", base, own, { capabilities = base.capabilities })
      base.cmd = cmd
      base.init_options = vim.tbl_deep_extend("force", own.init_options or {}, config.current.init_options)
    end
  end
  base.capabilities = vim.tbl_deep_extend("force", vim.lsp.protocol.make_client_capabilities(), base.capabilities)
  return base
end

---@class pi_ls.StartOptions
---@field cwd string
---@field buf integer the buffer that the client attaches to
---@field session? table|string the session to start in, as in the bridge's option
---@field on_init fun(client: vim.lsp.Client, result: table)
---@field on_exit fun(code: integer, signal: integer)

--- Starts the bridge as Neovim would. How it ends is told by us: Neovim's own message about it names a file, is longer
--- than the command line, and so waits for a key.
---@param cmd string[]|fun(dispatchers: table, config: table): table
---@param settings table
---@param on_exit fun(code: integer, signal: integer)
local function start_by(cmd, settings, on_exit)
  return function(dispatchers, ...)
    local exited = dispatchers.on_exit
    dispatchers.on_exit = function(code, signal)
      on_exit(code, signal)
      exited(0, 0)
    end
    if type(cmd) == "function" then return cmd(dispatchers, ...) end
    local how = { cwd = settings.cmd_cwd, env = settings.cmd_env, detached = settings.detached }
    return vim.lsp.rpc.start(cmd, dispatchers, how)
  end
end

---@param options pi_ls.StartOptions
---@return integer? client_id
---@return string? error
function M.start(options)
  local settings = M.resolved()
  local missing = type(settings.cmd) == "table" and M.missing(settings.cmd)
  if missing then return nil, missing end
  settings.root_dir = options.cwd
  settings.workspace_folders = { { uri = vim.uri_from_fname(options.cwd), name = options.cwd } }
  settings.handlers = vim.tbl_extend("keep", require("pi_ls.handlers").table(), settings.handlers or {})
  settings.init_options = vim.tbl_extend("force", settings.init_options or {}, { session = options.session })
  -- Neovim sends an empty table as [].
  if vim.tbl_isempty(settings.init_options) then settings.init_options = nil end
  settings.on_init = options.on_init
  settings.cmd = start_by(settings.cmd, settings, vim.schedule_wrap(options.on_exit))
  local id = vim.lsp.start(settings, {
    bufnr = options.buf,
    -- One bridge has one agent: a second conversation is a second client.
    reuse_client = function() return false end,
  })
  if not id then return nil, "the bridge could not be started; :LspLog may say why" end
  return id
end

--- Calls a method of the client. Before Neovim 0.11 they were no methods.
---@param id integer
---@param name "request"|"stop"
local function call(id, name, ...)
  local client = vim.lsp.get_client_by_id(id)
  if not client then return false end
  if vim.fn.has("nvim-0.11") == 1 then return client[name](client, ...) end
  return client[name](...)
end

--- Sends a request. CALLBACK gets the error or the result; Neovim never calls it for a request that was cancelled.
---@param id integer
---@param method string
---@param params? table
---@param buf integer
---@param callback fun(err: lsp.ResponseError?, result: any)
---@return boolean sent
---@return integer? request_id
function M.request(id, method, params, buf, callback)
  return call(id, "request", method, params or vim.empty_dict(), callback, buf)
end

---@param id? integer nil: it does not run
---@param buf integer
function M.attach(id, buf)
  if id and vim.lsp.get_client_by_id(id) then vim.lsp.buf_attach_client(buf, id) end
end

---@param id integer
function M.stop(id) call(id, "stop") end

return M

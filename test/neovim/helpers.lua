--- A Neovim in which somebody works with the agent: real bridge, real pi, scripted model.

local H = {}

local checkout = vim.env.PI_CHECKOUT
H.checkout = checkout

--- Longer than anything takes, even on a machine that has much else to do.
local PATIENCE_MS = 30000

local files = {
  ["cart.js"] = "export function total(items) {\n  return items.reduce((a, b) => a + b.price, 0);\n}\n",
  ["README.md"] = "# Shop\n",
}

---@param path string
---@param content string
function H.write(path, content)
  vim.fn.mkdir(vim.fs.dirname(path), "p")
  local file = assert(io.open(path, "wb"))
  file:write(content)
  file:close()
end

---@param path string
function H.read(path)
  local file = assert(io.open(path, "rb"))
  local content = file:read("*a")
  file:close()
  return content
end

--- A project with a home of its own.
function H.project()
  local root = vim.fn.tempname()
  for name, content in pairs(files) do
    H.write(root .. "/shop/" .. name, content)
  end
  vim.fn.mkdir(root .. "/home", "p")
  vim
    .system({ "sh", "-c", "git init -q -b main . && git add -A && git commit -qm start" }, {
      cwd = root .. "/shop",
      env = {
        HOME = root .. "/home",
        GIT_AUTHOR_NAME = "Ada",
        GIT_AUTHOR_EMAIL = "ada@example.org",
        GIT_COMMITTER_NAME = "Ada",
        GIT_COMMITTER_EMAIL = "ada@example.org",
      },
    })
    :wait()
  return root
end

--- The words that start a pi which plays STEPS, with an empty session.
---@param root string
---@param steps (table|string)[]
---@return string[]
function H.player(root, steps)
  local file = root .. "/scenario.jsonl"
  local state = {
    sessionId = "played",
    isStreaming = false,
    isCompacting = false,
    thinkingLevel = "off",
    model = { id = "fake-model", provider = "fake" },
    messageCount = 0,
    pendingMessageCount = 0,
  }
  local beginning = {
    { state = state },
    { expect = { type = "get_entries" }, reply = { entries = {}, leafId = vim.NIL } },
  }
  local lines = vim.tbl_map(
    function(step) return type(step) == "string" and step or vim.json.encode(step) end,
    vim.list_extend(beginning, steps)
  )
  H.write(file, table.concat(lines, "\n") .. "\n")
  return { "node", checkout .. "/dist/pi-language-server.cjs", "play", file, "--journal", file .. ".log" }
end

---@class Start
---@field root? string a project that is there already
---@field options? table for `setup`
---@field pi_args? string[]
---@field still? boolean times are always the same
---@field lines? integer
---@field columns? integer
---@field closed? boolean do not open the chat
---@field edit? string a file to edit
---@field install? string the lines that install the plugin, instead of its folder in 'runtimepath'
---@field env? table<string, string>
---@field scenario? (table|string)[] what a played pi does, instead of real pi: steps of src/trace/steps.ts

--- Starts a Neovim, opens the chat, and waits until the agent is ready.
---@param start? Start
function H.start(start)
  start = start or {}
  local child = MiniTest.new_child_neovim()
  child.root = start.root or H.project()
  child.shop = child.root .. "/shop"
  local pi_args =
    { "-e", checkout .. "/src/demo/scripted-model.ts", "--provider", "scripted", "--model", "script" }
  vim.list_extend(pi_args, start.pi_args or {})
  local pi = { command = { checkout .. "/node_modules/.bin/pi" }, args = pi_args }
  if start.scenario then pi = { command = H.player(child.root, start.scenario) } end
  local options = vim.tbl_deep_extend("force", { idle_ms = 300, init_options = pi }, start.options or {})
  local env = vim.tbl_extend("force", {
    HOME = child.root .. "/home",
    XDG_STATE_HOME = child.root .. "/state",
    XDG_DATA_HOME = child.root .. "/data",
    XDG_CACHE_HOME = child.root .. "/cache",
    PI_CODING_AGENT_DIR = child.root .. "/agent",
    PI_OFFLINE = "1",
    PI_TEST = vim.json.encode({
      checkout = checkout,
      options = options,
      still = start.still,
      install = start.install,
    }),
  }, start.env or {})
  local saved = {}
  for name, value in pairs(env) do
    saved[name] = vim.env[name] or vim.NIL
    vim.env[name] = value
  end
  local size = ("set lines=%d columns=%d"):format(start.lines or 30, start.columns or 110)
  child.start({ "--cmd", size, "--cmd", "cd " .. child.shop, "-u", checkout .. "/test/neovim/child.lua" })
  for name, value in pairs(saved) do
    vim.env[name] = value ~= vim.NIL and value or nil
  end
  if start.edit then child.cmd("edit " .. start.edit) end
  if not start.closed then
    child.cmd("Pi")
    H.ready(child)
  end
  return child
end

--- Waits for a fact: a Lua expression that becomes true in the child.
---@param child table
---@param expression string
---@param what? string
function H.wait(child, expression, what)
  local value, err
  local ok = vim.wait(PATIENCE_MS, function()
    local done
    done, value = pcall(child.lua_get, expression)
    err = not done and value or nil
    return done and value ~= vim.NIL and value ~= false and value ~= nil
  end, 20)
  if not ok then
    local got, lines = pcall(H.lines, child)
    local notes = pcall(child.is_blocked) and not child.is_blocked() and child.lua_get("_G.seen.notes") or {}
    error(
      ("waited in vain for %s\n%s\nchat:\n%s\nnotes: %s"):format(
        what or expression,
        err or "",
        got and table.concat(vim.list_slice(lines, #lines - 60), "\n") or lines,
        vim.inspect(notes)
      ),
      2
    )
  end
  return value
end

function H.ready(child)
  -- The state comes first, and the session is drawn when it has come.
  H.wait(
    child,
    [[pi() ~= nil and pi().state.phase == "ready" and (_G.seen.events.PiSession or 0) > 0]],
    "pi to be ready"
  )
end

---@return string[]
function H.lines(child) return child.lua_get("vim.api.nvim_buf_get_lines(pi().transcript.buf, 0, -1, false)") end

---@return string
function H.chat(child) return table.concat(H.lines(child), "\n") end

--- Waits until the chat has TEXT.
function H.shows(child, text)
  H.wait(
    child,
    ("table.concat(vim.api.nvim_buf_get_lines(pi().transcript.buf, 0, -1, false), '\\n'):find(%q, 1, true) ~= nil"):format(
      text
    ),
    ("%q in the chat"):format(text)
  )
end

--- The text in the prompt.
function H.prompt(child) return child.lua_get("pi().prompt:text()") end

--- Writes into the prompt and sends it by its key.
function H.type(child, text)
  child.lua("pi().prompt:set(...)", { text })
  child.lua([[require("pi_ls.chat").open(pi())]])
  child.type_keys("<Esc>", "<CR>")
end

--- Sends a prompt, and waits until the agent has done everything that follows from it.
---@param script string|string[] of the scripted model
function H.say(child, script)
  local text = type(script) == "table" and table.concat(script, "\n") or script
  local before = child.lua_get("_G.seen.events.PiSettled or 0")
  H.type(child, text)
  H.wait(child, ("(_G.seen.events.PiSettled or 0) > %d"):format(before), "the agent to settle")
  H.wait(child, [[pi().state.activity == "idle"]])
end

--- What was told by vim.notify, one after the other.
function H.notes(child)
  return table.concat(vim.tbl_map(function(note) return note.message end, child.lua_get("_G.seen.notes")), "\n")
end

--- Waits until somebody was told TEXT.
function H.told(child, text)
  H.wait(
    child,
    ([[vim.iter(_G.seen.notes):any(function(note) return note.message:find(%q, 1, true) ~= nil end)]]):format(text),
    ("to be told %q"):format(text)
  )
end

--- The floating windows' lines.
---@return string[][]
function H.floats(child)
  return child.lua([[
    local floats = {}
    for _, win in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(win).relative ~= "" then
        table.insert(floats, vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false))
      end
    end
    return floats
  ]])
end

function H.waits_for_float(child)
  H.wait(
    child,
    [[vim.iter(vim.api.nvim_list_wins()):any(function(w) return vim.api.nvim_win_get_config(w).relative ~= "" end)]],
    "a floating window"
  )
end

function H.waits_for_no_float(child)
  H.wait(
    child,
    [[not vim.iter(vim.api.nvim_list_wins()):any(function(w) return vim.api.nvim_win_get_config(w).relative ~= "" end)]],
    "the floating window to close"
  )
end

--- Whether a preview of what was offered has TEXT in it.
function H.previewed(child, text)
  H.wait(
    child,
    ("vim.iter(_G.previewed):any(function(preview) return preview:find(%q, 1, true) ~= nil end)"):format(text),
    ("%q in a preview"):format(text)
  )
end

--- Answers vim.ui.select by the item that has TEXT in it, as a picker would; keeps what was offered, and its previews.
function H.picks(child, text)
  child.lua(
    [[
    local text = ...
    vim.ui.select = function(items, opts, choose)
      local format = opts.format_item or tostring
      _G.offered = vim.tbl_map(format, items)
      _G.previewed = vim.tbl_map(function(item)
        local buf = opts.preview_item and opts.preview_item(item).buf
        return buf and table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), "\n")
      end, items)
      for at, item in ipairs(items) do
        if _G.offered[at]:find(text, 1, true) then
          return vim.schedule(function() choose(item, at) end)
        end
      end
      vim.schedule(function() choose(nil) end)
    end
  ]],
    { text }
  )
end

return H

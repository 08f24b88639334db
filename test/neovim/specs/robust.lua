local H = require("helpers")
local eq = MiniTest.expect.equality
local T = MiniTest.new_set()
local child

T["what goes wrong"] = MiniTest.new_set({
  hooks = {
    pre_case = function() child = H.start() end,
    post_case = function() child.stop() end,
  },
})
local wrong = T["what goes wrong"]

local function bridge_pid()
  -- pi's parent.
  return tonumber(H.read(("/proc/%d/stat"):format(child.lua_get("pi().state.pi.pid"))):match("^%d+ %b() %S (%d+)"))
end

wrong["the bridge is killed: it starts again, on the same session"] = function()
  H.say(child, "say: Before.")
  local session = child.lua_get("pi().state.session.id")
  local client = child.lua_get("pi().client_id")
  vim.uv.kill(bridge_pid(), "sigkill")
  H.wait(child, ("pi().client_id ~= nil and pi().client_id ~= %d and pi().state.phase == 'ready'"):format(client))
  eq(child.lua_get("pi().state.session.id"), session)
  H.shows(child, "## pi\n\nBefore.")
  H.say(child, "say: After.")
  H.shows(child, "## pi\n\nAfter.")
end

wrong["a text that was on its way comes back when the bridge is killed"] = function()
  local client = child.lua_get("pi().client_id")
  -- The command of an extension is answered only when its dialog is.
  child.lua([[pi():send("/select")]])
  H.wait(child, "pi().dialogs:count() == 1")
  vim.uv.kill(bridge_pid(), "sigkill")
  H.wait(child, ("pi().client_id ~= nil and pi().client_id ~= %d and pi().state.phase == 'ready'"):format(client))
  eq(H.prompt(child), "/select")
  eq(child.lua_get("pi().dialogs:count()"), 0)
end

wrong["a bridge that ends again and again is given up"] = function()
  child.lua([[require("pi_ls.config").current.cmd = { "sh", "-c", "exit 3" }]])
  vim.uv.kill(bridge_pid(), "sigkill")
  H.told(child, "the bridge ended again (exit code 3)")
  child.lua([[require("pi_ls.config").current.cmd = nil]])
  child.cmd("Pi restart")
  H.wait(child, [[pi().state.phase == "ready"]])
end

wrong["pi is killed: the bridge starts it again"] = function()
  H.say(child, "say: Before.")
  local pid = child.lua_get("pi().state.pi.pid")
  vim.uv.kill(pid, "sigkill")
  H.wait(child, ("pi().state.phase == 'ready' and pi().state.pi.pid ~= %d"):format(pid))
  H.shows(child, "■ pi ended and was started again")
  H.shows(child, "## pi\n\nBefore.")
  H.say(child, "say: After.")
  H.shows(child, "## pi\n\nAfter.")
end

wrong["an error in a handler does not stop the next message"] = function()
  child.lua([[
    local handlers = require("pi_ls.handlers")
    local update = handlers.by_method["pi/message_start"]
    handlers.by_method["pi/message_start"] = function(...)
      handlers.by_method["pi/message_start"] = update
      error("a broken handler")
    end
  ]])
  H.say(child, "say: All the same.")
  H.told(child, "an error while showing pi/message_start")
  H.shows(child, "All the same.")
end

wrong["an error while a question is shown refuses it"] = function()
  child.lua([[vim.ui.select = function() error("a broken picker") end]])
  child.lua([[vim.api.nvim_set_current_win(require("pi_ls.chat").other_window())]])
  child.lua([[pi():send("/select")]])
  H.wait(child, "pi().dialogs:count() == 1")
  child.cmd("Pi attention")
  H.told(child, "a broken picker")
  H.told(child, '{"select":null}')
end

wrong["pi cannot be started"] = function()
  child.stop()
  child = H.start({ closed = true, options = { init_options = { command = { "/nowhere/pi" } } } })
  child.cmd("Pi")
  H.shows(child, "✗ ")
  H.wait(child, [[pi().state.phase == "failed"]])
end

wrong["the bridge is not installed"] = function()
  child.stop()
  child = H.start({ closed = true, options = { cmd = { "pi-language-server-that-is-not-there" } } })
  child.cmd("Pi")
  H.told(child, "npm install -g pi-language-server")
  H.type(child, "Is anybody there?")
  H.shows(child, "✗ not sent: the bridge does not run. :Pi restart starts it")
  eq(H.prompt(child), "Is anybody there?")
  child.lua([[pi().prompt:set("!echo hello")]])
  child.type_keys("<CR>")
  H.shows(child, "$ echo hello")
end

for _, row in ipairs({ { 2, "update the bridge" }, { 0, "update this plugin" } }) do
  wrong["another version of the protocol: " .. row[2]] = function()
    child.lua([[require("pi_ls.data").protocol = ...]], { row[1] })
    child.cmd("tabnew")
    child.cmd("Pi toggle another")
    H.told(child, row[2])
    H.told(child, "`npm update -g pi-language-server` updates both.")
  end
end

wrong["another language server says that it is none of ours"] = function()
  child.stop()
  local server = [[
    let text = "";
    process.stdin.on("data", (data) => {
      text += data;
      const [, id] = /"id":(\d+).*}$/s.exec(text) ?? [];
      if (id === undefined) return;
      text = "";
      const body = JSON.stringify({ jsonrpc: "2.0", id: Number(id), result: { capabilities: {} } });
      process.stdout.write("Content-Length: " + body.length + "\r\n\r\n" + body);
    });
  ]]
  child = H.start({ closed = true, options = { cmd = { "node", "-e", server } } })
  child.cmd("Pi")
  H.told(child, "this language server is no pi-language-server: check `cmd`")
end

T["options"] = MiniTest.new_set({
  hooks = {
    pre_once = function() child = H.start({ closed = true }) end,
    post_once = function() child.stop() end,
  },
})

for _, row in ipairs({
  { "{ layuot = 'right' }", 'there is no option "layuot"' },
  { "{ layout = 'middle' }", [[layout must be "right"|"left"|"bottom"|"float"|"tab", got "middle"]] },
  { "{ width = 'wide' }", 'width must be number, got "wide"' },
  { "{ prompts = { fix = 1 } }", "prompts must be table<string, string>, got {\n  fix = 1\n}" },
  { "{ cmd = {} }", "cmd must be string[]?, got {}" },
  { "{ keys = { snd = '<CR>' } }", 'there is no key "keys.snd"' },
  { "{ keys = { send = 1 } }", "keys.send must be a string or false, got 1" },
}) do
  T["options"]["a wrong one is named: " .. row[1]] = function()
    local ok, err = unpack(child.lua(("return { pcall(require('pi_ls').setup, %s) }"):format(row[1])))
    eq(ok, false)
    eq(err:find(row[2], 1, true) ~= nil and "" or err, "")
  end
end

T["two conversations at once"] = function()
  child = H.start()
  child.cmd("tabnew")
  child.lua("_G.seen.events = {}")
  child.cmd("Pi toggle second")
  H.ready(child)
  local clients = child.lua_get([[#vim.lsp.get_clients({ name = "pi_ls" })]])
  eq(clients, 2)
  child.lua([[
    local all = require("pi_ls.conversation").all
    all["pi 1"]:send("pace: 5\nsay: one one one one one one one one one one one one")
    all.second:send("pace: 5\nsay: two two two two two two two two two two two two")
  ]])
  for name, word in pairs({ ["pi 1"] = "one", second = "two" }) do
    H.wait(
      child,
      ([[(function()
      local lines = vim.api.nvim_buf_get_lines(require("pi_ls.conversation").all[%q].transcript.buf, 0, -1, false)
      return lines[#lines - 1] == %q
    end)()]]):format(name, (word .. " "):rep(11) .. word)
    )
  end
  eq(child.lua_get("pi().name"), "second")
  child.cmd("tabnext")
  eq(child.lua_get("pi().name"), "pi 1")
  child.stop()
end

T["buffers with changes of the person are not overwritten"] = function()
  child = H.start({ edit = "cart.js" })
  child.lua([[
    local buf = vim.fn.bufnr("cart.js")
    vim.api.nvim_buf_set_lines(buf, 0, 0, false, { "// mine" })
  ]])
  H.say(child, {
    'tool: edit {"path":"cart.js","edits":[{"oldText":"b.price","newText":"b.cost"}]}',
    "say: Changed.",
  })
  H.told(child, "cart.js was changed by the agent, and has changes of yours: not reloaded")
  eq(child.lua_get([[vim.fn.getbufline("cart.js", 1)]]), { "// mine" })
  child.stop()
end

for name, kept in pairs({ ["too late"] = "what came of it", ["in the midst of writing"] = "" }) do
  T["what a file was, that was looked at " .. name] = function()
    child = H.start()
    local before = H.read(child.root .. "/shop/cart.js")
    child.lua(
      [[
      local kept = ...
      local changes = pi().changes
      local class = getmetatable(changes).__index
      class.keep = function() end
      function changes:on_result(call, ...)
        local path = self:absolute(call.arguments.path)
        self.snapshots[path] = kept ~= "" and table.concat(vim.fn.readfile(path, "b"), "\n") or kept
        return class.on_result(self, call, ...)
      end
    ]],
      { kept }
    )
    H.say(
      child,
      { 'tool: edit {"path":"cart.js","edits":[{"oldText":"(items)","newText":"(all)"}]}', "say: Edited." }
    )
    eq(child.lua_get("vim.tbl_values(pi().changes.files)"), { before })
    child.stop()
  end
end

T["vim.lsp.status() tells what the agent does"] = function()
  child = H.start()
  child.lua([[
    _G.progress = {}
    vim.api.nvim_create_autocmd("LspProgress", { callback = function()
      table.insert(_G.progress, vim.lsp.status())
    end })
  ]])
  H.say(child, { 'tool: bash {"command":"echo hello"}', "say: Done." })
  H.wait(child, [[table.concat(_G.progress, "\n"):find("bash echo hello", 1, true) ~= nil]], "the progress")
  child.stop()
end

T["what extensions announce"] = function()
  child = H.start()
  H.type(child, "/announce")
  H.wait(child, [[pi().announced.title == "scripted pi"]])
  H.wait(child, [[pi().prompt:text() == "a text to edit"]])
  eq(H.notes(child), "pi: a note\npi: a warning\npi: an error")
  child.stop()
end

T["vim.lsp.enable: files join the agent, and start none"] = function()
  child = H.start({ closed = true })
  if child.fn.has("nvim-0.11") == 1 then
    child.lua([[
      vim.lsp.config("pi_ls", { init_options = { name = "by vim.lsp.config" } })
      vim.lsp.enable("pi_ls")
    ]])
  end
  child.cmd("edit cart.js")
  eq(child.lua_get([[#vim.lsp.get_clients({ name = "pi_ls" })]]), 0)
  child.cmd("Pi")
  H.ready(child)
  H.wait(child, [[#vim.lsp.get_clients({ name = "pi_ls", bufnr = vim.fn.bufnr("cart.js") }) == 1]])
  child.lua([[vim.api.nvim_set_current_win(require("pi_ls.chat").other_window())]])
  child.cmd("edit README.md")
  H.wait(child, [[#vim.lsp.get_clients({ name = "pi_ls", bufnr = vim.fn.bufnr("README.md") }) == 1]])
  if child.fn.has("nvim-0.11") == 1 then H.wait(child, [[pi().state.session.name == "by vim.lsp.config"]]) end
  child.stop()
end

return T

--- Nothing of what the person writes is lost or doubled, and nobody who types is disturbed.
local H = require("helpers")
local eq = MiniTest.expect.equality
local child

local T = MiniTest.new_set({
  hooks = {
    post_case = function() child.stop() end,
  },
})

local function count(text) return select(2, H.chat(child):gsub(vim.pesc(text), "")) end

local function kill_bridge()
  local client = child.lua_get("pi().client_id")
  local pid = child.lua_get("pi().state.pi.pid")
  vim.uv.kill(tonumber(H.read(("/proc/%d/stat"):format(pid)):match("^%d+ %b() %S (%d+)")), "sigkill")
  H.wait(child, ("pi().client_id ~= nil and pi().client_id ~= %d and pi().state.phase == 'ready'"):format(client))
end

T["a message that is sent before the agent is ready is shown once"] = function()
  child = H.start({ closed = true })
  child.cmd("Pi prompt say: once only please")
  H.ready(child)
  H.wait(child, [[(_G.seen.events.PiSettled or 0) > 0 and pi().state.activity == "idle"]])
  eq(count("## You"), 1)
  eq(count("## pi"), 1)
end

T["a message for a bridge that dies before it is ready comes back, and is not sent"] = function()
  child = H.start({ closed = true, options = { cmd = { "sh", "-c", "read line; exit 3" } } })
  child.cmd("Pi prompt say: to nobody")
  H.told(child, "the bridge ended again (exit code 3)")
  eq(H.prompt(child), "say: to nobody")
  H.shows(child, "✗ not sent: the bridge has ended")
  child.lua([[require("pi_ls.config").current.cmd = nil; _G.seen.events = {}]])
  child.cmd("Pi restart")
  H.ready(child)
  H.say(child, "say: Sent by hand.")
  eq(count("to nobody"), 0)
end

T["what waits in the queue comes back when the bridge is killed"] = function()
  child = H.start()
  child.lua([[pi():send('tool: bash {"command":"sleep 60"}')]])
  H.wait(child, [[pi().state.activity == "running"]])
  child.lua([[pi():send("a steer"); pi():send("a follow-up", { behavior = "followUp" })]])
  H.wait(child, "#pi().state.queue.steering == 1 and #pi().state.queue.followUp == 1")
  kill_bridge()
  eq(H.prompt(child), "a steer\na follow-up")
  eq(H.notes(child):find("quit with exit code"), nil)
end

T["what a killed bridge was asked is answered: a shell command does not go on in the chat"] = function()
  child = H.start()
  child.cmd("Pi bash sleep 60")
  local function runs() return tostring(child.get_screenshot()):find("● running", 1, true) ~= nil end
  H.shows(child, "$ sleep 60")
  eq(runs(), true)
  child.lua([[
    _G.answers = {}
    pi():request("pi/bash", { command = "sleep 62" }, function(err) table.insert(_G.answers, err.message) return true end)
    pi():request("pi/bash", { command = "sleep 60" })
    pi():request("pi/bash", { command = "sleep 61" })
    _G.seen.notes = {}
  ]])
  kill_bridge()
  eq(child.lua_get("_G.answers"), { "the bridge has ended" })
  -- Said once, and not for each.
  eq(select(2, H.notes(child):gsub("the bridge has ended", "")), 1)
  eq(runs(), false)
end

T["the message of a killed bridge waits for no key"] = function()
  child = H.start({ columns = 100 })
  -- Neovim's own one, not that of the test.
  child.lua([[vim.notify = function(message) vim.api.nvim_echo({ { message } }, true, {}) end]])
  kill_bridge()
  eq(child.lua_get([[vim.fn.execute("messages"):find("quit with exit code", 1, true) == nil]]), true)
end

for _, row in ipairs({
  {
    "set_editor_text",
    [[pi().prompt:add("from an extension", false)]],
    "one two\nthree\nfrom an extension",
    { 1, 3 },
  },
  { "give_back", [[pi().prompt:give_back({ "a", "b" })]], "a\nb\none two\nthree", { 3, 3 } },
}) do
  T["the cursor of somebody who types stays where it is: " .. row[1]] = function()
    child = H.start()
    child.lua([[pi().prompt:set("one two\nthree")]])
    child.type_keys("gg0ll", "a")
    child.lua(row[2])
    eq(H.prompt(child), row[3])
    eq(child.api.nvim_win_get_cursor(0), row[4])
    eq(child.fn.mode(), "i")
  end
end

T["a draft of another Neovim is not taken away, and gives way into the history"] = function()
  child = H.start()
  local other = H.start({ root = child.root })
  other.lua([[pi().prompt:set("of the other"); pi().prompt:save()]])
  child.lua([[pi().prompt:save()]])
  eq(child.lua_get([[require("pi_ls.store").draft(pi().prompt.key)]]), "of the other")
  child.lua([[pi().prompt:set("mine"); pi().prompt:save()]])
  eq(child.lua_get([[require("pi_ls.store").draft(pi().prompt.key)]]), "mine")
  eq(child.lua_get([[require("pi_ls.store").history()]]), { "of the other" })
  child.lua([[pi().prompt:set(""); pi().prompt:save()]])
  eq(child.lua_get([[require("pi_ls.store").draft(pi().prompt.key)]]), vim.NIL)
  other.stop()
end

for _, row in ipairs({
  { "edit", 'tool: edit {"path":"cart.js","edits":[{"oldText":"price","newText":"cost"}]}' },
  { "bash", 'tool: bash {"command":"echo \'// more\' >> cart.js"}' },
}) do
  T["each change of a file with changes of the person is told, also after :w: " .. row[1]] = function()
    child = H.start({ edit = "cart.js" })
    for _ = 1, 2 do
      child.lua([[
        _G.seen.notes = {}
        local buf = vim.fn.bufnr("cart.js")
        vim.api.nvim_buf_set_lines(buf, 0, 0, false, { "// mine" })
      ]])
      H.say(child, { row[2], "say: Changed." })
      H.told(child, "cart.js was changed by the agent, and has changes of yours: not reloaded")
      eq(#child.lua_get("_G.seen.notes"), 1)
      eq(child.lua_get([[vim.fn.getbufline("cart.js", 1)]]), { "// mine" })
      child.lua([[vim.api.nvim_buf_call(vim.fn.bufnr("cart.js"), function() vim.cmd("silent write!") end)]])
    end
  end
end

T["toggle takes a name with spaces"] = function()
  child = H.start()
  child.cmd("Pi toggle pi 1")
  eq(child.lua_get([[vim.tbl_keys(require("pi_ls.conversation").all)]]), { "pi 1" })
  eq(child.lua_get([[require("pi_ls.chat").is_open(pi())]]), false)
  eq(child.fn.getcompletion("Pi toggle pi ", "cmdline"), { "1" })
end

return T

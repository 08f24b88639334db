-- What is held here is a ratio to a client that throws everything away, or far above what is measured on a slow machine
-- with other work on it.
local H = require("helpers")
local T = MiniTest.new_set()

--- A real TUI in a pseudo-terminal, since drawing is most of the work.
local function tui(start)
  local child = H.start(vim.tbl_extend("force", { closed = true }, start or {}))
  local columns, lines = 140, 40
  local env, address = child.lua_get("vim.fn.environ()"), vim.fn.tempname()
  child.stop()
  local job = vim.fn.jobstart({
    vim.v.progpath,
    "--clean",
    "-n",
    "--listen",
    address,
    "--cmd",
    "cd " .. child.shop,
    "-u",
    H.checkout .. "/test/neovim/child.lua",
  }, { pty = true, width = columns, height = lines, env = env, clear_env = true })
  local channel
  assert(vim.wait(10000, function()
    local ok, found = pcall(vim.fn.sockconnect, "pipe", address, { rpc = true })
    channel = ok and found or nil
    return channel ~= nil and channel > 0
  end, 20))
  local lua = function(code, ...)
    return vim.rpcrequest(channel, "nvim_exec_lua", code, { ... })
  end
  local started = {
    root = child.root,
    shop = child.shop,
    lua = lua,
    lua_get = function(expression)
      return lua("return " .. expression)
    end,
    is_blocked = function()
      return false
    end,
    cmd = function(command)
      lua("vim.cmd(...)", command)
    end,
    stop = function()
      pcall(vim.rpcnotify, channel, "nvim_command", "qa!")
      vim.fn.jobwait({ job }, 5000)
    end,
  }
  -- It listens before it has read its configuration.
  H.wait(started, [[vim.fn.exists(":Pi") == 2 and pi ~= nil and vim.v.vim_did_enter == 1]])
  return started
end

--- Watches the main loop from inside: a timer that should fire every 2 ms, and the most that was done between two times.
--- Counted is the time of the processor, so that what else the machine does is left out: a loop that waits takes none.
local WATCH = [[
  local cpu = function()
    local usage = vim.uv.getrusage()
    return (usage.utime.sec + usage.stime.sec) * 1e3 + (usage.utime.usec + usage.stime.usec) / 1e3
  end
  local last = cpu()
  _G.watch = { longest = 0, timer = vim.uv.new_timer(), from = vim.uv.hrtime(), worst = {} }
  _G.watch.timer:start(2, 2, function()
    local now = cpu()
    _G.watch.longest = math.max(_G.watch.longest, now - last)
    last = now
  end)
]]

local UNWATCH = [[
  _G.watch.timer:stop()
  return { longest = _G.watch.longest, total = (vim.uv.hrtime() - _G.watch.from) / 1e6 }
]]

--- Streams DELTAS, and tells the longest stall and the time until the agent has settled.
local function stream(child, deltas)
  local before = child.lua_get("_G.seen.events.PiSettled or 0")
  child.lua(WATCH)
  child.lua("pi():send(...)", deltas)
  H.wait(child, ("(_G.seen.events.PiSettled or 0) > %d"):format(before), "the agent to settle")
  return child.lua(UNWATCH)
end

local DISCARD = [[
  local by_method = require("pi_ls.handlers").by_method
  for method in pairs(by_method) do
    if method:find("^pi/message") then
      by_method[method] = function() end
    end
  end
]]

--- The better of two, so that what else the machine does counts less.
local function best(child, deltas)
  local first, second = stream(child, deltas), stream(child, deltas)
  return {
    longest = math.min(first.longest, second.longest),
    total = math.min(first.total, second.total),
  }
end

for _, row in ipairs({
  { "lines", [["a few words of an answer\n"]] },
  { "paragraphs", [["A **paragraph** with `code`.\n\n"]] },
  { "one endless line", [["word "]] },
}) do
  T["20,000 deltas, " .. row[1]] = function()
    local deltas = "deltas: 20000 x " .. row[2]
    local discarding = tui()
    discarding.cmd("Pi")
    H.ready(discarding)
    discarding.lua(DISCARD)
    local base = best(discarding, deltas)
    discarding.stop()
    local child = tui()
    child.cmd("Pi")
    H.ready(child)
    local shown = best(child, deltas)
    local bytes = child.lua_get([[vim.fn.wordcount and vim.api.nvim_buf_get_offset(pi().transcript.buf,
      vim.api.nvim_buf_line_count(pi().transcript.buf))]])
    child.stop()
    local measured = ("%s: shown %.0f ms, discarded %.0f ms, ratio %.2f; longest stall %.0f ms, discarding %.0f ms; %d bytes"):format(
      row[1],
      shown.total,
      base.total,
      shown.total / base.total,
      shown.longest,
      base.longest,
      bytes
    )
    io.stdout:write("\n  " .. measured .. "\n")
    MiniTest.expect.equality(bytes > 200000, true)
    MiniTest.expect.equality(shown.total / base.total <= 1.3 and "" or measured, "")
    MiniTest.expect.equality(shown.longest <= 50 and "" or measured, "")
  end
end

T["a session of 5,000 messages opens at once"] = function()
  local child = tui()
  child.cmd("Pi")
  H.ready(child)
  local session = { { type = "session", version = 3, id = "5000", timestamp = "2026-01-31T09:26:53.589Z", cwd = child.shop } }
  local parent = vim.NIL
  for at = 1, 2500 do
    for _, role in ipairs({ "user", "assistant" }) do
      local id = ("%s%04d"):format(role:sub(1, 1), at)
      local message = { role = role, timestamp = 1769851613589 + at }
      if role == "user" then
        message.content = "Question " .. at
      else
        message.content = { { type = "text", text = ("Answer %d.\n\n```js\nlet a = %d;\n```\n\nAnd so on."):format(at, at) } }
        message.api, message.provider, message.model = "scripted", "scripted", "script"
        message.stopReason = "stop"
        local cost = { input = 0, output = 0, cacheRead = 0, cacheWrite = 0, total = 0 }
        message.usage = { input = 1, output = 1, cacheRead = 0, cacheWrite = 0, totalTokens = 2, cost = cost }
      end
      table.insert(session, {
        type = "message",
        id = id,
        parentId = parent,
        timestamp = "2026-01-31T09:26:53.589Z",
        message = message,
      })
      parent = id
    end
  end
  local file = child.root .. "/long.jsonl"
  H.write(file, table.concat(vim.tbl_map(vim.json.encode, session), "\n") .. "\n")
  -- From the answer of pi, which reads the whole file, to the page on the screen. The best of three.
  local best
  for _ = 1, 3 do
    child.lua(
      [[
      local file = ...
      local conversation = pi()
      _G.opened = nil
      conversation:request("pi/new_session", nil, function()
        conversation:request("bridge/resume", { file = file }, function()
          _G.resumed = vim.uv.hrtime()
          vim.api.nvim_create_autocmd("User", { pattern = "PiSession", once = true, callback = function()
            vim.cmd.redraw()
            _G.opened = (vim.uv.hrtime() - _G.resumed) / 1e6
          end })
          conversation:refresh()
        end)
      end)
    ]],
      file
    )
    local ms = H.wait(child, "_G.opened", "the session to open")
    best = math.min(best or ms, ms)
    H.shows(child, "Question 2500")
  end
  io.stdout:write(("\n  opened in %.0f ms\n"):format(best))
  MiniTest.expect.equality(best <= 300 and "" or best, "")
  -- And what is before it comes when it is looked for.
  MiniTest.expect.equality(H.chat(child):find("Question 1500", 1, true), nil)
  child.cmd("Pi older")
  H.shows(child, "Question 2410")
  child.stop()
end

return T

-- What is held here is a ratio to a client that throws everything away, and the longest stall, both in time of the
-- processor: what else the machine does is left out of it. By the clock both are printed beside it.
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
  local lua = function(code, ...) return vim.rpcrequest(channel, "nvim_exec_lua", code, { ... }) end
  local started = {
    root = child.root,
    shop = child.shop,
    lua = lua,
    lua_get = function(expression) return lua("return " .. expression) end,
    is_blocked = function() return false end,
    cmd = function(command) lua("vim.cmd(...)", command) end,
    stop = function()
      pcall(vim.rpcnotify, channel, "nvim_command", "qa!")
      vim.fn.jobwait({ job }, 5000)
    end,
  }
  -- It listens before it has read its configuration.
  H.wait(started, [[vim.fn.exists(":Pi") == 2 and pi ~= nil and vim.v.vim_did_enter == 1]])
  return started
end

--- Watches the main loop from inside: a timer that should fire every 2 ms, and the most that passed between two times, of
--- the processor's time and by the clock. A loop that waits takes no time of the processor.
local WATCH = [[
  local function times()
    local usage = vim.uv.getrusage()
    local cpu = (usage.utime.sec + usage.stime.sec) * 1e3 + (usage.utime.usec + usage.stime.usec) / 1e3
    return { cpu = cpu, wall = vim.uv.hrtime() / 1e6 }
  end
  local last = times()
  _G.watch = { stall = 0, wall_stall = 0, timer = vim.uv.new_timer(), from = last, times = times }
  _G.watch.timer:start(2, 2, function()
    local now = times()
    _G.watch.stall = math.max(_G.watch.stall, now.cpu - last.cpu)
    _G.watch.wall_stall = math.max(_G.watch.wall_stall, now.wall - last.wall)
    last = now
  end)
]]

local UNWATCH = [[
  _G.watch.timer:stop()
  local now = _G.watch.times()
  return {
    stall = _G.watch.stall,
    wall_stall = _G.watch.wall_stall,
    wall = now.wall - _G.watch.from.wall,
    cpu = now.cpu - _G.watch.from.cpu,
  }
]]

--- Streams DELTAS, and tells the longest stall and the time until the agent has settled.
local function stream(child, deltas)
  local before = child.lua_get("_G.seen.events.PiSettled or 0")
  child.lua(WATCH)
  child.lua("pi():send(...)", deltas)
  H.wait(child, ("(_G.seen.events.PiSettled or 0) > %d"):format(before), "the agent to settle")
  return child.lua(UNWATCH)
end

--- From now on messages are thrown away as they come, or shown again.
local DISCARD = [[
  local by_method = require("pi_ls.handlers").by_method
  _G.shown = _G.shown or vim.deepcopy(by_method)
  for method in pairs(by_method) do
    if method:find("^pi/message") then
      by_method[method] = ... and function() end or _G.shown[method]
    end
  end
]]

local ROUNDS = 4
local MAX_STALL_MS = 50

for _, row in ipairs({
  { "lines", [["a few words of an answer\n"]], 1.3 },
  { "paragraphs", [["A **paragraph** with `code`.\n\n"]], 1.3 },
  -- No text has it: Neovim itself copies a line with each word that is added to it.
  { "one endless line", [["word "]], 2 },
}) do
  local name, unit, limit = unpack(row)
  T["20,000 deltas, " .. name] = function()
    local deltas = "deltas: 20000 x " .. unit
    local child = tui()
    child.cmd("Pi")
    H.ready(child)
    -- In turns, and the best of each.
    local best = {}
    for round = 1, 2 * ROUNDS do
      local is_shown = round % 2 == 0
      child.lua(DISCARD, not is_shown)
      local measured = stream(child, deltas)
      local so_far = best[is_shown] or measured
      for what, value in pairs(measured) do
        so_far[what] = math.min(so_far[what], value)
      end
      best[is_shown] = so_far
    end
    local shown, base = best[true], best[false]
    local bytes = child.lua_get([[vim.api.nvim_buf_get_offset(pi().transcript.buf,
      vim.api.nvim_buf_line_count(pi().transcript.buf))]])
    child.stop()
    -- As long as a client that throws away takes, and the work that showing adds, as if none of it went on meanwhile.
    local ratio = (base.wall + shown.cpu - base.cpu) / base.wall
    local rows = {
      ("%s, %d bytes, best of %d; load %.1f"):format(name, bytes, ROUNDS, (vim.uv.loadavg())),
      "                       shown  discarded",
      ("clock               %5.0f ms   %5.0f ms  ratio %.2f"):format(
        shown.wall,
        base.wall,
        shown.wall / base.wall
      ),
      ("processor           %5.0f ms   %5.0f ms  ratio of the whole %.2f (at most %.1f)"):format(
        shown.cpu,
        base.cpu,
        ratio,
        limit
      ),
      ("longest stall       %5.0f ms   %5.0f ms  (at most %d ms)"):format(shown.stall, base.stall, MAX_STALL_MS),
      ("  by the clock      %5.0f ms   %5.0f ms"):format(shown.wall_stall, base.wall_stall),
    }
    local measured = table.concat(rows, "\n  ")
    io.stdout:write("\n  " .. measured .. "\n")
    MiniTest.expect.equality(bytes > ROUNDS * 100000, true)
    MiniTest.expect.equality(ratio <= limit and "" or measured, "")
    MiniTest.expect.equality(shown.stall <= MAX_STALL_MS and "" or measured, "")
  end
end

T["a session of 5,000 messages opens at once"] = function()
  local child = tui()
  child.cmd("Pi")
  H.ready(child)
  local session = {
    { type = "session", version = 3, id = "5000", timestamp = "2026-01-31T09:26:53.589Z", cwd = child.shop },
  }
  local parent = vim.NIL
  for at = 1, 2500 do
    for _, role in ipairs({ "user", "assistant" }) do
      local id = ("%s%04d"):format(role:sub(1, 1), at)
      local message = { role = role, timestamp = 1769851613589 + at }
      if role == "user" then
        message.content = "Question " .. at
      else
        message.content =
          { { type = "text", text = ("Answer %d.\n\n```js\nlet a = %d;\n```\n\nAnd so on."):format(at, at) } }
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
  -- From the answer of pi, which reads the whole file, to the page on the screen. The best of a few.
  local best
  for _ = 1, 20 do
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
          conversation.session:refresh()
        end)
      end)
    ]],
      file
    )
    local ms = H.wait(child, "_G.opened", "the session to open")
    best = math.min(best or ms, ms)
    H.shows(child, "Question 2500")
    if best <= 300 then break end
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

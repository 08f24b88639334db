local H = require("helpers")
local eq = MiniTest.expect.equality
local T = MiniTest.new_set()
local child

T["a conversation"] = MiniTest.new_set({
  hooks = {
    pre_once = function() child = H.start({ edit = "cart.js" }) end,
    post_once = function() child.stop() end,
  },
})
local talk = T["a conversation"]

local function has(text)
  local chat = H.chat(child)
  if not chat:find(text, 1, true) then error(("no %q in:\n%s"):format(text, chat), 2) end
end

talk["streams thinking, text and tool calls"] = function()
  H.say(child, {
    "think: The person greets.\\nI greet back.",
    "say: Hello **there**.\\n\\n```lua\\nreturn 1\\n```",
    'tool: bash {"command":"echo from the shell"}',
    "say: That is all.",
  })
  has("## You\n\nthink: The person greets.")
  has(
    "> The person greets.\n> I greet back.\n\nHello **there**.\n\n```lua\nreturn 1\n```\n\n▸ bash  echo from the shell"
  )
  has("```sh\n$ echo from the shell\nfrom the shell\n```\n\nThat is all.")
end

talk["folds thinking and tool calls, which open and close"] = function()
  local closed = child.lua([[
    local win = vim.fn.win_findbuf(pi().transcript.buf)[1]
    return vim.api.nvim_win_call(win, function()
      local found = {}
      for at, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
        if vim.fn.foldclosed(at) == at then
          table.insert(found, line)
        end
      end
      return found
    end)
  ]])
  eq(closed, { "> The person greets.", "▸ bash  echo from the shell" })
end

talk["shows a change as a diff, and reloads the buffer"] = function()
  H.say(child, {
    'tool: edit {"path":"cart.js","edits":[{"oldText":"b.price","newText":"b.price * b.count"}]}',
    "say: Changed.",
  })
  has("▸ edit  cart.js\n```diff\n@@ -1,3 +1,3 @@")
  has("+  return items.reduce((a, b) => a + b.price * b.count, 0);")
  H.wait(
    child,
    [[vim.fn.getbufline("cart.js", 2)[1]:find("b.count", 1, true) ~= nil]],
    "the buffer to be reloaded"
  )
end

talk["shows a failed tool"] = function()
  H.say(child, { 'tool: read {"path":"nowhere.txt"}', "say: There is none." })
  has("▸ read  nowhere.txt")
  has("ENOENT")
end

talk["closes a code block that the model left open"] = function()
  H.say(child, "say: ```js\\nlet a = 1;")
  H.say(child, "say: The next.")
  has("```js\nlet a = 1;\n```\n")
end

talk["tells retries and errors"] = function()
  H.say(child, "fail: 400 bad request")
  has("✗ 400 bad request")
  child.cmd("Pi set_auto_retry enabled=false")
  H.told(child, "set_auto_retry: done")
end

talk["steers while the agent runs, and shows the queue"] = function()
  H.type(child, "say: one\nhold\nsay: two")
  H.shows(child, "one")
  H.wait(child, [[pi().state.activity == "running"]])
  H.type(child, "say: steered")
  H.wait(child, [[#pi().state.queue.steering == 1]])
  child.lua([[pi().prompt:set("say: followed")]])
  child.type_keys("<M-CR>")
  H.wait(child, [[#pi().state.queue.followUp == 1]])
  eq(child.lua_get([[require("pi_ls").status().queued]]), 2)
  local before = child.lua_get("_G.seen.events.PiSettled or 0")
  H.type(child, "/release")
  H.wait(child, ("(_G.seen.events.PiSettled or 0) > %d"):format(before))
  has("steered")
  has("followed")
end

talk["stops on <C-c>, and gives queued text back"] = function()
  H.type(child, "say: before the stop\nstall")
  H.shows(child, "before the stop")
  H.wait(child, [[pi().state.activity == "running"]])
  H.type(child, "say: queued one")
  H.wait(child, [[#pi().state.queue.steering == 1]])
  local before = child.lua_get("_G.seen.events.PiSettled or 0")
  child.lua([[pi().prompt:set("being written")]])
  child.type_keys("<C-c>")
  H.wait(child, ("(_G.seen.events.PiSettled or 0) > %d"):format(before))
  eq(H.prompt(child), "say: queued one\nbeing written")
  H.shows(child, "■ stopped")
  H.wait(child, [[#pi().state.queue.steering == 0]])
end

talk["runs a shell command of the person"] = function()
  H.type(child, "!for i in 1 2 3; do echo number $i; done; exit 3")
  H.shows(child, "number 3")
  H.wait(
    child,
    [[pi().transcript.label(pi().transcript.buf, vim.fn.bufnr() and (function()
    for at, line in ipairs(vim.api.nvim_buf_get_lines(pi().transcript.buf, 0, -1, false)) do
      if line:find("▸ !for", 1, true) then return at - 1 end
    end
    return 0
  end)())[2] ~= nil]]
  )
  has("▸ !for i in 1 2 3; do echo number $i; done; exit 3")
end

talk["compacts, or says why not"] = function()
  child.cmd("Pi compact say: A short summary.")
  H.shows(child, "⋯ compacting the conversation (manual)")
  H.shows(child, "✗ Compaction failed: Nothing to compact")
end

T["keys"] = MiniTest.new_set({
  hooks = {
    pre_once = function()
      child = H.start()
      H.say(child, "say: First answer.")
      H.say(child, {
        "say: Second, see cart.js:2 and\\n\\n```lua\\nlocal a = 1\\nlocal b = 2\\n```",
        'tool: read {"path":"README.md"}',
        "say: Done.",
      })
    end,
    post_once = function() child.stop() end,
  },
})
local keys = T["keys"]

local function chat_window()
  child.lua([[vim.api.nvim_set_current_win(vim.fn.win_findbuf(pi().transcript.buf)[1])]])
end

local function go_to(text)
  chat_window()
  child.lua([[vim.fn.search("\\V" .. ..., "wc")]], { text })
end

keys["[[ and ]] go from message to message"] = function()
  chat_window()
  child.type_keys("gg")
  local turns = { child.api.nvim_get_current_line() }
  for _ = 1, 3 do
    child.type_keys("]]")
    table.insert(turns, child.api.nvim_get_current_line())
  end
  eq(turns, { "## You", "## pi", "## You", "## pi" })
  child.type_keys("[[")
  eq(child.api.nvim_get_current_line(), "## You")
end

keys["yc yanks the code block"] = function()
  go_to("\\^local a")
  child.type_keys("yc")
  eq(child.fn.getreg('"'), "local a = 1\nlocal b = 2\n")
end

keys["gf opens a path at its line, beside the chat"] = function()
  go_to("\\^Second, see \\zscart.js:2")
  child.type_keys("gf")
  eq(child.fn.expand("%:t"), "cart.js")
  eq(child.api.nvim_win_get_cursor(0)[1], 2)
  eq(child.lua_get([[require("pi_ls.chat").is_open(pi())]]), true)
end

keys["<CR> on a tool call opens its file"] = function()
  go_to("▸ read")
  child.type_keys("<CR>")
  eq(child.fn.expand("%:t"), "README.md")
end

keys["K shows a tool call whole"] = function()
  go_to("▸ read")
  child.type_keys("K")
  local float = table.concat(H.floats(child)[1], "\n")
  eq(float:find("# read", 1, true) ~= nil and float:find("# Shop", 1, true) ~= nil, true)
  child.type_keys("q")
  H.waits_for_no_float(child)
end

keys["the history of prompts, with what was being written"] = function()
  child.lua([[require("pi_ls.chat").open(pi())]])
  child.lua([[pi().prompt:set("half a sent")]])
  child.type_keys("<C-p>")
  H.wait(child, [[pi().prompt:text():find("Second", 1, true) ~= nil]])
  child.type_keys("<C-p>")
  H.wait(child, [[pi().prompt:text() == "say: First answer."]])
  child.type_keys("<C-n>")
  child.type_keys("<C-n>")
  H.wait(child, [[pi().prompt:text() == "half a sent"]])
  child.lua([[pi().prompt:set("")]])
end

keys["a draft survives the end of Neovim"] = function()
  child.lua([[pi().prompt:set("to be continued")]])
  local root = child.root
  child.stop()
  child = H.start({ root = root })
  eq(H.prompt(child), "to be continued")
  child.lua([[pi().prompt:set("")]])
end

keys["f starts a new session from before the message"] = function()
  H.say(child, "say: To be forked from.")
  local session = child.lua_get("pi().state.session.id")
  go_to("To be forked from.")
  child.type_keys("f")
  H.wait(child, ("pi().state.session.id ~= %q"):format(session))
  H.wait(child, [[pi().prompt:text() == "say: To be forked from."]])
  eq(H.chat(child):find("To be forked from", 1, true), nil)
end

keys["toggling keeps the conversation"] = function()
  child.lua([[pi().prompt:set("")]])
  H.say(child, "say: Still here.")
  child.cmd("Pi")
  eq(child.lua_get([[require("pi_ls.chat").is_open(pi())]]), false)
  child.cmd("Pi")
  eq(H.chat(child):find("Still here.", 1, true) ~= nil, true)
end

keys["<CR> in a diff opens the file at that line"] = function()
  H.say(child, {
    'tool: edit {"path":"cart.js","edits":[{"oldText":"b.price, 0","newText":"b.price, 1"}]}',
    "say: Edited.",
  })
  go_to("\\^+  return")
  child.type_keys("<CR>")
  eq(child.fn.expand("%:t"), "cart.js")
  eq(child.api.nvim_win_get_cursor(0)[1], 2)
end

keys["the window follows the end only while the cursor is there"] = function()
  chat_window()
  local win = child.api.nvim_get_current_win()
  child.type_keys("gg")
  child.lua([[pi():send("say: To be read later.")]])
  H.shows(child, "## pi\n\nTo be read later.")
  eq(child.api.nvim_win_get_cursor(win)[1], 1)
  child.type_keys("G")
  H.say(child, "say: To be read now.")
  eq(child.api.nvim_win_get_cursor(win)[1], #H.lines(child))
end

keys["with enter_sends, <CR> sends in insert mode too"] = function()
  local root = child.root
  child.stop()
  child = H.start({ root = root, options = { enter_sends = true } })
  child.lua([[require("pi_ls.chat").open(pi())]])
  child.type_keys("i", "say: By Enter.", "<CR>")
  H.shows(child, "## pi\n\nBy Enter.")
  child.type_keys("<Esc>")
end

for _, layout in ipairs({ "right", "left", "bottom", "float", "tab" }) do
  keys["opens as " .. layout] = function()
    child.cmd("Pi close")
    child.cmd("Pi open " .. layout)
    eq(child.lua_get([[vim.api.nvim_get_current_buf() == pi().prompt.buf]]), true)
    eq(child.lua_get([[#vim.fn.win_findbuf(pi().transcript.buf)]]), 1)
    child.cmd("Pi close")
    eq(child.lua_get([[#vim.fn.win_findbuf(pi().transcript.buf)]]), 0)
  end
end

return T

local H = require("helpers")
local eq = MiniTest.expect.equality
local child

local T = MiniTest.new_set({
  hooks = {
    pre_once = function()
      child = H.start({ edit = "cart.js" })
      H.say(child, "say: The first answer.")
    end,
    pre_case = function()
      child.lua("_G.seen.notes = {}")
      child.lua([[pi().prompt:set(""); pi().prompt.images = {}]])
      child.lua([[vim.ui.select = function(items, opts, choose) choose(nil) end]])
      H.wait(child, [[pi().state.activity == "idle" and pi().state.phase == "ready"]])
    end,
    post_once = function() child.stop() end,
  },
})

local function cart()
  child.lua([[vim.api.nvim_set_current_win(require("pi_ls.chat").other_window())]])
  child.cmd("edit! cart.js")
end

local function prompt_is(text) H.wait(child, ("pi().prompt:text() == %q"):format(text)) end

local function session_changes(change)
  local before = child.lua_get("pi().state.session.id")
  change()
  H.wait(child, ("pi().state.session.id ~= %q"):format(before), "another session")
  H.ready(child)
end

local function float_has(text)
  H.waits_for_float(child)
  local float = table.concat(H.floats(child)[1], "\n")
  if not float:find(text, 1, true) then error(("no %q in:\n%s"):format(text, float), 2) end
  child.type_keys("q")
  H.waits_for_no_float(child)
end

--- One for each subcommand that has a face of its own. A test below holds that none is missing.
local cases = {
  toggle = function()
    child.cmd("Pi")
    eq(child.lua_get([[require("pi_ls.chat").is_open(pi())]]), false)
    child.cmd("Pi toggle")
    eq(child.lua_get([[require("pi_ls.chat").is_open(pi())]]), true)
  end,
  open = function()
    child.cmd("Pi open bottom")
    eq(child.lua_get("vim.api.nvim_get_current_buf() == pi().prompt.buf"), true)
  end,
  close = function()
    child.cmd("Pi close")
    eq(child.lua_get([[require("pi_ls.chat").is_open(pi())]]), false)
    child.cmd("Pi open")
  end,
  prompt = function()
    child.cmd("Pi prompt say: by the command")
    H.shows(child, "## pi\n\nby the command")
  end,
  steer = function()
    child.lua([[pi():send("say: working\nhold")]])
    H.wait(child, [[pi().state.activity == "running"]])
    child.cmd("Pi steer say: steered by the command")
    H.wait(child, [[pi().state.queue.steering[1] == "say: steered by the command"]])
    child.lua([[pi():send("/release")]])
    H.shows(child, "## pi\n\nsteered by the command")
  end,
  follow_up = function()
    child.lua([[pi():send("say: working\nhold")]])
    H.wait(child, [[pi().state.activity == "running"]])
    child.cmd("Pi follow_up say: followed by the command")
    H.wait(child, [[pi().state.queue.followUp[1] == "say: followed by the command"]])
    child.cmd("Pi queue")
    float_has("⏭ say: followed by the command")
    child.lua([[pi():send("/release")]])
    H.shows(child, "## pi\n\nfollowed by the command")
  end,
  ask = function()
    cart()
    child.cmd("2,3Pi ask what is this?")
    H.shows(child, "@cart.js#L2-3 what is this?\n\n@cart.js#L2-3:\n```javascript\n  return items.reduce")
    cart()
    child.cmd("2Pi ask")
    prompt_is("@cart.js#L2 ")
    child.type_keys("<Esc>")
  end,
  fix = function()
    cart()
    child.lua([[
      vim.diagnostic.set(vim.api.nvim_create_namespace("test"), 0, {
        { lnum = 1, col = 0, message = "price is missing", severity = 1 },
      })
    ]])
    child.cmd("Pi fix")
    H.shows(
      child,
      "@cart.js Fix the problems in this code.\n\nDiagnostics:\n```\ncart.js:2: error: price is missing\n```"
    )
  end,
  explain = function()
    cart()
    child.cmd("Pi explain")
    H.shows(child, "@cart.js Explain this code.")
  end,
  review = function()
    H.write(child.shop .. "/README.md", "# The shop\n")
    child.cmd("Pi review")
    H.shows(child, "+# The shop")
  end,
  attach = function()
    cart()
    child.cmd("Pi attach buffer")
    prompt_is("@cart.js ")
    cart()
    child.type_keys("gg", "V", "j", "<Esc>")
    child.cmd("Pi attach selection")
    prompt_is("@cart.js \n@cart.js#L1-2 ")
    child.lua([[pi().prompt:set("")]])
    child.lua([[vim.fn.setqflist({ { filename = "cart.js", lnum = 2, text = "look here" } })]])
    child.cmd("Pi attach quickfix")
    prompt_is("Quickfix items:\n```\ncart.js:2: look here\n```")
    child.lua([[pi().prompt:set("")]])
    cart()
    child.lua([[
      vim.diagnostic.set(vim.api.nvim_create_namespace("test"), 0, { { lnum = 0, col = 0, message = "a", severity = 2 } })
    ]])
    child.cmd("Pi attach diagnostics")
    prompt_is("Diagnostics:\n```\ncart.js:1: warning: a\n```")
    child.lua([[pi().prompt:set("")]])
    H.write(child.shop .. "/README.md", "# Another shop\n")
    child.cmd("Pi attach diff")
    H.wait(child, [[pi().prompt:text():find("+# Another shop", 1, true) ~= nil]])
    child.lua([[pi().prompt:set("")]])
    H.write(
      child.shop .. "/dot.png",
      vim.base64.decode(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
      )
    )
    child.cmd("Pi attach image dot.png")
    H.say(child, "say: An image.")
    H.shows(child, "[image image/png, ")
    child.cmd("Pi attach image dot.png")
    H.wait(child, "#pi().prompt.images == 1")
    child.cmd("Pi attach none")
    eq(child.lua_get("pi().prompt.images"), {})
    child.cmd("Pi attach clipboard")
    H.told(child, "clipboard")
    child.cmd("Pi attach nonsense")
    H.told(child, "attach what? buffer")
  end,
  abort = function()
    child.lua([[pi():send("say: to be stopped\nstall")]])
    H.wait(child, [[pi().state.activity == "running"]])
    child.cmd("Pi abort")
    H.wait(child, [[pi().state.activity == "idle"]])
    H.shows(child, "■ stopped")
  end,
  new = function()
    session_changes(function() child.cmd("Pi new") end)
    H.wait(child, [[vim.deep_equal(vim.api.nvim_buf_get_lines(pi().transcript.buf, 0, -1, false), { "" })]])
    H.say(child, "say: In the new one.")
  end,
  resume = function()
    local id = child.lua_get("pi().state.session.id")
    session_changes(function() child.cmd("Pi new") end)
    session_changes(function() child.cmd("Pi resume " .. id) end)
    H.wait(child, [[#vim.api.nvim_buf_get_lines(pi().transcript.buf, 0, -1, false) > 1]])
    H.say(child, "say: Resumed.")
    session_changes(function() child.cmd("Pi new") end)
    H.picks(child, "Resumed.")
    session_changes(function() child.cmd("Pi resume") end)
    H.shows(child, "Resumed.")
    H.previewed(child, "\n\n## Last\nResumed.")
  end,
  sessions = function()
    H.say(child, "say: A needle in a haystack.")
    child.cmd("Pi sessions")
    H.picks(child, "nothing of this kind")
    child.cmd("Pi sessions needle")
    H.wait(child, [[_G.offered ~= nil and #_G.offered > 0]])
  end,
  tree = function()
    H.say(child, "say: In the tree.")
    H.picks(child, "user: say: In the tree.")
    session_changes(function() child.cmd("Pi tree") end)
    prompt_is("say: In the tree.")
    H.previewed(child, "# assistant")
    eq(
      child.lua_get(
        [[vim.iter(_G.offered):any(function(line) return line:find("assistant: In the tree.", 1, true) end)]]
      ),
      true
    )
  end,
  fork = function()
    H.say(child, "say: Fork me.")
    H.picks(child, "say: Fork me.")
    session_changes(function() child.cmd("Pi fork") end)
    prompt_is("say: Fork me.")
    H.previewed(child, "say: Fork me.")
  end,
  clone = function()
    H.say(child, "say: Clone me.")
    session_changes(function() child.cmd("Pi clone") end)
    H.shows(child, "Clone me.")
  end,
  model = function()
    H.picks(child, "plain")
    child.cmd("Pi model")
    H.wait(child, [[pi().state.model.id == "plain"]])
    child.cmd("Pi model scripted/script")
    H.wait(child, [[pi().state.model.id == "script"]])
  end,
  thinking = function()
    H.picks(child, "high")
    child.cmd("Pi thinking")
    H.wait(child, [[pi().state.thinkingLevel == "high"]])
    child.cmd("Pi thinking low")
    H.wait(child, [[pi().state.thinkingLevel == "low"]])
  end,
  compact = function()
    child.cmd("Pi compact say: A summary.")
    H.shows(child, "⋯ compacting the conversation (manual)")
    H.wait(child, [[pi().state.activity == "idle"]])
  end,
  stats = function()
    child.cmd("Pi stats")
    float_has("messages  ")
  end,
  export = function()
    child.cmd("Pi export " .. child.root .. "/session.html")
    H.told(child, "written: ")
    eq(H.read(child.root .. "/session.html"):find("<html", 1, true) ~= nil, true)
  end,
  name = function()
    child.cmd("Pi name the cart")
    H.wait(child, [[pi().state.session.name == "the cart"]])
    eq(child.lua_get([[require("pi_ls").status().session]]), "the cart")
  end,
  bash = function()
    child.cmd("Pi bash echo from $PI_OFFLINE shell")
    H.shows(child, "from 1 shell")
    child.cmd("Pi! bash echo kept from the model")
    H.shows(child, "$ echo kept from the model\nkept from the model")
    child.cmd("Pi bash")
    H.told(child, "which command?")
  end,
  queue = function()
    child.cmd("Pi queue")
    H.told(child, "no message waits")
    child.lua([[pi():send("say: busy\nhold")]])
    H.wait(child, [[pi().state.activity == "running"]])
    child.lua([[pi():send("say: waits")]])
    H.wait(child, [[#pi().state.queue.steering == 1]])
    child.cmd("Pi queue clear")
    prompt_is("say: waits")
    child.lua([[pi():send("/release")]])
  end,
  attention = function()
    child.cmd("Pi attention")
    H.told(child, "no question waits")
  end,
  diff = function()
    H.say(child, {
      'tool: edit {"path":"cart.js","edits":[{"oldText":"(items)","newText":"(items, rate)"}]}',
      "say: Edited.",
    })
    child.cmd("Pi diff")
    eq(
      child.lua([[
      local found = {}
      for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
        table.insert(found, { vim.wo[win].diff, vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, 1, false)[1] })
      end
      return found
    ]]),
      { { true, "export function total(items) {" }, { true, "export function total(items, rate) {" } }
    )
    child.cmd("tabclose")
    H.say(child, {
      'tool: edit {"path":"cart.js","edits":[{"oldText":"(items, rate)","newText":"(items)"}]}',
      'tool: write {"path":"notes.md","content":"# Notes\\n"}',
      "say: Two files.",
    })
    H.picks(child, "notes.md")
    child.cmd("Pi diff")
    H.wait(child, [[vim.fn.expand("%:t") == "notes.md"]])
    H.previewed(child, "-export function total(items, rate) {\n+export function total(items) {")
    H.previewed(child, "+# Notes")
    child.cmd("tabclose")
  end,
  changes = function()
    H.say(child, { 'tool: write {"path":"new.md","content":"# New\\n"}', "say: Written." })
    child.cmd("Pi changes")
    eq(child.lua_get("vim.fn.getqflist()[1].lnum"), 1)
    eq(child.lua_get([[vim.fs.basename(vim.api.nvim_buf_get_name(vim.fn.getqflist()[1].bufnr))]]), "new.md")
    child.cmd("cclose")
  end,
  older = function()
    child.cmd("Pi older")
    H.told(child, "this is the beginning")
  end,
  restart = function()
    H.say(child, "say: Before the restart.")
    local pid = child.lua_get("pi().state.pi.pid")
    child.cmd("Pi restart")
    H.wait(child, ("pi().state.pi ~= nil and pi().state.phase == 'ready' and pi().state.pi.pid ~= %d"):format(pid))
    H.shows(child, "Before the restart.")
  end,
  stop = function()
    child.cmd("tabnew")
    child.lua("_G.seen.events = {}")
    child.cmd("Pi toggle other")
    H.ready(child)
    child.cmd("Pi stop")
    H.wait(
      child,
      [[require("pi_ls.conversation").all.other == nil and #vim.lsp.get_clients({ name = "pi_ls" }) == 1]]
    )
    child.cmd("tabclose")
  end,
  log = function()
    child.cmd("Pi log")
    eq(child.fn.expand("%:t"), "lsp.log")
    child.cmd("bdelete")
  end,
  health = function()
    child.cmd("Pi health")
    H.wait(child, [[vim.bo.filetype == "checkhealth"]])
    local report = table.concat(child.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
    for _, text in ipairs({
      "the Markdown parser is there",
      "bridge: pi-language-server",
      "pi 1: ready, idle",
    }) do
      if not report:find(text, 1, true) then error(("no %q in:\n%s"):format(text, report)) end
    end
    child.cmd("bdelete")
  end,
}

for name, case in vim.spairs(cases) do
  T[":Pi " .. name] = case
end

T["every subcommand has a case"] = function()
  local names = child.lua([[
    return vim.tbl_map(function(subcommand)
      return subcommand[1]
    end, require("pi_ls.subcommands").list)
  ]])
  table.sort(names)
  local tested = vim.tbl_keys(cases)
  table.sort(tested)
  eq(names, tested)
end

T["any other command of pi, by name"] = function()
  child.cmd("Pi get_state")
  float_has("sessionId")
  child.cmd("Pi set_steering_mode mode=all")
  H.told(child, "set_steering_mode: done")
  child.cmd([[Pi set_follow_up_mode {"mode":"all"}]])
  H.told(child, "set_follow_up_mode: done")
  child.cmd("Pi set_steering_mode nonsense=1")
  H.told(child, [["nonsense=1" is no parameter. There are: mode=]])
  child.cmd("Pi bridge.state")
  float_has("phase")
  child.cmd("Pi nonsense")
  H.told(child, "there is no :Pi nonsense")
end

T["what needs a conversation starts none"] = function()
  child.cmd("tabnew")
  for _, name in ipairs({ "abort", "close", "diff", "changes", "queue", "attention", "older", "restart", "stop" }) do
    child.lua("_G.seen.notes = {}")
    child.cmd("Pi " .. name)
    H.told(child, "there is no conversation in this tab page: :Pi starts one")
  end
  eq(child.lua_get([[vim.tbl_count(require("pi_ls.conversation").all)]]), 1)
  child.cmd("tabclose")
end

T["a prompt of the user's own"] = function()
  child.lua([[require("pi_ls.config").current.prompts.document = "Document this code."]])
  cart()
  child.cmd("Pi document")
  H.shows(child, "@cart.js Document this code.")
end

T["completion"] = function()
  local complete = function(line) return child.fn.getcompletion(line, "cmdline") end
  eq(complete("Pi ste"), { "steer" })
  eq(complete("Pi att"), { "attach", "attention" })
  eq(complete("Pi attach di"), { "diagnostics", "diff" })
  eq(complete("Pi set_steering_mode "), { "mode=all", "mode=one-at-a-time" })
  eq(complete("Pi thinking hi"), { "high" })
end

return T

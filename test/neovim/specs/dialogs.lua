local H = require("helpers")
local eq = MiniTest.expect.equality
local T = MiniTest.new_set()
local child

local function start(options)
  return function() child = H.start({ options = options }) end
end

local function stop() child.stop() end

--- Has the extension ask, without a key.
local function ask(command, arguments)
  local words = arguments and command .. " " .. vim.json.encode(arguments) or command
  child.lua("pi():send(...)", { "/" .. words })
end

local function waits(count) H.wait(child, ("pi().dialogs:count() == %d"):format(count), count .. " questions") end

--- Neither this editor nor the bridge has answered.
local function still_waits()
  eq(child.lua_get("pi().dialogs:count()"), 1)
  H.wait(child, "pi().state.dialogs == 1")
end

--- The answer that reached the extension: it tells it.
local function answered(kind, json)
  H.told(child, ('{"%s":%s}'):format(kind, json))
  child.lua("_G.seen.notes = {}")
  waits(0)
end

--- In another window than the prompt nothing opens by itself.
local function elsewhere()
  child.lua([[vim.api.nvim_set_current_win(require("pi_ls.chat").other_window())]])
  child.type_keys("<Esc>")
end

local function into_prompt()
  child.type_keys("<Esc>")
  child.lua([[require("pi_ls.chat").open(pi())]])
end

T["on demand"] = MiniTest.new_set({
  hooks = {
    pre_once = start(),
    post_once = stop,
    pre_case = function() elsewhere() end,
  },
})
local demand = T["on demand"]

demand["a question waits, and is told of"] = function()
  local before = child.lua_get("_G.seen.events.PiAttention or 0")
  ask("select")
  waits(1)
  eq(child.lua_get("_G.seen.events.PiAttention"), before + 1)
  eq(child.lua_get([[require("pi_ls").status().questions]]), 1)
  eq(child.lua_get([[require("pi_ls").statusline():find("? 1", 1, true) ~= nil]]), true)
  eq(H.floats(child), {})
end

demand["select: answered"] = function()
  child.cmd("Pi attention")
  H.waits_for_float(child)
  eq(H.floats(child)[1], { " Decide later", " red", " green", " blue", " Refuse" })
  child.type_keys("jj", "<CR>")
  answered("select", '"green"')
end

demand["select: Enter alone answers nothing"] = function()
  ask("select")
  waits(1)
  child.cmd("Pi attention")
  H.waits_for_float(child)
  child.type_keys("<CR>")
  H.waits_for_no_float(child)
  still_waits()
end

demand["select: closed, and later refused"] = function()
  child.cmd("Pi attention")
  H.waits_for_float(child)
  child.type_keys("<Esc>")
  H.waits_for_no_float(child)
  eq(child.lua_get("pi().dialogs:count()"), 1)
  child.cmd("Pi attention")
  H.waits_for_float(child)
  child.type_keys("jjjj", "<CR>")
  answered("select", "null")
end

demand["refused by a command"] = function()
  ask("confirm")
  waits(1)
  child.cmd("Pi attention refuse")
  answered("confirm", "false")
end

for _, row in ipairs({ { "No", "j", "false" }, { "Yes", "jj", "true" } }) do
  demand["confirm: " .. row[1]] = function()
    ask("confirm")
    waits(1)
    child.cmd("Pi attention")
    H.waits_for_float(child)
    eq(H.floats(child)[1], { "There is no way back.", "", " Decide later", " No", " Yes" })
    child.type_keys(row[2], "<CR>")
    answered("confirm", row[3])
  end
end

demand["input: answered"] = function()
  ask("input")
  waits(1)
  child.cmd("Pi attention")
  H.waits_for_float(child)
  child.type_keys("Grace", "<CR>")
  answered("input", '"Grace"')
end

demand["input: Enter alone answers nothing, <Esc> neither"] = function()
  ask("input")
  waits(1)
  child.cmd("Pi attention")
  H.waits_for_float(child)
  child.type_keys("<CR>")
  H.waits_for_no_float(child)
  child.cmd("Pi attention")
  H.waits_for_float(child)
  child.type_keys("<Esc>", "<Esc>")
  H.waits_for_no_float(child)
  waits(1)
  child.cmd("Pi attention refuse")
  answered("input", "null")
end

demand["editor: :w answers"] = function()
  ask("editor")
  waits(1)
  child.cmd("Pi attention")
  H.wait(child, [[vim.bo.buftype == "acwrite"]])
  eq(child.api.nvim_buf_get_lines(0, 0, -1, false), { "Fix the cart" })
  child.type_keys("A", "'s rounding", "<Esc>")
  child.cmd("write")
  answered("editor", [["Fix the cart's rounding\n"]])
end

demand["editor: :q cancels"] = function()
  ask("editor")
  waits(1)
  child.cmd("Pi attention")
  H.wait(child, [[vim.bo.buftype == "acwrite"]])
  child.type_keys("A", " changed", "<Esc>")
  child.cmd("quit")
  answered("editor", "null")
  H.shows(child, "■ refused: Commit message. What you wrote is in the prompt's history")
end

--- Each row: a kind of question, what is written into it, and how it is left without an answer.
for _, row in ipairs({
  { "editor", "A", " by :q", function() child.cmd("quit") end },
  {
    "editor",
    "A",
    " by :only",
    function()
      child.lua([[vim.api.nvim_set_current_win(require("pi_ls.chat").other_window())]])
      child.cmd("only")
    end,
  },
  { "editor", "A", " by :edit", function() child.cmd("edit! cart.js") end },
  { "editor", "A", " by :Pi attention refuse", function() child.cmd("Pi attention refuse") end },
  { "input", "", "Grace by leaving", function() child.type_keys("<Esc>") end },
  { "input", "", "Grace by :quit", function() child.cmd("quit") end },
  {
    "input",
    "",
    "Grace by :noautocmd quit",
    function()
      child.cmd("noautocmd quit")
      child.cmd("Pi attention")
    end,
  },
  { "input", "", "Grace by :Pi attention refuse", function() child.cmd("Pi attention refuse") end },
}) do
  demand[row[1] .. ": what was written is kept," .. row[3]] = function()
    local buf = child.api.nvim_get_current_buf()
    ask(row[1])
    waits(1)
    child.cmd("Pi attention")
    H.wait(child, ("vim.api.nvim_get_current_buf() ~= %d"):format(buf), "the question")
    child.type_keys(row[2], row[3], "<Esc>")
    row[4]()
    H.shows(child, "What you wrote is in the prompt's history")
    local history = child.lua_get([[require("pi_ls.store").history()]])
    eq(history[#history]:find(row[3], 1, true) ~= nil, true)
    child.lua([[pi().transcript:reset()]])
    child.cmd("Pi attention refuse")
    child.lua([[require("pi_ls.chat").open(pi())]])
    waits(0)
  end
end

demand["by what replaces vim.ui.select"] = function()
  H.picks(child, "blue")
  ask("select")
  waits(1)
  child.cmd("Pi attention")
  answered("select", '"blue"')
  eq(child.lua_get("_G.offered"), { "Decide later", "red", "green", "blue", "Refuse" })
  child.lua([[package.loaded["vim.ui"] = nil; vim.ui = require("vim.ui")]])
end

demand["several queue, oldest first"] = function()
  ask("select", { title = "first", options = { "one" } })
  ask("select", { title = "second", options = { "two" } })
  waits(2)
  eq(child.lua_get("pi().dialogs:first().title"), "first")
  child.cmd("Pi attention")
  H.waits_for_float(child)
  child.type_keys("j", "<CR>")
  H.told(child, '{"select":"one"}')
  waits(1)
  H.waits_for_no_float(child)
  child.cmd("Pi attention")
  H.waits_for_float(child)
  child.type_keys("j", "<CR>")
  answered("select", '"two"')
end

--- An expired question disappears by itself; afterwards everything is as before.
local function expires(kind)
  local windows = child.lua_get("vim.api.nvim_list_wins()")
  ask(kind, { timeout = 1500 })
  waits(1)
  child.cmd("Pi attention")
  H.wait(child, ("#vim.api.nvim_list_wins() == %d"):format(#windows + 1), "the question")
  H.wait(
    child,
    ("vim.deep_equal(vim.api.nvim_list_wins(), %s)"):format(vim.inspect(windows)),
    "its window to close"
  )
  waits(0)
  H.shows(child, "■ expired: ")
  eq(child.fn.mode(), "n")
end

--- Somebody is in the middle of a word: nothing of it goes into another window, and nothing of it is lost.
local function expires_while_it_is_written(kind, before, kept)
  local windows = child.lua_get("vim.api.nvim_list_wins()")
  local buf = child.api.nvim_get_current_buf()
  local lines = child.api.nvim_buf_get_lines(buf, 0, -1, false)
  ask(kind, { timeout = 1500 })
  waits(1)
  child.cmd("Pi attention")
  H.wait(child, ("vim.api.nvim_get_current_buf() ~= %d"):format(buf), "the question")
  child.type_keys(before, "Gra")
  -- A key each 20 ms, and five more when it has expired: they were on their way.
  child.lua([[
    local late, typist = 0, vim.uv.new_timer()
    typist:start(0, 20, vim.schedule_wrap(function()
      if pi().dialogs:count() == 0 then late = late + 1 end
      if late > 5 then return typist:is_closing() or typist:close() end
      vim.api.nvim_input("a")
    end))
  ]])
  waits(0)
  H.wait(
    child,
    ("vim.deep_equal(vim.api.nvim_list_wins(), %s)"):format(vim.inspect(windows)),
    "its window to close"
  )
  H.shows(child, "What you wrote is in the prompt's history")
  eq(child.fn.mode(), "n")
  eq(child.api.nvim_buf_get_lines(buf, 0, -1, false), lines)
  local history = child.lua_get([[require("pi_ls.store").history()]])
  eq(history[#history]:match("^(.-)a*$"), kept)
end

for _, kind in ipairs({ "select", "confirm", "input" }) do
  demand[kind .. ": expires, and its window closes"] = function()
    expires(kind)
    child.lua("_G.seen.notes = {}")
  end
end

demand["input: expires while it is written"] = function()
  expires_while_it_is_written("input", "", "Gr")
  child.lua("_G.seen.notes = {}")
end

demand["an abort closes it"] = function()
  ask("select")
  waits(1)
  child.cmd("Pi attention")
  H.waits_for_float(child)
  child.lua("pi():abort()")
  H.waits_for_no_float(child)
  waits(0)
end

-- Real pi's editor takes no time-out; a pi that plays a scenario has one.
T["played"] = MiniTest.new_set({
  hooks = {
    pre_case = function()
      local record = { type = "extension_ui_request", id = "e1", method = "editor", title = "Commit message" }
      record.prefill, record.timeout = "Fix the cart\n", 1500
      child = H.start({
        scenario = { { expect = { type = "prompt" }, reply = { disposition = "handled" } }, { send = record } },
      })
      elsewhere()
    end,
    post_case = stop,
  },
})

T["played"]["editor: expires, and its window closes"] = function() expires("editor") end

T["played"]["editor: expires while it is written"] = function()
  expires_while_it_is_written("editor", "A", "Fix the cartGr")
end

T["by itself"] = MiniTest.new_set({
  hooks = {
    pre_case = start({ idle_ms = 300 }),
    post_case = stop,
  },
})
local itself = T["by itself"]

itself["opens in an empty prompt, when nobody types"] = function()
  into_prompt()
  ask("select")
  H.waits_for_float(child)
  child.type_keys("<Esc>")
  -- Keys of the first moment do nothing.
  H.wait(
    child,
    [[(function()
    if vim.api.nvim_get_current_line() == " red" then
      return true
    end
    vim.api.nvim_input("<Up><Down>")
  end)()]]
  )
  child.type_keys("<CR>")
  answered("select", '"red"')
  eq(child.lua_get("vim.api.nvim_get_current_buf() == pi().prompt.buf"), true)
end

itself["input asks first whether it may take the keys"] = function()
  into_prompt()
  ask("input")
  H.waits_for_float(child)
  eq(H.floats(child)[1], { " Decide later", " Answer …", " Refuse" })
end

for _, kind in ipairs({ "select", "confirm", "input", "editor" }) do
  itself[kind .. ": does not interrupt somebody who types"] = function()
    into_prompt()
    local windows = child.lua_get("#vim.api.nvim_list_wins()")
    child.type_keys("i", "Please ")
    ask(kind)
    waits(1)
    child.type_keys("1 do this", "<CR>", "y<CR>", "<Esc>")
    eq(H.prompt(child), "Please 1 do this\ny\n")
    eq(child.lua_get("#vim.api.nvim_list_wins()"), windows)
    still_waits()
    -- And opens when the prompt is empty again.
    child.type_keys("ggdG")
    H.waits_for_float(child)
    still_waits()
  end
end

itself["a stray Enter answers nothing"] = function()
  into_prompt()
  ask("confirm")
  waits(1)
  H.waits_for_float(child)
  H.wait(
    child,
    [[(function()
    vim.api.nvim_input("<CR>")
    for _, win in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(win).relative ~= "" then return false end
    end
    return true
  end)()]]
  )
  -- Put off, it does not open by itself again.
  still_waits()
end

--- A menu is there, and nobody has seen it.
for _, row in ipairs({
  { "select", "we went on with new tests<CR>" },
  { "confirm", "we went on with new tests<CR>" },
  { "confirm", "just do it<CR>" },
  { "confirm", "Go and take a look<CR>" },
  { "confirm", "jam is } G j j<CR>" },
  { "confirm", ":wq<CR>" },
  { "confirm", "<C-n><C-n><CR>" },
  { "confirm", "<C-j><Space><Space><CR>" },
  { "input", "just 2w 3e<CR>" },
}) do
  for name, options in pairs({
    ["a sentence"] = {},
    ["a sentence of somebody whose Enter sends"] = { enter_sends = true },
  }) do
    itself[("%s: %s answers nothing: %s"):format(row[1], name, row[2])] = function()
      child.lua("require('pi_ls.config').current.enter_sends = ...", { options.enter_sends or false })
      into_prompt()
      ask(row[1])
      waits(1)
      H.waits_for_float(child)
      -- The first moment is over: an arrow moves.
      H.wait(
        child,
        [[(function()
        if vim.api.nvim_win_get_cursor(0)[1] > 1 and vim.api.nvim_get_current_line():find("Decide") == nil then return true end
        vim.api.nvim_input("<Down>")
      end)()]]
      )
      child.api.nvim_input(row[2])
      H.wait(child, [[vim.api.nvim_get_current_line() == " Decide later"]])
      still_waits()
      eq(#H.floats(child), 1)
    end
  end
end

itself["a picker that takes any letter does not open"] = function()
  H.picks(child, "Yes")
  into_prompt()
  ask("confirm")
  H.waits_for_float(child)
  still_waits()
  eq(child.lua_get("_G.offered"), vim.NIL)
end

itself["opens when the prompt is entered"] = function()
  elsewhere()
  ask("select")
  waits(1)
  eq(H.floats(child), {})
  into_prompt()
  H.waits_for_float(child)
end

return T

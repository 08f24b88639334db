-- What a person sees, as text. A picture that is missing is written; look at it before you keep it.
local H = require("helpers")
local T = MiniTest.new_set()
local child

T["screens"] = MiniTest.new_set({
  hooks = {
    pre_case = function()
      child = H.start({ still = true, edit = "cart.js", lines = 30, columns = 120 })
      child.o.laststatus = 0
      child.o.ruler = false
    end,
    post_case = function() child.stop() end,
  },
})
local screens = T["screens"]

local function picture(name)
  child.cmd("redraw!")
  -- Neovim 0.10 cannot hide the lines of fences.
  local folder = child.fn.has("nvim-0.11") == 1 and "hides-lines" or "keeps-lines"
  local path = ("%s/test/neovim/screens/%s/%s.txt"):format(H.checkout, folder, name)
  MiniTest.expect.reference_screenshot(child.get_screenshot(), path, { ignore_attr = true })
end

screens["a new session"] = function() picture("new") end

screens["a conversation"] = function()
  H.say(child, {
    "think: The total leaves out the quantity.\\nI change that.",
    "say: The total leaves out **quantities**. I change `cart.js`:",
    'tool: read {"path":"cart.js"}',
    -- A message of its own: tools of one message run at the same time.
    "say: One line changes.",
    'tool: edit {"path":"cart.js","edits":[{"oldText":"a + b.price","newText":"a + b.price * b.count"}]}',
    "say: Done. Each item now needs a `count`:\\n\\n- a number\\n- at least 1",
  })
  H.wait(child, [[vim.fn.getbufline("cart.js", 2)[1]:find("count", 1, true) ~= nil]])
  picture("conversation")
end

screens["while the agent runs, with a queue"] = function()
  H.type(child, "say: I am at it.\nhold")
  H.shows(child, "I am at it.")
  H.type(child, "Leave the tests alone.")
  H.wait(child, "#pi().state.queue.steering == 1")
  child.type_keys("i", "And then")
  picture("running")
end

screens["a question"] = function()
  child.lua([[pi():send("/confirm")]])
  H.wait(child, "pi().dialogs:count() == 1")
  H.waits_for_float(child)
  picture("question")
end

screens["a question that waits"] = function()
  child.type_keys("i", "I am writing")
  child.lua([[pi():send("/select")]])
  H.wait(child, "pi().dialogs:count() == 1")
  picture("question-waits")
end

screens["errors"] = function()
  H.say(child, "fail: 400 the model said no")
  picture("error")
end

return T

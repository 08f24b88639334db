--- What Neovim's own commands do to the buffers of a conversation.
local H = require("helpers")
local eq = MiniTest.expect.equality
local child

local T = MiniTest.new_set({
  hooks = {
    pre_once = function() child = H.start({ edit = "cart.js" }) end,
    post_once = function() child.stop() end,
  },
})

--- Both windows are there, with the text, and a message can be sent.
local function is_whole(draft)
  child.lua([[require("pi_ls.chat").open(pi())]])
  eq(H.prompt(child), draft)
  H.shows(child, "The first answer.")
  eq(child.lua_get([[#vim.lsp.get_clients({ name = "pi_ls", bufnr = pi().prompt.buf })]]), 1)
  H.say(child, "say: Again.")
  H.shows(child, "## pi\n\nAgain.")
  eq(child.lua_get("#vim.api.nvim_tabpage_list_wins(0)"), 3)
end

for _, command in ipairs({ "edit", "edit!", "bdelete", "bdelete!", "bwipeout", "bunload" }) do
  for _, which in ipairs({ "prompt", "transcript" }) do
    T[(":%s in the %s loses nothing"):format(command, which)] = function()
      child.lua([[require("pi_ls.chat").open(pi())]])
      H.say(child, "say: The first answer.")
      child.lua([[pi().prompt:set("a draft\nof two lines")]])
      local buf = child.lua_get(("pi().%s.buf"):format(which))
      child.lua("vim.api.nvim_set_current_win(vim.fn.win_findbuf(...)[1])", { buf })
      child.cmd(command)
      H.wait(child, ("vim.api.nvim_buf_is_loaded(pi().%s.buf) and not pi().%s.is_unloaded"):format(which, which))
      H.wait(child, [[pi().prompt:text() == "a draft\nof two lines"]])
      is_whole("a draft\nof two lines")
    end
  end
end

T[":edit in the chat while an answer streams"] = function()
  child.lua([[require("pi_ls.chat").open(pi())]])
  child.lua([[pi():send("pace: 20\nsay: " .. ("word "):rep(30) .. "end")]])
  H.shows(child, "word word")
  child.lua("vim.api.nvim_set_current_win(vim.fn.win_findbuf(pi().transcript.buf)[1])")
  child.cmd("edit")
  H.wait(child, [[pi().state.activity == "idle"]])
  -- In the message, and in the answer.
  H.wait(
    child,
    [[select(2, table.concat(vim.api.nvim_buf_get_lines(pi().transcript.buf, 0, -1, false), "\n"):gsub("word end", "")) == 2]]
  )
  eq(H.notes(child), "")
end

T["a session of Neovim's with the chat in it"] = function()
  local other = H.start()
  local session = other.root .. "/Session.vim"
  other.cmd("mksession " .. session)
  local root = other.root
  other.stop()
  other = H.start({ root = root, closed = true })
  other.cmd("source " .. session)
  other.cmd("Pi")
  H.ready(other)
  eq(H.notes(other), "")
  H.say(other, "say: Here again.")
  eq(other.lua_get("#vim.fn.win_findbuf(pi().prompt.buf) + #vim.fn.win_findbuf(pi().transcript.buf)"), 2)
  other.stop()
end

return T

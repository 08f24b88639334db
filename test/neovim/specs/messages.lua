--- What cannot be done is said in words that help, and leaves nothing half done.
local H = require("helpers")
local eq = MiniTest.expect.equality
local child

local T = MiniTest.new_set({
  hooks = {
    post_case = function() child.stop() end,
  },
})

T["a file is not opened over changes, with 'nohidden'"] = function()
  child = H.start({ edit = "cart.js" })
  child.cmd("set nohidden")
  child.lua([[vim.api.nvim_buf_set_lines(vim.fn.bufnr("cart.js"), 0, 0, false, { "// mine" })]])
  child.lua([[require("pi_ls.chat").edit(pi().cwd .. "/README.md", 1)]])
  H.told(child, "not opened: E37: No write since last change")
  eq(H.notes(child):find("traceback"), nil)
end

T["an open chat moves to the layout that is asked for"] = function()
  child = H.start()
  for _, layout in ipairs({ "bottom", "left", "tab", "float", "right" }) do
    child.cmd("Pi open " .. layout)
    eq(child.lua_get("vim.t.pi_ls_layout"), layout)
    eq(child.lua_get("#vim.fn.win_findbuf(pi().prompt.buf) + #vim.fn.win_findbuf(pi().transcript.buf)"), 2)
    eq(child.lua_get("vim.api.nvim_get_current_buf() == pi().prompt.buf"), true)
  end
end

for _, layout in ipairs({ "right", "left", "bottom" }) do
  T["a screen without room for the chat: " .. layout] = function()
    child = H.start({ closed = true, lines = 8, columns = 30 })
    child.cmd("set winheight=3 winminheight=3")
    local windows = child.lua_get("vim.api.nvim_list_wins()")
    child.cmd("Pi open " .. layout)
    H.told(child, "there is no room for the chat here")
    eq(child.lua_get("vim.api.nvim_list_wins()"), windows)
  end
end

T["an image that is missing, and a file that is none"] = function()
  child = H.start()
  child.cmd("Pi attach image missing.png")
  H.told(child, "missing.png")
  child.cmd("Pi attach image README.md")
  H.told(child, "no image that pi takes (PNG, JPEG, GIF, WebP): ")
  eq(child.lua_get("pi().prompt.images"), {})
end

T["the bar of the prompt names the key that steers"] = function()
  child = H.start()
  child.lua([[pi():send('tool: bash {"command":"sleep 60"}')]])
  H.wait(child, [[pi().state.activity == "running"]])
  local bar = [[(function()
    vim.g.statusline_winid = vim.api.nvim_get_current_win()
    return require("pi_ls.status").promptbar()
  end)()]]
  child.type_keys("<Esc>")
  eq(child.lua_get(bar):match("(%S+) steers"), "<CR>")
  child.type_keys("i")
  eq(child.lua_get(bar):match("(%S+) steers"), "<C-s>")
  child.lua([[require("pi_ls.config").current.enter_sends = true]])
  eq(child.lua_get(bar):match("(%S+) steers"), "<CR>")
end

T["without node it is node that is missing"] = function()
  child = H.start({ closed = true })
  child.lua([[vim.env.PATH = "/nowhere"]])
  child.cmd("Pi")
  H.told(child, "there is no node in the PATH of Neovim. Install Node 22.19 or newer")
end

T["the health check asks the doctor about the pi that is configured"] = function()
  child = H.start({ closed = true })
  child.lua([[
    local system = vim.system
    vim.system = function(words, ...)
      _G.words = words
      return system(words, ...)
    end
  ]])
  child.cmd("checkhealth pi_ls")
  local words = child.lua_get("table.concat(_G.words, ' ')")
  eq(words:find("--provider scripted --model script", 1, true) ~= nil, true)
  local report = table.concat(child.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
  eq(report:find("ERROR", 1, true), nil)
end

T["a killed pi is told of once"] = function()
  child = H.start()
  local pid = child.lua_get("pi().state.pi.pid")
  vim.uv.kill(pid, "sigkill")
  H.wait(child, ("pi().state.phase == 'ready' and pi().state.pi.pid ~= %d"):format(pid))
  H.shows(child, "■ pi ended and was started again")
  eq(select(2, H.chat(child):gsub("pi has ended", "")), 1)
end

T["the hint of a failure that was told of before names what a person can do"] = function()
  child = H.start()
  child.lua([[
    pi():tell("warning", "pi has ended")
    for _ = 1, 2 do
      pi():tell("error", "pi has ended", "pi starts again with bridge/restart.")
    end
  ]])
  local chat = H.chat(child)
  eq(select(2, chat:gsub("pi has ended", "")), 1)
  eq(select(2, chat:gsub("pi starts again with :Pi restart%.", "")), 1)
end

return T

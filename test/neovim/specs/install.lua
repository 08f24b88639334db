local H = require("helpers")
local eq = MiniTest.expect.equality
local T = MiniTest.new_set()

T["the link of the README makes it a plugin"] = function()
  local data = vim.fn.tempname()
  vim.fn.mkdir(data .. "/nvim/site/pack/pi/start", "p")
  vim.uv.fs_symlink(H.checkout .. "/clients/neovim", data .. "/nvim/site/pack/pi/start/pi_ls")
  local result = vim
    .system({
      vim.v.progpath,
      "--headless",
      "-u",
      "NORC",
      "-c",
      "lua io.stdout:write(vim.fn.exists(':Pi'))",
      "-c",
      "qa",
    }, {
      env = { XDG_DATA_HOME = data, XDG_CONFIG_HOME = data, XDG_STATE_HOME = data },
      text = true,
    })
    :wait()
  eq(result.stdout, "2")
end

T["nothing is loaded before it is used"] = function()
  local result = vim
    .system({
      vim.v.progpath,
      "--headless",
      "--clean",
      "--cmd",
      "set rtp+=" .. H.checkout .. "/clients/neovim",
      "-c",
      "lua io.stdout:write(vim.inspect(vim.tbl_filter(function(n) return n:find('^pi_ls') end, vim.tbl_keys(package.loaded))))",
      "-c",
      "qa",
    }, { text = true })
    :wait()
  eq(result.stdout, '{ "pi_ls.highlights" }')
end

T["completion in the prompt"] = function()
  local child = H.start()
  child.lua([[require("pi_ls.chat").open(pi())]])
  child.o.completeopt = "menuone,noinsert"
  local complete = function(text)
    child.lua([[pi().prompt:set("")]])
    child.type_keys("<Esc>", "i", text)
    child.type_keys("<C-x><C-o>")
    H.wait(child, "vim.fn.pumvisible() == 1", "the completion menu for " .. text)
    local words = vim.tbl_map(function(item) return item.word end, child.fn.complete_info({ "items" }).items)
    child.type_keys("<C-e>", "<Esc>")
    return words
  end
  eq(vim.tbl_contains(complete("/rel"), "/release"), true)
  eq(vim.tbl_contains(complete("Look at @ca"), "@cart.js"), true)
  child.stop()
end

return T

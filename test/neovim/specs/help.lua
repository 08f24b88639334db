local H = require("helpers")
local T = MiniTest.new_set()

T["the help is as the tables are"] = function()
  local help = dofile(H.checkout .. "/test/neovim/help.lua")
  local fresh = help.text()
  if H.read(help.path) ~= fresh then
    error("doc/pi_ls.txt is stale. Run: node test/neovim/root.ts 0.12 nvim -l test/neovim/help.lua")
  end
end

T["every tag of the help is there once"] = function()
  local folder = vim.fn.tempname()
  vim.fn.mkdir(folder, "p")
  vim.uv.fs_copyfile(H.checkout .. "/clients/neovim/doc/pi_ls.txt", folder .. "/pi_ls.txt")
  vim.cmd("helptags " .. folder)
  local tags = vim.fn.readfile(folder .. "/tags")
  for _, tag in ipairs({ "pi_ls", ":Pi", ":Pi-fork", "pi_ls-keys", "pi_ls.setup()" }) do
    MiniTest.expect.equality(#vim.tbl_filter(function(line)
      return vim.startswith(line, tag .. "\t")
    end, tags), 1)
  end
end

return T

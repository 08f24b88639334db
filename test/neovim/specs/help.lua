local H = require("helpers")
local T = MiniTest.new_set()

T["the help is as the tables are"] = function()
  for path, fresh in pairs(dofile(H.checkout .. "/test/neovim/help.lua").files()) do
    if H.read(path) ~= fresh then
      error(path .. " is stale. Run: node test/neovim/root.ts 0.12 nvim -l test/neovim/help.lua")
    end
  end
end

T["its tags are there, so that nobody has to make them"] = function()
  local folder = vim.fn.tempname()
  vim.fn.mkdir(folder, "p")
  vim.uv.fs_copyfile(H.checkout .. "/clients/neovim/doc/pi_ls.txt", folder .. "/pi_ls.txt")
  vim.cmd.helptags(folder)
  MiniTest.expect.equality(H.read(H.checkout .. "/clients/neovim/doc/tags"), H.read(folder .. "/tags"))
end

return T

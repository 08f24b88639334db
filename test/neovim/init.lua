-- Runs the specs in this Neovim; each starts children of its own. PI_SPECS: the files, one a line.
vim.opt.runtimepath:append(vim.env.PI_MINI_TEST)
vim.opt.runtimepath:append(vim.env.PI_CHECKOUT .. "/test/neovim")
package.path = vim.env.PI_CHECKOUT .. "/test/neovim/?.lua;" .. package.path
local MiniTest = require("mini.test")
_G.MiniTest = MiniTest

local reporter = MiniTest.gen_reporter.stdout({ quit_on_finish = false })
local finish = reporter.finish
reporter.finish = function()
  finish()
  local passed, failed = 0, 0
  for _, case in ipairs(MiniTest.current.all_cases) do
    local state = case.exec and case.exec.state or "Fail"
    if state:find("^Pass") then
      passed = passed + 1
    else
      failed = failed + 1
    end
  end
  io.stdout:write(("\n%d passed, %d failed\n"):format(passed, failed))
  io.stdout:flush()
  vim.cmd(failed > 0 and "silent! 1cquit" or "silent! 0cquit")
end

MiniTest.setup({
  collect = {
    find_files = function() return vim.split(vim.env.PI_SPECS, "\n") end,
    filter_cases = function(case)
      local wanted = vim.env.PI_ONLY or ""
      return wanted == "" or table.concat(case.desc, " "):find(wanted, 1, true) ~= nil
    end,
  },
  execute = { reporter = reporter },
})
vim.schedule(function() MiniTest.run() end)

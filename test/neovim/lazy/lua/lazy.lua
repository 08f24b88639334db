--- A stand-in for lazy.nvim: what that does to Neovim and to a plugin which is a folder. The paths are set anew, Neovim
--- loads no plugins itself, and the folder of each that is not to be loaded late comes in, with its plugin/.

local M = {}

---@param options { spec: { dir: string, name?: string, lazy?: boolean }[], defaults: { lazy: boolean } }
function M.setup(options)
  local own = vim.fs.dirname(vim.fs.dirname(debug.getinfo(1, "S").source:sub(2)))
  local config = vim.fn.stdpath("config")
  vim.go.packpath = vim.env.VIMRUNTIME
  vim.go.runtimepath = table.concat({ config, own, vim.env.VIMRUNTIME, config .. "/after" }, ",")
  vim.go.loadplugins = false
  for _, plugin in ipairs(options.spec) do
    assert(vim.fn.isdirectory(plugin.dir) == 1, plugin.dir .. " is no folder")
    local late = plugin.lazy
    if late == nil then late = options.defaults.lazy end
    if not late then
      vim.opt.runtimepath:prepend(plugin.dir)
      for _, file in ipairs(vim.fn.globpath(plugin.dir .. "/plugin", "**/*.lua", true, true)) do
        vim.cmd.source(file)
      end
    end
  end
end

return M

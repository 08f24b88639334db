local H = require("helpers")
local eq = MiniTest.expect.equality
local T = MiniTest.new_set()

--- The block of the README that has TEXT in it, with what stands for the reader's own put in.
local function from_readme(text, names)
  for block in H.read(H.checkout .. "/clients/neovim/README.md"):gmatch("```lua\n(.-)```") do
    if block:find(text, 1, true) then return (block:gsub("%u%u%u+", names)) end
  end
  error("the README has no block with " .. text)
end

local OWN_BRIDGE = "node " .. H.checkout .. "/dist/pi-language-server.cjs --stdio"

--- Whether a Neovim with this init.lua and these data has the command, and starts BRIDGE.
local function has_command(data, init, bridge)
  H.write(data .. "/nvim/init.lua", init)
  local script = [[lua io.stdout:write(table.concat({
    vim.fn.exists(":Pi"),
    #vim.api.nvim_get_runtime_file("lsp/pi_ls.lua", true),
    table.concat(require("pi_ls.client").command(), " "),
  }, "\n"))]]
  local env = { XDG_DATA_HOME = data, XDG_CONFIG_HOME = data, XDG_STATE_HOME = data }
  local command = { vim.v.progpath, "--headless", "-c", script, "-c", "qa" }
  local result = vim.system(command, { env = env, text = true }):wait()
  eq({ result.stdout, result.code, result.stderr:match("E%d+:.*") }, { "2\n1\n" .. bridge, 0 })
end

T["the link of the README makes it a plugin"] = function()
  local data = vim.fn.tempname()
  vim.fn.mkdir(data .. "/nvim/site/pack/pi/start", "p")
  vim.uv.fs_symlink(H.checkout .. "/clients/neovim", data .. "/nvim/site/pack/pi/start/pi_ls")
  has_command(data, "", OWN_BRIDGE)
end

T["the line of the README for init.lua"] = function()
  local line = from_readme("runtimepath:append(", { FOLDER = H.checkout .. "/clients/neovim" })
  has_command(vim.fn.tempname(), line, OWN_BRIDGE)
end

T["the lines of the README for vim.pack"] = function()
  if vim.fn.has("nvim-0.12") == 0 then MiniTest.skip("vim.pack came with Neovim 0.12") end
  local repository, data = vim.fn.tempname(), vim.fn.tempname()
  vim.fn.mkdir(repository .. "/clients", "p")
  local git = { "-c", "user.name=Ada", "-c", "user.email=ada@example.org" }
  for _, words in ipairs({
    { "cp", "-r", H.checkout .. "/clients/neovim", repository .. "/clients/neovim" },
    { "git", "init", "-q", "-b", "main", "." },
    { "git", "add", "-A" },
    vim.list_extend(vim.list_extend({ "git" }, git), { "commit", "-qm", "All" }),
  }) do
    local result = vim.system(words, { cwd = repository, text = true }):wait()
    eq(result.code == 0 and "" or result.stderr, "")
  end
  local lines = from_readme("vim.pack.add", { REPOSITORY = "file://" .. repository })
  -- It asks before it installs, and nobody is there to answer.
  has_command(data, "vim.fn.confirm = function() return 1 end\n" .. lines, "pi-language-server --stdio")
end

--- The lines of an init.lua with the README's block among the plugins of the lazy.nvim in FOLDER, which is to load late
--- what does not ask for the opposite.
local function with_lazy(folder, plugin)
  return ([[
    vim.opt.runtimepath:prepend(%q)
    require("lazy").setup({ spec = { %s }, defaults = { lazy = true } })
    if vim.lsp.enable then vim.lsp.enable("pi_ls") end
  ]]):format(folder, plugin)
end

local function plugin_of_readme() return from_readme("dir = ", { FOLDER = H.checkout .. "/clients/neovim" }) end

local function real_lazy()
  local folder = vim.env.LAZY_NVIM
  if not folder or folder == "" then MiniTest.skip("left out: LAZY_NVIM names no folder with lazy.nvim") end
  return folder
end

--- Talks with the agent, and has a file join it.
local function is_of_use(child)
  child.cmd("Pi")
  H.ready(child)
  H.say(child, "say: Good morning.")
  H.shows(child, "## pi\n\nGood morning.")
  eq(child.lua_get([[require("pi_ls").statusline():find("^pi") ~= nil]]), true)
  child.lua([[vim.api.nvim_set_current_win(require("pi_ls.chat").other_window())]])
  child.cmd("edit cart.js")
  H.wait(
    child,
    [[#vim.lsp.get_clients({ name = "pi_ls", bufnr = vim.fn.bufnr("cart.js") }) == 1]],
    "cart.js to join"
  )
  eq(H.notes(child), "")
  child.stop()
end

--- What Neovim finds of the plugin by itself.
local function is_found(child)
  eq(child.lua_get([[#vim.api.nvim_get_runtime_file("lsp/pi_ls.lua", true)]]), 1)
  eq(child.fn.maparg("<Plug>(pi-toggle)", "n"), "<Cmd>Pi toggle<CR>")
  -- Without its filetype: Debian's Neovim has no parser for help.
  child.cmd("noautocmd help pi_ls")
  eq(child.fn.expand("%:p"), H.checkout .. "/clients/neovim/doc/pi_ls.txt")
  child.cmd("close")
  child.cmd("checkhealth pi_ls")
  local health = table.concat(child.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
  eq({ health:match("pi_ls: the bridge"), health:match("[^\n]*ERROR[^\n]*") }, { "pi_ls: the bridge" })
  child.cmd("bwipeout | tabonly")
end

for _, row in ipairs({
  { "a stand-in for it", function() return H.checkout .. "/test/neovim/lazy" end },
  { "itself", real_lazy },
}) do
  T["the line of the README for lazy.nvim: " .. row[1]] = function()
    local child = H.start({ closed = true, install = with_lazy(row[2](), plugin_of_readme()) })
    is_found(child)
    is_of_use(child)
  end
end

T["lazy.nvim that loads the plugin when :Pi is called"] = function()
  local plugin = plugin_of_readme():gsub("lazy = false", 'cmd = "Pi"')
  is_of_use(H.start({ closed = true, install = with_lazy(real_lazy(), plugin) }))
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

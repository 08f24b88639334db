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

--- Whether a Neovim with this init.lua and these data has the command.
local function has_command(data, init)
  H.write(data .. "/nvim/init.lua", init)
  local script =
    [[lua io.stdout:write(vim.fn.exists(":Pi") .. " " .. #vim.api.nvim_get_runtime_file("lsp/pi_ls.lua", true))]]
  local env = { XDG_DATA_HOME = data, XDG_CONFIG_HOME = data, XDG_STATE_HOME = data }
  local command = { vim.v.progpath, "--headless", "-c", script, "-c", "qa" }
  local result = vim.system(command, { env = env, text = true }):wait()
  eq({ result.stdout, result.code, result.stderr:match("E%d+:.*") }, { "2 1", 0 })
end

T["the link of the README makes it a plugin"] = function()
  local data = vim.fn.tempname()
  vim.fn.mkdir(data .. "/nvim/site/pack/pi/start", "p")
  vim.uv.fs_symlink(H.checkout .. "/clients/neovim", data .. "/nvim/site/pack/pi/start/pi_ls")
  has_command(data, "")
end

T["the line of the README for init.lua"] = function()
  has_command(vim.fn.tempname(), from_readme("runtimepath:append(", { FOLDER = H.checkout .. "/clients/neovim" }))
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
  has_command(data, "vim.fn.confirm = function() return 1 end\n" .. lines)
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

-- How the Neovim that is tested starts: a user's init.lua. PI_TEST is a JSON object of what this test wants.
local test = vim.json.decode(vim.env.PI_TEST)
if test.install then
  assert(load(test.install))()
else
  vim.opt.runtimepath:prepend(test.checkout .. "/clients/neovim")
end

-- What a person would see pass by, kept for the test.
_G.seen = { notes = {}, events = {} }
vim.notify = function(message, level) table.insert(_G.seen.notes, { message = message, level = level }) end
vim.api.nvim_create_autocmd("User", {
  pattern = "Pi*",
  callback = function(event) _G.seen.events[event.match] = (_G.seen.events[event.match] or 0) + 1 end,
})

if test.still then
  -- The same picture each time.
  require("pi_ls.text").duration = function() return "1.2 s" end
  local date = os.date
  os.date = function(format, ...) -- luacheck: ignore
    return format == "%H:%M" and "14:02" or date(format, ...)
  end
end

require("pi_ls").setup(test.options)

if test.still then
  -- These come when pi has counted.
  local status = require("pi_ls.status")
  local of = status.of
  status.of = function(conversation)
    return vim.tbl_extend("force", of(conversation), { percent = false, cost = false })
  end
end

--- The conversation of this tab page.
function _G.pi() return require("pi_ls.conversation").current() end

if vim.g.loaded_pi_ls or vim.fn.has("nvim-0.10") == 0 then return end
vim.g.loaded_pi_ls = true

vim.api.nvim_create_user_command("Pi", function(options) require("pi_ls.command").run(options) end, {
  nargs = "*",
  bang = true,
  range = true,
  desc = "pi, the coding agent",
  complete = function(lead, line) return require("pi_ls.command").complete(lead, line) end,
})

require("pi_ls.highlights").define()

for lhs, rhs in pairs({
  ["<Plug>(pi-toggle)"] = "<Cmd>Pi toggle<CR>",
  ["<Plug>(pi-prompt)"] = "<Cmd>Pi prompt<CR>",
  ["<Plug>(pi-abort)"] = "<Cmd>Pi abort<CR>",
  ["<Plug>(pi-attention)"] = "<Cmd>Pi attention<CR>",
  ["<Plug>(pi-diff)"] = "<Cmd>Pi diff<CR>",
}) do
  vim.keymap.set("n", lhs, rhs)
end
vim.keymap.set({ "n", "x" }, "<Plug>(pi-ask)", ":Pi ask<CR>")
vim.keymap.set({ "n", "x" }, "<Plug>(pi-fix)", ":Pi fix<CR>")
vim.keymap.set({ "n", "x" }, "<Plug>(pi-explain)", ":Pi explain<CR>")

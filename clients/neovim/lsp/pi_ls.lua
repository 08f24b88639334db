-- For `vim.lsp.enable("pi_ls")` and `vim.lsp.config("pi_ls", {…})`. The agent itself starts with `:Pi`.
return require("pi_ls.client").config()

std = "luajit"
cache = false
max_line_length = 120
read_globals = { "vim" }
-- Neovim's options and variables are set through these.
globals = { "vim.o", "vim.g", "vim.b", "vim.t", "vim.w", "vim.bo", "vim.wo", "vim.ui", "vim.notify" }
-- `self` and callback arguments that are there for their place.
ignore = { "212" }
-- Generated.
files["**/data.lua"] = { max_line_length = false }
files["**/types.lua"] = { max_line_length = false }

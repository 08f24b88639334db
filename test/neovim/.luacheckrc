std = "luajit"
cache = false
max_line_length = 140
globals = { "vim", "MiniTest", "pi" }
ignore = { "212" }

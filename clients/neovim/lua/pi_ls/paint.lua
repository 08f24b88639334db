--- Highlights Markdown that does not change any more, once. Tree-sitter on the whole buffer would look at all of a long
--- transcript whenever a word is added to it; this looks at what is new.

local api = vim.api
local PAINT = api.nvim_create_namespace("pi_ls.paint")

local M = {}

local can_conceal_lines = vim.fn.has("nvim-0.11") == 1
local skipped = { spell = true, nospell = true, none = true }

---@param buf integer
---@param row integer what row 0 of the parsed text is in the buffer
---@param source string
---@param tree TSTree
---@param lang string
local function paint_tree(buf, row, source, tree, lang)
  local query = vim.treesitter.query.get(lang, "highlights")
  if not query then return end
  for id, node, metadata in query:iter_captures(tree:root(), source) do
    local name = query.captures[id]
    local own = metadata[id] or {}
    local conceal = own.conceal or metadata.conceal
    local conceal_lines = own.conceal_lines or metadata.conceal_lines
    local from_row, from_col, to_row, to_col = node:range()
    if not skipped[name] and name:sub(1, 1) ~= "_" then
      pcall(api.nvim_buf_set_extmark, buf, PAINT, row + from_row, from_col, {
        end_row = row + to_row,
        end_col = to_col,
        hl_group = ("@%s.%s"):format(name, lang),
        conceal = conceal,
        conceal_lines = can_conceal_lines and conceal_lines or nil,
        priority = 100,
        strict = false,
      })
    end
  end
end

--- Highlights rows from FROM up to, and without, TO, which are whole blocks of Markdown.
---@param buf integer
---@param from integer
---@param to integer
function M.rows(buf, from, to)
  local source = table.concat(api.nvim_buf_get_lines(buf, from, to, false), "\n") .. "\n"
  api.nvim_buf_clear_namespace(buf, PAINT, from, to)
  -- Nothing in it but words.
  if not source:find("[`*_#%[%-~|<\\&:>]") and not source:find("%d[.)]") then return end
  local ok, parser = pcall(vim.treesitter.get_string_parser, source, "markdown")
  if not ok or not parser then return end
  parser:parse(true)
  parser:for_each_tree(function(tree, language_tree) paint_tree(buf, from, source, tree, language_tree:lang()) end)
end

---@param buf integer
---@param from integer
---@param to integer
function M.clear(buf, from, to) api.nvim_buf_clear_namespace(buf, PAINT, from, to) end

return M

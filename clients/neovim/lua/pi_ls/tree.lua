--- The entries of a session as a tree, from the flat list of the bridge.

local M = {}

local shown_types = { compaction = true, branch_summary = true, custom_message = true }

---@param node table
local function is_shown(node)
  return node.role == "user" or node.role == "assistant" or shown_types[node.type] or node.label ~= nil
end

--- The nodes that a person knows, in the order of the tree, each with its depth: it grows only where a branch begins.
---@param nodes table[] of `bridge/tree`
---@return table[]
function M.shown(nodes)
  local children = {}
  for _, node in ipairs(nodes) do
    children[node.id] = {}
  end
  local roots = {}
  for _, node in ipairs(nodes) do
    table.insert(children[node.parentId] or roots, node)
  end
  local result, stack = {}, {}
  -- A stack, since a long session is deeper than Lua's calls.
  local function push(siblings, depth)
    for at = #siblings, 1, -1 do
      stack[#stack + 1] = { siblings[at], depth }
    end
  end
  push(roots, 0)
  while #stack > 0 do
    local node, depth = unpack(table.remove(stack))
    if is_shown(node) then result[#result + 1] = vim.tbl_extend("force", node, { depth = depth }) end
    push(children[node.id], #children[node.id] > 1 and depth + 1 or depth)
  end
  return result
end

return M

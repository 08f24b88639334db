--- Every command of pi and every request of the bridge as a subcommand of `:Pi`, from the generated tables.

local data = require("pi_ls.data")
local float = require("pi_ls.float")
local notify = require("pi_ls.notify")

local M = {}

--- `key=value` words, or one JSON object, as the parameters of a command.
---@param call pi_ls.Call
---@param params pi_ls.Param[]
---@return table?
local function parameters(call, params)
  if vim.startswith(call.args, "{") then return vim.json.decode(call.args) end
  local result = {}
  for _, word in ipairs(call.words) do
    local name, value = word:match("^([%w_]+)=(.*)$")
    local known = vim.iter(params):find(function(param) return param.name == name end)
    if not known then
      local names = vim.iter(params):map(function(param) return param.name .. "=" end):join(" ")
      local there_are = names == "" and "It takes none." or "There are: " .. names
      error(("%q is no parameter. %s"):format(word, there_are), 0)
    end
    local is_json, decoded = pcall(vim.json.decode, value)
    if known.type == "string" or not is_json then decoded = value end
    result[name] = decoded
  end
  return next(result) and result or nil
end

---@return string[]
function M.names()
  local names = vim.tbl_keys(data.commands)
  for method in pairs(data.requests) do
    names[#names + 1] = (method:gsub("/", "."))
  end
  return names
end

---@param name string
---@return pi_ls.Subcommand?
function M.find(name)
  local method = data.commands[name] and "pi/" .. name or name:gsub("^bridge%.", "bridge/")
  local spec = data.commands[name] or data.requests[method]
  if not spec then return nil end
  local values = {}
  for _, param in ipairs(spec.params) do
    for _, value in ipairs(param.values or { "" }) do
      values[#values + 1] = ("%s=%s"):format(param.name, value)
    end
  end
  return {
    name,
    "",
    spec.summary,
    function(target, call)
      target:request(method, parameters(call, spec.params), function(err, result)
        if not err and result ~= nil and result ~= vim.NIL then
          float.show(vim.split(vim.inspect(result), "\n"), method, "lua")
        elseif not err then
          notify.info(name .. ": done")
        end
      end)
    end,
    complete = values,
  }
end

return M

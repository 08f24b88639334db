--- `:Pi {subcommand}`: finds what is meant, runs it, and completes it.

local config = require("pi_ls.config")
local conversations = require("pi_ls.conversation")
local notify = require("pi_ls.notify")
local protocol_command = require("pi_ls.protocol_command")
local subcommands = require("pi_ls.subcommands")

local M = {}

---@class pi_ls.Call what `:Pi` was given
---@field args string all behind the subcommand
---@field words string[]
---@field bang boolean
---@field first? integer the range
---@field last? integer

---@param name string
---@return pi_ls.Subcommand?
local function find(name)
  local own = vim.iter(subcommands.list):find(function(subcommand) return subcommand[1] == name end)
  local text = config.current.prompts[name]
  return own or text and subcommands.of_prompt(name, text) or protocol_command.find(name)
end

---@return string[]
local function names()
  local seen = {}
  for _, subcommand in ipairs(subcommands.list) do
    seen[subcommand[1]] = true
  end
  for _, name in ipairs(vim.list_extend(vim.tbl_keys(config.current.prompts), protocol_command.names())) do
    seen[name] = true
  end
  return vim.tbl_keys(seen)
end

--- The conversation that SUBCOMMAND is about.
---@param subcommand pi_ls.Subcommand
---@return pi_ls.Conversation?
local function target_of(subcommand)
  if subcommand.on == "nothing" then return nil end
  if subcommand.on == "running" and not conversations.current() then
    error("there is no conversation in this tab page: :Pi starts one", 0)
  end
  return conversations.get()
end

---@param name string
---@param call pi_ls.Call
local function run(name, call)
  local subcommand = find(name)
  if not subcommand then error(("there is no :Pi %s. :Pi <Tab> lists what there is"):format(name), 0) end
  subcommand[4](target_of(subcommand), call)
end

--- What `:Pi` does.
---@param options table as |nvim_create_user_command()| gives it
function M.run(options)
  local name, rest = options.args:match("^(%S*)%s*(.-)%s*$")
  local ok, err = pcall(run, name == "" and "toggle" or name, {
    args = rest,
    words = vim.split(rest, "%s+", { trimempty = true }),
    bang = options.bang,
    first = options.range > 0 and options.line1 or nil,
    last = options.range > 0 and options.line2 or nil,
  })
  if not ok then notify.error(err) end
end

---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  local name, rest = line:match("Pi!?%s+(%S+)%s+(.*)$")
  local candidates = not name and names() or (find(name) or {}).complete or {}
  if type(candidates) == "function" then candidates = candidates(lead) end
  -- Neovim completes the last word; a name may have more than one.
  local before = rest and rest:sub(1, #rest - #lead) or ""
  candidates = vim
    .iter(candidates)
    :map(function(candidate)
      local is_rest = before ~= "" and vim.startswith(candidate, rest)
      if is_rest then return candidate:sub(#before + 1) end
      return vim.startswith(candidate, lead) and candidate or nil
    end)
    :totable()
  table.sort(candidates)
  return candidates
end

return M

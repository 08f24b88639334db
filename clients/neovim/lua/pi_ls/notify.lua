--- Messages to the person.

local M = {}

local function notify(text, level) vim.notify("pi: " .. text, level, { title = "pi" }) end

---@param text string
function M.info(text) notify(text, vim.log.levels.INFO) end

---@param text string
function M.warn(text) notify(text, vim.log.levels.WARN) end

---@param text string
function M.error(text) notify(text, vim.log.levels.ERROR) end

return M

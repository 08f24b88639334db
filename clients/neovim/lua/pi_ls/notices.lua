--- What the transcript tells when the state of the bridge changes.

local M = {}

---@param new table `bridge/state`
---@param old table the one before
---@param last_ready table the last one with a pi that was ready
---@return { [1]: string, [2]?: string }[] lines with their highlight group
function M.of(new, old, last_ready)
  local notices = {}
  local function add(text, group) notices[#notices + 1] = { text, group } end
  if new.error and not vim.deep_equal(new.error, old.error) then
    add("✗ " .. new.error.message, "PiError")
    add("  " .. new.error.hint)
  end
  if new.phase ~= "ready" then return notices end
  if not new.error and new.restarts > last_ready.restarts then
    add("■ pi ended and was started again", "PiWarning")
  end
  if not vim.deep_equal(new.warnings, last_ready.warnings) then
    for _, warning in ipairs(new.warnings or {}) do
      add(("! %s %s"):format(warning.message, warning.hint), "PiWarning")
    end
  end
  return notices
end

return M

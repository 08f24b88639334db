--- The buffer where the person writes. Its filetype, pi-prompt, is its language id for the bridge's completion.

local buffer_name = require("pi_ls.buffer_name")
local config = require("pi_ls.config")
local store = require("pi_ls.store")
local text = require("pi_ls.text")

local api = vim.api
local NAMESPACE = api.nvim_create_namespace("pi_ls.prompt")

---@class pi_ls.Prompt
---@field buf integer
---@field private conversation pi_ls.Conversation
---@field private key string of the draft
---@field private draft string the last draft that was read or written here
---@field private kept? string its text, while it has no buffer with it
---@field private at? integer place in the history; nil: what is being written
---@field private unsent? string what was being written before the history was looked at
---@field private images table[]
local Prompt = {}
Prompt.__index = Prompt

---@param conversation pi_ls.Conversation
---@return pi_ls.Prompt
function Prompt.new(conversation)
  local self = setmetatable({ conversation = conversation, images = {} }, Prompt)
  self.key = conversation.cwd .. "\n" .. conversation.name
  self.draft = store.draft(self.key) or ""
  self:make(self.draft)
  return self
end

--- Makes its buffer, with TEXT in it, or puts the text there again: `:edit` has emptied the buffer, `:bdelete` or
--- `:bwipeout` taken it away.
---@param written string
function Prompt:make(written)
  if not self.buf or not api.nvim_buf_is_loaded(self.buf) then
    self.buf = api.nvim_create_buf(false, true)
    buffer_name.give(self.buf, ("pi://%s/prompt"):format(self.conversation.name))
    self:map()
    self:watch()
  end
  vim.bo[self.buf].bufhidden = "hide"
  vim.bo[self.buf].omnifunc = "v:lua.vim.lsp.omnifunc"
  vim.bo[self.buf].filetype = "pi-prompt"
  self.kept = nil
  self:set(written)
end

---@private
function Prompt:map()
  local keys = config.current.keys
  local function map(mode, lhs, action, about)
    if lhs then vim.keymap.set(mode, lhs, action, { buffer = self.buf, desc = "pi: " .. about }) end
  end
  --- In the completion menu the key does what it does there.
  local function map_beside_menu(mode, lhs, action, about, in_menu)
    map(mode, lhs, function()
      if vim.fn.pumvisible() == 0 then return action() end
      api.nvim_feedkeys(vim.keycode(in_menu), "n", false)
    end, about)
  end
  local function send() self:send() end
  map("n", keys.send, send, "send")
  map("i", keys.send_insert, send, "send")
  if config.current.enter_sends then map_beside_menu("i", "<CR>", send, "send", "<C-y>") end
  map({ "n", "i" }, keys.follow_up, function() self:send("followUp") end, "send for later")
  map({ "n", "i" }, keys.abort, function() self.conversation:abort() end, "stop")
  for name, step in pairs({ older = -1, newer = 1 }) do
    map_beside_menu({ "n", "i" }, keys[name], function() self:walk(step) end, "history", keys[name])
  end
end

---@private
function Prompt:watch()
  local group = api.nvim_create_augroup("pi_ls.prompt." .. self.buf, {})
  local on = function(events, action)
    api.nvim_create_autocmd(events, { group = group, buffer = self.buf, callback = action })
  end
  on({ "TextChanged", "TextChangedI", "TextChangedP" }, function()
    self:decorate()
    self.conversation.dialogs:offer()
  end)
  on("BufUnload", function() self.kept = self:text() end)
  on({ "BufHidden", "InsertLeave", "BufLeave" }, function() self:save() end)
  -- The bar above names the keys of the mode.
  on({ "InsertEnter", "InsertLeave" }, function()
    vim.schedule(function() vim.cmd.redrawstatus({ bang = true }) end)
  end)
  on({ "BufEnter", "WinEnter", "InsertLeave" }, function() self.conversation.dialogs:offer() end)
  api.nvim_create_autocmd("VimLeavePre", {
    group = group,
    callback = function() self:save() end,
  })
end

---@return string
function Prompt:text() return self.kept or table.concat(api.nvim_buf_get_lines(self.buf, 0, -1, false), "\n") end

function Prompt:is_empty() return vim.trim(self:text()) == "" end

---@param value string
function Prompt:set(value)
  if self.kept then
    self.kept = value
    return
  end
  local lines = vim.split(value, "\n", { plain = true })
  api.nvim_buf_set_lines(self.buf, 0, -1, false, lines)
  for _, win in ipairs(vim.fn.win_findbuf(self.buf)) do
    api.nvim_win_set_cursor(win, { #lines, #lines[#lines] })
  end
  self:decorate()
end

--- Adds VALUE to what is there, in a paragraph of its own, and goes behind it.
---@param value string
function Prompt:insert(value) self:set(self:is_empty() and value or self:text() .. "\n" .. value) end

--- Adds VALUE, which nobody here asked for: the cursor stays where it is in what is being written.
---@param value string
---@param before boolean before that, else behind it
function Prompt:add(value, before)
  if self:is_empty() or self.kept then
    return self:set(not self.kept and value or before and value .. "\n" .. self.kept or self.kept .. "\n" .. value)
  end
  local lines, cursors = vim.split(value, "\n", { plain = true }), {}
  for _, win in ipairs(vim.fn.win_findbuf(self.buf)) do
    cursors[win] = api.nvim_win_get_cursor(win)
  end
  local at = before and 0 or -1
  api.nvim_buf_set_lines(self.buf, at, at, false, lines)
  for win, cursor in pairs(cursors) do
    api.nvim_win_set_cursor(win, { cursor[1] + (before and #lines or 0), cursor[2] })
  end
  self:decorate()
end

--- Texts that were on their way come back, before what is being written.
---@param texts string[]
function Prompt:give_back(texts)
  if #texts > 0 then self:add(table.concat(texts, "\n"), true) end
end

---@param image table
function Prompt:attach(image)
  self.images[#self.images + 1] = image
  self:decorate()
end

--- Takes all images out again.
function Prompt:detach()
  self.images = {}
  self:decorate()
end

function Prompt:save()
  if not self.kept and not api.nvim_buf_is_loaded(self.buf) then return end
  local written = self:text()
  -- What was only looked at in the history is no draft.
  local is_old = self.at and store.history()[self.at] == written
  local draft = is_old and self.unsent or written
  if draft == self.draft then return end
  store.save_draft(self.key, draft, self.draft)
  self.draft = draft
end

--- Sends what is written. `!command` is one for the shell, `!!command` is kept from the model.
---@param behavior? "steer"|"followUp"
function Prompt:send(behavior)
  local message = vim.trim(self:text())
  if message == "" then return end
  local images = self.images
  self.images, self.at, self.unsent = {}, nil, nil
  store.remember(message)
  self:set("")
  self:save()
  local bang, command = message:match("^(!!?)%s*(.+)$")
  if bang then
    self.conversation.shell:run(command, bang == "!!")
  else
    self.conversation:send(message, { behavior = behavior, images = images })
  end
  require("pi_ls.chat").follow(self.conversation)
end

--- Walks through the history; beyond its newest entry is what was being written.
---@private
---@param step -1|1
function Prompt:walk(step)
  local history = store.history()
  local at = (self.at or #history + 1) + step
  if at < 1 or at > #history + 1 then return end
  if not self.at then self.unsent = self:text() end
  self.at = at <= #history and at or nil
  self:set(self.at and history[at] or self.unsent or "")
end

--- The messages that wait in pi's queue, each in a line.
---@return string[]
function Prompt:queued()
  local lines = {}
  for _, row in ipairs({ { "⏵", "steering" }, { "⏭", "followUp" } }) do
    for _, message in ipairs(self.conversation.state.queue[row[2]]) do
      lines[#lines + 1] = ("%s %s"):format(row[1], (message:gsub("\n", " ")))
    end
  end
  return lines
end

--- Whether a question may open by itself: the person is here, and writes nothing.
function Prompt:is_ready_for_questions() return api.nvim_get_current_buf() == self.buf and self:is_empty() end

--- What is shown around the text: the hint in an empty prompt, and below it queue, attachments and widgets.
function Prompt:decorate()
  if not api.nvim_buf_is_loaded(self.buf) then return end
  api.nvim_buf_clear_namespace(self.buf, NAMESPACE, 0, -1)
  if self:is_empty() then
    local keys = config.current.keys
    local insert = config.current.enter_sends and "<CR>" or keys.send_insert
    local send = keys.send and insert and keys.send ~= insert and keys.send .. " or " .. insert
      or keys.send
      or insert
    local hint = { { ("Ask pi: %s sends"):format(send or "nothing"), "PiDim" } }
    api.nvim_buf_set_extmark(self.buf, NAMESPACE, 0, 0, {
      virt_text = hint,
      virt_text_pos = "overlay",
      virt_lines = { { { "/ commands · @ files · ! shell", "PiDim" } } },
    })
  end
  local below = vim.tbl_map(function(line) return { { text.one_line(line, 200), "PiQueue" } } end, self:queued())
  local function add(line, group) below[#below + 1] = { { line, group or "PiDim" } } end
  for _, image in ipairs(self.images) do
    add("[image " .. (image.path and vim.fs.basename(image.path) or image.mimeType) .. "]")
  end
  for _, lines in vim.spairs(self.conversation.announced.widgets) do
    for _, line in ipairs(lines) do
      add(text.plain(line), "PiWidget")
    end
  end
  if #below > 0 then
    api.nvim_buf_set_extmark(self.buf, NAMESPACE, api.nvim_buf_line_count(self.buf) - 1, 0, { virt_lines = below })
  end
end

return Prompt

--- Buffers of a conversation that somebody empties by `:edit`, or takes away by `:bdelete` or `:bwipeout`: they come
--- back at once, in the background, with what was in them.

local client = require("pi_ls.client")
local jump = require("pi_ls.jump")

local api = vim.api

local M = {}

---@param buf integer
---@param come_back fun()
---@param conversation pi_ls.Conversation
local function on_unload(buf, come_back, conversation)
  api.nvim_create_autocmd("BufUnload", {
    buffer = buf,
    once = true,
    callback = function()
      if conversation.ended or vim.v.exiting ~= vim.NIL then return end
      -- Within the event nothing can be written into it.
      vim.schedule(function()
        if not conversation.ended then come_back() end
      end)
    end,
  })
end

---@param conversation pi_ls.Conversation
local function watch_prompt(conversation)
  local prompt = conversation.prompt
  on_unload(prompt.buf, function()
    prompt:make(prompt:text())
    client.attach(conversation.client_id, prompt.buf)
    watch_prompt(conversation)
  end, conversation)
end

---@param conversation pi_ls.Conversation
local function watch_transcript(conversation)
  local transcript = conversation.transcript
  local buf = transcript.buf
  on_unload(buf, function()
    transcript:make()
    if transcript.buf ~= buf then jump.map(conversation) end
    conversation.session:load()
    watch_transcript(conversation)
  end, conversation)
end

---@param conversation pi_ls.Conversation
function M.watch(conversation)
  watch_prompt(conversation)
  watch_transcript(conversation)
end

return M

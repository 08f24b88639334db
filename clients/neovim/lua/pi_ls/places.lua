--- What stands where in a transcript: turns, and blocks with their folds. Extmarks, so that they move with the text.

local folds = require("pi_ls.folds")

local api = vim.api
local BLOCK = api.nvim_create_namespace("pi_ls.block")
local TURN = api.nvim_create_namespace("pi_ls.turn")

---@class pi_ls.Places
---@field private buf integer
---@field private blocks table<integer, { block: pi_ls.Block, fold?: "open"|"closed" }> by extmark
---@field private turns table<integer, pi_ls.Turn> by extmark
local Places = {}
Places.__index = Places

---@param buf integer
---@return pi_ls.Places
function Places.new(buf) return setmetatable({ buf = buf, blocks = {}, turns = {} }, Places) end

--- Forgets everything, as the text is about to be replaced.
function Places:clear()
  self.blocks, self.turns = {}, {}
  for _, namespace in ipairs({ BLOCK, TURN }) do
    api.nvim_buf_clear_namespace(self.buf, namespace, 0, -1)
  end
  for _, win in ipairs(vim.fn.win_findbuf(self.buf)) do
    folds.fill(win, {})
  end
end

---@param row integer
---@param turn pi_ls.Turn
function Places:add_turn(row, turn) self.turns[api.nvim_buf_set_extmark(self.buf, TURN, row, 0, {})] = turn end

---@param row integer
---@param last integer
---@param mark pi_ls.Mark
---@return integer id
function Places:add_block(row, last, mark)
  local id = api.nvim_buf_set_extmark(self.buf, BLOCK, row, 0, { end_row = last, end_col = 0 })
  self.blocks[id] = { block = mark.block, fold = mark.fold }
  if mark.fold and last > row then folds.add(self.buf, row, last, mark.fold) end
  return id
end

--- Takes the block away from its rows, which stay.
---@param id integer
---@return integer? first row; nil: it is gone, with the session that it was in
---@return integer? last
function Places:take_block(id)
  local mark = api.nvim_buf_get_extmark_by_id(self.buf, BLOCK, id, { details = true })
  if not mark[1] then return nil end
  if self.blocks[id].fold then folds.remove(self.buf, mark[1]) end
  api.nvim_buf_del_extmark(self.buf, BLOCK, id)
  self.blocks[id] = nil
  return mark[1], mark[3].end_row
end

--- What is at ROW.
---@param row integer from 0
---@return pi_ls.Block?
function Places:block_at(row)
  local options = { overlap = true, limit = 1 }
  local mark = api.nvim_buf_get_extmarks(self.buf, BLOCK, { row, 0 }, { row, -1 }, options)[1]
  return mark and self.blocks[mark[1]].block
end

--- The turn that ROW belongs to, and how many turns of the person come after it.
---@param row integer
---@return pi_ls.Turn?
---@return integer later
function Places:turn_at(row)
  local later = 0
  for _, mark in ipairs(api.nvim_buf_get_extmarks(self.buf, TURN, -1, 0, {})) do
    local turn = self.turns[mark[1]]
    if mark[2] <= row then return turn, later end
    if turn.role == "user" then later = later + 1 end
  end
  return nil, later
end

--- The role of the last turn.
---@return string?
function Places:last_role()
  local mark = api.nvim_buf_get_extmarks(self.buf, TURN, -1, 0, { limit = 1 })[1]
  return mark and self.turns[mark[1]].role
end

--- The row of the next turn, or of the one before.
---@param row integer
---@param forward boolean
---@return integer?
function Places:next_turn(row, forward)
  if not forward and row == 0 then return nil end
  local from, to = { forward and row + 1 or row - 1, 0 }, forward and -1 or 0
  local mark = api.nvim_buf_get_extmarks(self.buf, TURN, from, to, { limit = 1 })[1]
  return mark and mark[2]
end

--- Folds in a window that has come to show the transcript: manual folds belong to a window.
---@param win integer
function Places:fold(win)
  local ranges = {}
  for _, mark in ipairs(api.nvim_buf_get_extmarks(self.buf, BLOCK, 0, -1, { details = true })) do
    local fold = self.blocks[mark[1]].fold
    if fold and mark[4].end_row > mark[2] then ranges[#ranges + 1] = { mark[2], mark[4].end_row, fold } end
  end
  folds.fill(win, ranges)
end

return Places

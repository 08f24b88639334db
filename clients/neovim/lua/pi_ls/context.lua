--- What a message carries of the editor: parts of files, diagnostics, the quickfix list, a diff, images.

local text = require("pi_ls.text")

local api = vim.api

local M = {}

--- Lines of a mentioned part of a file that go with the message.
local MAX_LINES = 400

---@param path string
---@param cwd string
local function relative(path, cwd)
  path, cwd = vim.fs.normalize(path), vim.fs.normalize(cwd)
  return vim.startswith(path, cwd .. "/") and path:sub(#cwd + 2) or path
end

---@param content string
---@param language? string
local function fenced(content, language)
  local fence = text.fence(content)
  return ("%s%s\n%s\n%s"):format(fence, language or "", content, fence)
end

--- The buffer that the person works on: the current one, or beside the chat the one before.
---@return integer
function M.source()
  local candidates = { api.nvim_get_current_win(), vim.fn.win_getid(vim.fn.winnr("#")) }
  vim.list_extend(candidates, api.nvim_tabpage_list_wins(0))
  for _, win in ipairs(candidates) do
    if win ~= 0 then
      local buf = api.nvim_win_get_buf(win)
      if vim.bo[buf].buftype == "" and api.nvim_buf_get_name(buf) ~= "" then return buf end
    end
  end
  error("there is no file to take this from", 0)
end

--- `@path`, or `@path#L10-20`.
---@param buf integer
---@param cwd string
---@param first? integer
---@param last? integer
function M.mention(buf, cwd, first, last)
  local path = relative(api.nvim_buf_get_name(buf), cwd)
  if not first then return "@" .. path end
  return first == last and ("@%s#L%d"):format(path, first) or ("@%s#L%d-%d"):format(path, first, last)
end

--- The lines that a mention names: of the buffer, if it is loaded, since it may not be written.
local function lines_of(path, cwd, first, last)
  local absolute = path:sub(1, 1) == "/" and path or vim.fs.joinpath(cwd, path)
  local buf = vim.fn.bufnr("^" .. vim.fn.fnameescape(absolute) .. "$")
  if buf > 0 and api.nvim_buf_is_loaded(buf) then
    return api.nvim_buf_get_lines(buf, first - 1, last, false), vim.bo[buf].filetype
  end
  if not vim.uv.fs_stat(absolute) then return nil end
  return vim.list_slice(vim.fn.readfile(absolute, "", last), first, last),
    vim.filetype.match({ filename = absolute })
end

--- MESSAGE with the lines that its mentions name: what is not written to the disk goes with it, too.
---@param message string
---@param cwd string
function M.expand(message, cwd)
  local parts, seen = { message }, {}
  for mention, path, first, last in message:gmatch("(@([^%s#]+)#L(%d+)%-?L?(%d*))") do
    first, last = tonumber(first), tonumber(last) or tonumber(first)
    if not seen[mention] and last - first < MAX_LINES then
      seen[mention] = true
      local lines, language = lines_of(path, cwd, first, last)
      if lines and #lines > 0 then
        parts[#parts + 1] = ("%s:\n%s"):format(mention, fenced(table.concat(lines, "\n"), language))
      end
    end
  end
  return table.concat(parts, "\n\n")
end

local severities = { E = "error: ", W = "warning: ", I = "information: ", N = "hint: " }

--- Items of a quickfix list as text.
---@param title string
---@param items table[]
---@param cwd string
local function listed(title, items, cwd)
  if #items == 0 then error(("there are no %s"):format(title), 0) end
  local lines = vim.tbl_map(function(item)
    local path = item.bufnr > 0 and relative(api.nvim_buf_get_name(item.bufnr), cwd) or ""
    local text_line = vim.trim(item.text):gsub("\n", " ")
    return ("%s:%d: %s%s"):format(path, item.lnum, severities[item.type] or "", text_line)
  end, items)
  return ("%s:\n%s"):format(title:gsub("^%l", string.upper), fenced(table.concat(lines, "\n")))
end

---@param buf integer
---@param cwd string
---@param first? integer only those of these lines
---@param last? integer
---@return string
function M.diagnostics(buf, cwd, first, last)
  local function is_meant(item) return not first or (first <= item.lnum and item.lnum <= last) end
  return listed("diagnostics", vim.tbl_filter(is_meant, vim.diagnostic.toqflist(vim.diagnostic.get(buf))), cwd)
end

---@param cwd string
---@return string
function M.quickfix(cwd) return listed("quickfix items", vim.fn.getqflist(), cwd) end

--- What is not committed. CALLBACK gets it when git is done.
---@param cwd string
---@param callback fun(diff: string)
---@param failed fun(message: string)
function M.git_diff(cwd, callback, failed)
  vim.system(
    { "git", "diff", "HEAD" },
    { cwd = cwd, text = true },
    vim.schedule_wrap(function(result)
      if result.code ~= 0 then
        failed(text.one_line(result.stderr, 200))
      elseif result.stdout == "" then
        failed("there are no changes")
      else
        callback("Changes, by git diff HEAD:\n" .. fenced((result.stdout:gsub("\n$", "")), "diff"))
      end
    end)
  )
end

--- Commands that write a PNG of the clipboard to stdout.
local clipboards = {
  { "wl-paste", "--type", "image/png" },
  { "xclip", "-selection", "clipboard", "-target", "image/png", "-out" },
  { "pngpaste", "-" },
}

--- @param callback fun(image: table)
--- @param failed fun(message: string)
function M.clipboard_image(callback, failed)
  local command = vim.iter(clipboards):find(function(words) return vim.fn.executable(words[1]) == 1 end)
  if not command then
    failed("images of the clipboard need wl-paste, xclip or pngpaste")
    return
  end
  vim.system(
    command,
    {},
    vim.schedule_wrap(function(result)
      if result.code ~= 0 or not vim.startswith(result.stdout, "\137PNG") then
        failed("there is no image in the clipboard")
      else
        callback({ type = "image", data = vim.base64.encode(result.stdout), mimeType = "image/png" })
      end
    end)
  )
end

return M

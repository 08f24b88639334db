-- What real pi cannot be made to do at will: a pi that plays a scenario does it.
local H = require("helpers")
local eq = MiniTest.expect.equality
local child

local T = MiniTest.new_set({
  hooks = {
    post_case = function() child.stop() end,
  },
})

--- The steps of a run that answers the next prompt, with RECORDS in between.
local function run(records)
  local steps = {
    { expect = { type = "prompt" }, reply = { disposition = "started" } },
    { send = { type = "agent_start" } },
  }
  for _, record in ipairs(records) do
    table.insert(steps, type(record) == "string" and record or { send = record })
  end
  table.insert(steps, { send = { type = "agent_end", messages = {} } })
  table.insert(steps, { send = { type = "agent_settled", aborted = false } })
  return steps
end

local function assistant(text, reason)
  return {
    role = "assistant",
    content = { { type = "text", text = text } },
    stopReason = reason or "stop",
    timestamp = 1769851613589,
    model = "fake-model",
  }
end

--- An answer of one text, as records.
local function answer(text)
  local message = assistant(text)
  return {
    { type = "message_start", message = assistant("") },
    {
      type = "message_update",
      assistantMessageEvent = { type = "text_start", contentIndex = 0 },
    },
    { type = "message_update", assistantMessageEvent = { type = "text_delta", contentIndex = 0, delta = text } },
    { type = "message_end", message = message },
  }
end

local function has(text)
  local chat = H.chat(child)
  if not chat:find(text, 1, true) then error(("no %q in:\n%s"):format(text, chat), 2) end
end

--- Each row: what pi sends within a run, and what the chat then shows.
for name, row in
  vim.spairs({
    ["a retry that succeeds"] = {
      {
        {
          type = "auto_retry_start",
          attempt = 1,
          maxAttempts = 3,
          delayMs = 2000,
          errorMessage = "529 overloaded",
        },
        { type = "auto_retry_end", success = true, attempt = 1 },
        unpack(answer("After the retry.")),
      },
      { "↻ retry 1 of 3 in 2.0 s: 529 overloaded", "After the retry." },
    },
    ["retries that are given up"] = {
      {
        {
          type = "auto_retry_start",
          attempt = 3,
          maxAttempts = 3,
          delayMs = 500,
          errorMessage = "529 overloaded",
        },
        { type = "auto_retry_end", success = false, attempt = 3, finalError = "529 still overloaded" },
      },
      { "↻ retry 3 of 3 in 500 ms: 529 overloaded", "✗ given up: 529 still overloaded" },
    },
    ["a compaction during a run"] = {
      vim.list_extend({
        { type = "compaction_start", reason = "threshold" },
        {
          type = "summarization_retry_scheduled",
          attempt = 1,
          maxAttempts = 3,
          delayMs = 1,
          errorMessage = "terminated",
        },
        {
          type = "compaction_end",
          reason = "threshold",
          aborted = false,
          result = { summary = "They talked of carts.", firstKeptEntryId = "1", tokensBefore = 180000 },
        },
      }, answer("Going on.")),
      {
        "⋯ compacting the conversation (threshold)",
        "↻ the summary failed: terminated",
        "▸ compacted, 180000 tokens before\n> They talked of carts.",
        "Going on.",
      },
    },
    ["a compaction that fails, and one that is stopped"] = {
      {
        { type = "compaction_start", reason = "overflow" },
        { type = "compaction_end", reason = "overflow", aborted = false, errorMessage = "nothing to compact" },
        { type = "compaction_start", reason = "manual" },
        { type = "compaction_end", reason = "manual", aborted = true },
      },
      { "✗ nothing to compact", "■ the compaction was stopped" },
    },
    ["an event that nobody knows"] = {
      vim.list_extend({ { type = "event_of_tomorrow", lines = { 1, 2 } } }, answer("All the same.")),
      { "All the same." },
    },
    ["an error of an extension"] = {
      vim.list_extend({
        { type = "extension_error", extensionPath = "/ext/guard.ts", event = "tool_call", error = "it is broken" },
      }, answer("All the same.")),
      { "✗ extension guard.ts, tool_call: it is broken", "All the same." },
    },
    ["an answer that fails in the middle"] = {
      {
        { type = "message_start", message = assistant("") },
        {
          type = "message_update",
          assistantMessageEvent = { type = "text_delta", contentIndex = 0, delta = "Half an ans" },
        },
        {
          type = "message_end",
          message = vim.tbl_extend(
            "force",
            assistant("Half an ans", "error"),
            { errorMessage = "the connection broke" }
          ),
        },
      },
      { "Half an ans\n\n✗ the connection broke" },
    },
    ["an answer whose deltas were lost"] = {
      {
        { type = "message_start", message = assistant("") },
        {
          type = "message_update",
          assistantMessageEvent = { type = "text_delta", contentIndex = 0, delta = "The be" },
        },
        { type = "message_end", message = assistant("The beginning, and the end.") },
      },
      { "## pi\n\nThe beginning, and the end.\n" },
    },
    ["an answer without its beginning"] = {
      {
        {
          type = "message_update",
          assistantMessageEvent = { type = "text_delta", contentIndex = 0, delta = "From the middle." },
        },
        { type = "message_end", message = assistant("From the middle.") },
      },
      { "## pi\n\nFrom the middle." },
    },
    ["a message of a role that nobody knows"] = {
      vim.list_extend({
        { type = "message_start", message = { role = "oracle", content = "Hm." } },
        { type = "message_end", message = { role = "oracle", content = "Hm." } },
      }, answer("All the same.")),
      { "All the same." },
    },
    ["lines that are no records"] = {
      vim.list_extend({
        vim.json.encode({ raw = "npm warn something\n" }),
        vim.json.encode({ raw = '{"type":"message_upda\n' }),
        vim.json.encode({ raw = "null\n[]\n5\n" }),
      }, answer("All the same.")),
      { "All the same." },
    },
    ["a result of a tool that was never called"] = {
      vim.list_extend({
        {
          type = "tool_execution_end",
          toolCallId = "7",
          toolName = "oracle",
          result = { content = { { type = "text", text = "42" } } },
          isError = false,
        },
      }, answer("All the same.")),
      { "▸ oracle\n```\n42\n```", "All the same." },
    },
  })
do
  T[name] = function()
    child = H.start({ scenario = run(row[1]) })
    H.say(child, "go")
    for _, text in ipairs(row[2]) do
      has(text)
    end
    eq(H.notes(child), "")
  end
end

-- The tool is played by the test, which writes the file while pi waits at a gate: before anybody looks at it, or after.
for _, row in ipairs({
  { "made new, and at once", "new.md", true, { "" }, "before: there was no such file" },
  { "made new", "new.md", false, { "" }, "before: there was no such file" },
  { "written over", "README.md", false, { "# Shop" }, "before" },
}) do
  local name, path, is_fast, before, label = unpack(row)
  T[":Pi diff of a file that is " .. name] = function()
    -- Its files are there before the run begins.
    local root = H.project()
    local gate = { expect = { type = "get_commands" }, reply = { commands = {} } }
    local call = { type = "toolCall", id = "1", name = "write", arguments = { path = path, content = "# New\n" } }
    local function update(event) return { send = { type = "message_update", assistantMessageEvent = event } } end
    local seconds, microseconds = vim.uv.gettimeofday()
    local message = { role = "assistant", content = {}, timestamp = seconds * 1000 + microseconds / 1000 }
    local steps = {
      { expect = { type = "prompt" }, reply = { disposition = "started" } },
      { send = { type = "message_start", message = message } },
      update({ type = "toolcall_start", contentIndex = 0, id = "1", toolName = "write" }),
      update({ type = "toolcall_delta", contentIndex = 0, delta = vim.json.encode(call.arguments) }),
      update({ type = "toolcall_end", contentIndex = 0, toolCall = call }),
      gate,
      {
        send = {
          type = "tool_execution_end",
          toolCallId = "1",
          toolName = "write",
          result = { content = { { type = "text", text = "done" } } },
          isError = false,
        },
      },
      { send = { type = "agent_settled", aborted = false } },
    }
    if is_fast then table.insert(steps, 3, gate) end
    child = H.start({ root = root, scenario = steps })
    child.lua([[
      _G.gates = 0
      function _G.pass()
        pi():request("pi/get_commands", nil, function() _G.gates = _G.gates + 1 end)
      end
    ]])
    H.type(child, "go")
    if is_fast then
      H.shows(child, "## pi")
      H.write(child.shop .. "/" .. path, "# New\n")
      child.lua("_G.pass()")
    end
    H.shows(child, "▸ write  " .. path)
    H.write(child.shop .. "/" .. path, "# New\n")
    child.lua("_G.pass()")
    H.wait(child, "(_G.seen.events.PiSettled or 0) == 1")
    child.cmd("Pi diff")
    eq(
      child.lua([[
        local found = {}
        for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
          local lines = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false)
          table.insert(found, { vim.wo[win].diff, lines, vim.wo[win].winbar })
        end
        return found
      ]]),
      { { true, before, label }, { true, { "# New" }, "now" } }
    )
  end
end

T["an extremely long line, which can be scrolled and left"] = function()
  local long = ("word "):rep(400000)
  child = H.start({ scenario = run(answer(long)) })
  H.say(child, "go")
  eq(#H.lines(child)[3], #vim.trim(long) + 1)
  child.type_keys("i", "still here")
  eq(H.prompt(child), "still here")
end

T["a pi that never answers: what was typed is not lost, and it can be stopped"] = function()
  child = H.start({
    scenario = {
      { expect = { type = "prompt" }, as = "p" },
      { expect = { type = "clear_queue" }, reply = { steering = {}, followUp = {} } },
      { expect = { type = "abort" }, reply = vim.NIL },
      { wait = "eof" },
    },
  })
  H.type(child, "are you there?")
  H.wait(child, "pi().prompt:is_empty()")
  child.cmd("Pi abort")
  H.wait(child, [[pi().prompt:text() == "are you there?"]])
end

T["half a record, and the end: the text comes back, and pi is started again"] = function()
  child = H.start({
    scenario = {
      { expect = { type = "prompt" }, as = "p" },
      { raw = '{"type":"message_start","mess' },
      { exit = 1 },
      { restart = true },
      { wait = "eof" },
    },
  })
  H.type(child, "go")
  H.shows(child, "exit code 1")
  H.wait(child, [[pi().prompt:text() == "go"]])
end

T["pi refuses a prompt: its words are shown, and the text comes back"] = function()
  child = H.start({ scenario = { { expect = { type = "prompt" }, reject = "no model is selected" } } })
  H.type(child, "go")
  H.shows(child, "✗ not sent: no model is selected")
  eq(H.prompt(child), "go")
end

return T

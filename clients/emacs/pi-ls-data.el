;;; pi-ls-data.el --- What the protocol of pi-language-server has  -*- lexical-binding: t -*-

;; This file is part of pi-ls.

;;; Commentary:

;; Written by docs/generate.ts from the tables in src/protocol: change those.

;;; Code:

(defconst pi-ls-data-commands
  '((prompt :group "Prompting"
     :summary "Send a message of the user to the agent."
     :params ((message string t "The text of the message.")
              (images json nil "Images that go with the message.")
              (streamingBehavior ("steer" "followUp") nil "While the agent runs: steer delivers after the current turn, followUp when it would stop.")))
    (steer :group "Prompting"
     :summary "Queue a message that the running agent gets after the current turn's tool calls."
     :params ((message string t "The text of the message.")
              (images json nil "Images that go with the message.")))
    (follow_up :group "Prompting"
     :summary "Queue a message that the agent gets when it would otherwise stop."
     :params ((message string t "The text of the message.")
              (images json nil "Images that go with the message.")))
    (abort :group "Prompting"
     :summary "Stop the agent, and answer when it is idle.")
    (clear_queue :group "Prompting"
     :summary "Take all queued messages out of pi's queue and return their texts.")
    (new_session :group "Prompting"
     :summary "Start a fresh session."
     :params ((parentSession string nil "The session file that the new session descends from.")))
    (get_state :group "State"
     :summary "Get the state of the session.")
    (get_messages :group "State"
     :summary "Get all messages of the conversation.")
    (set_model :group "Model"
     :summary "Use another model."
     :params ((provider string t "The model's provider, as in pi/get_available_models.")
              (modelId string t "The model's id.")))
    (cycle_model :group "Model"
     :summary "Use the next available model.")
    (get_available_models :group "Model"
     :summary "List all configured models.")
    (set_thinking_level :group "Thinking"
     :summary "Set how much the model thinks."
     :params ((level ("off" "minimal" "low" "medium" "high" "xhigh" "max") t "The thinking level.")))
    (cycle_thinking_level :group "Thinking"
     :summary "Use the next thinking level.")
    (get_available_thinking_levels :group "Thinking"
     :summary "List the thinking levels of the current model.")
    (set_steering_mode :group "Queue modes"
     :summary "Set how queued steering messages are delivered after a turn."
     :params ((mode ("all" "one-at-a-time") t "Deliver all queued messages at once, or the oldest one each time.")))
    (set_follow_up_mode :group "Queue modes"
     :summary "Set how queued follow-up messages are delivered when the agent would stop."
     :params ((mode ("all" "one-at-a-time") t "Deliver all queued messages at once, or the oldest one each time.")))
    (compact :group "Compaction"
     :summary "Replace the older part of the conversation with a summary, to free context."
     :params ((customInstructions string nil "What the summary should keep in view.")))
    (set_auto_compaction :group "Compaction"
     :summary "Turn automatic compaction on or off."
     :params ((enabled boolean t "Compact when the context is nearly full.")))
    (set_auto_retry :group "Retry"
     :summary "Turn automatic retry after transient errors on or off."
     :params ((enabled boolean t "Retry when the provider is overloaded, limits the rate or fails.")))
    (abort_retry :group "Retry"
     :summary "Stop waiting for a retry, and do not retry.")
    (bash :group "Bash"
     :summary "Run a shell command and put its output into the conversation."
     :params ((command string t "The command line.")
              (excludeFromContext boolean nil "Keep the output in the session, but do not show it to the model.")))
    (abort_bash :group "Bash"
     :summary "Stop every running bash command.")
    (get_session_stats :group "Session"
     :summary "Get the session's token counts, cost and use of the context window.")
    (export_html :group "Session"
     :summary "Write the session to an HTML file."
     :params ((outputPath string nil "The file to write. pi chooses a name when it is absent.")))
    (switch_session :group "Session"
     :summary "Load another session file."
     :params ((sessionPath string t "The session file, as in sessionFile.")))
    (fork :group "Session"
     :summary "Start a new session from the point before an earlier user message."
     :params ((entryId string t "A user message, as listed by pi/get_fork_messages.")))
    (clone :group "Session"
     :summary "Copy the current branch into a new session and go on there.")
    (get_fork_messages :group "Session"
     :summary "List the user messages that pi/fork can start from.")
    (get_entries :group "Session"
     :summary "Get the session's entries in the order in which they were appended."
     :params ((since string nil "Only entries after this entry id.")))
    (get_tree :group "Session"
     :summary "Get the session's entries as a tree.")
    (get_last_assistant_text :group "Session"
     :summary "Get the text of the agent's last answer.")
    (set_session_name :group "Session"
     :summary "Name the session."
     :params ((name string t "The name that session lists show.")))
    (get_commands :group "Discoverable commands"
     :summary "List the extension commands, prompt templates and skills that /name in a prompt runs."))
  "The commands of pi, in the groups and the order of its documentation.
Each is (NAME :group GROUP :summary TEXT :params PARAMS), and each of
PARAMS is (NAME TYPE REQUIRED DOC).  TYPE is `string', `number',
`boolean', a list of the strings that are allowed, or `json'.")

(defconst pi-ls-data-requests
  '((bridge/state :group "Bridge"
     :summary "Get the state of the pi process and of the run.")
    (bridge/restart :group "Bridge"
     :summary "End pi, if it runs, and start it again on the same session.")
    (rpc.discover :group "Bridge"
     :summary "Get this protocol as an OpenRPC document.")
    (bridge/run :group "Bridge"
     :summary "Send a message and wait until the agent has done everything that follows from it."
     :params ((message string t "The text of the message.")
              (images json nil "Images that go with the message.")
              (streamingBehavior ("steer" "followUp") nil "While the agent runs: steer delivers after the current turn, followUp when it would stop.")
              (workDoneToken json nil "For progress, as in LSP.")
              (partialResultToken json nil "For the text while it streams.")))
    (bridge/fetch :group "Bridge"
     :summary "Get what a reference stands for."
     :params ((id string t "The id of the reference.")))
    (bridge/list_sessions :group "Bridge"
     :summary "List pi's stored sessions, the one that was written last first."
     :params ((cwd string nil "The sessions of this folder. Relative to pi's working directory.")
              (all boolean nil "The sessions of all folders.")
              (query string nil "Words that all must be in the name or the messages, in any case and also as parts of words.")
              (limit number nil "How many sessions at most: 1 to 1000, default 50.")
              (cursor string nil "The cursor of the page before. The other parameters as there.")))
    (bridge/resume :group "Bridge"
     :summary "Go on with a stored session."
     :params ((id string nil "The session's id, or the beginning of it.")
              (file string nil "The session file. Relative to pi's working directory.")))
    (bridge/tree :group "Bridge"
     :summary "Get the open session's tree as a flat list, in the order in which the entries were appended."
     :params ((limit number nil "How many nodes at most: 1 to 100000, default 1000.")
              (cursor string nil "The cursor of the page before.")))
    (bridge/history :group "Bridge"
     :summary "Get the conversation of the open session in pages, the newest page first."
     :params ((before string nil "The before of the page that comes after this one.")
              (limit number nil "How many messages at most: 1 to 100000, default 100."))))
  "The requests that the bridge adds, in the form of `pi-ls-data-commands'.")

(defconst pi-ls-data-dialogs
  '("select" "confirm" "input" "editor")
  "The dialogs that pi can open.")

(provide 'pi-ls-data)
;;; pi-ls-data.el ends here

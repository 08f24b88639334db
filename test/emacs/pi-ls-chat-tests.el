;;; pi-ls-chat-tests.el --- Whole conversations  -*- lexical-binding: t -*-

;;; Code:

(require 'pi-ls-test)

(ert-deftest pi-ls-chat-conversation ()
  "Text, thoughts and tools of one run, and what can be done with them."
  (pi-ls-test-with-chat nil
    (with-temp-file "cart.ts" (insert "const a = 1;\nconst b = 2;\n"))
    (find-file-noselect "cart.ts")
    (pi-ls-test-run "think: let me see"
                    "say: Hello **world**\\n\\n```ts\\nconst x = 1;\\n```\\nsee cart.ts:2"
                    "tool: bash {\"command\":\"echo out; echo more\"}"
                    "tool: edit {\"path\":\"cart.ts\",\"edits\":[{\"oldText\":\"b = 2\",\"newText\":\"b = 3\"}]}"
                    "tool: write {\"path\":\"new.txt\",\"content\":\"one\\ntwo\\n\"}"
                    "say: Done.")
    (should (pi-ls-test-shows "^▸ Thought: let me see\n"))
    (should (pi-ls-test-shows "^Hello \\*\\*world\\*\\*\n\n```ts\nconst x = 1;\n```\nsee cart.ts:2\n"))
    (should (pi-ls-test-shows "^▸ bash echo out; echo more  ✓.*\nout\nmore\n▾ edit cart.ts  ✓\n@@"))
    (should (pi-ls-test-shows "^-const b = 2;\n\\+const b = 3;\n"))
    (should (pi-ls-test-shows "^▾ write new.txt  ✓\n\\+one\n\\+two\n\nDone.\n"))
    ;; Folding.
    (goto-char (pi-ls-test-shows "^out"))
    (should (invisible-p (1- (point))))
    (pi-ls-test-shows "^▸ bash")
    (goto-char (point-min))
    (re-search-forward "^▸ bash")
    (pi-ls-toggle)
    (should (pi-ls-test-shows "^▾ bash"))
    (should-not (invisible-p (1- (pi-ls-test-shows "^out"))))
    (pi-ls-toggle)
    (should (invisible-p (1- (pi-ls-test-shows "^out"))))
    (pi-ls-toggle-all)
    (should-not (pi-ls-test-shows "^▸"))
    (should-not (invisible-p (1- (pi-ls-test-shows "^let me see"))))
    (pi-ls-toggle-all)
    (should-not (pi-ls-test-shows "^▾"))
    (pi-ls-toggle-all)
    ;; The code block.
    (goto-char (pi-ls-test-shows "^const x"))
    (pi-ls-copy-code)
    (should (equal (current-kill 0) "const x = 1;\n"))
    ;; Files.
    (should (string-search "b = 3" (with-current-buffer (find-buffer-visiting "cart.ts") (buffer-string))))
    (goto-char (pi-ls-test-shows "^\\+const b = 3"))
    (save-window-excursion
      (save-current-buffer
        (pi-ls-visit)
        (should (equal (buffer-name) "cart.ts"))
        (should (looking-at "const b"))))
    (goto-char (- (pi-ls-test-shows "see cart.ts:2") 3))
    (save-window-excursion
      (save-current-buffer
        (pi-ls-visit)
        (should (looking-at "const b"))))
    (save-window-excursion
      (pi-ls-diff-last-run)
      (with-current-buffer "*pi diff*"
        (should (derived-mode-p 'diff-mode))
        (should (string-search "+const b = 3;" (buffer-string)))
        (should (string-search "+two" (buffer-string)))))
    ;; Nothing is left that would make later insertions slower.
    (should (zerop (hash-table-count pi-ls--blocks)))))

(ert-deftest pi-ls-chat-code ()
  "Code has the faces of its language, and is copied whole; a fence in it is a part of it."
  (pi-ls-test-with-chat nil
    (pi-ls-test-run "say: ```ts\\nconst a = 1;\\n```\\n````markdown\\n```js\\nlet b;\\n```\\n````\\nno `code` here\\n```\\nopen")
    (font-lock-ensure)
    (pcase-dolist (`(,regexp ,face) '(("^const" font-lock-keyword-face) ("^let b" pi-ls-code-block)
                                      ("^no `code`" pi-ls-code) ("^````" shadow) ("^open" pi-ls-code-block)))
      (ert-info (regexp)
        (goto-char (pi-ls-test-shows regexp))
        (should (memq face (append (ensure-list (get-text-property (1- (point)) 'font-lock-face))
                                   (ensure-list (get-text-property (1- (point)) 'face)))))))
    (goto-char (pi-ls-test-shows "^let b"))
    (pi-ls-copy-code)
    (should (equal (current-kill 0) "```js\nlet b;\n```\n"))))

(ert-deftest pi-ls-chat-changed-buffer-is-kept ()
  "A buffer with changes of its own is not reverted."
  (pi-ls-test-with-chat nil
    (with-temp-file "cart.ts" (insert "const a = 1;\n"))
    (with-current-buffer (find-file-noselect "cart.ts")
      (goto-char (point-max))
      (insert "mine\n"))
    (pi-ls-test-run "tool: edit {\"path\":\"cart.ts\",\"edits\":[{\"oldText\":\"a = 1\",\"newText\":\"a = 2\"}]}")
    (with-current-buffer (find-buffer-visiting "cart.ts")
      (should (equal (buffer-string) "const a = 1;\nmine\n"))
      (set-buffer-modified-p nil))))

(ert-deftest pi-ls-chat-queue-and-abort ()
  "What waits is shown, and comes back when the run is stopped."
  (pi-ls-test-with-chat nil
    (pi-ls-test-say "say: begun" "hold" "say: never")
    (pi-ls-test-wait (pi-ls-test-shows "^begun"))
    (pi-ls-test-say "say: later")
    (pi-ls-test-wait (pi-ls-test-shows "follow-up: say: later"))
    (with-current-buffer (pi-ls--prompt-buffer (current-buffer))
      (insert "say: sooner")
      (pi-ls-steer))
    (pi-ls-test-wait (pi-ls-test-shows "steering: say: sooner"))
    (should (pi-ls-test-shows "● working"))
    (pi-ls-abort)
    (pi-ls-test-idle)
    (pi-ls-test-wait (pi-ls-test-shows "· Stopped"))
    (should-not (pi-ls-test-shows "^never"))
    (with-current-buffer (pi-ls--prompt-buffer (current-buffer))
      (should (equal (buffer-string) "say: sooner\n\nsay: later")))))

(ert-deftest pi-ls-chat-refused-request ()
  "What pi refuses is told by ELSE, and the next request works."
  (pi-ls-test-with-chat nil
    (setq pi-ls-test--settled nil)
    (pi-ls-request pi-ls--connection "pi/set_model" '(:provider "none" :modelId "none")
                   :else (lambda (oops) (setq pi-ls-test--settled (plist-get oops :message))))
    (pi-ls-test-wait (stringp pi-ls-test--settled))
    (pi-ls-test-run "say: after that")
    (should (pi-ls-test-shows "^after that"))))

(ert-deftest pi-ls-chat-errors-and-retries ()
  "A failed answer tells why, a retried one goes on."
  (pi-ls-test-with-chat nil
    (pi-ls-test-run "fail: the model is broken")
    (should (pi-ls-test-shows "· .*the model is broken"))
    (pi-ls-test-run "fail: 529 overloaded" "say: at last")
    (should (pi-ls-test-shows "^at last"))))

(ert-deftest pi-ls-chat-bash ()
  "A shell command streams, ends with its status, and can be stopped."
  (pi-ls-test-with-chat nil
    (pi-ls-test-say "!echo one; echo two; exit 3")
    (pi-ls-test-wait (pi-ls-test-shows "^▾ \\$ echo one; echo two; exit 3  ✗ 3\none\ntwo\n"))
    (pi-ls-test-say "!echo begun; sleep 600")
    (pi-ls-test-wait (pi-ls-test-shows "^begun$"))
    (pi-ls-abort)
    (pi-ls-test-wait (pi-ls-test-shows "✗ stopped"))))

(ert-deftest pi-ls-chat-reader-stays ()
  "Point and the start of a window stay where the reader put them."
  (pi-ls-test-with-chat nil
    (pi-ls-test-run "deltas: 200 x \"a line of text\\n\"")
    (let ((window (get-buffer-window)))
      (should window)
      ;; Who is at the end follows.
      (should (= (window-point window) (point-max)))
      (pi-ls-test-say "hold" "deltas: 200 x \"another line\\n\"" "tool: bash {\"command\":\"echo hi\"}" "say: end")
      (pi-ls-test-wait (pi-ls-test-shows "● working"))
      ;; Who sends goes to the end; from there the reader goes back.
      (set-window-point window 100)
      (set-window-start window 60)
      (pi-ls-test-command "/release")
      (set-window-point window 100)
      (set-window-start window 60)
      (pi-ls-test-wait (pi-ls-test-shows "^end"))
      (pi-ls-test-idle)
      (should (= (window-point window) 100))
      (should (= (window-start window) 60))
      (set-window-point window (point-max))
      (pi-ls-test-run "say: more")
      (should (= (window-point window) (point-max))))))

(ert-deftest pi-ls-chat-turns ()
  "Turns can be visited and listed."
  (pi-ls-test-with-chat nil
    (dolist (text '("say: one" "say: two" "say: three")) (pi-ls-test-run text))
    (goto-char (point-max))
    (pi-ls-previous-turn)
    (should (looking-at "say: three"))
    (pi-ls-previous-turn 2)
    (should (looking-at "say: one"))
    (should-error (pi-ls-previous-turn) :type 'user-error)
    (pi-ls-next-turn)
    (should (looking-at "say: two"))
    (should (equal (mapcar #'car (funcall imenu-create-index-function)) '("say: one" "say: two" "say: three")))))

(ert-deftest pi-ls-chat-fork-at-point ()
  "A fork goes back before the turn and gives its text back."
  (pi-ls-test-with-chat nil
    (dolist (text '("say: one" "say: two" "say: three")) (pi-ls-test-run text))
    (goto-char (pi-ls-test-shows "^two"))
    (pi-ls-fork-at-point)
    (pi-ls-test-wait (with-current-buffer (pi-ls--prompt-buffer (current-buffer))
                       (equal (buffer-string) "say: two")))
    (pi-ls-test-wait (not (pi-ls-test-shows "three")))
    (should (pi-ls-test-shows "^one"))
    (should-not (pi-ls-test-shows "^two"))
    ;; What is shown from the session now knows its entries.
    (goto-char (pi-ls-test-shows "^one"))
    (with-current-buffer (pi-ls--prompt-buffer (current-buffer)) (erase-buffer))
    (should (stringp (get-text-property (pi-ls--turn-before (point)) 'pi-ls-turn)))
    (pi-ls-fork-at-point)
    (pi-ls-test-wait (with-current-buffer (pi-ls--prompt-buffer (current-buffer))
                       (equal (buffer-string) "say: one")))))

(ert-deftest pi-ls-chat-sessions ()
  "A new session, a name, a resumed one, a tree, a clone."
  (pi-ls-test-with-chat nil
    (pi-ls-test-run "say: first session")
    (pi-ls-rename "the first")
    (pi-ls-test-wait (equal (pi-ls-test-state :session :name) "the first"))
    (should (string-search "the first" header-line-format))
    (let ((file (pi-ls-test-state :session :file)))
      (pi-ls-new)
      (pi-ls-test-wait (not (equal file (pi-ls-test-state :session :file))))
      (pi-ls-test-wait (not (pi-ls-test-shows "first session")))
      (pi-ls-test-run "say: second session")
      (pi-ls-request pi-ls--connection "bridge/resume" (list :file file))
      (pi-ls-test-wait (pi-ls-test-shows "^first session"))
      (should-not (pi-ls-test-shows "second")))
    (let ((before (pi-ls-test-state :session :id)))
      (pi-ls-clone)
      (pi-ls-test-wait (not (equal before (pi-ls-test-state :session :id))))
      (pi-ls-test-wait (pi-ls-test-shows "^first session")))
    (pi-ls-tree)
    (let ((tree (string-replace "*pi" "*pi-tree" (buffer-name))))
      (pi-ls-test-wait (get-buffer tree))
      (with-current-buffer tree
        (should (string-match-p "user +say: first session" (buffer-string)))
        (should (string-match-p "assistant +first session" (buffer-string)))
        (kill-buffer)))))

(ert-deftest pi-ls-chat-compact ()
  "A compaction leaves its summary in the transcript."
  (pi-ls-test-with-chat nil
    (pi-ls-test-run "say: one")
    (pi-ls-test-run "say: two")
    (pi-ls-compact "say: the summary")
    (pi-ls-test-wait (pi-ls-test-shows "▸ Compacted [0-9]+ tokens.*\nthe summary"))))

(ert-deftest pi-ls-chat-large-results-are-fetched ()
  "A large result of a tool comes when it is wanted."
  (let ((pi-ls-large-text 2000))
    (pi-ls-test-with-chat nil
      (pi-ls-test-run "tool: bash {\"command\":\"seq 2000\"}")
      (let ((at (pi-ls-test-shows "RET shows it")))
        (should at)
        (goto-char (- at 3))
        (pi-ls-visit)
        (pi-ls-test-wait (pi-ls-test-shows "^1999\n2000"))
        (should-not (pi-ls-test-shows "RET shows it"))))))

(ert-deftest pi-ls-chat-pi-dies ()
  "When pi dies the transcript tells, and the next prompt works."
  (pi-ls-test-with-chat nil
    (pi-ls-test-say "say: begun" "hold")
    (pi-ls-test-wait (pi-ls-test-shows "^begun"))
    (pi-ls-test-say "say: later")
    (pi-ls-test-wait (pi-ls-test-shows "follow-up: say: later"))
    (signal-process (pi-ls-test-state :pi :pid) 'KILL)
    (pi-ls-test-wait (equal (pi-ls-test-state :restarts) 1))
    (pi-ls-test-idle)
    (should (pi-ls-test-shows "· pi has ended"))
    ;; What had waited is not lost.
    (pi-ls-test-wait (with-current-buffer (pi-ls--prompt-buffer (current-buffer))
                       (equal (buffer-string) "say: later")))
    (pi-ls-test-run "say: alive again")
    (should (pi-ls-test-shows "^alive again"))))

(ert-deftest pi-ls-chat-bridge-dies ()
  "When the bridge dies the transcript tells, and a new one goes on."
  (pi-ls-test-with-chat nil
    (pi-ls-test-run "say: before")
    (signal-process (jsonrpc--process pi-ls--connection) 'KILL)
    (pi-ls-test-wait (pi-ls-test-shows "The bridge has ended"))
    (should-error (pi-ls-test-say "say: nothing") :type 'user-error)
    (pi-ls-reconnect)
    (pi-ls-test-idle)
    (pi-ls-test-wait (not (pi-ls-test-shows "The bridge has ended")))
    (should (pi-ls-test-shows "^before"))
    (pi-ls-test-run "say: after")
    (should (pi-ls-test-shows "^after"))))

(ert-deftest pi-ls-chat-completion ()
  "Commands and files are completed in the prompt."
  (pi-ls-test-with-chat nil
    (make-directory "src")
    (with-temp-file "src/cart.ts" (insert "x"))
    (with-temp-file "my notes.md" (insert "x"))
    (with-current-buffer (pi-ls--prompt-buffer (current-buffer))
      (insert "/anno")
      (completion-at-point)
      (should (equal (buffer-string) "/announce"))
      (erase-buffer)
      (insert "ä look at @cart")
      (completion-at-point)
      (should (equal (buffer-string) "ä look at @src/cart.ts"))
      (pcase-dolist (`(,before ,after ,result) '(("see @\"my no" "" "see @\"my notes.md\"")
                                                 ("(@\"my no" "\" please" "(@\"my notes.md\" please")
                                                 ("見て、@car" "" "見て、@src/cart.ts")))
        (erase-buffer)
        (insert before)
        (save-excursion (insert after))
        (completion-at-point)
        (should (equal (buffer-string) result)))
      ;; Elsewhere there is nothing to complete, and nothing fails.
      (erase-buffer)
      (insert "a wo")
      (completion-at-point)
      (should (equal (buffer-string) "a wo")))))

(ert-deftest pi-ls-chat-history ()
  "Prompts that were sent come back, and so does the draft."
  (pi-ls-test-with-chat nil
    (pi-ls-test-run "say: one")
    (pi-ls-test-run "say: two")
    (with-current-buffer (pi-ls--prompt-buffer (current-buffer))
      (insert "a draft")
      (pi-ls-previous-prompt)
      (should (equal (buffer-string) "say: two"))
      (pi-ls-previous-prompt)
      (should (equal (buffer-string) "say: one"))
      (should-error (pi-ls-previous-prompt) :type 'user-error)
      (pi-ls-next-prompt 2)
      (should (equal (buffer-string) "a draft")))))

(ert-deftest pi-ls-chat-images ()
  "An image goes with the prompt as long as its mark stands."
  (pi-ls-test-with-chat nil
    (pi-ls-test-write-image "dot.png")
    (with-current-buffer (pi-ls--prompt-buffer (current-buffer))
      (insert "say: seen ")
      (pi-ls-attach-image (expand-file-name "dot.png"))
      (should (equal (pi-ls--text-without-images) "say: seen  "))
      (should (equal (length (pi-ls--images)) 1))
      (pi-ls-send))
    (pi-ls-test-wait (pi-ls-test-shows "\\[image image/png\\]"))
    (pi-ls-test-wait (pi-ls-test-shows "^seen"))
    (pi-ls-test-idle)))

(ert-deftest pi-ls-chat-mentions ()
  "Regions and files are mentioned with their lines."
  (pi-ls-test-with-chat nil
    (with-temp-file "cart.ts" (insert "one\ntwo\nthree\n"))
    (with-current-buffer (find-file-noselect "cart.ts")
      (should (equal (pi-ls--mention-here nil nil) "@cart.ts"))
      (should (equal (pi-ls--mention-here (point-min) (point-max)) "@cart.ts#L1-3"))
      (should (equal (pi-ls--mention-here (point-min) 5) "@cart.ts#L1")))
    (with-temp-file "my notes.md" (insert "one\n"))
    (with-current-buffer (find-file-noselect "my notes.md")
      (should (equal (pi-ls--mention-here (point-min) (point-max)) "@\"my notes.md\"#L1")))
    (with-temp-buffer
      (insert "loose text")
      (should (equal (pi-ls--mention-here nil nil) "```\nloose text\n```")))))

(ert-deftest pi-ls-chat-announcements ()
  "What extensions show is shown."
  (pi-ls-test-with-chat nil
    (pi-ls-test-command "/announce")
    (should (pi-ls-test-shows "· a note\n· a warning\n· an error\n"))
    (pi-ls-test-wait (with-current-buffer (pi-ls--prompt-buffer (current-buffer))
                       (not (string-blank-p (buffer-string)))))))

(ert-deftest pi-ls-chat-which ()
  "A project has its conversation; a file of another one does not talk to it."
  (pi-ls-test-with-chat nil
    (let ((other (expand-file-name "../other/" default-directory)))
      (make-directory (expand-file-name "src" default-directory))
      (make-directory (expand-file-name ".git" other) t)
      (let ((default-directory (expand-file-name "src/" default-directory)))
        (with-temp-buffer (should (eq chat (pi-ls--chat-here)))))
      (with-temp-buffer
        (setq default-directory other)
        (should-not (pi-ls--chat-here))
        ;; What is not about a file may mean the only one.
        (should (eq chat (pi-ls--chat-buffer)))
        (save-window-excursion (save-current-buffer (pi-ls)))
        (let ((second (pi-ls--chat-here)))
          (should second)
          (should-not (eq chat second))
          (should (equal (buffer-local-value 'default-directory second) other))
          (with-current-buffer second (pi-ls-test-idle))
          ;; The same again, and another one beside it.
          (save-window-excursion (save-current-buffer (pi-ls)))
          (should (eq second (pi-ls--chat-here)))
          (save-window-excursion
            (save-current-buffer (pi-ls t))
            (should (equal '(pi-ls-prompt-mode pi-ls-chat-mode)
                           (seq-filter (lambda (mode) (memq mode '(pi-ls-prompt-mode pi-ls-chat-mode)))
                                       (mapcar (lambda (window)
                                                 (buffer-local-value 'major-mode (window-buffer window)))
                                               (window-list))))))
          (should (= 3 (length (pi-ls--chats))))
          (dolist (buffer (remq chat (pi-ls--chats)))
            (with-current-buffer buffer (pi-ls-test-idle))
            (kill-buffer buffer)))))))

(ert-deftest pi-ls-chat-kill ()
  "Killing the transcript ends the bridge and pi, also while it runs."
  (pi-ls-test-with-chat nil
    (pi-ls-test-say "say: begun" "stall")
    (pi-ls-test-wait (pi-ls-test-shows "^begun"))
    (should (pi-ls-test-pids))
    (let ((prompt (pi-ls--prompt-buffer (current-buffer))))
      (kill-buffer)
      (should-not (buffer-live-p prompt)))
    (pi-ls-test-wait (null (pi-ls-test-pids)))))

(ert-deftest pi-ls-chat-oldest-pi ()
  "The oldest pi that the bridge supports: a run, a queue, a stop, a fork."
  (let ((pi-ls-test-pi "pi-0.84"))
    (pi-ls-test-with-chat nil
      (pi-ls-test-run "think: hm" "say: hello" "tool: bash {\"command\":\"echo out\"}" "say: done")
      (should (pi-ls-test-shows "^▸ Thought: hm\nhm\n\nhello\n\n▸ bash echo out  ✓.*\nout\n\ndone\n"))
      (pi-ls-test-say "say: begun" "hold" "say: never")
      (pi-ls-test-wait (pi-ls-test-shows "^begun"))
      (pi-ls-abort)
      (pi-ls-test-idle)
      (pi-ls-test-wait (pi-ls-test-shows "· Stopped"))
      (goto-char (pi-ls-test-shows "^begun"))
      (pi-ls-fork-at-point)
      (pi-ls-test-wait (not (pi-ls-test-shows "begun")))
      (should (pi-ls-test-shows "^done")))))

(provide 'pi-ls-chat-tests)
;;; pi-ls-chat-tests.el ends here

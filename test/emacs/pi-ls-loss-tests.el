;;; pi-ls-loss-tests.el --- What was typed, and who is asked, is not lost  -*- lexical-binding: t -*-

;;; Code:

(require 'pi-ls-test)
(require 'pi-ls-scenario-tests)
(require 'pi-ls-manual-tests)
(require 'pi-ls-wire-tests)

(defun pi-ls-test-count (regexp)
  "How often the current transcript has REGEXP."
  (how-many regexp (point-min) (point-max)))

(ert-deftest pi-ls-loss-pi-dies-once ()
  "Each prompt that pi had not taken comes back once, in order, with its image; the end is told once."
  (pi-ls-test-with-scenario
      `(,pi-ls-test-entries
        ,(pi-ls-test-expected "prompt")
        ,(pi-ls-test-expected "prompt")
        (:exit 3)
        (:restart t)
        ,pi-ls-test-first-state
        ,(pi-ls-test-expected "prompt")
        (:exit 4)
        (:restart t)
        ,pi-ls-test-first-state)
    (pi-ls-test-write-image "dot.png")
    (with-current-buffer (pi-ls--prompt-buffer (current-buffer))
      (insert "first ")
      (pi-ls-attach-image "dot.png")
      (pi-ls-send))
    (pi-ls-test-say "second")
    (pi-ls-test-wait (equal (pi-ls-test-state :restarts) 1))
    (pi-ls-test-idle)
    (should (equal (pi-ls-test-prompt-text) "first [image dot.png]\n\nsecond"))
    (should (= 1 (length (with-current-buffer (pi-ls--prompt-buffer (current-buffer)) (pi-ls--images)))))
    (should (= 1 (pi-ls-test-count "^· pi has ended")))
    ;; The bridge still tells of those, beside the next one.
    (pi-ls-test-say "third")
    (pi-ls-test-wait (equal (pi-ls-test-state :restarts) 2))
    (pi-ls-test-idle)
    (should (equal (pi-ls-test-prompt-text) "third"))
    (should (= 2 (pi-ls-test-count "^· pi has ended")))))

(ert-deftest pi-ls-loss-same-text-twice ()
  "Of two equal prompts each is on its way until it is answered."
  (pi-ls-test-with-scenario
      `(,pi-ls-test-entries
        ,(pi-ls-test-expected "prompt" :reject "No")
        ,(pi-ls-test-expected "prompt"))
    (pi-ls-test-say "again")
    (pi-ls-test-say "again")
    (pi-ls-test-wait (pi-ls-test-shows "^· No"))
    (should (= 1 (pi-ls-test-count "sending: again")))))

(defmacro pi-ls-test-with-queue (&rest body)
  "Run BODY in a transcript whose agent runs, while two messages wait."
  (declare (indent 0))
  `(pi-ls-test-with-chat nil
     (pi-ls-test-run "say: before")
     (pi-ls-test-say "say: begun" "hold" "say: never")
     (pi-ls-test-wait (pi-ls-test-shows "^begun"))
     (with-current-buffer (pi-ls--prompt-buffer (current-buffer))
       (insert "say: sooner")
       (pi-ls-steer))
     (pi-ls-test-wait (pi-ls-test-shows "steering: say: sooner"))
     (pi-ls-test-say "say: later")
     (pi-ls-test-wait (pi-ls-test-shows "follow-up: say: later"))
     ,@body))

(ert-deftest pi-ls-loss-queue-of-a-session-that-is-left ()
  "What waits comes back into the prompt when another session is opened, and is not shown there."
  (dolist (leave (list #'pi-ls-new #'pi-ls-clone (lambda () (pi-ls-call 'new_session))))
    (pi-ls-test-with-queue
      (let ((session (pi-ls-test-state :session :id)))
        (cl-letf (((symbol-function 'pi-ls--read-params) #'ignore)) (funcall leave))
        (pi-ls-test-wait (not (equal session (pi-ls-test-state :session :id))))
        (pi-ls-test-wait (equal (pi-ls-test-prompt-text) "say: sooner\n\nsay: later"))
        (pi-ls-test-idle)
        (should-not (pi-ls-test-shows "⏳"))
        (pi-ls-test-run "say: here")
        (should-not (pi-ls-test-shows "^later"))))))

(ert-deftest pi-ls-loss-queue-on-resume ()
  "What waits comes back into the prompt when a stored session is resumed."
  (pi-ls-test-with-queue
    (let ((session (pi-ls-test-state :session :id)))
      (cl-letf (((symbol-function 'pi-ls--choose)
                 (lambda (_ sessions &rest _)
                   (cl-find-if-not (lambda (each) (equal (plist-get each :id) session)) sessions))))
        (pi-ls-test-write-session (expand-file-name "sessions/2026-01-01T00-00-00-000Z_long2.jsonl" pi-ls-test-root) 2)
        (pi-ls-resume)
        (pi-ls-test-wait (equal (pi-ls-test-state :session :id) "long2"))
        (pi-ls-test-wait (equal (pi-ls-test-prompt-text) "say: sooner\n\nsay: later"))
        (should-not (pi-ls-test-shows "⏳"))))))

(ert-deftest pi-ls-loss-queue-of-a-bridge-that-ends ()
  "What waits comes back once when the bridge dies, or is left for another one."
  (dolist (end (list (lambda () (signal-process (jsonrpc--process pi-ls--connection) 'KILL)) #'pi-ls-reconnect))
    (pi-ls-test-with-queue
      (let ((connection pi-ls--connection))
        (funcall end)
        (pi-ls-test-wait (not (jsonrpc-running-p connection)))
        (pi-ls-test-wait (string-search "say: later" (pi-ls-test-prompt-text)))
        (should (= 1 (length (pi-ls-test-matches "say: later" (pi-ls-test-prompt-text)))))
        (should (= 1 (length (pi-ls-test-matches "say: sooner" (pi-ls-test-prompt-text)))))
        (should-not (pi-ls-test-shows "⏳"))))))

(ert-deftest pi-ls-loss-queue-of-a-conversation-that-is-ended ()
  "What waits is in the draft of the next conversation of the folder."
  (pi-ls-test-with-queue
    (let ((folder default-directory) (kill-buffer-query-functions nil))
      (kill-buffer chat)
      (should (equal (pi-ls-draft-take folder) "say: sooner\n\nsay: later")))))

(ert-deftest pi-ls-loss-narrowed-transcript ()
  "A transcript that is narrowed grows as any other, and stays narrow."
  (let ((script '("think: let me see" "say: # Title\\n\\n```sh\\nls\\n```" "tool: bash {\"command\":\"echo out\"}" "say: done"))
        (plain (lambda () (replace-regexp-in-string "[0-9.]+ s$" "" (pi-ls-test-text))))
        (wide nil))
    (pi-ls-test-with-chat nil
      (pi-ls-test-run "say: first")
      (apply #'pi-ls-test-run script)
      (setq wide (funcall plain)))
    (pi-ls-test-with-chat nil
      (pi-ls-test-run "say: first")
      (narrow-to-region (point-min) (+ (point-min) 5))
      (apply #'pi-ls-test-run script)
      (should (= (buffer-size) (length (save-restriction (widen) (buffer-string)))))
      (should (equal (buffer-string) "say: "))
      ;; Which turn is meant is counted in the whole of it.
      (should (= 2 (length (pi-ls--turns))))
      (goto-char (point-min))
      (widen)
      (should (equal (funcall plain) wide))
      (narrow-to-region (point-min) (+ (point-min) 5))
      (pi-ls-reload)
      (pi-ls-test-wait (not (buffer-narrowed-p)))
      (pi-ls-test-wait (pi-ls-test-shows "^done")))))

(ert-deftest pi-ls-loss-narrowed-prompt ()
  "What a narrowed prompt hides is sent, kept, and comes back from the history."
  (pi-ls-test-with-chat nil
    (cl-flet ((write () (erase-buffer) (insert "say: one\nsay: two") (narrow-to-region (pos-bol) (pos-eol))))
      (with-current-buffer (pi-ls--prompt-buffer (current-buffer))
        (write)
        (pi-ls-send))
      (pi-ls-test-wait (pi-ls-test-shows "^one"))
      (pi-ls-test-wait (pi-ls-test-shows "^two"))
      (pi-ls-test-idle)
      (with-current-buffer (pi-ls--prompt-buffer (current-buffer))
        (write)
        (pi-ls-previous-prompt)
        (pi-ls-next-prompt)
        (should (equal (buffer-string) "say: one\nsay: two"))
        (write)
        (pi-ls--give-back '("back"))
        (should (equal (buffer-string) "say: two"))
        (kill-buffer))
      (should (equal (pi-ls-test-prompt-text) "back\n\nsay: one\nsay: two")))))

(ert-deftest pi-ls-loss-reconnected-twice ()
  "Who reconnects before the new bridge knows its session gets the same session."
  (pi-ls-test-with-chat nil
    (pi-ls-test-run "say: before")
    (let ((session (pi-ls-test-state :session :id)))
      (pi-ls-reconnect)
      (pi-ls-reconnect)
      (pi-ls-test-idle)
      (should (equal session (pi-ls-test-state :session :id)))
      (pi-ls-test-wait (pi-ls-test-shows "^before")))))

(ert-deftest pi-ls-loss-other-major-modes ()
  "A transcript and a prompt in another mode remain what they are, and come back into their own."
  (pi-ls-test-with-chat nil
    (let ((prompt (pi-ls--prompt-buffer chat)) (connection pi-ls--connection) (folder default-directory))
      (with-current-buffer prompt (normal-mode) (insert "a text"))
      (normal-mode)
      (should (eq connection pi-ls--connection))
      (should (eq chat (pi-ls--chat-here)))
      (should (eq prompt (pi-ls--prompt-buffer chat)))
      (with-current-buffer prompt (should (eq chat (pi-ls--chat-here))))
      (pi-ls--prompt "say: still here")
      (pi-ls-test-wait (pi-ls-test-shows "^still here"))
      (pi-ls-test-idle)
      (save-current-buffer (pi-ls))
      (should (derived-mode-p 'pi-ls-chat-mode))
      (should header-line-format)
      (with-current-buffer prompt
        (should (derived-mode-p 'pi-ls-prompt-mode))
        (should (equal (buffer-string) "a text")))
      (pi-ls-test-run "say: as before")
      (should (pi-ls-test-shows "^still here\n\\(.*\n\\)+as before"))
      (fundamental-mode)
      (with-current-buffer prompt (insert "a draft") (fundamental-mode))
      ;; The sandbox looks that no process survives it.
      (let ((kill-buffer-query-functions nil)) (kill-buffer chat))
      (should-not (buffer-live-p prompt))
      (should (equal (pi-ls-draft-take folder) "a draft"))
      (pi-ls-test-wait (not (jsonrpc-running-p connection))))))

(ert-deftest pi-ls-loss-last-words ()
  "What a bridge wrote to stderr before it ended is in the transcript, or in the warning."
  (pi-ls-test-in-sandbox
    (pi-ls-test-fake "die" "cannot go on\n  at bridge.js:12\n\nNode.js v24")
    (with-current-buffer (pi-ls--new-chat default-directory)
      (pi-ls-test-wait (pi-ls-capabilities-known-p pi-ls--connection))
      (jsonrpc-notify pi-ls--connection 'play nil)
      (pi-ls-test-wait (pi-ls-test-shows "^· The bridge has ended.*\ncannot go on\nat bridge.js:12\nNode.js v24$"))))
  (pi-ls-test-in-sandbox
    (setq pi-ls-program '("sh" "-c" "read -r line; echo 'no such option' >&2; exit 3"))
    (let ((told nil))
      (cl-letf (((symbol-function 'display-warning) (lambda (_ text &rest _) (setq told text))))
        (with-current-buffer (pi-ls--new-chat default-directory)
          (pi-ls-test-wait told)
          (should (string-match-p "no such option\\'" told)))))))

(ert-deftest pi-ls-loss-two-conversations ()
  "Two conversations of one folder have drafts, and bridges, of their own."
  (pi-ls-test-in-sandbox
    (pi-ls-test-fake "flood" "1" "10")
    (let ((chats (list (pi-ls--new-chat default-directory) (pi-ls--new-chat default-directory)))
          (kill-buffer-query-functions nil))
      (should (= 2 (length (delete-dups
                            (mapcar (lambda (chat)
                                      (process-buffer
                                       (jsonrpc--process (buffer-local-value 'pi-ls--connection chat))))
                                    chats)))))
      (cl-mapc (lambda (chat text)
                 (with-current-buffer (pi-ls--prompt-buffer chat) (insert text))
                 (kill-buffer chat))
               chats '("one" "two"))
      (should (equal (mapcar (lambda (_)
                               (with-current-buffer (pi-ls--new-chat default-directory) (pi-ls-test-prompt-text)))
                             '(1 2 3))
                     '("two" "one" ""))))))

(ert-deftest pi-ls-loss-emacs-ends ()
  "What was written when Emacs ended is in the next prompt of the folder, with its image."
  (pi-ls-test-in-sandbox
    (pi-ls-test-fake "flood" "1" "10")
    (pi-ls-test-write-image "dot.png")
    (with-temp-buffer
      (call-process
       (expand-file-name invocation-name invocation-directory) nil t nil "-Q" "--batch"
       "-L" (pi-ls-test-file "clients/emacs") "-L" (pi-ls-test-file "test/emacs") "-l" "pi-ls-test"
       "--eval"
       (prin1-to-string
        `(progn
           (setq pi-ls-program ',pi-ls-program pi-ls-draft-file ,pi-ls-draft-file)
           (pi-ls-draft-keep "/elsewhere/" "of a prompt that was killed")
           (with-current-buffer (pi-ls--prompt-buffer (pi-ls--new-chat ,default-directory))
             (insert (propertize "grüße " 'keymap (make-sparse-keymap) 'marker (point-marker)))
             (pi-ls-attach-image "dot.png")
             (kill-emacs 0)))))
      (should (file-exists-p pi-ls-draft-file)))
    (should (= #o600 (file-modes pi-ls-draft-file)))
    ;; Another Emacs ends, and takes nothing away.
    (pi-ls-draft-keep "/elsewhere/" "later")
    (pi-ls-draft-store)
    (with-current-buffer (pi-ls--prompt-buffer (pi-ls--new-chat default-directory))
      (should (equal (buffer-string) "grüße [image dot.png] "))
      (should (equal (length (pi-ls--images)) 1)))
    (should (equal (pi-ls-draft-take "/elsewhere/") "later"))
    (should (equal (pi-ls-draft-take "/elsewhere/") "of a prompt that was killed"))
    (should-not (file-exists-p pi-ls-draft-file))))

(ert-deftest pi-ls-loss-unreadable-drafts ()
  "A file of drafts that is none is put aside, and the prompt opens."
  (pi-ls-test-in-sandbox
    (dolist (text '("(((" "(1 2)" ""))
      (with-temp-file pi-ls-draft-file (insert text))
      (should-not (pi-ls-draft-take default-directory))
      (should-not (file-exists-p pi-ls-draft-file)))
    (should (= 3 (length (directory-files pi-ls-test-root nil "\\`drafts\\.eld\\."))))))

(ert-deftest pi-ls-loss-text-of-an-editor ()
  "A text for pi that pi does not get is in the history of the prompts."
  (dolist (leave (list #'kill-buffer #'pi-ls-editor-cancel
                       (lambda () (with-current-buffer pi-ls-test--chat (pi-ls-abort)))))
    (pi-ls-test-with-chat nil
      (setq pi-ls-test--chat chat)
      (pi-ls-test-say "/editor")
      (pi-ls-test-wait (pi-ls-dialogs pi-ls--connection))
      (save-window-excursion
        (save-current-buffer
          (pi-ls-answer)
          (insert "Half a page. ")
          ;; In another mode it still is what pi asks for.
          (normal-mode)
          (let ((kill-buffer-query-functions nil)) (funcall leave)))
        (pi-ls-test-wait (null (pi-ls-dialogs pi-ls--connection)))
        (pi-ls-test-wait (eql 0 (pi-ls-test-state :dialogs))))
      (should (string-prefix-p "Half a page. Fix the cart" (car pi-ls-prompt-history)))
      (should-not (get-buffer "*pi asks: Commit message*")))))

(defvar pi-ls-test--chat nil "The transcript of the running test.")

(ert-deftest pi-ls-loss-tree-is-no-prompt ()
  "What comes back goes to the prompt, also while the tree is shown, which has the common keys."
  (pi-ls-test-with-chat nil
    (pi-ls-test-run "say: one")
    (pi-ls-tree)
    (let ((tree (string-replace "*pi" "*pi-tree" (buffer-name))))
      (pi-ls-test-wait (get-buffer tree))
      (should (eq (keymap-lookup pi-ls-tree-mode-map "C-c C-p") #'pi-ls-menu))
      (kill-buffer (pi-ls--prompt-buffer chat))
      (with-current-buffer tree (pi-ls--give-back '("back")))
      (should (equal (pi-ls-test-prompt-text) "back"))
      (should-not (equal (buffer-name (pi-ls--prompt-buffer chat)) tree)))))

(provide 'pi-ls-loss-tests)
;;; pi-ls-loss-tests.el ends here

;;; pi-ls-scenario-tests.el --- What a real pi cannot be made to do  -*- lexical-binding: t -*-

;;; Commentary:

;; The real bridge, and a pi that plays a scenario.

;;; Code:

(require 'pi-ls-test)

(defconst pi-ls-test-model
  '(:id "fake-model" :name "Fake" :provider "fake" :api "fake" :baseUrl "http://127.0.0.1" :reasoning t
        :input ["text"] :cost (:input 0 :output 0 :cacheRead 0 :cacheWrite 0) :contextWindow 1000 :maxTokens 100))

(defconst pi-ls-test-first-state
  `(:state (:model ,pi-ls-test-model :thinkingLevel "medium" :isStreaming :false :isCompacting :false
                   :steeringMode "all" :followUpMode "all" :sessionId "fake" :sessionFile "/nowhere/fake.jsonl"
                   :autoCompactionEnabled t :messageCount 0 :pendingMessageCount 0))
  "The step that tells the state of the pi of a scenario.")

(defun pi-ls-test-stats (percent)
  "The step that makes the context PERCENT full."
  `(:stats (:sessionId "fake" :userMessages 0 :assistantMessages 0 :toolCalls 0 :toolResults 0 :totalMessages 0
                       :tokens (:input 0 :output 0 :cacheRead 0 :cacheWrite 0 :total 0) :cost 0.123
                       :contextUsage (:tokens ,(* 10 percent) :contextWindow 1000 :percent ,percent))))

(defun pi-ls-test-told (type &rest members)
  "The step in which pi writes a record of TYPE with MEMBERS."
  `(:send (:type ,type ,@members)))

(defun pi-ls-test-expected (type &rest answer)
  "The step in which a command of TYPE comes, with ANSWER."
  `(:expect (:type ,type) ,@answer))

(defun pi-ls-test-streamed (text)
  "The step in which the model says TEXT."
  (pi-ls-test-told "message_update" :message '(:role "assistant" :content [])
                   :assistantMessageEvent `(:type "text_delta" :contentIndex 0 :delta ,text)))

(defconst pi-ls-test-begun
  (list (pi-ls-test-expected "prompt" :reply '(:disposition "started"))
        (pi-ls-test-told "agent_start")
        (pi-ls-test-told "message_start" :message '(:role "assistant" :content [])))
  "The steps in which a prompt comes and a run begins.")

(defconst pi-ls-test-settled
  (list (pi-ls-test-told "agent_end" :messages [])
        (pi-ls-test-told "agent_settled"))
  "The steps in which a run ends.")

(defmacro pi-ls-test-with-scenario (steps &rest body)
  "Run BODY in a transcript whose pi plays STEPS, a list of plists."
  (declare (indent 1))
  `(pi-ls-test-in-sandbox
     (let ((file (expand-file-name "scenario.jsonl" pi-ls-test-root)))
       (with-temp-file file
         (dolist (step (cons pi-ls-test-first-state ,steps))
           (insert (json-serialize step) "\n")))
       (setq pi-ls-options
             (list :command (vector "node" (pi-ls-test-file "test/support/fake-pi.ts") file)))
       (with-current-buffer (pi-ls--new-chat default-directory)
         (pi-ls-test-idle)
         ,@body))))

(defun pi-ls-test-prompt-text ()
  "What stands in the prompt of the current transcript."
  (with-current-buffer (pi-ls--prompt-buffer (current-buffer)) (buffer-string)))

(defconst pi-ls-test-entries
  (pi-ls-test-expected "get_entries" :reply '(:entries [] :leafId :null))
  "The step in which the client asks for what is in the session.")

(ert-deftest pi-ls-scenario-retry ()
  "A retry is told of while it is waited for, and not after."
  (pi-ls-test-with-scenario
      `(,pi-ls-test-entries
        ,@pi-ls-test-begun
        ,(pi-ls-test-told "auto_retry_start" :attempt 1 :maxAttempts 3 :delayMs 5000 :errorMessage "529 overloaded")
        ,(pi-ls-test-expected "steer" :reply '(:disposition "queued"))
        ,(pi-ls-test-told "auto_retry_end" :success t :attempt 1)
        ,(pi-ls-test-streamed "At last.")
        ,@pi-ls-test-settled)
    (pi-ls-test-say "go on")
    (pi-ls-test-wait (pi-ls-test-shows "^↻ Retry 1 of 3 in 5 s: 529 overloaded"))
    (pi-ls-request pi-ls--connection "pi/steer" '(:message "now"))
    (pi-ls-test-wait (pi-ls-test-shows "^At last\\."))
    (pi-ls-test-wait (not (pi-ls-test-shows "Retry 1")))))

(ert-deftest pi-ls-scenario-unknown ()
  "Records, steps, roles and parts of a later pi, and lines that are none, stop nothing."
  (pi-ls-test-with-scenario
      `(,pi-ls-test-entries
        ,@pi-ls-test-begun
        (:raw "a line of a shell profile\n")
        ,(pi-ls-test-told "of_the_future" :message '(:role "user" :content "x"))
        ,(pi-ls-test-told "message_start" :message '(:role "oracle" :content [(:type "hologram" :data "x")]))
        ,(pi-ls-test-told "message_update" :assistantMessageEvent '(:type "hologram_delta" :contentIndex 0))
        ,(pi-ls-test-told "message_start" :message '(:role "user" :content [(:type "hologram" :data "x")]))
        ,(pi-ls-test-told "tool_execution_end" :toolCallId "c1" :toolName "dream"
                          :result '(:content [(:type "text" :text "slept")]) :isError :false)
        ,(pi-ls-test-told "tool_execution_end" :toolCallId "c2" :toolName "edit" :result '(:content []) :isError t)
        ,(pi-ls-test-streamed "Still here.")
        ,@pi-ls-test-settled)
    (pi-ls-test-say "go on")
    (pi-ls-test-wait (pi-ls-test-shows "^Still here\\."))
    (should (pi-ls-test-shows "\\[hologram\\]"))
    (should (pi-ls-test-shows "^▸ dream +✓\nslept"))
    (should (pi-ls-test-shows "^▾ edit +✗"))
    (with-current-buffer (pi-ls-log-buffer pi-ls--connection)
      (should-not (string-search "failed" (buffer-string))))))

(ert-deftest pi-ls-scenario-never-answers ()
  "While pi says nothing Emacs goes on; what was on its way comes back when pi is started anew."
  (pi-ls-test-with-scenario
      `(,pi-ls-test-entries
        ,(pi-ls-test-expected "prompt")
        (:restart t)
        ,pi-ls-test-first-state)
    (pi-ls-test-say "hello, is anybody there?")
    (pi-ls-test-wait (pi-ls-test-shows "sending: hello, is anybody there"))
    (pi-ls-abort)
    (pi-ls-restart)
    (pi-ls-test-wait (not (pi-ls-test-shows "sending:")))
    (should (equal (pi-ls-test-prompt-text) "hello, is anybody there?"))))

(ert-deftest pi-ls-scenario-half-a-record ()
  "A pi that ends in the middle of a record is told of, what it streamed stays, and the next one works."
  (pi-ls-test-with-scenario
      `(,pi-ls-test-entries
        ,@pi-ls-test-begun
        ,(pi-ls-test-streamed "the first half")
        (:raw "{\"type\":\"message_upd")
        (:exit 3)
        (:restart t)
        ,pi-ls-test-first-state
        ,@pi-ls-test-begun
        ,(pi-ls-test-streamed "alive again")
        ,@pi-ls-test-settled)
    (pi-ls-test-say "go on")
    (pi-ls-test-wait (equal (pi-ls-test-state :restarts) 1))
    (pi-ls-test-idle)
    (should (pi-ls-test-shows "^the first half\n\n· pi has ended"))
    (should-not (pi-ls-test-shows "● working"))
    (pi-ls-test-say "and now?")
    (pi-ls-test-wait (pi-ls-test-shows "^alive again"))))

(ert-deftest pi-ls-scenario-refused ()
  "A prompt that pi refuses comes back, with its image, above what was written meanwhile."
  (pi-ls-test-with-scenario
      `(,pi-ls-test-entries
        ,(pi-ls-test-expected "prompt" :reject "There is no key for this model"))
    (pi-ls-test-write-image "dot.png")
    (with-current-buffer (pi-ls--prompt-buffer (current-buffer))
      (insert "what is this? ")
      (pi-ls-attach-image "dot.png")
      (pi-ls-send)
      (should (string-empty-p (buffer-string)))
      (insert "and then"))
    (pi-ls-test-wait (pi-ls-test-shows "· There is no key for this model"))
    (should (equal (substring-no-properties (pi-ls-test-prompt-text))
                   "what is this? [image dot.png]\n\nand then"))
    (with-current-buffer (pi-ls--prompt-buffer (current-buffer))
      (should (equal (length (pi-ls--images)) 1)))))

(ert-deftest pi-ls-scenario-context-warnings ()
  "The header line tells how full the context is, with a face that warns."
  (pcase-dolist (`(,percent ,face) '((10 nil) (75 pi-ls-attention) (95 pi-ls-error)))
    (pi-ls-test-with-scenario
        `(,(pi-ls-test-stats percent)
          ,pi-ls-test-entries
          ,@pi-ls-test-begun
          ,@pi-ls-test-settled)
      (pi-ls-test-say "go on")
      (pi-ls-test-wait (equal (pi-ls-test-state :usage :percent) percent))
      (should (string-search "$0.12" header-line-format))
      (let ((at (string-search (format "%d%%%% of 1k" percent) header-line-format)))
        (should at)
        (should (eq face (get-text-property at 'face header-line-format)))))))

(ert-deftest pi-ls-scenario-compactions-and-extensions ()
  "What became of a compaction, and of an extension, is told."
  (pi-ls-test-with-scenario
      `(,pi-ls-test-entries
        ,@pi-ls-test-begun
        ,(pi-ls-test-told "compaction_start" :reason "threshold")
        ,(pi-ls-test-told "compaction_end" :reason "threshold" :aborted :false :willRetry :false
                          :errorMessage "no room for a summary")
        ,(pi-ls-test-told "compaction_end" :reason "manual" :aborted t :willRetry :false)
        ,(pi-ls-test-told "extension_error" :extensionPath "/x.ts" :event "turn_end" :error "it broke")
        ,(pi-ls-test-told "extension_ui_request" :id "w" :method "setWidget" :widgetKey "todo"
                          :widgetLines ["one thing" "another"])
        ,(pi-ls-test-told "extension_ui_request" :id "s" :method "setStatus" :statusKey "ci" :statusText "\e[32mgreen\e[0m")
        ,@pi-ls-test-settled)
    (pi-ls-test-say "go on")
    (pi-ls-test-wait (pi-ls-test-shows "· no room for a summary\n· The compaction was stopped\n· An extension failed: it broke"))
    (pi-ls-test-wait (pi-ls-test-shows "^one thing\nanother"))
    (pi-ls-test-wait (string-search "green" header-line-format))))

(ert-deftest pi-ls-scenario-expired-dialogs ()
  "A question of any kind that pi no longer asks disappears, also from the buffer in which it is answered."
  (pi-ls-test-with-scenario
      `(,pi-ls-test-entries
        ,@pi-ls-test-begun
        ,@(cl-loop for (id method) in '(("1" "editor") ("2" "select") ("3" "confirm") ("4" "input"))
                   collect (pi-ls-test-told "extension_ui_request" :id id :method method :title (concat "Title " id)
                                            :options ["a"] :message "m" :timeout 1500))
        ,@pi-ls-test-settled)
    (pi-ls-test-say "go on")
    (pi-ls-test-wait (= 4 (length (pi-ls-dialogs pi-ls--connection))))
    (should (pi-ls-test-shows "^\\? Title 1  (RET answers)\n\\? Title 2"))
    (save-window-excursion
      (save-current-buffer (pi-ls-answer))
      (should (get-buffer "*pi asks: Title 1*"))
      (pi-ls-test-wait (null (pi-ls-dialogs pi-ls--connection)))
      (should-not (get-buffer "*pi asks: Title 1*")))
    (should-not (pi-ls-test-shows "Title"))
    (should-not pi-ls--mode-line)))

(ert-deftest pi-ls-scenario-no-pi ()
  "Where there is no pi, the transcript says so, and what to do."
  (pi-ls-test-in-sandbox
    (setq pi-ls-options '(:command ["no-such-pi"]))
    (with-current-buffer (pi-ls--new-chat default-directory)
      (pi-ls-test-wait (equal (pi-ls-test-state :phase) "failed"))
      (should (pi-ls-test-shows "^✗ .*no-such-pi"))
      (should (string-match-p "failed" (pi-ls--activity pi-ls--connection)))
      (pi-ls-test-say "a text")
      (pi-ls-test-wait (equal (pi-ls-test-prompt-text) "a text")))))

(ert-deftest pi-ls-scenario-no-bridge ()
  "Where there is no bridge, the command says so, and leaves no buffer."
  (pi-ls-test-in-sandbox
    (setq pi-ls-program '("no-such-bridge"))
    (let ((before (buffer-list)))
      (should (string-match-p "no-such-bridge" (cadr (should-error (pi-ls) :type 'user-error))))
      (should-not (seq-difference (buffer-list) before)))))

(ert-deftest pi-ls-scenario-wrong-option ()
  "An option that the bridge refuses is named."
  (pi-ls-test-in-sandbox
    (setq pi-ls-options '(:command 5))
    (let ((told nil))
      (cl-letf (((symbol-function 'display-warning) (lambda (_ text &rest _) (setq told text))))
        (with-current-buffer (pi-ls--new-chat default-directory)
          (pi-ls-test-wait told)
          (should (string-match-p "command" told))
          (pi-ls-test-wait (pi-ls-test-shows "The bridge has ended")))))))

(provide 'pi-ls-scenario-tests)
;;; pi-ls-scenario-tests.el ends here

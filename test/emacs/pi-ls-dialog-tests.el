;;; pi-ls-dialog-tests.el --- What pi asks, with real keys  -*- lexical-binding: t -*-

;;; Commentary:

;; For a terminal frame in tmux: the keys are pressed on its keyboard.

;;; Code:

(require 'pi-ls-test)

(defmacro pi-ls-test-pressing (steps &rest body)
  "Run BODY, and press keys meanwhile.
Each of STEPS is (FORM KEY...): when FORM becomes non-nil, the keys
are pressed, and the next step is waited for."
  (declare (indent 1))
  `(pi-ls-test--pressing (list ,@(mapcar (lambda (step) `(list (lambda () ,(car step)) ,@(cdr step))) steps))
                         (lambda () ,@body)))

(defun pi-ls-test--pressing (steps function)
  "Call FUNCTION, and take STEPS meanwhile.
After 30 seconds it is left from wherever it is."
  (let* ((chat (current-buffer))
         (end (+ (float-time) 30))
         (timer (run-with-timer 0.03 0.03
                                (lambda ()
                                  (when (> (float-time) end) (throw 'pi-ls-test-end nil))
                                  (when (and steps (with-current-buffer chat (funcall (caar steps))))
                                    (apply #'pi-ls-test-keys (cdr (pop steps))))))))
    (unwind-protect
        (catch 'pi-ls-test-end
          (funcall function)
          (setq end most-positive-fixnum))
      (cancel-timer timer))
    (should (= end most-positive-fixnum))
    (should-not steps)))

(defun pi-ls-test-asked ()
  "The prompt of the open minibuffer, or nil."
  (when-let* ((window (active-minibuffer-window)))
    (with-current-buffer (window-buffer window)
      (buffer-substring-no-properties (point-min) (point-max)))))

(defun pi-ls-test-asks (regexp)
  "Whether the minibuffer shows REGEXP."
  (string-match-p regexp (or (pi-ls-test-asked) "")))

(defun pi-ls-test-outcome (command regexp)
  "Send COMMAND, and wait until the transcript has REGEXP and nothing is open."
  (pi-ls-test-say command)
  (pi-ls-test-wait (and (pi-ls-test-shows regexp) (null (pi-ls-dialogs pi-ls--connection))))
  (pi-ls-test-wait (eql 0 (pi-ls-test-state :dialogs)))
  (should-not (active-minibuffer-window)))

(ert-deftest pi-ls-dialog-select ()
  "Answered, after a stray RET that approves nothing; cancelled; expired."
  (pi-ls-test-with-chat nil
    (pi-ls-test-pressing (((pi-ls-test-asks "Pick a colour") "Enter")
                          ((pi-ls-test-asks "Pick a colour") "gre" "Tab")
                          ((pi-ls-test-asks ": green") "Enter"))
      (pi-ls-test-outcome "/select" "{\"select\":\"green\"}"))
    (pi-ls-test-pressing (((pi-ls-test-asks "Sure\\?? .*: $") "C-g"))
      (pi-ls-test-outcome "/select {\"title\":\"Sure?\",\"options\":[\"yes\",\"no\"]}" "{\"select\":null}"))
    (pi-ls-test-pressing (((pi-ls-test-asks "Soon gone") "x"))
      (pi-ls-test-outcome "/select {\"title\":\"Soon gone\",\"timeout\":1500}" "{\"select\":null}\\(.\\|\n\\)*{\"select\":null}"))))

(ert-deftest pi-ls-dialog-confirm ()
  "Only y means yes; n means no; C-g and the end of its time cancel."
  (pi-ls-test-with-chat nil
    (pi-ls-test-pressing (((pi-ls-test-asks "Go on") "Space" "Enter")
                          ((and (pi-ls-test-asks "Go on") (eq last-command #'y-or-n-p-insert-other)) "y"))
      (pi-ls-test-outcome "/confirm" "{\"confirm\":true}"))
    (pi-ls-test-pressing (((pi-ls-test-asks "Second") "n"))
      (pi-ls-test-outcome "/confirm {\"title\":\"Second\"}" "{\"confirm\":false}"))
    (pi-ls-test-pressing (((pi-ls-test-asks "Third") "C-g"))
      (pi-ls-test-outcome "/confirm {\"title\":\"Third\"}" "{\"confirm\":false}\\(.\\|\n\\)*{\"confirm\":false}"))
    (pi-ls-test-outcome "/confirm {\"title\":\"Fourth\",\"timeout\":1000}"
                        "\\({\"confirm\":false}\\(.\\|\n\\)*\\)\\{3\\}")))

(ert-deftest pi-ls-dialog-input ()
  "Answered, cancelled, expired."
  (pi-ls-test-with-chat nil
    (pi-ls-test-pressing (((pi-ls-test-asks "Your name") "Grace" "Enter"))
      (pi-ls-test-outcome "/input" "{\"input\":\"Grace\"}"))
    (pi-ls-test-pressing (((pi-ls-test-asks "Again") "C-g"))
      (pi-ls-test-outcome "/input {\"title\":\"Again\"}" "{\"input\":null}"))
    (pi-ls-test-outcome "/input {\"title\":\"Late\",\"timeout\":1000}"
                        "{\"input\":null}\\(.\\|\n\\)*{\"input\":null}")))

(ert-deftest pi-ls-dialog-editor ()
  "Answered, cancelled, killed, and taken away by an abort."
  (pi-ls-test-with-chat nil
    (cl-flet ((editor () (get-buffer "*pi asks: Commit message*")))
      (pi-ls-test-say "/editor")
      (pi-ls-test-wait (editor))
      (with-current-buffer (editor)
        (insert "Now: ")
        (pi-ls-editor-finish))
      (pi-ls-test-wait (pi-ls-test-shows "{\"editor\":\"Now: Fix the cart"))
      (should-not (editor))
      (pi-ls-test-say "/editor")
      (pi-ls-test-wait (editor))
      (with-current-buffer (editor) (pi-ls-editor-cancel))
      (pi-ls-test-wait (pi-ls-test-shows "{\"editor\":null}"))
      (save-current-buffer (pi-ls--display (current-buffer)))
      (pi-ls-test-say "/editor")
      (pi-ls-test-wait (editor))
      (let ((kill-buffer-query-functions nil)) (kill-buffer (editor)))
      (pi-ls-test-wait (pi-ls-test-shows "{\"editor\":null}\\(.\\|\n\\)*{\"editor\":null}"))
      (save-current-buffer (pi-ls--display (current-buffer)))
      (pi-ls-test-say "/editor")
      (pi-ls-test-wait (editor))
      (pi-ls-abort)
      (pi-ls-test-wait (not (editor)))
      (should-not (pi-ls-dialogs pi-ls--connection)))))

(ert-deftest pi-ls-dialog-waits-for-the-minibuffer ()
  "A question does not come while something else is asked."
  (pi-ls-test-with-chat nil
    (let ((looked 0) (title "Who asks first"))
      (cl-letf* ((look (symbol-function 'pi-ls--quiet-p))
                 ((symbol-function 'pi-ls--quiet-p)
                  (lambda (connection) (cl-incf looked) (funcall look connection))))
        (pi-ls-test-say (format "/confirm {\"title\":\"%s\"}" title))
        (pi-ls-test-pressing (((and (pi-ls-dialogs pi-ls--connection) (> looked 5)) "word")
                              ((pi-ls-test-asks "Other: word") "Enter")
                              ((pi-ls-test-asks title) "y"))
          (let ((pi-ls-dialog-idle 0.05))
            (should (equal (read-string "Other: ") "word")))
          (pi-ls-test-wait (pi-ls-test-shows "{\"confirm\":true}")))))))

(ert-deftest pi-ls-dialog-not-elsewhere ()
  "In another buffer a question is told of, and asked on demand."
  (pi-ls-test-with-chat nil
    (let ((told nil))
      (save-current-buffer
        (switch-to-buffer-other-window "*scratch*")
        (delete-other-windows))
      (let ((pi-ls-attention-functions (list #'pi-ls-announce
                                             (lambda (&rest _) (setq told (current-message))))))
        (pi-ls-test-say "/confirm {\"title\":\"Elsewhere\"}")
        (pi-ls-test-wait told))
      (should (equal told "pi asks: Elsewhere  (M-x pi-ls-answer)"))
      (should (string-match-p "pi:1\\?" pi-ls--mode-line))
      (should (pi-ls-test-shows "\\? Elsewhere  (RET answers)"))
      (should-not (pi-ls--quiet-p pi-ls--connection))
      (pi-ls-test-pressing (((pi-ls-test-asks "Elsewhere") "y"))
        (with-current-buffer "*scratch*" (call-interactively #'pi-ls-answer)))
      (pi-ls-test-wait (pi-ls-test-shows "{\"confirm\":true}"))
      (should-not pi-ls--mode-line))))

(ert-deftest pi-ls-dialog-guard ()
  "A key that was on its way answers nothing."
  (pi-ls-test-with-chat nil
    (let ((pi-ls-dialog-guard 1000))
      (pi-ls-test-pressing (((pi-ls-test-asks "Go on") "y" "y" "Enter" "C-g"))
        (pi-ls-test-outcome "/confirm" "{\"confirm\":false}")))))

(ert-deftest pi-ls-dialog-words-confirm-nothing ()
  "A y within a word, or before other keys, approves nothing, however long the question has been there."
  (dolist (word '("today" "delays" "yes" "my" "!y" ".y"))
    (ert-info (word)
      (pi-ls-test-with-chat nil
        ;; It takes keys at once; from the first one on no pause is long enough.
        (pi-ls-test--pressing
         (cons (list (lambda () (and (pi-ls-test-asks "Go on") (setq pi-ls-dialog-guard 1000)))
                     "-l" (substring word 0 1))
               (mapcar (lambda (length)
                         (cons (lambda () (string-suffix-p (substring word 0 length) (pi-ls-test-typed)))
                               (if (< length (length word)) (list "-l" (substring word length (1+ length)))
                                 '("C-g"))))
                       (number-sequence 1 (length word))))
         (lambda () (pi-ls-test-outcome "/confirm" "{\"confirm\":false}")))))))

(defun pi-ls-test-typed ()
  "The characters that were typed last, as a string.
Emacs records a key twice that has ended a waiting."
  (let ((keys nil))
    (seq-doseq (key (recent-keys))
      (unless (or (not (characterp key)) (eql key (car keys))) (push key keys)))
    (apply #'string (nreverse keys))))

(ert-deftest pi-ls-dialog-y-confirms ()
  "A y that stands alone approves, also after a word and a pause."
  (pi-ls-test-with-chat nil
    (let ((pi-ls-dialog-guard 0.2) (typed nil))
      (pi-ls-test-pressing (((pi-ls-test-asks "Go on") "t")
                            ((and (string-suffix-p "t" (pi-ls-test-typed))
                                  (setq typed (or typed (float-time)))
                                  (> (float-time) (+ typed 0.5)))
                             "y"))
        (pi-ls-test-outcome "/confirm" "{\"confirm\":true}")))))

(ert-deftest pi-ls-dialog-guard-of-an-editor ()
  "Keys that were meant for the prompt neither send a text to pi nor change it."
  (pi-ls-test-with-chat nil
    (cl-flet ((editor () (get-buffer "*pi asks: Commit message*")))
      (let ((pi-ls-dialog-guard 1000))
        (save-current-buffer (pi-ls--display (current-buffer)))
        (pi-ls-test-pressing (((editor) "x" "C-c" "C-c" "C-x" "k" "Enter" "z"))
          (pi-ls-test-say "/editor")
          (pi-ls-test-wait (and (editor) (string-suffix-p "z" (pi-ls-test-typed)))))
        (should (equal (with-current-buffer (editor) (buffer-string))
                       (plist-get (car (pi-ls-dialogs pi-ls--connection)) :prefill)))))))

(ert-deftest pi-ls-dialog-gone-below-another ()
  "A question that pi no longer asks goes as soon as the minibuffer on top of it is left."
  (pi-ls-test-with-chat nil
    (pi-ls-test-pressing (((pi-ls-test-asks "Below") "M-:")
                          ((and (pi-ls-test-asks "Eval: ") (null (pi-ls-dialogs pi-ls--connection))) "1" "Enter"))
      (pi-ls-test-outcome "/input {\"title\":\"Below\",\"timeout\":1500}" "{\"input\":null}"))))

;; The menu has these, and what runs without asking: see pi-ls-menu-tests.
(defconst pi-ls-test-asking
  '(pi-ls-model pi-ls-thinking pi-ls-resume pi-ls-fork pi-ls-rename pi-ls-compact pi-ls-export pi-ls-bash)
  "The commands of the menu that ask something.")

(defun pi-ls-test-quit (command)
  "Call COMMAND, and press C-g when it asks."
  (let ((seen nil))
    (pi-ls-test-pressing (((and (active-minibuffer-window) (setq seen t)) "C-g"))
      (condition-case nil (call-interactively command) (quit nil))
      (pi-ls-test-wait (and seen (not (active-minibuffer-window)))))))

(ert-deftest pi-ls-dialog-quit-at-every-prompt ()
  "C-g at any prompt leaves everything as it was."
  (pi-ls-test-with-chat nil
    (pi-ls-test-run "say: something to fork from")
    (let ((before (pi-ls-test-state :session :id)))
      (dolist (command (append pi-ls-test-asking '(pi-ls-ask pi-ls-call)))
        (ert-info ((symbol-name command)) (pi-ls-test-quit command)))
      (should (equal before (pi-ls-test-state :session :id)))
      (pi-ls-test-run "say: still here")
      (should (pi-ls-test-shows "^still here")))))

(ert-deftest pi-ls-dialog-quit-at-every-parameter ()
  "C-g at any parameter of any command of the protocol sends nothing."
  (pi-ls-test-with-chat nil
    (dolist (spec (append pi-ls-data-commands pi-ls-data-requests))
      (let ((steps nil))
        (dolist (param (plist-get (cdr spec) :params))
          (ert-info ((format "%s of %s" (car param) (car spec)))
            (let* ((prompt (format "^%s\\b" (car param)))
                   (sent (pi-ls-last-id pi-ls--connection))
                   (shows (lambda () (pi-ls-test-asks prompt))))
              (pi-ls-test--pressing
               (append steps (list (list shows "C-g")))
               (lambda () (should (eq 'quit (condition-case nil (pi-ls-call (car spec)) (quit 'quit))))))
              (should (equal sent (pi-ls-last-id pi-ls--connection)))
              (setq steps (append steps (list (list shows (if (eq 'boolean (nth 1 param)) "n" "Enter"))))))))))))

(ert-deftest pi-ls-dialog-quit-elsewhere ()
  "C-g at what is asked before a file is mentioned, an image attached, a running agent ended."
  (pi-ls-test-with-chat nil
    (with-temp-file "cart.ts" (insert "one\n"))
    (with-current-buffer (find-file-noselect "cart.ts")
      (insert "changed ")
      (pi-ls-test-quit #'pi-ls-mention)
      (should (buffer-modified-p)))
    (with-current-buffer (pi-ls--prompt-buffer (current-buffer))
      (pi-ls-test-quit #'pi-ls-attach-image)
      (should (string-empty-p (buffer-string))))
    (pi-ls-test-say "say: begun" "hold" "say: done")
    (pi-ls-test-wait (pi-ls-running-p pi-ls--connection))
    (let ((chat (current-buffer)))
      (pi-ls-test-quit #'pi-ls-quit)
      (should (buffer-live-p chat)))
    (pi-ls-test-command "/release")
    (pi-ls-test-wait (pi-ls-test-shows "^done"))))

(ert-deftest pi-ls-dialog-completion-waits-for-no-one ()
  "A key ends the waiting for a completion that does not come."
  (require 'pi-ls-scenario-tests)
  (pi-ls-test-with-scenario (list pi-ls-test-entries (pi-ls-test-expected "get_commands"))
    (pi-ls--display (current-buffer))
    (insert "/fi")
    (let ((start (float-time)) (chat pi-ls--chat))
      (with-current-buffer chat
        (pi-ls-test-pressing (((> (float-time) (+ start 0.3)) "x"))
          (with-current-buffer (pi-ls--prompt-buffer chat) (completion-at-point))))
      (should (< (- (float-time) start) 4))
      (pi-ls-test-wait (equal (buffer-string) "/fix")))))

(ert-deftest pi-ls-dialog-menu ()
  "The menu opens, shows what is so, and runs commands."
  (pi-ls-test-with-chat nil
    (cl-flet ((menu (regexp)
                (when-let* ((buffer (get-buffer " *transient*")))
                  (with-current-buffer buffer (string-match-p regexp (buffer-string))))))
      (save-current-buffer (pi-ls--display (current-buffer)))
      (pi-ls-test-pressing (((> (recursion-depth) 0) "C-c" "C-p")
                            ((menu "Model script\\(.\\|\n\\)*Steering one-at-a-time") ":")
                            ((menu "set_thinking_level") "s" "l")
                            ((pi-ls-test-asks "level") "high" "Enter"))
        (pi-ls-test-wait (equal (pi-ls-test-state :thinkingLevel) "high")))
      (should (equal (pi-ls-test-state :thinkingLevel) "high")))))

(provide 'pi-ls-dialog-tests)
;;; pi-ls-dialog-tests.el ends here

;;; pi-ls-menu-tests.el --- Every command of the menu  -*- lexical-binding: t -*-

;;; Code:

(require 'pi-ls-test)

(ert-deftest pi-ls-menu-keys ()
  "Every command of the protocol has a key of its own, and is a command."
  (let* ((groups (pi-ls--all-children nil))
         (text (prin1-to-string groups)))
    (dolist (spec (append pi-ls-data-commands pi-ls-data-requests))
      (let ((command (intern-soft (format "pi-ls-call:%s" (car spec)))))
        (ert-info ((symbol-name (car spec)))
          (should (commandp command))
          (should (string-search (symbol-name command) text)))))
    (let ((keys nil) (start 0))
      (while (string-match ":key \"\\(..\\)\"" text start)
        (push (match-string 1 text) keys)
        (setq start (match-end 0)))
      (should (= (length keys) (length (append pi-ls-data-commands pi-ls-data-requests))))
      (should (equal keys (delete-dups (copy-sequence keys)))))))

(defconst pi-ls-test-answers
  '((message . "say: called") (streamingBehavior . "followUp") (provider . "scripted") (modelId . "plain")
    (level . "off") (mode . "all") (command . "echo hi") (name . "a name") (customInstructions . "say: short")
    (outputPath . "out.html"))
  "What the tests answer when a parameter is read.")

(ert-deftest pi-ls-menu-commands ()
  "Every command of the protocol can be sent from the menu, and is answered."
  (pi-ls-test-with-chat nil
    (pi-ls-test-run "say: one")
    (pi-ls-test-run "say: two")
    ;; It makes the commands.
    (pi-ls--all-children nil)
    (let ((file (pi-ls-test-state :session :file)) entry)
      (pi-ls-request pi-ls--connection "pi/get_fork_messages" nil
                     :then (lambda (result)
                             (setq entry (plist-get (aref (plist-get result :messages) 1) :entryId))))
      (pi-ls-test-wait entry)
      ;; What replaces the session or the process comes last.
      (dolist (spec (sort (append pi-ls-data-commands pi-ls-data-requests nil)
                          :key (lambda (spec)
                                 (or (seq-position '(fork clone switch_session bridge/resume new_session bridge/restart)
                                                   (car spec))
                                     -1))))
        (ert-info ((symbol-name (car spec)))
          (let ((outcome nil) (chat (current-buffer)))
            (cl-letf (((symbol-function 'pi-ls--read-param)
                       (lambda (param)
                         (pcase (car param)
                           ('entryId entry)
                           ('enabled t)
                           ((or 'sessionPath 'file) file)
                           ('id (if (eq (car spec) 'bridge/fetch) "message:0:user:0" 'none))
                           (name (if (nth 2 param) (or (alist-get name pi-ls-test-answers) (ert-fail param)) 'none)))))
                      ((symbol-function 'pi-ls--show-result) (lambda (&rest _) (setq outcome 'answered)))
                      ((symbol-function 'message)
                       (lambda (format &rest args)
                         (when (and format (string-prefix-p "pi: %s" format)) (setq outcome (car args))))))
              (funcall (intern (format "pi-ls-call:%s" (car spec))))
              (with-current-buffer chat (pi-ls-test-wait outcome 60)))
            ;; What the scripted model has no use for is refused by name.
            (unless (memq (car spec) '(bridge/fetch compact abort abort_retry))
              (should (equal outcome 'answered))))
          (pi-ls-test-idle))))))

(defun pi-ls-test-menu-commands (prefix)
  "The commands that the menu PREFIX has."
  (let ((text (prin1-to-string (get prefix 'transient--layout))) (start 0) commands)
    (while (string-match ":command \\(pi-ls-[a-z-]+\\)" text start)
      (push (intern (match-string 1 text)) commands)
      (setq start (match-end 0)))
    (nreverse commands)))

(defconst pi-ls-test-plain
  '((pi-ls-stats "messages, .* tool calls")
    (pi-ls-queue "Nothing waits")
    (pi-ls-steering-mode "all at once")
    (pi-ls-follow-up-mode "all at once")
    (pi-ls-abort nil)
    (pi-ls-answer "pi asks nothing")
    (pi-ls-diff-last-run "The last run changed no files")
    (pi-ls-log-show "\\*pi-ls .* log\\*")
    (pi-ls-doctor "\\*pi doctor\\*")
    (pi-ls-tree "\\*pi-tree: project\\*")
    (pi-ls-clone "Going on in a copy")
    (pi-ls-new nil)
    (pi-ls-restart "pi runs again")
    (pi-ls-quit nil))
  "The commands of the menu that ask nothing: what they say or show.")

(ert-deftest pi-ls-menu-entries ()
  "Every entry of the menu that asks nothing does what it says."
  (require 'pi-ls-dialog-tests)
  (should (equal (sort (append (mapcar #'car pi-ls-test-plain) pi-ls-test-asking '(pi-ls-all-commands)))
                 (sort (pi-ls-test-menu-commands 'pi-ls-menu))))
  (pi-ls-test-with-chat nil
    (pi-ls-test-run "say: something")
    (pcase-dolist (`(,command ,regexp) pi-ls-test-plain)
      (ert-info ((symbol-name command))
        (let ((told nil))
          (cl-letf (((symbol-function 'message)
                     (lambda (format &rest args) (when format (push (apply #'format-message format args) told)))))
            ;; From a file: what is meant is the conversation of its project.
            (save-window-excursion
              (with-temp-buffer
                (setq default-directory (buffer-local-value 'default-directory chat))
                (condition-case oops (call-interactively command)
                  (user-error (if regexp (push (cadr oops) told) (signal (car oops) (cdr oops)))))))
            (when regexp
              (pi-ls-test-wait (cl-some (lambda (text) (string-match-p regexp text))
                                        (append told (mapcar #'buffer-name (buffer-list))))))
            (when (buffer-live-p chat) (pi-ls-test-idle))))))
    (should-not (buffer-live-p chat)))
  (when (get-buffer "*pi doctor*") (kill-buffer "*pi doctor*")))

(ert-deftest pi-ls-menu-doctor-without-a-bridge ()
  "The doctor tells what there is and what is missing, and not in the window of the transcript."
  (pi-ls-test-with-chat nil
    (let ((pi-ls-program '("no-such-bridge" "--stdio")) (window (get-buffer-window chat)))
      (pi-ls-doctor)
      (should (eq chat (window-buffer window)))
      (with-current-buffer "*pi doctor*"
        (dolist (regexp '("no-such-bridge" "npm install -g pi-language-server" "^✓ node: /" "^  .*/bin$"))
          (ert-info (regexp) (should (pi-ls-test-shows regexp))))
        (kill-buffer)))))

(ert-deftest pi-ls-menu-small-frames ()
  "The prompt is below its transcript in a small window too, and a question is not pushed away by its options."
  (pi-ls-test-with-chat nil
    (dolist (lines '(10 8 6))
      (select-window (frame-first-window))
      (delete-other-windows)
      (set-window-dedicated-p nil nil)
      (set-window-buffer nil "*scratch*")
      (select-window (split-window nil (- lines)))
      (set-window-buffer nil chat)
      (save-current-buffer (pi-ls--display chat))
      (let ((transcript (get-buffer-window chat)) (prompt (get-buffer-window (pi-ls--prompt-buffer chat))))
        (ert-info ((format "%d lines" lines))
          (should (and transcript prompt (eq prompt (window-in-direction 'below transcript))))
          (should (<= (window-total-height prompt) (window-total-height transcript)))
          (should (= lines (+ (window-total-height prompt) (window-total-height transcript))))))))
  (let ((options '("first" "second" "third")))
    (pcase-dolist (`(,columns ,width ,hint) '((120 20 " [first / second / third]") (40 20 "") (40 12 " [first / seco…]")))
      (cl-letf (((symbol-function 'frame-width) (lambda (&rest _) columns)))
        (should (equal hint (pi-ls--options-hint options width)))))))

(provide 'pi-ls-menu-tests)
;;; pi-ls-menu-tests.el ends here

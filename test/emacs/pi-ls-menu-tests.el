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

(provide 'pi-ls-menu-tests)
;;; pi-ls-menu-tests.el ends here

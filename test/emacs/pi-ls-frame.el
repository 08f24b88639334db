;;; pi-ls-frame.el --- Runs tests in a real terminal frame  -*- lexical-binding: t -*-

;;; Code:

(require 'pi-ls-test)

(defun pi-ls-frame-run (output selector &rest features)
  "Load FEATURES, run the tests that SELECTOR means, and write OUTPUT.
Emacs then ends, with the status 0 if nothing was unexpected."
  (setq message-log-max t
        ;; What a minibuffer does is to be seen, not guessed.
        ring-bell-function #'ignore
        use-short-answers nil)
  (mapc #'require features)
  (let* ((debug-on-error nil)
         (write (lambda ()
                  (with-current-buffer (messages-buffer)
                    (write-region nil nil output nil 'silent))))
         ;; What there is, if the run has to be ended from outside.
         (timer (run-with-timer 1 1 write))
         (stats (condition-case oops
                    (ert-run-tests-batch selector)
                  ((error quit) (message "The run was cut short: %S" oops) nil))))
    (cancel-timer timer)
    (funcall write)
    (kill-emacs (if (and stats (zerop (ert-stats-completed-unexpected stats))) 0 1))))

(provide 'pi-ls-frame)
;;; pi-ls-frame.el ends here

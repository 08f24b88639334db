;;; pi-ls-test.el --- What the tests of pi-ls have in common  -*- lexical-binding: t -*-

;;; Commentary:

;; Real bridges, real pi, the scripted model.  Tests wait for facts.

;;; Code:

(require 'ert)
(require 'pi-ls)

(defvar pi-ls-test-checkout
  (expand-file-name "../../" (file-name-directory (or load-file-name buffer-file-name))))

(defvar pi-ls-test-pi "@earendil-works/pi-coding-agent"
  "The package with the pi that the tests run.")

(defvar pi-ls-test-root nil "The sandbox of the running test.")

(defun pi-ls-test-file (name)
  "The file NAME of the checkout."
  (expand-file-name name pi-ls-test-checkout))

(defmacro pi-ls-test-wait (form &optional seconds)
  "Wait until FORM is non-nil, for at most SECONDS; return its value."
  (declare (debug t))
  `(pi-ls-test--wait (lambda () ,form) ',form ,(or seconds 30)))

(defun pi-ls-test--wait (predicate form seconds)
  "Wait until PREDICATE, which is FORM, holds, for at most SECONDS."
  (let ((end (+ (float-time) seconds)) value)
    (if noninteractive
        (while (not (or (setq value (funcall predicate)) (> (float-time) end)))
          (accept-process-output nil 0.01))
      ;; In a command loop, as it is when a user waits.
      (let* ((buffer (current-buffer))
             (depth (recursion-depth))
             (timer (run-with-timer
                     0 0.03
                     (lambda ()
                       (with-current-buffer buffer
                         (when (and (= (recursion-depth) (1+ depth)) (not (active-minibuffer-window))
                                    (or (setq value (funcall predicate)) (> (float-time) end)))
                           (exit-recursive-edit)))))))
        (unwind-protect (save-current-buffer (recursive-edit))
          (cancel-timer timer))))
    (or value
        (ert-fail (list 'not-within seconds form
                        (and (derived-mode-p 'pi-ls-chat-mode) (pi-ls-test-text)))))))

(defun pi-ls-test-text ()
  "The text of the current transcript."
  (buffer-substring-no-properties (point-min) (point-max)))

(defun pi-ls-test-shows (regexp)
  "Whether the current transcript has REGEXP."
  (save-excursion (goto-char (point-min)) (re-search-forward regexp nil t)))

(defun pi-ls-test-state (&rest path)
  "What the state of the current transcript has at PATH."
  (let ((value (pi-ls-state pi-ls--connection)))
    (dolist (key path value) (setq value (plist-get value key)))))

(defun pi-ls-test-idle ()
  "Wait until the agent of the current transcript is ready and idle."
  (pi-ls-test-wait (and (equal (pi-ls-test-state :phase) "ready")
                        (equal (pi-ls-test-state :activity) "idle")
                        (null pi-ls--sending))
                   60))

(defun pi-ls-test-say (&rest lines)
  "Send LINES as one prompt, as a user does."
  (with-current-buffer (pi-ls--prompt-buffer (current-buffer))
    (erase-buffer)
    (insert (string-join lines "\n"))
    (pi-ls-send)))

(defun pi-ls-test-run (&rest lines)
  "Send LINES as one prompt, and wait until all is done."
  (let ((pi-ls-settled-hook (cons (lambda () (setq pi-ls-test--settled t)) pi-ls-settled-hook)))
    (setq pi-ls-test--settled nil)
    (apply #'pi-ls-test-say lines)
    (pi-ls-test-wait pi-ls-test--settled)
    (pi-ls-test-idle)))

(defvar pi-ls-test--settled nil)

(defun pi-ls-test-command (command)
  "Send COMMAND, a slash command that ends by itself, and wait for its end."
  (pi-ls-test-say command)
  (pi-ls-test-wait (null pi-ls--sending)))

(defun pi-ls-test-pids ()
  "The processes that the present sandbox has."
  (seq-filter
   (lambda (pid)
     (ignore-errors
       (with-temp-buffer
         (set-buffer-multibyte nil)
         (insert-file-contents-literally (format "/proc/%d/environ" pid))
         (and (search-forward (concat "PI_LS_TEST=" pi-ls-test-root) nil t) (/= pid (emacs-pid))))))
   (list-system-processes)))

(defmacro pi-ls-test-in-sandbox (&rest body)
  "Run BODY in a sandbox with a home and a project, and look after it."
  (declare (indent 0) (debug t))
  `(pi-ls-test--in-sandbox (lambda () ,@body)))

(defun pi-ls-test--in-sandbox (function)
  "Call FUNCTION in a sandbox.  No process may survive it."
  (let* ((passed nil)
         (pi-ls-test-root (file-truename (make-temp-file "pi-ls-test-" t)))
         (home (expand-file-name "home" pi-ls-test-root))
         (agent (expand-file-name "agent" home))
         (project (file-name-as-directory (expand-file-name "project" pi-ls-test-root)))
         (process-environment
          (append (list (concat "HOME=" home) (concat "PI_CODING_AGENT_DIR=" agent) "PI_OFFLINE=1"
                        (concat "PI_LS_TEST=" pi-ls-test-root)
                        (concat "XDG_CACHE_HOME=" (expand-file-name "cache" pi-ls-test-root)))
                  process-environment))
         (default-directory project)
         (pi-ls-prompt-history nil)
         (pi-ls--drafts nil)
         (pi-ls-draft-file (expand-file-name "drafts.eld" pi-ls-test-root))
         (pi-ls-dialog-guard 0)
         (pi-ls-dialog-idle 0.05)
         (pi-ls-program (list "node" (pi-ls-test-file "dist/pi-language-server.cjs") "--stdio"))
         (pi-ls-options
          (list :command (vector "node" (pi-ls-test-file (format "node_modules/%s/dist/cli.js" pi-ls-test-pi)))
                :args (vector "-e" (pi-ls-test-file "src/demo/scripted-model.ts")
                              "--provider" "scripted" "--model" "script"
                              "--session-dir" (expand-file-name "sessions" pi-ls-test-root)))))
    (make-directory agent t)
    (make-directory (expand-file-name "sessions" pi-ls-test-root) t)
    (make-directory project t)
    (with-temp-file (expand-file-name "settings.json" agent)
      ;; Retries that do not take seconds, and a short session that can be compacted.
      (insert "{\"retry\":{\"baseDelayMs\":10},\"compaction\":{\"keepRecentTokens\":1}}"))
    (unwind-protect
        (prog1 (save-window-excursion (funcall function))
          (setq passed t))
      (let ((kill-buffer-query-functions nil))
        (dolist (buffer (buffer-list))
          (when (and (buffer-live-p buffer)
                     (or (buffer-file-name buffer) (string-match-p "\\` ?\\*pi" (buffer-name buffer)))
                     (string-prefix-p pi-ls-test-root
                                      (file-local-name (buffer-local-value 'default-directory buffer))))
            (with-current-buffer buffer (set-buffer-modified-p nil))
            (kill-buffer buffer))))
      ;; A test that has failed is to say why, not what it left behind.
      (if passed
          (condition-case nil
              (pi-ls-test-wait (null (pi-ls-test-pids)))
            (ert-test-failed
             (ert-fail (cons 'left (mapcar #'process-attributes (pi-ls-test-pids))))))
        (dolist (pid (pi-ls-test-pids)) (signal-process pid 'KILL)))
      (delete-directory pi-ls-test-root t))))

(defmacro pi-ls-test-with-chat (options &rest body)
  "Run BODY in the transcript of a conversation that is ready.
OPTIONS is a plist for the bridge, evaluated."
  (declare (indent 1) (debug t))
  `(pi-ls-test-in-sandbox
     (let ((chat (pi-ls--new-chat default-directory ,options)))
       (pi-ls--display chat)
       (with-current-buffer chat
         (pi-ls-test-idle)
         ,@body))))

(defun pi-ls-test-fake (&rest words)
  "Let the bridge be the fake one that plays WORDS."
  (setq pi-ls-program (append (list "node" (pi-ls-test-file "test/emacs/fake-bridge.mjs")) words)))

(defconst pi-ls-test-image
  (base64-decode-string (concat "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
                                "YPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="))
  "A PNG of one pixel.")

(defun pi-ls-test-write-image (file)
  "Write an image to FILE."
  (with-temp-file file
    (set-buffer-multibyte nil)
    (insert pi-ls-test-image)))

(defun pi-ls-test-keys (&rest keys)
  "Press KEYS, in the words of tmux, on the keyboard of this terminal.
They arrive while Emacs waits for keys, not while it waits for tmux."
  (make-process :name "pi-ls-test-keys" :noquery t :connection-type 'pipe
                :command (append (list "tmux" "send-keys" "-t" (getenv "TMUX_PANE")) keys)))

(provide 'pi-ls-test)
;;; pi-ls-test.el ends here

;;; pi-ls-context.el --- Between pi and the files being edited  -*- lexical-binding: t -*-

;; This file is part of pi-ls.

;;; Commentary:

;; From a buffer to the prompt: mentions of files, regions, functions
;; and diagnostics.  And back: files that the agent changed are
;; reverted, or reported when that would lose something.

;;; Code:

(require 'pi-ls-window)

(declare-function flymake-diagnostics "flymake" (&optional beg end))
(declare-function flymake-diagnostic-text "flymake" (diag))
(declare-function flymake-diagnostic-beg "flymake" (diag))


;;; To the prompt

(defun pi-ls--mention-here (beg end)
  "A mention of the lines from BEG to END of this file, or what they say.
Without BEG the whole file is mentioned."
  (let ((directory (buffer-local-value 'default-directory (pi-ls--chat-buffer))))
    (if (and buffer-file-name (equal (file-remote-p buffer-file-name) (file-remote-p directory)))
        (let ((file buffer-file-name)
              (from (and beg (line-number-at-pos beg t)))
              (to (and beg (line-number-at-pos (if (and (> end beg) (eq (char-before end) ?\n)) (1- end) end) t))))
          (let ((default-directory directory))
            (pi-ls--mention file from to)))
      (concat "```\n" (buffer-substring-no-properties (or beg (point-min)) (or end (point-max)))
              (if (eq (char-before (or end (point-max))) ?\n) "" "\n") "```"))))

(defun pi-ls--add-to-prompt (text)
  "Add TEXT to the prompt of this conversation, and go there."
  (let ((chat (pi-ls--chat-buffer)))
    (pi-ls--display chat)
    (widen)
    (goto-char (point-max))
    (unless (or (bobp) (memq (char-before) '(?\n ?\s))) (insert "\n"))
    (insert text " ")))

(defun pi-ls--save-first ()
  "Offer to save this file: the agent reads what is on disk."
  (when (and buffer-file-name (buffer-modified-p)
             (y-or-n-p (format "Save %s, so that pi sees it? " (buffer-name))))
    (save-buffer)))

;;;###autoload
(defun pi-ls-mention ()
  "Mention the region, or else this file, in the prompt."
  (interactive)
  (if (use-region-p)
      (pi-ls--mention-in-prompt (region-beginning) (region-end))
    (pi-ls--mention-in-prompt nil nil)))

;;;###autoload
(defun pi-ls-mention-defun ()
  "Mention the function at point in the prompt."
  (interactive)
  (pcase-let ((`(,beg . ,end) (or (bounds-of-thing-at-point 'defun)
                                  (user-error "There is no function here"))))
    (pi-ls--mention-in-prompt beg end)))

(defun pi-ls--mention-in-prompt (beg end)
  "Mention the lines from BEG to END in the prompt, or without them this file."
  (pi-ls--ensure)
  (let ((text (pi-ls--mention-here beg end)))
    (pi-ls--save-first)
    (pi-ls--add-to-prompt text)))

(defun pi-ls--ensure ()
  "Have a conversation for this buffer; begin one if there is none."
  (unless (pi-ls--chat-here)
    (save-selected-window (call-interactively #'pi-ls))))

(declare-function pi-ls "pi-ls" (&optional new))

;;;###autoload
(defun pi-ls-ask (prompt)
  "Send PROMPT to pi, from anywhere; the answer appears in the transcript."
  (interactive (list (read-string "Ask pi: ")))
  (pi-ls--ensure)
  (with-current-buffer (pi-ls--chat-buffer)
    (pi-ls--remember prompt)
    (pi-ls--prompt prompt)
    ;; Who asks from a file goes on there.
    (display-buffer (current-buffer) (append pi-ls-display-action '((inhibit-same-window . t))))))

;;;###autoload
(defun pi-ls-ask-region (question beg end)
  "Ask pi QUESTION about the lines from BEG to END."
  (interactive (list (read-string "Ask pi about the region: ") (region-beginning) (region-end)))
  (pi-ls--ensure)
  (pi-ls--save-first)
  (pi-ls-ask (concat question "\n\n" (pi-ls--mention-here beg end))))

;;;###autoload
(defun pi-ls-fix-at-point ()
  "Ask pi to fix what Flymake reports on this line."
  (interactive)
  (let ((report (or (pi-ls--diagnostics (pos-bol) (1+ (pos-eol)))
                    (user-error "Flymake reports nothing on this line"))))
    (pi-ls--ensure)
    (pi-ls--save-first)
    (pi-ls-ask (format "Fix this in %s:\n\n%s" (pi-ls--mention-here (pos-bol) (pos-eol)) report))))

;;;###autoload
(defun pi-ls-mention-diagnostics ()
  "Add all that Flymake reports on this file to the prompt."
  (interactive)
  (let ((report (or (pi-ls--diagnostics) (user-error "Flymake reports nothing here"))))
    (pi-ls--ensure)
    (let ((text (concat (pi-ls--mention-here nil nil) "\n" report)))
      (pi-ls--save-first)
      (pi-ls--add-to-prompt text))))

(defun pi-ls--diagnostics (&optional beg end)
  "What Flymake reports between BEG and END, a line each, or nil.
Without them it is what it reports on the whole buffer."
  (when-let* (((bound-and-true-p flymake-mode))
              (diagnostics (sort (flymake-diagnostics beg end) :key #'flymake-diagnostic-beg)))
    (mapconcat (lambda (diagnostic)
                 (format "- line %d: %s" (line-number-at-pos (flymake-diagnostic-beg diagnostic) t)
                         (flymake-diagnostic-text diagnostic)))
               diagnostics "\n")))


;;; What the agent changed

(defvar-local pi-ls--changes nil
  "What the tools changed in the last run, latest first: (PATH . PATCH).")
(defvar-local pi-ls--changes-over nil
  "Non-nil once the run has ended that `pi-ls--changes' is about.")

(defcustom pi-ls-revert-changed-files t
  "Whether buffers of files that the agent changed are reverted.
Only those without changes of their own are."
  :type 'boolean
  :group 'pi-ls)

(defun pi-ls--tool-changed (name args result)
  "Take up what the tool NAME with ARGS and RESULT changed."
  (when-let* (((member name '("edit" "write")))
              (path (plist-get args :path)))
    (when pi-ls--changes-over (setq pi-ls--changes nil pi-ls--changes-over nil))
    (let ((details (plist-get result :details)))
      (push (cons path (or (and (listp details) (plist-get details :patch))
                           (pi-ls--whole-file-patch path (plist-get args :content))))
            pi-ls--changes))
    (pi-ls--refresh-file (pi-ls--file path))))

(defun pi-ls--whole-file-patch (path content)
  "A patch that makes CONTENT the file PATH."
  (let ((lines (split-string (string-trim-right (or content "") "\n") "\n")))
    (format "--- /dev/null\n+++ %s\n@@ -0,0 +1,%d @@\n%s\n" path (length lines)
            (mapconcat (lambda (line) (concat "+" line)) lines "\n"))))

(defun pi-ls--refresh-file (file)
  "Revert the buffer of FILE, or tell in the transcript of its own changes."
  (when-let* ((chat (current-buffer))
              (buffer (find-buffer-visiting file)))
    (with-current-buffer buffer
      (unless (verify-visited-file-modtime buffer)
        (cond ((buffer-modified-p) (pi-ls--tell-of-conflict file chat))
              ((and pi-ls-revert-changed-files (file-exists-p file)) (revert-buffer t t t)))))))

(defvar-local pi-ls--conflict nil "When the file changed whose conflict was told last.")

(defun pi-ls--tell-of-conflict (file chat)
  "Tell in CHAT that FILE, which this buffer visits, was changed in both.
That is told once for each change on disk."
  (let ((changed (file-attribute-modification-time (file-attributes file))))
    (unless (equal changed pi-ls--conflict)
      (setq pi-ls--conflict changed)
      (let ((text (format "%s was changed by pi, and by you: your buffer is as it was.  M-x ediff-current-file shows both"
                          (buffer-name))))
        (message "%s" text)
        (with-current-buffer chat
          (pi-ls--changing (pi-ls--note text 'pi-ls-attention)))))))

(add-hook 'pi-ls-tool-functions #'pi-ls--tool-changed)
(add-hook 'pi-ls-settled-hook #'pi-ls--run-ended)

(defun pi-ls--run-ended ()
  "The next change belongs to another run.
A shell command of the agent may have changed any file of the project."
  (setq pi-ls--changes-over t)
  (when (and pi-ls-revert-changed-files (not (file-remote-p default-directory)))
    (let ((root (expand-file-name default-directory)))
      (dolist (buffer (buffer-list))
        (let ((file (buffer-file-name buffer)))
          (when (and file (string-prefix-p root file))
            (pi-ls--refresh-file file)))))))

(defun pi-ls-diff-last-run ()
  "Show what the agent's tools changed in files in its last run."
  (interactive)
  (with-current-buffer (pi-ls--chat-buffer)
    (unless pi-ls--changes (user-error "The last run changed no files"))
    (let ((changes (reverse pi-ls--changes)) (directory default-directory)
          (buffer (get-buffer-create "*pi diff*")))
      (with-current-buffer buffer
        (let ((inhibit-read-only t))
          (erase-buffer)
          (setq default-directory directory)
          (pcase-dolist (`(,path . ,patch) changes)
            (unless (string-match-p "^--- " patch) (insert "--- " path "\n+++ " path "\n"))
            (insert (string-trim-right patch "\n") "\n"))
          (diff-mode)
          (setq buffer-read-only t)
          (goto-char (point-min))))
      (pop-to-buffer buffer))))

(provide 'pi-ls-context)
;;; pi-ls-context.el ends here

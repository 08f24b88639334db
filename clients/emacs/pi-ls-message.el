;;; pi-ls-message.el --- Messages of a conversation, as blocks  -*- lexical-binding: t -*-

;; This file is part of pi-ls.

;;; Commentary:

;; Each kind of message, and each part of an answer, is begun and
;; finished here: at once for a stored one, apart for one that streams.

;;; Code:

(require 'pi-ls-transcript)


;;; Whole messages

(defun pi-ls--show-message (message &optional entry)
  "Add MESSAGE, a whole one, to the log; ENTRY is the id of its entry."
  (pcase (plist-get message :role)
    ("user" (pi-ls--show-user (pi-ls--text-of (plist-get message :content)) entry))
    ("assistant"
     (cl-loop for part across (plist-get message :content) for index from 0
              do (pi-ls--show-part (list 'part index) part))
     (pi-ls--show-stop message))
    ("toolResult"
     (let ((id (plist-get message :toolCallId)))
       (unless (gethash id pi-ls--blocks)
         (pi-ls--open-tool id (plist-get message :toolName) nil))
       (pi-ls--finish-tool id message (eq t (plist-get message :isError)) (plist-get message :durationMs))))
    ("bashExecution"
     (let ((block (pi-ls--open nil 'tool (pi-ls--bash-heading (plist-get message :command)
                                                              (plist-get message :exitCode)
                                                              (eq t (plist-get message :cancelled)))
                               :folded nil)))
       (pi-ls--append block (or (plist-get message :output) "") 'font-lock-face 'pi-ls-output)
       (pi-ls--newline block)
       (pi-ls--forget block)))
    ("compactionSummary"
     (pi-ls--show-summary (format "Compacted %s tokens" (plist-get message :tokensBefore))
                          (plist-get message :summary)))
    ("branchSummary" (pi-ls--show-summary "Summary of another branch" (plist-get message :summary)))
    ("custom"
     (when (eq t (plist-get message :display))
       (pi-ls--show-summary (plist-get message :customType)
                            (pi-ls--text-of (plist-get message :content)))))))

(defun pi-ls--show-user (text &optional entry)
  "Add TEXT of the user to the log; ENTRY is the id of its entry."
  (let ((block (pi-ls--open nil 'user nil)))
    (let ((from (point)))
      (insert (string-trim-right text) "\n")
      (add-text-properties from (point)
                           (list 'pi-ls-turn (or entry (cl-incf pi-ls--number)) 'pi-ls-raw t
                                 'font-lock-face 'pi-ls-user
                                 'wrap-prefix (propertize "  " 'face 'pi-ls-user)
                                 'line-prefix (propertize "  " 'face 'pi-ls-user)))
      (put-text-property from (save-excursion (goto-char from) (line-end-position))
                         'line-prefix (propertize "❯ " 'face '(bold pi-ls-user)))
      ;; Between what the user said and the answer.
      (insert "\n"))
    (pi-ls--forget block)))

(defun pi-ls--show-summary (title text)
  "Add a folded block to the log: TITLE, and below it TEXT."
  (let ((block (pi-ls--open nil 'summary (propertize title 'font-lock-face 'pi-ls-notice))))
    (pi-ls--append block text 'font-lock-face 'pi-ls-output)
    (pi-ls--newline block)
    (pi-ls--forget block)))

(defun pi-ls--show-part (key part)
  "Add PART of an answer, a whole one, to the log; KEY names its block."
  (pcase (plist-get part :type)
    ("text" (unless (string-blank-p (plist-get part :text))
              (pi-ls--open key 'text nil)
              (pi-ls--finish-text key (plist-get part :text))))
    ("thinking" (unless (string-blank-p (plist-get part :thinking))
                  (pi-ls--open-thinking key)
                  (pi-ls--finish-thinking key (plist-get part :thinking))))
    ("toolCall" (let ((id (plist-get part :id)))
                  (unless (gethash id pi-ls--blocks)
                    (pi-ls--open-tool id (plist-get part :name) (plist-get part :arguments)))))))

(defun pi-ls--show-stop (message)
  "Tell why MESSAGE of the agent ended, unless it ended well."
  (pcase (plist-get message :stopReason)
    ("error" (pi-ls--note (or (plist-get message :errorMessage) "The model failed") 'pi-ls-error))
    ("aborted" (pi-ls--note "Stopped" 'pi-ls-notice))
    ("length" (pi-ls--note "The answer reached the limit of its length" 'pi-ls-attention))))


;;; Texts and thoughts

(defun pi-ls--finish-text (key text)
  "Let TEXT be the whole text of the block under KEY."
  (when-let* ((block (gethash key pi-ls--blocks)))
    (unless (string= text (buffer-substring-no-properties
                           (pi-ls--block-body block) (pi-ls--block-end block)))
      (pi-ls--replace block text))
    (pi-ls--newline block)
    (pi-ls--release key)))

(defun pi-ls--open-thinking (key)
  "Begin a thought, found under KEY."
  (pi-ls--open key 'thinking (propertize "Thinking…" 'font-lock-face 'pi-ls-thinking)))

(defun pi-ls--finish-thinking (key text)
  "Let TEXT be the whole thought of the block under KEY."
  (when-let* ((block (gethash key pi-ls--blocks)))
    (pi-ls--replace block text 'font-lock-face 'pi-ls-thinking)
    (pi-ls--newline block)
    (pi-ls--retitle block (propertize (format "Thought: %s" (pi-ls--first-line text 60))
                                      'font-lock-face 'pi-ls-thinking))
    (pi-ls--release key)))


;;; Calls of tools

(defun pi-ls--open-tool (id name args)
  "Begin the call ID of the tool NAME with ARGS."
  (let ((block (pi-ls--open id 'tool "" :name name :args args
                            :folded (and (memq 'tool pi-ls-fold)
                                         (not (member name pi-ls-unfolded-tools))))))
    (pi-ls--retitle-tool block)
    block))

(defun pi-ls--retitle-tool (block &optional sign face)
  "Let the heading of BLOCK, a call of a tool, tell what it is about.
It ends with SIGN in FACE."
  (pi-ls--retitle block (pi-ls--tool-heading (or (pi-ls--block-name block) "tool")
                                             (pi-ls--block-args block) sign face)))

(defun pi-ls--finish-tool (id result error duration)
  "Show RESULT of the call ID; ERROR is non-nil if it is one.
DURATION is in milliseconds, or nil."
  (when-let* ((block (gethash id pi-ls--blocks)))
    (let ((body (pi-ls-tool-body (intern (or (pi-ls--block-name block) "tool"))
                                 (pi-ls--block-args block)
                                 (append (list :isError error) result))))
      (pi-ls--replace block (if (string-empty-p body) "" (concat (string-trim-right body "\n") "\n"))))
    (pi-ls--retitle-tool block
                         (concat (if error "✗" "✓")
                                 (and (numberp duration) (>= duration 1000)
                                      (format " %.1f s" (/ duration 1000.0))))
                         (if error 'pi-ls-error 'pi-ls-ok))
    (pi-ls--release id)))

(defun pi-ls--close-all ()
  "Let no block of the log change any more."
  (let (keys)
    (maphash (lambda (key _) (push key keys)) pi-ls--blocks)
    (dolist (key keys)
      (let ((block (gethash key pi-ls--blocks)))
        (when (eq (pi-ls--block-kind block) 'tool)
          (pi-ls--retitle-tool block "✗ stopped" 'pi-ls-error))
        (pi-ls--newline block)
        (pi-ls--release key)))))

(provide 'pi-ls-message)
;;; pi-ls-message.el ends here

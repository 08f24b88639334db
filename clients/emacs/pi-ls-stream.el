;;; pi-ls-stream.el --- What pi and its extensions tell while it works  -*- lexical-binding: t -*-

;; This file is part of pi-ls.

;;; Commentary:

;; One method for each record of pi that changes the transcript.

;;; Code:

(require 'pi-ls-message)

(defvar pi-ls-tool-functions nil
  "Called in the transcript when a tool has succeeded.
The arguments are the name of the tool, its arguments and its result.")

(defvar pi-ls-settled-hook nil
  "Run in the transcript when the agent has done all that it will do.")


;;; Messages

(cl-defmethod pi-ls-handle-notification (_c (_m (eql pi/message_start)) &key message &allow-other-keys)
  "Show MESSAGE, unless it is an answer, which is still empty."
  (pcase (plist-get message :role)
    ("user"
     (setq pi-ls--sending (cl-remove (pi-ls--text-of (plist-get message :content)) pi-ls--sending
                                     :test #'equal :count 1))
     (pi-ls--changing (pi-ls--show-message message))
     (pi-ls--update-tail))
    ("custom" (pi-ls--changing (pi-ls--show-message message)))))

(cl-defmethod pi-ls-handle-notification (_c (_m (eql pi/message_update)) &key assistantMessageEvent &allow-other-keys)
  "Show the step ASSISTANTMESSAGEEVENT of an answer."
  (let* ((event assistantMessageEvent)
         (index (plist-get event :contentIndex))
         (key (list 'part index)))
    (pi-ls--changing
      (pcase (plist-get event :type)
        ("text_delta"
         (let ((delta (plist-get event :delta)))
           (pi-ls--append (or (gethash key pi-ls--blocks) (pi-ls--open key 'text nil)) delta)))
        ("thinking_delta"
         (pi-ls--append (or (gethash key pi-ls--blocks) (pi-ls--open-thinking key))
                        (plist-get event :delta) 'font-lock-face 'pi-ls-thinking))
        ("text_end" (pi-ls--finish-text key (plist-get event :content)))
        ("thinking_end" (pi-ls--finish-thinking key (plist-get event :content)))
        ("toolcall_start"
         (when-let* ((id (plist-get event :id)))
           (unless (or (string-empty-p id) (gethash id pi-ls--blocks))
             (pi-ls--open-tool id (plist-get event :toolName) nil))))
        ("toolcall_end" (pi-ls--call (plist-get event :toolCall)))))))

(cl-defmethod pi-ls-handle-notification (_c (_m (eql pi/message_end)) &key message &allow-other-keys)
  "Let MESSAGE be what counts of what was streamed."
  (when (equal (plist-get message :role) "assistant")
    (pi-ls--changing
      (cl-loop for part across (plist-get message :content) for index from 0
               for key = (list 'part index)
               when (gethash key pi-ls--blocks)
               do (pcase (plist-get part :type)
                    ("text" (pi-ls--finish-text key (plist-get part :text)))
                    ("thinking" (pi-ls--finish-thinking key (plist-get part :thinking)))))
      (maphash (lambda (key _) (when (consp key) (pi-ls--release key))) pi-ls--blocks)
      (pi-ls--show-stop message))))


;;; Tools

(cl-defmethod pi-ls-handle-notification (_c (_m (eql pi/tool_execution_start))
                                            &key toolCallId toolName args &allow-other-keys)
  "Show that the call TOOLCALLID of the tool TOOLNAME runs with ARGS."
  (pi-ls--changing
    (pi-ls--call (list :id toolCallId :name toolName :arguments args))
    (let ((block (gethash toolCallId pi-ls--blocks)))
      (pi-ls--retitle-tool block "…" 'pi-ls-notice))))

(defun pi-ls--call (call)
  "Show that the agent makes CALL, a call of a tool."
  (let* ((id (plist-get call :id))
         (block (gethash id pi-ls--blocks)))
    (if (null block)
        (pi-ls--open-tool id (plist-get call :name) (plist-get call :arguments))
      (setf (pi-ls--block-name block) (plist-get call :name)
            (pi-ls--block-args block) (plist-get call :arguments))
      (pi-ls--retitle-tool block))))

(cl-defmethod pi-ls-handle-notification (_c (_m (eql pi/tool_execution_update))
                                            &key toolCallId partialResult &allow-other-keys)
  "Show PARTIALRESULT, all that the call TOOLCALLID has said, if it is unfolded."
  (when-let* ((block (gethash toolCallId pi-ls--blocks)))
    (setf (pi-ls--block-partial block) partialResult)
    (unless (pi-ls--block-folded block)
      (pi-ls--changing (pi-ls--show-partial block)))))

(defun pi-ls--show-partial (block)
  "Show what the tool of BLOCK has said up to now."
  (when-let* ((result (pi-ls--block-partial block)))
    (pi-ls--replace block (pi-ls--shaded (pi-ls--text-of (plist-get result :content))))
    (pi-ls--newline block)))

(cl-defmethod pi-ls-handle-notification (_c (_m (eql pi/tool_execution_end))
                                            &key toolCallId toolName result isError durationMs &allow-other-keys)
  "Show RESULT of the call TOOLCALLID of the tool TOOLNAME.
ISERROR and DURATIONMS are as in pi's record."
  (let* ((block (gethash toolCallId pi-ls--blocks))
         (args (and block (pi-ls--block-args block))))
    (pi-ls--changing
      (unless block (pi-ls--open-tool toolCallId toolName nil))
      (pi-ls--finish-tool toolCallId result (eq isError t) durationMs))
    (unless (eq isError t)
      (run-hook-with-args 'pi-ls-tool-functions toolName args result))))


;;; The run

(cl-defmethod pi-ls-handle-notification (_c (_m (eql pi/agent_settled)) &rest _)
  "Close what is open, and run `pi-ls-settled-hook'."
  (pi-ls--changing (pi-ls--close-all))
  (setq pi-ls--notice nil)
  (pi-ls--update-tail)
  (run-hooks 'pi-ls-settled-hook))

(cl-defmethod pi-ls-handle-notification (_c (_m (eql pi/auto_retry_start))
                                            &key attempt maxAttempts delayMs errorMessage &allow-other-keys)
  "Tell that ATTEMPT of MAXATTEMPTS follows in DELAYMS because of ERRORMESSAGE."
  (setq pi-ls--notice (format "Retry %s of %s in %.0f s: %s" attempt maxAttempts
                              (/ delayMs 1000.0) errorMessage))
  (pi-ls--update-tail))

(cl-defmethod pi-ls-handle-notification (_c (_m (eql pi/auto_retry_end)) &rest _)
  "Tell nothing of retries any more."
  (setq pi-ls--notice nil)
  (pi-ls--update-tail))

(cl-defmethod pi-ls-handle-notification (_c (_m (eql pi/compaction_end))
                                            &key result aborted errorMessage &allow-other-keys)
  "Show RESULT of a compaction, or why there is none: ABORTED or ERRORMESSAGE."
  (pi-ls--changing
    (cond (result (pi-ls--show-summary (format "Compacted %s tokens to %s" (plist-get result :tokensBefore)
                                               (or (plist-get result :estimatedTokensAfter) "fewer"))
                                       (plist-get result :summary)))
          ((eq aborted t) (pi-ls--note "The compaction was stopped"))
          (errorMessage (pi-ls--note errorMessage 'pi-ls-error)))))


;;; Extensions

(cl-defmethod pi-ls-handle-notification (connection (_m (eql pi/extension_error))
                                                    &key extensionPath event error &allow-other-keys)
  "Show ERROR of EXTENSIONPATH, which handled EVENT, and log it for CONNECTION."
  (pi-ls-log connection "%s (%s): %s" extensionPath event error)
  (pi-ls--changing (pi-ls--note (format "An extension failed: %s" error) 'pi-ls-error)))

(cl-defmethod pi-ls-handle-notification (_c (_m (eql pi/ui/notify)) &key message notifyType &allow-other-keys)
  "Show MESSAGE of an extension, which is of NOTIFYTYPE."
  (pi-ls--changing
    (pi-ls--note (string-trim (ansi-color-filter-apply message))
                 (pcase notifyType ("error" 'pi-ls-error) ("warning" 'pi-ls-attention) (_ 'pi-ls-notice))))
  (unless (active-minibuffer-window) (message "pi: %s" (ansi-color-filter-apply message))))

(cl-defmethod pi-ls-handle-notification (connection (_m (eql pi/ui/setWidget))
                                                    &key widgetKey widgetLines &allow-other-keys)
  "Show WIDGETLINES of the extension WIDGETKEY of CONNECTION."
  (setf (alist-get widgetKey (pi-ls-widgets connection) nil t #'equal)
        (and widgetLines (mapconcat #'ansi-color-apply widgetLines "\n")))
  (pi-ls--update-tail))

(provide 'pi-ls-stream)
;;; pi-ls-stream.el ends here

;;; pi-ls-prompt.el --- Where prompts for pi are written  -*- lexical-binding: t -*-

;; This file is part of pi-ls.

;;; Commentary:

;; The prompt is an ordinary buffer below the transcript.  What is sent
;; from it and not taken by pi comes back into it.

;;; Code:

(require 'pi-ls-completion)
(require 'pi-ls-draft)
(require 'pi-ls-image)

(defcustom pi-ls-prompt-height 7
  "The lines of a window with a prompt."
  :type 'natnum
  :group 'pi-ls)

(defvar pi-ls-prompt-history nil
  "What was sent to pi, latest first.
Add it to `savehist-additional-variables' to keep it.")

(defvar-local pi-ls--history-at nil "Which element of the history is shown, or nil.")
(defvar-local pi-ls--draft nil "The text that was there before the history was looked at.")
(put 'pi-ls--history-at 'permanent-local t)
(put 'pi-ls--draft 'permanent-local t)

(defvar-keymap pi-ls-prompt-mode-map
  :doc "Keys of the prompt."
  :parent (make-composed-keymap pi-ls-common-map text-mode-map)
  "C-c C-c" #'pi-ls-send
  "C-c C-s" #'pi-ls-steer
  "C-c C-a" #'pi-ls-attach-image
  "C-c C-z" #'pi-ls-show-chat
  "TAB" #'completion-at-point
  "M-p" #'pi-ls-previous-prompt
  "M-n" #'pi-ls-next-prompt)

(define-derived-mode pi-ls-prompt-mode text-mode "Pi-Prompt"
  "Write a prompt for the coding agent pi.

\\{pi-ls-prompt-mode-map}"
  :interactive nil
  (setq-local dnd-protocol-alist (cons '("^file:" . pi-ls--dropped) dnd-protocol-alist))
  (visual-line-mode)
  (add-hook 'completion-at-point-functions #'pi-ls-completion-at-point nil t)
  ;; Of text-mode; it errs where there is no list of words, and TAB means pi here.
  (remove-hook 'completion-at-point-functions #'ispell-completion-at-point t)
  (add-hook 'kill-buffer-hook #'pi-ls--prompt-killed nil t)
  (when (fboundp 'yank-media-handler)
    (yank-media-handler "image/.*" #'pi-ls--yank-image)))

(declare-function pi-ls-show-chat "pi-ls-window" ())

(put 'pi-ls--prompt-killed 'permanent-local-hook t)

(defun pi-ls--prompt-buffer (chat)
  "The prompt of the transcript CHAT, made if there is none."
  (with-current-buffer chat
    (if (buffer-live-p pi-ls--prompt-buffer) pi-ls--prompt-buffer
      (let ((directory default-directory) (connection pi-ls--connection))
        (setq pi-ls--prompt-buffer
              (generate-new-buffer (string-replace "*pi" "*pi-prompt" (buffer-name chat))))
        (with-current-buffer pi-ls--prompt-buffer
          (pi-ls-prompt-mode)
          (setq default-directory directory
                pi-ls--chat chat
                pi-ls--connection connection)
          (insert (or (pi-ls-draft-take directory) ""))
          (current-buffer))))))

(defun pi-ls--prompt-text ()
  "All that is written in the prompt, also if it is narrowed."
  (save-restriction (widen) (buffer-string)))

(defun pi-ls--prompt-killed ()
  "Keep the text of a prompt that is killed."
  (pi-ls-draft-keep default-directory (pi-ls--prompt-text)))

(defun pi-ls--give-back (texts)
  "Put TEXTS, which were not sent after all, into the prompt of this conversation.
They go below those that came back before, and what is being written
there is kept, below them."
  (when texts
    (with-current-buffer (pi-ls--prompt-buffer (or pi-ls--chat (current-buffer)))
      (save-excursion
        (save-restriction
          (widen)
          (goto-char (point-min))
          (when (get-text-property (point) 'pi-ls-back)
            (goto-char (next-single-property-change (point) 'pi-ls-back nil (point-max))))
          (let ((text (concat (unless (bobp) "\n\n") (string-join texts "\n\n"))))
            (add-text-properties 0 (length text) '(pi-ls-back t) text)
            (insert text))
          (unless (or (eobp) (looking-at-p "\n\n")) (insert "\n\n")))))
    texts))

(defun pi-ls--give-back-queue (queue)
  "Put the texts of QUEUE, plists as pi has them, into the prompt; return them."
  (pi-ls--give-back (append (plist-get queue :steering) (plist-get queue :followUp) nil)))

(defun pi-ls--give-back-waiting (connection)
  "Put what waits in the queue of CONNECTION, which ends, into the prompt."
  (pi-ls--give-back-queue (plist-get (pi-ls-state connection) :queue))
  (setf (plist-get (pi-ls-state connection) :queue) nil))

(defun pi-ls--take-back-queue ()
  "Take what waits in pi's queue back into the prompt of this conversation."
  (pi-ls-request-here "pi/clear_queue" nil
                      :then #'pi-ls--give-back-queue
                      ;; An old pi has no such command: its queue stays.
                      :else #'ignore))

(defun pi-ls--give-back-lost (connection lost)
  "Put the texts of LOST, as the state of CONNECTION has them, into the prompt.
Each comes back once, though the bridge tells of it in every state, and
also answers the prompts that were on their way."
  (let ((texts (append (plist-get lost :prompts) (plist-get lost :steering) (plist-get lost :followUp) nil)))
    (pi-ls--give-back (pi-ls--less texts (append (pi-ls-given-back connection) pi-ls--unanswered)))
    (setf (pi-ls-given-back connection) texts)))

(defun pi-ls--less (texts others)
  "TEXTS without OTHERS, each of which takes one away."
  (dolist (text others texts)
    (setq texts (cl-remove text texts :test #'equal :count 1))))


;;; Sending

(defun pi-ls-send ()
  "Send the prompt to pi; while pi runs, it follows when the run would end.
A line that begins with ! is a command for the shell, whose output
pi sees; with !! pi does not see it."
  (interactive nil pi-ls-prompt-mode)
  (pi-ls--send "followUp"))

(defun pi-ls-steer ()
  "Send the prompt to pi; while pi runs, it gets it after the present turn."
  (interactive nil pi-ls-prompt-mode)
  (pi-ls--send "steer"))

(defun pi-ls--send (behavior)
  "Send what is in the prompt; BEHAVIOR is for a pi that runs."
  (widen)
  (let* ((images (pi-ls--images))
         (text (string-trim (pi-ls--text-without-images)))
         (written (string-trim (buffer-string)))
         (chat pi-ls--chat))
    (when (and (string-empty-p text) (null images)) (user-error "There is nothing to send"))
    (with-current-buffer chat
      (if (string-prefix-p "!" text)
          (pi-ls-bash (string-trim (string-trim-left text "!+")) (string-prefix-p "!!" text))
        (pi-ls--prompt text behavior images written)))
    (pi-ls--remember text)
    (setq pi-ls--history-at nil)
    (erase-buffer)
    (when-let* ((window (get-buffer-window chat)))
      (set-window-point window (with-current-buffer chat (point-max))))))

(defun pi-ls--prompt (text &optional behavior images written)
  "Send TEXT with IMAGES to pi from the transcript; BEHAVIOR as in pi/prompt.
If pi refuses it, WRITTEN comes back to the prompt, with the marks of
the images, or else TEXT."
  (let ((connection pi-ls--connection))
    (pi-ls-request
     connection "pi/prompt"
     (append (list :message text
                   ;; Without a run pi ignores it, and whether one has
                   ;; just ended is not known here.
                   :streamingBehavior (or behavior "followUp"))
             (when images (list :images (vconcat images))))
     :then (lambda (_) (pi-ls--sent text))
     :else (lambda (oops)
             (pi-ls--sent text)
             (pi-ls--give-back (list (or written text)))
             (pi-ls--tell-refusal connection text oops))))
  (setq pi-ls--sending (append pi-ls--sending (list text))
        pi-ls--unanswered (append pi-ls--unanswered (list text)))
  (pi-ls--update-tail))

(defun pi-ls--tell-refusal (connection text oops)
  "Tell of OOPS, for which the prompt TEXT on CONNECTION has come back."
  (let ((kind (plist-get (plist-get oops :data) :kind)))
    ;; The state tells of these texts too, and of a pi that has ended.
    (when (member kind '("exited" "unavailable")) (push text (pi-ls-given-back connection)))
    (unless (equal kind "exited")
      (pi-ls--changing (pi-ls--note (plist-get oops :message) 'pi-ls-error)))
    (message "pi: %s" (plist-get oops :message))))

(defun pi-ls--sent (text)
  "The bridge has answered the prompt TEXT: it is on its way no more."
  (setq pi-ls--sending (pi-ls--less pi-ls--sending (list text))
        pi-ls--unanswered (pi-ls--less pi-ls--unanswered (list text)))
  (pi-ls--update-tail))

(defun pi-ls-abort ()
  "Stop pi, and take back what waits in its queue."
  (interactive)
  (pi-ls--take-back-queue)
  (pi-ls-request-here "pi/abort")
  (pi-ls-request-here "pi/abort_bash"))


;;; Shell commands

(defun pi-ls-bash (command &optional hidden)
  "Run the shell COMMAND where pi works, and show its output.
pi sees it with the next prompt, unless HIDDEN (interactively, the
prefix argument) is non-nil."
  (interactive (list (read-shell-command "Shell command for pi: ") current-prefix-arg))
  (with-current-buffer (pi-ls--chat-buffer)
    (let* ((key nil)
           (id (pi-ls-request
                pi-ls--connection "pi/bash"
                (append (list :command command) (when hidden '(:excludeFromContext t)))
                :then (lambda (result) (pi-ls--bash-ended key command result))
                :else (lambda (oops)
                        (pi-ls--bash-ended key command (list :output (plist-get oops :message) :exitCode "?"))))))
      (setq key (cons 'bash id))
      (pi-ls--changing
        (pi-ls--open key 'bash (pi-ls--bash-heading command nil nil) :folded nil)))))

(defun pi-ls--bash-ended (key command result)
  "Show RESULT of COMMAND of the user, in the block under KEY."
  (when-let* ((block (gethash key pi-ls--blocks)))
    (pi-ls--changing
      (when (= (pi-ls--block-body block) (pi-ls--block-end block))
        (pi-ls--append block (plist-get result :output) 'font-lock-face 'pi-ls-output))
      (pi-ls--newline block)
      (pi-ls--retitle block (pi-ls--bash-heading command (plist-get result :exitCode)
                                                 (eq t (plist-get result :cancelled))))
      (pi-ls--release key))))

(cl-defmethod pi-ls-handle-notification (_c (_m (eql pi/bash_execution_update))
                                            &key id delta &allow-other-keys)
  "Show DELTA of the output of the command that the request ID runs."
  (when-let* ((block (gethash (cons 'bash id) pi-ls--blocks)))
    (pi-ls--changing
      (pi-ls--append block (ansi-color-filter-apply delta) 'font-lock-face 'pi-ls-output))))


;;; What extensions write

(cl-defmethod pi-ls-handle-notification (_c (_m (eql pi/ui/set_editor_text)) &key text &allow-other-keys)
  "Put TEXT of an extension into the prompt."
  (with-current-buffer (pi-ls--prompt-buffer (current-buffer))
    (unless (string-blank-p (pi-ls--prompt-text))
      (pi-ls--remember (pi-ls--prompt-text)))
    (erase-buffer)
    (insert text)))


;;; History

(defun pi-ls--remember (text)
  "Add TEXT to the prompts that were sent, as the latest one."
  (let ((history-delete-duplicates t))
    (add-to-history 'pi-ls-prompt-history (substring-no-properties text))))

(defun pi-ls-previous-prompt (&optional count)
  "Replace the prompt by the one sent before it, COUNT times."
  (interactive "p" pi-ls-prompt-mode)
  (let* ((at (+ (or pi-ls--history-at -1) (or count 1))))
    (cond ((>= at (length pi-ls-prompt-history)) (user-error "No earlier prompt"))
          ((< at -1) (user-error "No later prompt"))
          (t (unless pi-ls--history-at (setq pi-ls--draft (pi-ls--prompt-text)))
             (erase-buffer)
             (insert (if (= at -1) (or pi-ls--draft "") (nth at pi-ls-prompt-history)))
             (setq pi-ls--history-at (and (>= at 0) at))))))

(defun pi-ls-next-prompt (&optional count)
  "Replace the prompt by the one sent after it, COUNT times.
After the last one comes what was being written."
  (interactive "p" pi-ls-prompt-mode)
  (pi-ls-previous-prompt (- (or count 1))))

(provide 'pi-ls-prompt)
;;; pi-ls-prompt.el ends here

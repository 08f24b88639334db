;;; pi-ls-dialog.el --- The questions that pi asks  -*- lexical-binding: t -*-

;; This file is part of pi-ls.

;;; Commentary:

;; pi waits until a dialog is answered.  A dialog is asked when it
;; cannot take keys that are meant for something else: in a window of
;; its conversation, with no minibuffer open, after a pause in typing.
;; Until then the mode line tells of it, and `pi-ls-answer' asks it.
;;
;; Nothing is approved by accident: no option is preselected, keys are
;; thrown away until none came for a moment, a y counts only if it
;; stands alone, and C-g, like everything that is no clear answer, is
;; reported to pi as cancelled.

;;; Code:

(require 'pi-ls-prompt)

(defcustom pi-ls-dialog-when 'in-chat
  "When a question of pi is asked by itself.
With `in-chat' only while a window of its conversation is selected,
with `always' anywhere, with `never' only by \\[pi-ls-answer]."
  :type '(choice (const in-chat) (const always) (const never))
  :group 'pi-ls)

(defcustom pi-ls-dialog-idle 0.7
  "After how many seconds without a key a question may be asked."
  :type 'number
  :group 'pi-ls)

(defcustom pi-ls-dialog-guard 0.4
  "A question takes keys once none came for so many seconds.
A key that was on its way must not answer it.  To confirm, no other
key may follow for as long."
  :type 'number
  :group 'pi-ls)

(defvar pi-ls-attention-functions (list #'pi-ls-announce)
  "Called when pi begins to wait for the user.
The arguments are the connection and the dialog, a plist of pi's own
record with `:id', `:method' and `:title'.")

(defvar pi-ls--asking nil "The dialog that is being asked, if one is.")
(defvar pi-ls--asking-depth nil "The depth of the minibuffer in which it is asked.")
(defvar-local pi-ls--asking-editor nil "In the buffer of an editor dialog: (CONNECTION . DIALOG).")
(put 'pi-ls--asking-editor 'permanent-local t)
(defvar pi-ls--ask-timer nil "The timer that looks whether a dialog can be asked.")
(defvar pi-ls--waiting nil "The connections with open dialogs.")
(defvar pi-ls--mode-line nil "What the mode line tells of open dialogs.")
(put 'pi-ls--mode-line 'risky-local-variable t)


;;; The books

(defun pi-ls--opened (connection dialog)
  "Add DIALOG, the params of a request on CONNECTION, to its open ones."
  (setf (pi-ls-dialogs connection) (append (pi-ls-dialogs connection) (list dialog)))
  (pi-ls--dialogs-changed connection)
  (run-hook-wrapped 'pi-ls-attention-functions
                    (lambda (function)
                      (condition-case oops
                          (funcall function connection dialog)
                        (error (pi-ls-log connection "pi-ls-attention-functions: %s"
                                          (error-message-string oops))))
                      nil))
  (pi-ls--ask-soon))

(defun pi-ls--closed (connection id)
  "Take the dialog ID off the open ones of CONNECTION; return it, or nil."
  (when-let* ((dialog (pi-ls--find-dialog connection id)))
    (setf (pi-ls-dialogs connection) (remq dialog (pi-ls-dialogs connection)))
    (pi-ls--dialogs-changed connection)
    dialog))

(defun pi-ls--dialogs-changed (connection)
  "Show how many dialogs of CONNECTION are open."
  (setq pi-ls--waiting (delq connection pi-ls--waiting))
  (when (pi-ls-dialogs connection) (push connection pi-ls--waiting))
  (let ((count (cl-loop for c in pi-ls--waiting sum (length (pi-ls-dialogs c)))))
    (setq pi-ls--mode-line
          (and (> count 0)
               (propertize (format " pi:%d?" count) 'face 'pi-ls-attention
                           'help-echo "pi waits for an answer: M-x pi-ls-answer"))))
  (unless (memq 'pi-ls--mode-line global-mode-string)
    (setq global-mode-string (append (or (ensure-list global-mode-string) '("")) '(pi-ls--mode-line))))
  (force-mode-line-update t)
  (when (buffer-live-p (pi-ls-buffer connection))
    (with-current-buffer (pi-ls-buffer connection) (pi-ls--update-tail))))

(defun pi-ls--find-dialog (connection id)
  "The open dialog ID of CONNECTION, or nil."
  (cl-find id (pi-ls-dialogs connection)
           :key (lambda (dialog) (plist-get dialog :id)) :test #'equal))

(defun pi-ls--settle (connection dialog answer)
  "Answer DIALOG of CONNECTION with ANSWER, a plist, if it is still open."
  (when (pi-ls--closed connection (plist-get dialog :id))
    (pi-ls-reply connection (plist-get dialog :pi-ls-id) answer)))

(defun pi-ls--drop-dialogs (connection)
  "Close all dialogs of CONNECTION, which has ended."
  (dolist (dialog (pi-ls-dialogs connection))
    (pi-ls--withdraw connection (plist-get dialog :id))))

(defun pi-ls-announce (_connection dialog)
  "Tell in the echo area that DIALOG is open."
  (unless (active-minibuffer-window)
    ;; The keys are those that the user has at hand, not those of the transcript.
    (with-current-buffer (window-buffer (selected-window))
      (message "pi asks: %s  (%s)" (plist-get dialog :title)
               (substitute-command-keys "\\[pi-ls-answer]")))))

(cl-defmethod pi-ls-handle-notification (connection (_m (eql pi-ls/dialog)) &rest dialog)
  "Open DIALOG of CONNECTION."
  (pi-ls--opened connection dialog))

(cl-defmethod pi-ls-handle-notification (connection (_m (eql bridge/dialog_closed))
                                                    &key id reason &allow-other-keys)
  "Take the dialog ID of CONNECTION off the screen, for REASON."
  (when-let* ((dialog (pi-ls--withdraw connection id)))
    (message "pi no longer asks: %s (%s)" (plist-get dialog :title) reason)))

(defun pi-ls--withdraw (connection id)
  "Close the dialog ID of CONNECTION, which nobody may answer any more.
Return it, or nil if it is not open."
  (when-let* ((dialog (pi-ls--closed connection id)))
    (when-let* ((buffer (pi-ls--editor-of dialog)))
      (with-current-buffer buffer (pi-ls--editor-quit)))
    (pi-ls--leave-soon)
    dialog))

(defun pi-ls--leave-soon ()
  "Leave the minibuffer of a dialog that is over.
Not from here: this can be within the handling of a message."
  (when pi-ls--asking (run-at-time 0 nil #'pi-ls--leave)))

(defun pi-ls--leave ()
  "Leave the minibuffer that asks a dialog, if that is over.
Another minibuffer on top of it is left alone until it is left."
  (when (and pi-ls--asking
             (eql (minibuffer-depth) pi-ls--asking-depth)
             (not (cl-some (lambda (connection) (memq pi-ls--asking (pi-ls-dialogs connection)))
                           pi-ls--waiting)))
    (throw 'pi-ls--closed nil)))

(add-hook 'minibuffer-exit-hook #'pi-ls--leave-soon)


;;; When to ask

(defun pi-ls--ask-soon ()
  "Ask the oldest open dialog as soon as it disturbs nothing."
  (unless (or pi-ls--ask-timer (eq pi-ls-dialog-when 'never) noninteractive)
    (setq pi-ls--ask-timer (run-with-timer 0.15 nil #'pi-ls--ask-if-quiet))))

(defun pi-ls--ask-if-quiet ()
  "Ask a dialog, if the user does nothing else; look again later."
  (setq pi-ls--ask-timer nil)
  (when pi-ls--waiting
    ;; First, since a question can be left in any way.
    (pi-ls--ask-soon)
    (when-let* ((next (cl-loop for connection in pi-ls--waiting
                               for dialog = (cl-find-if-not #'pi-ls--editor-of (pi-ls-dialogs connection))
                               when (and dialog (pi-ls--quiet-p connection))
                               return (cons connection dialog))))
      (pi-ls--ask (car next) (cdr next)))))

(defun pi-ls--quiet-p (connection)
  "Whether a dialog of CONNECTION would take no keys that are meant for another."
  (let ((idle (current-idle-time)))
    (and idle
         (>= (float-time idle) pi-ls-dialog-idle)
         (not pi-ls--asking)
         (not (active-minibuffer-window))
         (not (input-pending-p))
         (not executing-kbd-macro)
         (not defining-kbd-macro)
         (not cursor-in-echo-area)
         (not overriding-terminal-local-map)
         (zerop (length (this-single-command-keys)))
         (or (eq pi-ls-dialog-when 'always)
             (eq connection (buffer-local-value 'pi-ls--connection
                                                (window-buffer (selected-window))))))))

;;;###autoload
(defun pi-ls-answer (&optional connection id)
  "Answer a question of pi: the dialog ID of CONNECTION, or the oldest one."
  (interactive)
  (let* ((connection (or connection
                         (and pi-ls--connection (pi-ls-dialogs pi-ls--connection) pi-ls--connection)
                         (car pi-ls--waiting)))
         (dialog (cond ((null connection) nil)
                       (id (pi-ls--find-dialog connection id))
                       (t (car (pi-ls-dialogs connection))))))
    (unless dialog (user-error "pi asks nothing"))
    (pi-ls--ask connection dialog)))


;;; Asking

(defun pi-ls--ask (connection dialog)
  "Ask DIALOG of CONNECTION, and send the answer.
Returns when it is answered or gone, except for an editor."
  (let ((method (intern (plist-get dialog :method))))
    (if (eq method 'editor)
        (pi-ls--edit connection dialog)
      (let ((answer '(:cancelled t))
            (pi-ls--asking dialog)
            (pi-ls--asking-depth (1+ (minibuffer-depth)))
            ;; It may be asked from a timer, where C-g is inhibited.
            (inhibit-quit nil)
            (enable-recursive-minibuffers t))
        (condition-case oops
            (catch 'pi-ls--closed
              (minibuffer-with-setup-hook #'pi-ls--guard
                (setq answer (pi-ls-read-answer method dialog))))
          (quit nil)
          (error (pi-ls-log connection "Asking %s: %s" method (error-message-string oops))))
        (pi-ls--settle connection dialog answer)))))

(defvar-local pi-ls--guarded-until 0 "When the present buffer, of a dialog, takes keys again.")

(defun pi-ls--guard ()
  "Throw away keys in this buffer until none came for `pi-ls-dialog-guard'."
  (pi-ls--guard-again)
  (add-hook 'pre-command-hook #'pi-ls--guard-key -100 t))

(defun pi-ls--guard-again ()
  "Take no keys in this buffer from now on, for `pi-ls-dialog-guard'."
  (setq pi-ls--guarded-until (+ (float-time) pi-ls-dialog-guard)))

(defun pi-ls--guard-key ()
  "Throw away the present command, unless it quits, if it came too early.
A key that is no answer, too, is one that was meant for something else."
  (unless (or executing-kbd-macro
              (memq this-command '(abort-recursive-edit abort-minibuffers
                                   minibuffer-keyboard-quit keyboard-quit)))
    (cond ((< (float-time) pi-ls--guarded-until)
           (setq this-command #'ignore)
           (pi-ls--guard-again))
          ((eq this-command #'y-or-n-p-insert-other)
           (pi-ls--guard-again)))))

(defun pi-ls--say-yes ()
  "Answer y in the minibuffer, unless another key follows at once.
Then y was the beginning of something else."
  (interactive)
  (delete-minibuffer-contents)
  (insert "y")
  (if (or executing-kbd-macro
          (<= pi-ls-dialog-guard 0)
          (condition-case nil (sit-for pi-ls-dialog-guard) (quit (abort-minibuffers))))
      (exit-minibuffer)
    (delete-minibuffer-contents)
    (pi-ls--guard-again)))

(cl-defgeneric pi-ls-read-answer (method dialog)
  "Ask the user DIALOG, a plist, whose `:method' is the symbol METHOD.
Return the answer as a plist.  A quit, and an error, mean cancelled:
so does a METHOD that has no method here.")

(defun pi-ls--title (dialog &optional more)
  "The prompt for DIALOG, with MORE."
  (concat (propertize "pi: " 'face 'pi-ls-attention)
          (string-trim-right (or (plist-get dialog :title) "asks") "[?: ]+")
          (and more (not (string-blank-p more)) (concat " (" (string-trim more) ")"))))

(defvar vertico-preselect)

(cl-defmethod pi-ls-read-answer ((_ (eql select)) dialog)
  "Choose one of the options of DIALOG.  An empty answer asks again."
  (let* ((options (append (plist-get dialog :options) nil))
         ;; Completion frameworks that preselect must not preselect.
         (vertico-preselect 'prompt)
         (completion-ignore-case t)
         (prompt (pi-ls--title dialog))
         (table (lambda (string predicate action)
                  (if (eq action 'metadata)
                      '(metadata (category . pi-ls-option) (display-sort-function . identity)
                                 (cycle-sort-function . identity))
                    (complete-with-action action options string predicate))))
         choice)
    (while (not (member choice options))
      (setq choice (completing-read
                    (concat prompt (pi-ls--options-hint options (string-width prompt)) ": ") table nil t)))
    (list :value choice)))

(defun pi-ls--options-hint (options width)
  "OPTIONS in a few words, or nothing where no line has room for them.
WIDTH is that of what stands before."
  (let ((room (min 50 (- (frame-width) width 15))))
    (if (< room 10) ""
      (format " [%s]" (truncate-string-to-width (string-join options " / ") room nil nil "…")))))

(cl-defmethod pi-ls-read-answer ((_ (eql confirm)) dialog)
  "Ask DIALOG with `y-or-n-p', where only y means yes."
  (let ((query-replace-map (define-keymap :parent query-replace-map
                             "SPC" 'ignore "!" 'ignore "." 'ignore "," 'ignore))
        (y-or-n-p-map (define-keymap :parent y-or-n-p-map "<remap> <act>" #'pi-ls--say-yes))
        (y-or-n-p-use-read-key nil)
        (use-dialog-box nil))
    (list :confirmed (if (y-or-n-p (concat (pi-ls--title dialog (plist-get dialog :message)) "? "))
                         t :json-false))))

(cl-defmethod pi-ls-read-answer ((_ (eql input)) dialog)
  "Read the line that DIALOG wants."
  (list :value (read-string (concat (pi-ls--title dialog (plist-get dialog :placeholder)) ": "))))


;;; A text of several lines

(defvar-keymap pi-ls-editor-mode-map
  :doc "Keys of a text that pi wants."
  "C-c C-c" #'pi-ls-editor-finish
  "C-c C-k" #'pi-ls-editor-cancel)

(define-minor-mode pi-ls-editor-mode
  "Write a text for pi: \\[pi-ls-editor-finish] sends it, \\[pi-ls-editor-cancel] does not."
  :interactive nil
  (setq header-line-format
        (substitute-command-keys
         " \\<pi-ls-editor-mode-map>\\[pi-ls-editor-finish] sends this to pi, \\[pi-ls-editor-cancel] cancels"))
  (add-hook 'kill-buffer-hook #'pi-ls--editor-killed nil t))

;; A change of the major mode takes away neither the question nor its end.
(put 'pi-ls--editor-killed 'permanent-local-hook t)

(defun pi-ls--editor-of (dialog)
  "The buffer in which DIALOG is answered, or nil."
  (cl-find-if (lambda (buffer) (eq dialog (cdr (buffer-local-value 'pi-ls--asking-editor buffer))))
              (buffer-list)))

(defun pi-ls--edit (connection dialog)
  "Show a buffer in which DIALOG of CONNECTION is answered."
  (let ((buffer (or (pi-ls--editor-of dialog)
                    (generate-new-buffer (format "*pi asks: %s*" (plist-get dialog :title))))))
    (with-current-buffer buffer
      (unless pi-ls--asking-editor
        (insert (or (plist-get dialog :prefill) ""))
        (goto-char (point-min))
        (text-mode)
        (setq pi-ls--asking-editor (cons connection dialog)))
      (unless pi-ls-editor-mode (pi-ls-editor-mode))
      (pi-ls--guard))
    (pop-to-buffer buffer)))

(defun pi-ls--editor-answer (answer)
  "Send ANSWER for the editor of the current buffer, and leave it."
  (pcase-let ((`(,connection . ,dialog) pi-ls--asking-editor))
    (unless dialog (user-error "pi no longer asks for this"))
    (unless (plist-member answer :value) (pi-ls--editor-keep))
    (setq pi-ls--asking-editor nil)
    (pi-ls--settle connection dialog answer)
    (pi-ls--editor-quit)))

(defun pi-ls--editor-keep ()
  "Keep what was written in the current buffer, which pi does not get.
It is in the history of the prompts then."
  (save-restriction
    (widen)
    (unless (or (string-blank-p (buffer-string))
                (equal (buffer-string) (or (plist-get (cdr pi-ls--asking-editor) :prefill) "")))
      (pi-ls--remember (buffer-string))
      (message "pi does not get the text; in the prompt, M-p brings it"))))

(defun pi-ls--editor-quit ()
  "Leave the current buffer, an editor whose dialog is over."
  (when pi-ls--asking-editor (pi-ls--editor-keep))
  (setq pi-ls--asking-editor nil)
  (set-buffer-modified-p nil)
  (let ((window (get-buffer-window nil t)))
    (if window (quit-window t window) (kill-buffer))))

(defun pi-ls-editor-finish ()
  "Send this text to pi."
  (interactive)
  (widen)
  (pi-ls--editor-answer (list :value (buffer-substring-no-properties (point-min) (point-max)))))

(defun pi-ls-editor-cancel ()
  "Tell pi that it gets no text."
  (interactive)
  (pi-ls--editor-answer '(:cancelled t)))

(defun pi-ls--editor-killed ()
  "Cancel the dialog of a buffer that is killed."
  (when pi-ls--asking-editor
    (pi-ls--editor-keep)
    (pcase-let ((`(,connection . ,dialog) pi-ls--asking-editor))
      (setq pi-ls--asking-editor nil)
      (pi-ls--settle connection dialog '(:cancelled t)))))


(provide 'pi-ls-dialog)
;;; pi-ls-dialog.el ends here

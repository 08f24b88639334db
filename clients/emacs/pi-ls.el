;;; pi-ls.el --- The coding agent pi, through pi-language-server  -*- lexical-binding: t -*-

;; Author: the authors of pi-language-server
;; Version: 0.1.0
;; Package-Requires: ((emacs "30.1"))
;; Keywords: tools, convenience
;; URL: https://www.npmjs.com/package/pi-language-server
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; `M-x pi-ls' opens a conversation with the agent about the present
;; project: the transcript above, the prompt below.  Write there and
;; press C-c C-c.  C-c C-p shows what else there is.
;;
;; The agent runs in pi-language-server, which is started where the
;; project is, also on a remote machine.  README.md is the manual.

;;; Code:

(require 'pi-ls-connection)
(require 'pi-ls-chat)
(require 'pi-ls-dialog)
(require 'pi-ls-prompt)
(require 'pi-ls-sessions)
(require 'pi-ls-context)
(require 'pi-ls-menu)

(defcustom pi-ls-context-warning '(70 . 90)
  "From how many percent on the use of the context is a warning, and an error."
  :type '(cons natnum natnum)
  :group 'pi-ls)

(defcustom pi-ls-display-action
  '((display-buffer-reuse-window display-buffer-reuse-mode-window pi-ls-display-beside)
    (mode . pi-ls-chat-mode))
  "How the transcript is displayed, as for `display-buffer'."
  :type 'sexp
  :group 'pi-ls)

;;; Conversations

;;;###autoload
(defun pi-ls (&optional new)
  "Converse with the agent about the present project.
Its conversation is shown, or one is begun; with NEW, the prefix
argument, another one is begun beside it."
  (interactive "P")
  (let* ((root (pi-ls--root))
         (chat (or (and (not new) (pi-ls--chat-here))
                   (pi-ls--new-chat root))))
    (unless (jsonrpc-running-p (buffer-local-value 'pi-ls--connection chat))
      (with-current-buffer chat (pi-ls-reconnect)))
    (pi-ls--display chat)))

(defun pi-ls--new-chat (root &optional options)
  "Begin a conversation in ROOT and return its transcript.
OPTIONS are for the bridge, as in `pi-ls-options'."
  (let* ((default-directory root)
         (name (format "*pi: %s*" (file-name-nondirectory (directory-file-name root))))
         (chat (generate-new-buffer name)))
    (with-current-buffer chat
      (setq default-directory root)
      (pi-ls-chat-mode)
      (add-hook 'kill-buffer-hook #'pi-ls--chat-killed nil t)
      (condition-case oops
          (pi-ls--connect options)
        (error (kill-buffer chat) (signal (car oops) (cdr oops)))))
    chat))

(defun pi-ls--connect (&optional options)
  "Give the present transcript a bridge, started with OPTIONS."
  (setq pi-ls--connection
        (pi-ls-start default-directory (current-buffer)
                     (lambda (connection)
                       (pi-ls-request connection "bridge/state" nil
                                      :then (lambda (state) (pi-ls--take-state connection state))))
                     options #'pi-ls--ended))
  (with-current-buffer (pi-ls--prompt-buffer (current-buffer))
    (setq pi-ls--connection (buffer-local-value 'pi-ls--connection pi-ls--chat)))
  (pi-ls--show-state pi-ls--connection))

(defun pi-ls-reconnect ()
  "Start the bridge of this conversation again, on the same session."
  (interactive)
  (with-current-buffer (pi-ls--chat-buffer)
    (let ((file (plist-get (plist-get (and pi-ls--connection (pi-ls-state pi-ls--connection)) :session) :file)))
      (when (and pi-ls--connection (jsonrpc-running-p pi-ls--connection))
        (pi-ls-shutdown pi-ls--connection))
      (pi-ls--connect (and file (list :session (list :file file))))
      (pi-ls-reload))))

(defun pi-ls--ended (connection)
  "Tell the transcript that the bridge of CONNECTION has ended."
  (pi-ls--drop-dialogs connection)
  (when (buffer-live-p (pi-ls-buffer connection))
    (with-current-buffer (pi-ls-buffer connection)
      (when (eq connection pi-ls--connection)
        (setf (plist-get (pi-ls-state connection) :phase) "stopped"
              (plist-get (pi-ls-state connection) :activity) "idle")
        (pi-ls--changing
          (pi-ls--close-all)
          (unless (pi-ls-closing connection)
            (pi-ls--note (concat "The bridge has ended: " (pi-ls--last-words connection)
                                 "  M-x pi-ls-reconnect starts it again")
                         'pi-ls-error)))
        (pi-ls--show-state connection)))))

(defun pi-ls--last-words (connection)
  "The last line that the bridge of CONNECTION wrote to stderr."
  (let ((buffer (jsonrpc-stderr-buffer connection)))
    (if (not (buffer-live-p buffer)) ""
      (with-current-buffer buffer
        (string-trim (or (car (last (split-string (buffer-string) "\n" t))) ""))))))

(defun pi-ls--chat-killed ()
  "End the bridge of a transcript that is killed, and its prompt."
  (when pi-ls--connection (pi-ls-shutdown pi-ls--connection))
  ;; They become the draft of the next conversation.
  (pi-ls--give-back pi-ls--sending)
  (let ((chat (current-buffer)))
    (dolist (buffer (buffer-list))
      (when (eq chat (buffer-local-value 'pi-ls--chat buffer))
        (kill-buffer buffer)))))

(defun pi-ls-quit ()
  "End this conversation; its session remains, see `pi-ls-resume'."
  (interactive)
  (let ((chat (pi-ls--chat-buffer)))
    (when (or (not (pi-ls-running-p (buffer-local-value 'pi-ls--connection chat)))
              (yes-or-no-p "The agent is at work.  End it? "))
      (pi-ls-hide)
      (kill-buffer chat))))


;;; Windows

(defun pi-ls-display-beside (buffer alist)
  "Display BUFFER, with ALIST, in the right half of the selected window.
Where halves would be too narrow to read it takes the whole window."
  (if (>= (window-total-width) 100)
      (display-buffer-in-direction buffer (append '((direction . right) (window-width . 0.5)) alist))
    (display-buffer-same-window buffer alist)))

(defun pi-ls--display (chat)
  "Show the transcript CHAT with its prompt below it, and go there."
  (let* ((window (display-buffer chat pi-ls-display-action))
         (prompt (pi-ls--prompt-buffer chat)))
    (set-window-point window (with-current-buffer chat (point-max)))
    (pi-ls--quit-lone-prompts window)
    (select-window
     (or (get-buffer-window prompt)
         (with-selected-window window
           (display-buffer prompt
                           `((display-buffer-reuse-window display-buffer-below-selected)
                             (window-height . ,pi-ls-prompt-height)
                             (dedicated . t) (preserve-size . (nil . t)))))))
    (goto-char (point-max))))

(defun pi-ls--quit-lone-prompts (window)
  "Quit the prompts in the frame of WINDOW whose transcripts are not shown there."
  (dolist (other (window-list (window-frame window)))
    (with-current-buffer (window-buffer other)
      (when (and (derived-mode-p 'pi-ls-prompt-mode)
                 (not (get-buffer-window pi-ls--chat (window-frame window))))
        (quit-window nil other)))))

(defun pi-ls-hide ()
  "Hide this conversation, with its prompt; the agent goes on."
  (interactive)
  (let ((chat (pi-ls--chat-buffer)))
    ;; In this order: `quit-window' gives a window that remains the size
    ;; that it had above its prompt, as if it still were there.
    (dolist (buffer (list chat (pi-ls--prompt-buffer chat)))
      (dolist (window (get-buffer-window-list buffer))
        (quit-window nil window)))))

(defun pi-ls-show-chat ()
  "Show the transcript of this prompt."
  (interactive)
  (pi-ls--display (pi-ls--chat-buffer)))

(defun pi-ls-go-to-prompt ()
  "Go to the prompt of this conversation."
  (interactive)
  (pi-ls--display (pi-ls--chat-buffer)))


;;; The state

(cl-defmethod pi-ls-handle-notification (connection (_m (eql bridge/state)) &rest state)
  "Let STATE be what is known of CONNECTION."
  (pi-ls--take-state connection state))

(defvar-local pi-ls--given-back nil "The lost texts that the prompt got back last.")

(defun pi-ls--take-state (connection state)
  "Let STATE be what is known of CONNECTION, and show it."
  (let ((before (plist-get (plist-get (pi-ls-state connection) :session) :id))
        (after (plist-get (plist-get state :session) :id))
        (ended (pi-ls--pid connection))
        (lost (plist-get state :lost)))
    (setf (pi-ls-state connection) state)
    ;; A pi that dies settles nothing, and its answer does not go on.
    (unless (or (null ended) (eql ended (pi-ls--pid connection)))
      (pi-ls--changing
        (pi-ls--close-all)
        (pi-ls--note "pi has ended" 'pi-ls-attention)))
    (set-process-query-on-exit-flag (jsonrpc--process connection) (pi-ls-running-p connection))
    (when lost
      (unless (equal lost pi-ls--given-back)
        (pi-ls--give-back (append (plist-get lost :prompts) (plist-get lost :steering)
                                  (plist-get lost :followUp) nil))))
    (setq pi-ls--given-back lost)
    (pi-ls--show-state connection)
    ;; An extension replaces the session without a word of its own.
    (when (and after (not (equal before after)))
      (pi-ls--fetch-modes connection)
      (pi-ls-reload))))

(defun pi-ls--pid (connection)
  "The process id of the pi of CONNECTION, or nil."
  (plist-get (plist-get (pi-ls-state connection) :pi) :pid))

(defun pi-ls--show-state (connection)
  "Show the state of CONNECTION in its header line and mode lines."
  (when (buffer-live-p (pi-ls-buffer connection))
    (with-current-buffer (pi-ls-buffer connection)
      (let ((process (pi-ls--activity connection)))
        (setq header-line-format (string-replace "%" "%%" (pi-ls--header connection))
              mode-line-process process)
        (with-current-buffer (pi-ls--prompt-buffer (current-buffer))
          (setq mode-line-process process
                header-line-format (pi-ls--prompt-header connection))))
      (pi-ls--update-tail)
      (force-mode-line-update t))))

(defun pi-ls--activity (connection)
  "What the agent of CONNECTION does, for the mode line."
  (let* ((state (pi-ls-state connection))
         (phase (plist-get state :phase)))
    (cond ((equal phase "ready")
           (pcase (plist-get state :activity)
             ("idle" nil)
             (activity (propertize (format ":%s" activity) 'face 'pi-ls-attention))))
          (t (propertize (format ":%s" (or phase "starting"))
                         'face (if (equal phase "failed") 'pi-ls-error 'pi-ls-notice))))))

(defun pi-ls--header (connection)
  "The header line for CONNECTION."
  (let* ((state (pi-ls-state connection))
         (usage (plist-get state :usage))
         (percent (plist-get usage :percent))
         (name (plist-get (plist-get state :session) :name))
         (model (plist-get state :model)))
    (concat
     " "
     (string-join
      (delq nil
            (append
             (list (propertize (or (plist-get model :id)
                                   (if (equal (plist-get state :phase) "ready") "no model"
                                     (or (plist-get state :phase) "starting…")))
                               'face 'bold 'help-echo (plist-get model :provider))
                   (plist-get state :thinkingLevel)
                   (when percent
                     (propertize (format "%.0f%% of %s" percent
                                         (pi-ls--short-number (plist-get usage :contextWindow)))
                                 'face (cond ((>= percent (cdr pi-ls-context-warning)) 'pi-ls-error)
                                             ((>= percent (car pi-ls-context-warning)) 'pi-ls-attention)
                                             (t nil))))
                   (let ((cost (plist-get usage :cost)))
                     (when (and cost (> cost 0)) (format "$%.2f" cost)))
                   (when name (propertize name 'face 'italic)))
             (mapcar #'cdr (pi-ls-statuses connection))))
      (propertize " · " 'face 'shadow)))))

(defun pi-ls--short-number (number)
  "NUMBER of tokens in a few characters."
  (cond ((null number) "?")
        ((>= number 1000000) (format "%gM" (/ (round number 100000) 10.0)))
        ((>= number 1000) (format "%dk" (/ number 1000)))
        (t (number-to-string number))))

(defun pi-ls--prompt-header (connection)
  "The header line of the prompt of CONNECTION."
  (substitute-command-keys
   (if (pi-ls-running-p connection)
       " \\<pi-ls-prompt-mode-map>\\[pi-ls-send] follow up  \\[pi-ls-steer] steer  \\[pi-ls-abort] stop"
     " \\<pi-ls-prompt-mode-map>\\[pi-ls-send] send  \\[pi-ls-menu] menu  TAB / @  ! shell")))

(provide 'pi-ls)
;;; pi-ls.el ends here

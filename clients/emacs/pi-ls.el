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
;;
;; The files, each of which loads only those before it: pi-ls-connection
;; talks with the bridge, and pi-ls-data, which is generated, has what
;; there is to say.  pi-ls-transcript is the text of a conversation; its
;; looks are in pi-ls-markdown and pi-ls-tool.  pi-ls-message,
;; pi-ls-history and pi-ls-stream fill it, pi-ls-navigate reads it,
;; pi-ls-chat is its mode.  pi-ls-prompt, with pi-ls-completion,
;; pi-ls-draft and pi-ls-image, is where one writes.  pi-ls-status and pi-ls-window show
;; both; pi-ls-context is between them and the files that are edited.
;; pi-ls-dialog asks what pi asks, pi-ls-sessions and pi-ls-menu are the
;; commands.  This file begins and ends conversations.

;;; Code:

(require 'pi-ls-dialog)
(require 'pi-ls-context)
(require 'pi-ls-menu)

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
    (when (and pi-ls--connection (jsonrpc-running-p pi-ls--connection))
      (pi-ls-shutdown pi-ls--connection))
    (let ((file pi-ls--session-file))
      (pi-ls--connect (and file (list :session (list :file file))))
      (pi-ls-reload))))

(defun pi-ls--ended (connection)
  "Tell the transcript that the bridge of CONNECTION has ended."
  (pi-ls--drop-dialogs connection)
  (when (buffer-live-p (pi-ls-buffer connection))
    (with-current-buffer (pi-ls-buffer connection)
      (pi-ls--give-back-waiting connection)
      (when (eq connection pi-ls--connection)
        (setf (plist-get (pi-ls-state connection) :phase) "stopped"
              (plist-get (pi-ls-state connection) :activity) "idle")
        (let ((words (pi-ls--last-words connection)))
          (pi-ls--changing
            (pi-ls--close-all)
            (unless (pi-ls-closing connection)
              (pi-ls--note (concat "The bridge has ended.  M-x pi-ls-reconnect starts it again"
                                   (unless (string-empty-p words) (concat "\n" words)))
                           'pi-ls-error))))
        (pi-ls--show-state connection)))))

(defun pi-ls--chat-killed ()
  "End the bridge of a transcript that is killed, and its prompt."
  ;; They become the draft of the next conversation.
  (pi-ls--give-back-all)
  (when pi-ls--connection (pi-ls-shutdown pi-ls--connection))
  (let ((chat (current-buffer)))
    (dolist (buffer (buffer-list))
      (when (eq chat (buffer-local-value 'pi-ls--chat buffer))
        (kill-buffer buffer)))))

(put 'pi-ls--chat-killed 'permanent-local-hook t)

(defun pi-ls--give-back-all ()
  "Put all that pi has not come to into the prompt of this conversation."
  (pi-ls--give-back pi-ls--unanswered)
  (when pi-ls--connection (pi-ls--give-back-waiting pi-ls--connection)))

(defun pi-ls--keep-drafts ()
  "Keep what is written in every prompt, and what waits: Emacs ends."
  (dolist (chat (pi-ls--chats))
    (with-current-buffer chat
      (pi-ls--give-back-all)
      (pi-ls-draft-keep default-directory
                        (with-current-buffer (pi-ls--prompt-buffer chat) (pi-ls--prompt-text)))))
  (with-demoted-errors "pi: the drafts are not stored: %S" (pi-ls-draft-store)))

(add-hook 'kill-emacs-hook #'pi-ls--keep-drafts)

(defun pi-ls-quit ()
  "End this conversation; its session remains, see `pi-ls-resume'."
  (interactive)
  (let ((chat (pi-ls--chat-buffer)))
    (when (or (not (pi-ls-running-p (buffer-local-value 'pi-ls--connection chat)))
              (yes-or-no-p "The agent is at work.  End it? "))
      (pi-ls-hide)
      (kill-buffer chat))))

(provide 'pi-ls)
;;; pi-ls.el ends here

;;; pi-ls-chat.el --- The mode of a transcript, and which one is meant  -*- lexical-binding: t -*-

;; This file is part of pi-ls.

;;; Commentary:

;; A conversation is its transcript: the buffer in `pi-ls-chat-mode'
;; that has the connection.  Commands given elsewhere find it here.

;;; Code:

(require 'pi-ls-navigate)
(require 'imenu)
(require 'project)


;;; The mode

;; The commands of other files that have keys here.
(declare-function pi-ls-abort "pi-ls-prompt" ())
(declare-function pi-ls-menu "pi-ls-menu" ())
(declare-function pi-ls-resume "pi-ls-sessions" (&optional all))
(declare-function pi-ls-new "pi-ls-sessions" ())
(declare-function pi-ls-fork-at-point "pi-ls-sessions" ())
(declare-function pi-ls-diff-last-run "pi-ls-context" ())
(declare-function pi-ls-go-to-prompt "pi-ls-window" ())
(declare-function pi-ls-hide "pi-ls-window" ())
(declare-function pi-ls-answer "pi-ls-dialog" (&optional connection id))

(defvar-keymap pi-ls-common-map
  :doc "Keys that the transcript and the prompt have in common."
  "C-c C-k" #'pi-ls-abort
  "C-c C-p" #'pi-ls-menu
  "C-c C-r" #'pi-ls-resume
  "C-c C-n" #'pi-ls-new
  "C-c C-d" #'pi-ls-diff-last-run
  "C-c C-y" #'pi-ls-answer)

(defvar-keymap pi-ls-chat-mode-map
  :doc "Keys of the transcript."
  :parent (make-composed-keymap pi-ls-common-map special-mode-map)
  "TAB" #'pi-ls-toggle
  "<backtab>" #'pi-ls-toggle-all
  "RET" #'pi-ls-visit
  "<mouse-2>" #'pi-ls-visit
  "n" #'pi-ls-next-turn
  "p" #'pi-ls-previous-turn
  "w" #'pi-ls-copy-code
  "f" #'pi-ls-fork-at-point
  "i" #'pi-ls-go-to-prompt
  "g" #'pi-ls-reload
  "q" #'pi-ls-hide
  "?" #'pi-ls-menu
  "C-c C-c" #'pi-ls-go-to-prompt)

(define-derived-mode pi-ls-chat-mode special-mode "Pi"
  "The transcript of a conversation with the coding agent pi.

\\{pi-ls-chat-mode-map}"
  :interactive nil
  (buffer-disable-undo)
  ;; It may have been one before, in another mode meanwhile.
  (unless pi-ls--tail
    (setq-local pi-ls--tail (copy-marker (point-max) t)
                pi-ls--blocks (make-hash-table :test #'equal)))
  (setq-local scroll-conservatively 101
              bidi-paragraph-direction 'left-to-right
              truncate-lines nil
              word-wrap t
              imenu-create-index-function #'pi-ls--imenu
              font-lock-defaults '(pi-ls-markdown-keywords t)
              font-lock-extra-managed-props nil
              ;; A change never concerns more than its own line: what
              ;; spans lines is marked when it is inserted.
              jit-lock-contextually nil)
  (add-to-invisibility-spec 'pi-ls)
  (visual-line-mode))


;;; Which conversation

(defun pi-ls--chats ()
  "The transcripts that there are, the one used last first."
  (cl-remove-if-not (lambda (buffer) (buffer-local-value 'pi-ls--tail buffer)) (buffer-list)))

(defun pi-ls--root ()
  "The directory that a conversation started here is about."
  (file-name-as-directory
   (expand-file-name (if-let* ((project (project-current))) (project-root project) default-directory))))

(defun pi-ls--chat-here ()
  "The transcript of this buffer, or of this project, or nil.
Outside of projects it can be that of a directory above."
  (cl-flet ((find (test) (cl-find-if (lambda (chat) (funcall test (buffer-local-value 'default-directory chat)))
                                     (pi-ls--chats))))
    (let ((root (pi-ls--root)))
      (or pi-ls--chat
          (and pi-ls--tail (current-buffer))
          (find (lambda (directory) (equal directory root)))
          (and (not (project-current))
               (find (lambda (directory) (string-prefix-p directory root))))))))

(defun pi-ls--chat-buffer ()
  "The transcript that a command given here is about.
That of this buffer, or of this project, or else the only one.
Signals `user-error' if there is none."
  (or (pi-ls--chat-here)
      (let ((chats (pi-ls--chats))) (and (null (cdr chats)) (car chats)))
      (user-error "There is no conversation with pi here (M-x pi-ls)")))

(defun pi-ls--the-connection ()
  "The connection that a command given here is about."
  (buffer-local-value 'pi-ls--connection (pi-ls--chat-buffer)))

(cl-defun pi-ls-request-here (method &optional params &key then else)
  "Send METHOD with PARAMS for the conversation that this buffer is about.
The rest is as in `pi-ls-request'; THEN and ELSE are called in its
transcript."
  (with-current-buffer (pi-ls--chat-buffer)
    (pi-ls-request pi-ls--connection method params :then then :else else)))

(provide 'pi-ls-chat)
;;; pi-ls-chat.el ends here

;;; pi-ls-window.el --- The two windows of a conversation  -*- lexical-binding: t -*-

;; This file is part of pi-ls.

;;; Commentary:

;; The transcript is displayed as the user wants it, and its prompt below.

;;; Code:

(require 'pi-ls-prompt)

(defcustom pi-ls-display-action
  '((display-buffer-reuse-window display-buffer-reuse-mode-window pi-ls-display-beside)
    (mode . pi-ls-chat-mode))
  "How the transcript is displayed, as for `display-buffer'."
  :type 'sexp
  :group 'pi-ls)

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
    (pi-ls--restore-modes chat prompt)
    (set-window-point window (with-current-buffer chat (point-max)))
    (pi-ls--quit-lone-prompts window)
    (select-window
     (or (get-buffer-window prompt)
         (with-selected-window window
           ;; A small window, too, is split: the smaller one is the prompt's.
           (let* ((window-min-height 2)
                  (height (max 3 (min pi-ls-prompt-height (/ (window-total-height) 3)))))
             (display-buffer prompt
                             `((display-buffer-reuse-window display-buffer-below-selected)
                               (window-height . ,height) (window-min-height . 2)
                               (dedicated . t) (preserve-size . (nil . t))))))))
    (goto-char (point-max))))

(defun pi-ls--restore-modes (chat prompt)
  "Let the transcript CHAT and its PROMPT be in their modes, if they are in others."
  (with-current-buffer chat
    (unless (derived-mode-p 'pi-ls-chat-mode)
      (pi-ls-chat-mode)
      (font-lock-flush)))
  (with-current-buffer prompt
    (unless (derived-mode-p 'pi-ls-prompt-mode) (pi-ls-prompt-mode)))
  (with-current-buffer chat
    (unless header-line-format
      (when pi-ls--connection (pi-ls--show-state pi-ls--connection)))))

(declare-function pi-ls--show-state "pi-ls-status" (connection))

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

(provide 'pi-ls-window)
;;; pi-ls-window.el ends here

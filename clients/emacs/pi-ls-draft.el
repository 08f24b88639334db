;;; pi-ls-draft.el --- Texts that were not sent  -*- lexical-binding: t -*-

;; This file is part of pi-ls.

;;; Commentary:

;; A text that stands in a prompt when that is killed, or when Emacs
;; ends, comes back with the next prompt for its folder.  Each is kept by
;; itself: two conversations of one folder have two drafts.

;;; Code:

(require 'cl-lib)

(defcustom pi-ls-draft-file (locate-user-emacs-file "pi-ls-drafts.eld")
  "Where texts that were not sent are kept when Emacs ends.
With nil they are lost then."
  :type '(choice file (const :tag "Nowhere" nil))
  :group 'pi-ls)

(defvar pi-ls--drafts nil
  "The drafts of this Emacs: a list of (DIRECTORY . TEXT), latest first.")

(defun pi-ls-draft-keep (directory text)
  "Keep TEXT, which was not sent, for the next prompt for DIRECTORY."
  (unless (string-blank-p text)
    (push (cons directory text) pi-ls--drafts)))

(defun pi-ls-draft-take (directory)
  "Return the latest draft for DIRECTORY, or nil, and keep it no longer."
  (if-let* ((draft (assoc directory pi-ls--drafts)))
      (progn (setq pi-ls--drafts (delq draft pi-ls--drafts))
             (cdr draft))
    (let ((stored (pi-ls-draft--read)))
      (when-let* ((draft (assoc directory stored)))
        (pi-ls-draft--write (delq draft stored))
        (cdr draft)))))

(defun pi-ls-draft-store ()
  "Keep the drafts of this Emacs for the next one, beside those of others."
  (when pi-ls--drafts
    (pi-ls-draft--write (append pi-ls--drafts (pi-ls-draft--read)))
    (setq pi-ls--drafts nil)))

(defun pi-ls-draft--read ()
  "The drafts that are stored, in the form of `pi-ls--drafts'.
A file that cannot be read is left as it is, beside the next one."
  (when (and pi-ls-draft-file (file-exists-p pi-ls-draft-file))
    (condition-case oops
        (with-temp-buffer
          (let ((coding-system-for-read 'utf-8-emacs-unix))
            (insert-file-contents pi-ls-draft-file))
          (let ((drafts (read (current-buffer))))
            (unless (cl-every (lambda (draft) (and (stringp (car-safe draft)) (stringp (cdr draft)))) drafts)
              (error "No list of drafts"))
            drafts))
      (error (let ((aside (make-temp-name (concat pi-ls-draft-file "."))))
               (rename-file pi-ls-draft-file aside)
               (message "pi: the drafts cannot be read, they are in %s now: %s"
                        aside (error-message-string oops)))
             nil))))

(defun pi-ls-draft--write (drafts)
  "Store DRAFTS, for nobody else to read."
  (cond ((null pi-ls-draft-file))
        ((null drafts) (delete-file pi-ls-draft-file))
        (t (make-directory (file-name-directory (expand-file-name pi-ls-draft-file)) t)
           (let ((coding-system-for-write 'utf-8-emacs-unix) (print-length nil) (print-level nil))
             (with-file-modes #o600
               (with-temp-file pi-ls-draft-file
                 (prin1 (mapcar (lambda (draft) (cons (car draft) (pi-ls-draft--plain (cdr draft)))) drafts)
                        (current-buffer))))))))

(defun pi-ls-draft--plain (text)
  "TEXT with the marks of its images, but nothing that cannot be read again."
  (let ((plain (substring-no-properties text)) (at 0))
    (while (< at (length text))
      (let ((next (next-single-property-change at 'pi-ls-image text (length text))))
        (when-let* ((file (get-text-property at 'pi-ls-image text)))
          (add-text-properties at next (list 'pi-ls-image file 'font-lock-face 'link 'rear-nonsticky t) plain))
        (setq at next)))
    plain))

(provide 'pi-ls-draft)
;;; pi-ls-draft.el ends here

;;; pi-ls-history.el --- Pages of a stored conversation  -*- lexical-binding: t -*-

;; This file is part of pi-ls.

;;; Commentary:

;; A session is shown from its end, a page at a time.  All that is shown
;; is in it, so it can be shown anew at any time.

;;; Code:

(require 'pi-ls-message)

(defcustom pi-ls-page 100
  "How many messages of a stored conversation are shown at once."
  :type 'natnum
  :group 'pi-ls)

(defun pi-ls-reload ()
  "Show the conversation of the present session from its end."
  (interactive nil pi-ls-chat-mode)
  (pi-ls-request
   pi-ls--connection "bridge/history" (list :limit pi-ls-page)
   :then (lambda (page)
           (pi-ls--clear)
           (pi-ls--show-page page)
           (goto-char (point-max))
           (dolist (window (get-buffer-window-list nil nil t))
             (with-selected-window window
               (goto-char (point-max))
               (recenter -1))))))

(defun pi-ls--clear ()
  "Empty the transcript, except for what may still change.
All else is in the session, and comes again with its history."
  (let ((inhibit-read-only t)
        (keep (cl-loop with keep = (marker-position pi-ls--tail)
                       for block being the hash-values of pi-ls--blocks
                       do (setq keep (min keep (pi-ls--block-start block)))
                       finally return keep)))
    ;; What the buffer was narrowed to is gone.
    (widen)
    (delete-region (point-min) keep)
    (setq pi-ls--older nil pi-ls--notice nil)
    (pi-ls--update-tail)))

(defun pi-ls--show-page (page)
  "Show PAGE, a result of bridge/history, before all that is shown.
A reader stays where he is."
  (let ((inhibit-read-only t)
        (starts (mapcar (lambda (window) (cons window (copy-marker (window-start window) t)))
                        (get-buffer-window-list nil nil t)))
        (place (copy-marker (point) t)))
    (save-excursion
      (save-restriction
        (widen)
        (goto-char (point-min))
        (when (get-text-property (point) 'pi-ls-older)
          (delete-region (point) (next-single-property-change (point) 'pi-ls-older nil (point-max))))
        (setq pi-ls--older (plist-get page :before))
        (let* ((empty (= (point-min) pi-ls--tail))
               (pi-ls--at (if empty pi-ls--tail (copy-marker (point-min) t)))
               (live pi-ls--blocks))
          (setq pi-ls--blocks (make-hash-table :test #'equal))
          (unwind-protect
              (progn
                (goto-char (point-min))
                (when pi-ls--older
                  (insert (propertize "[Earlier messages: RET shows them]\n" 'font-lock-face 'link
                                      'mouse-face 'highlight 'pi-ls-older t 'pi-ls-raw t)))
                (cl-loop for item across (plist-get page :messages)
                         do (pi-ls--show-message (plist-get item :message) (plist-get item :entryId)))
                (maphash (lambda (_ block) (pi-ls--forget block)) pi-ls--blocks))
            (setq pi-ls--blocks live))
          (unless empty
            (goto-char pi-ls--at)
            (set-marker pi-ls--at nil)))))
    (goto-char place)
    (set-marker place nil)
    (pcase-dolist (`(,window . ,start) starts)
      (set-window-start window start t)
      (set-marker start nil))))

(defun pi-ls-earlier ()
  "Show earlier messages of the conversation."
  (interactive nil pi-ls-chat-mode)
  (unless pi-ls--older (user-error "There are no earlier messages"))
  (let ((before pi-ls--older))
    (pi-ls-request pi-ls--connection "bridge/history" (list :limit pi-ls-page :before before)
                   ;; Asked for twice, it comes twice.
                   :then (lambda (page) (when (equal before pi-ls--older) (pi-ls--show-page page))))))

(provide 'pi-ls-history)
;;; pi-ls-history.el ends here

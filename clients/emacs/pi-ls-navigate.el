;;; pi-ls-navigate.el --- Reading a transcript: fold, go, copy, visit  -*- lexical-binding: t -*-

;; This file is part of pi-ls.

;;; Commentary:

;; Commands for the transcript.  All that they need to know stands in
;; text properties, so they cost nothing until they are used.

;;; Code:

(require 'pi-ls-history)
(require 'pi-ls-stream)
(require 'text-property-search)

(defun pi-ls--extent (property number position)
  "Where PROPERTY is NUMBER, at or after POSITION: (FROM . TO), or nil."
  (let ((from (if (eql (get-text-property position property) number)
                  (if (and (> position (point-min))
                           (eql (get-text-property (1- position) property) number))
                      (previous-single-property-change position property nil (point-min))
                    position)
                (text-property-any position (point-max) property number))))
    (when from (cons from (next-single-property-change from property nil (point-max))))))


;;; Folding

(defun pi-ls-toggle ()
  "Fold or unfold the block at point."
  (interactive nil pi-ls-chat-mode)
  (let ((number (or (get-text-property (point) 'pi-ls-head) (get-text-property (point) 'pi-ls-body))))
    (unless number (user-error "Nothing folds here"))
    (save-restriction
      (widen)
      (pi-ls--set-folded number 'toggle))))

(defun pi-ls--set-folded (number folded)
  "Fold the block NUMBER near point, or unfold it; FOLDED can be `toggle'."
  (let* ((inhibit-read-only t)
         (head (or (pi-ls--extent 'pi-ls-head number (point))
                   (save-excursion
                     (when-let* ((body (pi-ls--extent 'pi-ls-body number (point))))
                       (goto-char (1- (car body)))
                       (forward-line 0)
                       (pi-ls--extent 'pi-ls-head number (point))))))
         (live (cl-loop for block being the hash-values of pi-ls--blocks
                        when (eql (pi-ls--block-number block) number) return block)))
    (when head
      (when (eq folded 'toggle) (setq folded (eq (char-after (car head)) ?▾)))
      (when live
        (setf (pi-ls--block-folded live) folded)
        (save-excursion (pi-ls--show-partial live)))
      (save-excursion
        (goto-char (car head))
        (let ((properties (text-properties-at (point))))
          (insert (apply #'propertize (if folded "▸" "▾") properties))
          (delete-char 1)
          (when live (set-marker (pi-ls--block-start live) (car head)))))
      (when-let* ((body (pi-ls--extent 'pi-ls-body number (car head))))
        (put-text-property (car body) (cdr body) 'invisible (and folded 'pi-ls)))
      (when (and folded (invisible-p (point))) (goto-char (car head))))))

(defun pi-ls-toggle-all ()
  "Unfold all blocks, or fold all if the first one is unfolded."
  (interactive nil pi-ls-chat-mode)
  (save-excursion
    (save-restriction
      (widen)
      (goto-char (point-min))
      (let ((folded 'unknown) match)
        (while (setq match (text-property-search-forward 'pi-ls-head nil nil))
          (let ((end (prop-match-end match)))
            (goto-char (prop-match-beginning match))
            (when (eq folded 'unknown) (setq folded (eq (char-after) ?▾)))
            (pi-ls--set-folded (prop-match-value match) folded)
            (goto-char end)))))))


;;; Turns

(defun pi-ls-next-turn (&optional count)
  "Go to the next thing that the user said, COUNT times."
  (interactive "p" pi-ls-chat-mode)
  (let* ((backward (< (or count 1) 0)))
    (dotimes (_ (abs (or count 1)))
      (let ((to (if backward (pi-ls--turn-before (point)) (pi-ls--turn-after (point)))))
        (unless to (user-error "No %s turn" (if backward "previous" "next")))
        (goto-char to)))))

(defun pi-ls-previous-turn (&optional count)
  "Go to the previous thing that the user said, COUNT times."
  (interactive "p" pi-ls-chat-mode)
  (pi-ls-next-turn (- (or count 1))))

(defun pi-ls--turn-after (position)
  "The beginning of the first turn after POSITION, or nil."
  (let ((at (next-single-property-change position 'pi-ls-turn)))
    (while (and at (not (get-text-property at 'pi-ls-turn)))
      (setq at (next-single-property-change at 'pi-ls-turn)))
    at))

(defun pi-ls--turn-before (position)
  "The beginning of the last turn that begins before POSITION, or nil."
  (let ((at position))
    (while (and (setq at (and (> at (point-min))
                              (previous-single-property-change at 'pi-ls-turn nil (point-min))))
                (not (get-text-property at 'pi-ls-turn))
                (> at (point-min))))
    (and at (get-text-property at 'pi-ls-turn) at)))

(defun pi-ls--turns ()
  "The positions of what the user said, last one first.
They are those of the whole transcript, also if it is narrowed."
  (save-restriction
    (widen)
    (let* ((at (if (get-text-property (point-min) 'pi-ls-turn) (point-min)
                 (pi-ls--turn-after (point-min))))
           turns)
      (while at
        (push at turns)
        (setq at (pi-ls--turn-after at)))
      turns)))

(defun pi-ls--imenu ()
  "What the user said, for imenu."
  (save-restriction
    (widen)
    (nreverse
     (mapcar (lambda (at)
               (save-excursion
                 (goto-char at)
                 (cons (pi-ls--first-line (buffer-substring-no-properties at (line-end-position)) 60)
                       (copy-marker at))))
             (pi-ls--turns)))))


;;; Code

(defun pi-ls-copy-code ()
  "Copy the code block at point, or else the last one before it."
  (interactive nil pi-ls-chat-mode)
  (let* ((at (if (get-text-property (point) 'pi-ls-code)
                 (point)
               (save-excursion
                 (let ((match (text-property-search-backward 'pi-ls-code nil nil)))
                   (and match (prop-match-beginning match))))))
         (extent (and at (pi-ls--extent 'pi-ls-code (get-text-property at 'pi-ls-code) at))))
    (unless extent (user-error "There is no code block here"))
    (kill-new (buffer-substring-no-properties (car extent) (cdr extent)))
    (message "Copied %s lines" (count-lines (car extent) (cdr extent)))))


;;; Places

(defun pi-ls-visit ()
  "Do what is meant at point.
Visit the file and line, show what is hidden, answer the question."
  (interactive nil pi-ls-chat-mode)
  (let ((reference (get-text-property (point) 'pi-ls-reference))
        (place (or (pi-ls--place-in-text) (get-text-property (point) 'pi-ls-place))))
    (cond ((get-text-property (point) 'pi-ls-older) (pi-ls-earlier))
          ((get-text-property (point) 'pi-ls-dialog)
           (pi-ls-answer pi-ls--connection (get-text-property (point) 'pi-ls-dialog)))
          (reference (pi-ls--fetch reference))
          (place (pi-ls--visit (car place) (cdr place)))
          ((get-text-property (point) 'pi-ls-head) (pi-ls-toggle))
          ((thing-at-point 'url) (browse-url (thing-at-point 'url)))
          (t (user-error "There is nothing to visit here")))))

(declare-function pi-ls-answer "pi-ls-dialog" (&optional connection id))

(defun pi-ls--fetch (id)
  "Show what the reference ID at point stands for in its place."
  (let* ((extent (save-restriction (widen) (pi-ls--extent 'pi-ls-reference id (point))))
         (from (copy-marker (car extent))) (to (copy-marker (cdr extent)))
         (properties (text-properties-at (point))))
    (pi-ls-request
     pi-ls--connection "bridge/fetch" (list :id id)
     :then (lambda (part)
             (pi-ls--changing
               (let ((body (plist-get properties 'pi-ls-body)) (bol nil))
                 ;; The preview is the beginning of the whole text.
                 (goto-char from)
                 (setq bol (or (car (pi-ls--extent 'pi-ls-body body (max (point-min) (1- from)))) from))
                 (delete-region bol to)
                 (goto-char bol)
                 (insert (propertize (pi-ls--text-of (vector part)) 'pi-ls-body body 'pi-ls-raw t
                                     'font-lock-face 'pi-ls-output))))
             (set-marker from nil)
             (set-marker to nil)))))

(defun pi-ls--place-in-text ()
  "The file and line that the text at point names: (PATH . LINE), or nil."
  (save-excursion
    (skip-chars-backward "-A-Za-z0-9_./~+@")
    (when (looking-at "@?\\([-A-Za-z0-9_./~+]+\\)\\(?:\\(?::\\|#L\\)\\([0-9]+\\)\\)?")
      (let ((path (match-string-no-properties 1)) (line (match-string 2)))
        (setq path (string-trim-right path "[.]+"))
        (when (and (string-match-p "[./]" path) (file-regular-p (pi-ls--file path)))
          (cons path (and line (string-to-number line))))))))

(defun pi-ls--file (path)
  "PATH on the agent's machine as a file name of Emacs."
  (let ((directory (if pi-ls--connection (pi-ls-directory pi-ls--connection) default-directory)))
    (if (file-name-absolute-p path)
        (concat (file-remote-p directory) path)
      (expand-file-name path directory))))

(defun pi-ls--visit (path line)
  "Show LINE of the file PATH in another window."
  (let ((file (pi-ls--file path)))
    (unless (file-exists-p file) (user-error "There is no %s" path))
    (pop-to-buffer (find-file-noselect file) '(display-buffer-reuse-window (inhibit-same-window . t)))
    (when line
      (widen)
      (goto-char (point-min))
      (forward-line (1- line)))))

(provide 'pi-ls-navigate)
;;; pi-ls-navigate.el ends here

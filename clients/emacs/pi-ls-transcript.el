;;; pi-ls-transcript.el --- The text of a conversation: a log of blocks, and a tail  -*- lexical-binding: t -*-

;; This file is part of pi-ls.

;;; Commentary:

;; The transcript is a log and a tail.  The log only grows, at
;; `pi-ls--tail'; the tail shows what will change: queued messages,
;; what the agent does, what it asks.
;;
;; The log consists of blocks: a text, a thought, a call of a tool.
;; While a block may still change it has markers, in `pi-ls--blocks'.
;; After that it only has text properties: every marker costs each
;; later insertion, so a long conversation must not leave any behind.
;;
;; `pi-ls-head' and `pi-ls-body' hold the number of a block that folds,
;; `pi-ls-turn' marks what the user said (with the id of its entry, if
;; it is known), and `pi-ls-place' what can be visited.  Those of the
;; text itself are in pi-ls-markdown.el.

;;; Code:

(require 'pi-ls-connection)
(require 'pi-ls-markdown)
(require 'pi-ls-tool)


;;; Looks

(defgroup pi-ls-faces nil
  "How conversations with pi look."
  :group 'pi-ls)

(defface pi-ls-user
  '((((class color) (background light)) :background "#e8eef7" :extend t)
    (((class color) (background dark)) :background "#26334a" :extend t)
    (t :weight bold))
  "What the user said.")
(defface pi-ls-thinking '((t :inherit (italic shadow))) "What the model thought.")
(defface pi-ls-tool '((t :inherit font-lock-function-name-face)) "The name of a tool.")
(defface pi-ls-argument '((t :inherit default)) "What a tool is called with.")
(defface pi-ls-output '((t :inherit shadow)) "What a tool returned.")
(defface pi-ls-ok '((t :inherit success)) "A tool that succeeded.")
(defface pi-ls-error '((t :inherit error)) "What went wrong.")
(defface pi-ls-notice '((t :inherit font-lock-comment-face)) "What is no part of the conversation.")
(defface pi-ls-attention '((t :inherit warning)) "What waits for the user.")
(defface pi-ls-heading '((t :inherit outline-1)) "A heading of Markdown.")
(defface pi-ls-code '((t :inherit font-lock-constant-face)) "Code within a sentence.")
(defface pi-ls-code-block
  '((((class color) (background light)) :background "#f4f4f4" :extend t)
    (((class color) (background dark)) :background "#1c1c1c" :extend t))
  "A block of code.")

(defcustom pi-ls-fold '(thinking tool summary)
  "What is folded when it appears; `pi-ls-unfolded-tools' are not."
  :type '(set (const thinking) (const tool) (const summary))
  :group 'pi-ls)

(defcustom pi-ls-unfolded-tools '("edit" "write")
  "The tools whose results are shown unfolded."
  :type '(repeat string)
  :group 'pi-ls)


;;; What a transcript knows

(defvar-local pi-ls--connection nil "The connection of this buffer.")
(defvar-local pi-ls--chat nil "The transcript of this prompt, or of this tree.")
(defvar-local pi-ls--prompt-buffer nil "The prompt of this transcript, once it has one.")
(defvar-local pi-ls--tail nil "A marker: here the log ends and the tail begins.")
(defvar-local pi-ls--tail-text nil "What the tail shows.")
(defvar-local pi-ls--sending nil "Prompts that pi has not taken yet, oldest first.")
(defvar-local pi-ls--unanswered nil "Prompts that the bridge has not answered yet.")
(defvar-local pi-ls--session-file nil "The file of the session that was known last.")
(defvar-local pi-ls--notice nil "What pi waits for by itself, such as a retry.")
(defvar-local pi-ls--blocks nil "The blocks that may still change, by index or by the id of the call.")
(defvar-local pi-ls--older nil "The cursor of the messages before the first one shown.")
;; In any major mode a transcript remains one: the agent is its own.
(dolist (variable '(pi-ls--connection pi-ls--chat pi-ls--prompt-buffer pi-ls--tail pi-ls--tail-text
                    pi-ls--sending pi-ls--unanswered pi-ls--session-file pi-ls--notice pi-ls--blocks
                    pi-ls--older))
  (put variable 'permanent-local t))

(defvar pi-ls--at nil "Where new blocks go, a marker, instead of the end of the log.")
(defvar pi-ls--number 0 "The number of the block that was made last.")

(cl-defstruct (pi-ls--block (:constructor pi-ls--make-block) (:copier nil))
  "A block that may still change.  START, BODY, END and SCAN are markers."
  kind number start body end folded scan fence name args partial)


;;; Changing the log

(defun pi-ls--followers ()
  "The windows that show the end of the transcript."
  (cl-remove-if (lambda (window) (< (window-point window) pi-ls--tail))
                (get-buffer-window-list nil nil t)))

(defmacro pi-ls--changing (&rest body)
  "Run BODY, which changes the transcript, and leave every reader in place.
Who was at the end stays at the end, and who has narrowed it, narrow."
  (declare (indent 0) (debug t))
  (let ((followers (gensym)) (end (gensym)))
    `(let ((,followers (pi-ls--followers))
           (,end (>= (point) pi-ls--tail))
           (inhibit-read-only t))
       (prog1 (save-excursion (save-restriction (widen) ,@body))
         (when ,end (goto-char (point-max)))
         (dolist (window ,followers)
           (set-window-point window (point-max)))))))

(defun pi-ls--line-start-p (position)
  "Whether POSITION is at the beginning of a line."
  (or (= position (point-min)) (eq (char-before position) ?\n)))

(defun pi-ls--separate (heading)
  "Insert a blank line at point, unless there is one.
None comes between blocks that have a HEADING."
  (let ((before (1- (point))))
    (unless (or (< before (point-min))
                (eq (char-before before) ?\n)
                (and heading (or (get-text-property before 'pi-ls-head)
                                 (get-text-property before 'pi-ls-body)
                                 (get-text-property before 'pi-ls-note))))
      (insert "\n"))))

(defun pi-ls--go-to-end ()
  "Go to where the next block or note begins: a line of its own."
  (goto-char (or pi-ls--at pi-ls--tail))
  (unless (pi-ls--line-start-p (point)) (insert "\n")))

(defun pi-ls--note (text &optional face)
  "Add TEXT, a line in FACE that nobody said, to the log."
  (pi-ls--go-to-end)
  (pi-ls--separate t)
  (insert (propertize (concat "· " text "\n") 'font-lock-face (or face 'pi-ls-notice)
                      'pi-ls-raw t 'pi-ls-note t)))


;;; Blocks

(cl-defun pi-ls--open (key kind heading &key name args (folded (memq kind pi-ls-fold)))
  "Begin a block of KIND at the end of the log; return it.
It is found under KEY as long as it may change.  HEADING is its first
line, or nil for one that does not fold.  NAME and ARGS are of a
tool.  FOLDED hides what is below the heading."
  (let ((block (pi-ls--make-block :kind kind :number (cl-incf pi-ls--number)
                                  :folded (and folded t) :name name :args args)))
    (pi-ls--go-to-end)
    (pi-ls--separate heading)
    (let ((start (point)))
      (when heading (insert (pi-ls--heading block (concat heading "\n"))))
      (setf (pi-ls--block-start block) (copy-marker start t)
            (pi-ls--block-body block) (copy-marker (point))
            (pi-ls--block-end block) (copy-marker (point))
            (pi-ls--block-scan block) (copy-marker (point))))
    (when key (puthash key block pi-ls--blocks))
    block))

(defun pi-ls--heading (block text)
  "TEXT with what makes it the heading of BLOCK."
  (propertize (concat (propertize (if (pi-ls--block-folded block) "▸" "▾") 'font-lock-face 'shadow)
                      " " text)
              'pi-ls-head (pi-ls--block-number block) 'pi-ls-raw t
              'pi-ls-place (pi-ls--tool-place (pi-ls--block-name block) (pi-ls--block-args block))))

(defun pi-ls--retitle (block text)
  "Make TEXT the heading of BLOCK."
  (let ((start (marker-position (pi-ls--block-start block))))
    (goto-char start)
    (insert (pi-ls--heading block text))
    (delete-region (point) (1- (pi-ls--block-body block)))
    (set-marker (pi-ls--block-start block) start)))

(defun pi-ls--append (block string &rest properties)
  "Add STRING to the end of BLOCK, with PROPERTIES."
  (let ((at (marker-position (pi-ls--block-end block)))
        (start (marker-position (pi-ls--block-start block))))
    (goto-char at)
    (insert (if properties (apply #'propertize string properties) string))
    (set-marker (pi-ls--block-end block) (point))
    (set-marker (pi-ls--block-start block) start)
    (pcase (pi-ls--block-kind block)
      ('text (setf (pi-ls--block-fence block)
                   (pi-ls-markdown-scan (pi-ls--block-scan block) (pi-ls--block-end block)
                                        (pi-ls--block-fence block))))
      (_ (add-text-properties at (point) (list 'pi-ls-body (pi-ls--block-number block) 'pi-ls-raw t))
         (when (pi-ls--block-folded block)
           (put-text-property at (point) 'invisible 'pi-ls))))))

(defun pi-ls--replace (block string &rest properties)
  "Make STRING, with PROPERTIES, the whole body of BLOCK."
  (delete-region (pi-ls--block-body block) (pi-ls--block-end block))
  (set-marker (pi-ls--block-scan block) (pi-ls--block-body block))
  (setf (pi-ls--block-fence block) nil)
  (apply #'pi-ls--append block string properties))

(defun pi-ls--newline (block)
  "End the last line of BLOCK."
  (unless (pi-ls--line-start-p (pi-ls--block-end block))
    (pi-ls--append block "\n")))

(defun pi-ls--release (key)
  "Forget that the block under KEY may change."
  (when-let* ((block (gethash key pi-ls--blocks)))
    (remhash key pi-ls--blocks)
    (pi-ls--forget block)))

(defun pi-ls--forget (block)
  "Free the markers of BLOCK."
  (dolist (marker (list (pi-ls--block-start block) (pi-ls--block-body block)
                        (pi-ls--block-end block) (pi-ls--block-scan block)))
    (set-marker marker nil)))


;;; The tail

(defun pi-ls--update-tail ()
  "Make the tail show what is so now."
  (let ((text (pi-ls--tail-string)))
    (unless (equal text pi-ls--tail-text)
      (setq pi-ls--tail-text text)
      (pi-ls--changing
        (delete-region pi-ls--tail (point-max))
        (let ((at (marker-position pi-ls--tail)))
          (goto-char at)
          (unless (string-empty-p text)
            (insert (propertize (concat (if (pi-ls--line-start-p at) "\n" "\n\n") text)
                                'pi-ls-raw t)))
          (set-marker pi-ls--tail at))))))

(defun pi-ls--tail-string ()
  "What there is to tell below the log, \"\" if nothing."
  (let* ((state (and pi-ls--connection (pi-ls-state pi-ls--connection)))
         (queue (plist-get state :queue))
         (error (plist-get state :error))
         (widgets (and pi-ls--connection (pi-ls-widgets pi-ls--connection))))
    (string-join
     (delq nil
           (append
            (mapcar (lambda (text) (pi-ls--tail-line "sending" text)) pi-ls--sending)
            (mapcar (lambda (text) (pi-ls--tail-line "steering" text)) (plist-get queue :steering))
            (mapcar (lambda (text) (pi-ls--tail-line "follow-up" text)) (plist-get queue :followUp))
            (mapcar #'cdr widgets)
            (list
             (when pi-ls--notice (propertize (concat "↻ " pi-ls--notice) 'font-lock-face 'pi-ls-attention))
             (when error
               (propertize (format "✗ %s\n  %s" (plist-get error :message) (plist-get error :hint))
                           'font-lock-face 'pi-ls-error)))
            (mapcar (lambda (warning)
                      (propertize (format "! %s  %s" (plist-get warning :message) (plist-get warning :hint))
                                  'font-lock-face 'pi-ls-attention))
                    (plist-get state :warnings))
            (mapcar (lambda (dialog)
                      (propertize (format "? %s  (RET answers)" (plist-get dialog :title))
                                  'font-lock-face 'pi-ls-attention 'pi-ls-dialog (plist-get dialog :id)))
                    (and pi-ls--connection (pi-ls-dialogs pi-ls--connection)))
            (list (pcase (plist-get state :activity)
                    ("running" (propertize "● working" 'font-lock-face 'pi-ls-notice))
                    ("compacting" (propertize "● compacting" 'font-lock-face 'pi-ls-notice))
                    ("retrying" nil)))))
     "\n")))

(defun pi-ls--tail-line (what text)
  "A line of the tail that tells WHAT happens with TEXT."
  (concat (propertize (format "⏳ %s: " what) 'font-lock-face 'pi-ls-notice)
          (pi-ls--first-line text 70)))

(provide 'pi-ls-transcript)
;;; pi-ls-transcript.el ends here

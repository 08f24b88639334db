;;; pi-ls-chat.el --- The transcript of a conversation with pi  -*- lexical-binding: t -*-

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
;; it is known), `pi-ls-raw' is on what is no Markdown, `pi-ls-code' on
;; the lines of a code block, and `pi-ls-place' on what can be visited.

;;; Code:

(require 'pi-ls-connection)
(require 'ansi-color)
(require 'diff-mode)
(require 'imenu)
(require 'project)
(require 'text-property-search)

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

(defcustom pi-ls-page 100
  "How many messages of a stored conversation are shown at once."
  :type 'natnum
  :group 'pi-ls)

(defvar-local pi-ls--connection nil "The connection of this buffer.")
(defvar-local pi-ls--tail nil "A marker: here the log ends and the tail begins.")
(defvar-local pi-ls--tail-text nil "What the tail shows.")
(defvar-local pi-ls--sending nil "Prompts that pi has not taken yet, oldest first.")
(defvar-local pi-ls--notice nil "What pi waits for by itself, such as a retry.")
(defvar-local pi-ls--blocks nil "The blocks that may still change, by index or by the id of the call.")
(defvar-local pi-ls--older nil "The cursor of the messages before the first one shown.")
(defvar-local pi-ls--runs-files nil "What the tools changed in the last run: (PATH . PATCH), latest first.")
(defvar pi-ls--at nil "Where new blocks go, a marker, instead of the end of the log.")
(defvar pi-ls--number 0 "The number of the block that was made last.")

(defvar-local pi-ls--chat nil "The transcript of this prompt.")

(cl-defstruct (pi-ls--block (:constructor pi-ls--make-block) (:copier nil))
  "A block that may still change.  START, BODY, END and SCAN are markers."
  kind number start body end folded scan fence name args partial done)


;;; The mode

;; The commands of other files that have keys here.
(declare-function pi-ls-abort "pi-ls-prompt" ())
(declare-function pi-ls-menu "pi-ls-menu" ())
(declare-function pi-ls-resume "pi-ls-sessions" (&optional all))
(declare-function pi-ls-new "pi-ls-sessions" ())
(declare-function pi-ls-fork-at-point "pi-ls-sessions" ())
(declare-function pi-ls-diff-last-run "pi-ls-context" ())
(declare-function pi-ls-go-to-prompt "pi-ls" ())
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
  "?" #'pi-ls-menu
  "C-c C-c" #'pi-ls-go-to-prompt)

(define-derived-mode pi-ls-chat-mode special-mode "Pi"
  "The transcript of a conversation with the coding agent pi.

\\{pi-ls-chat-mode-map}"
  :interactive nil
  (buffer-disable-undo)
  (setq-local pi-ls--tail (copy-marker (point-max) t)
              pi-ls--blocks (make-hash-table :test #'equal)
              scroll-conservatively 101
              bidi-paragraph-direction 'left-to-right
              truncate-lines nil
              word-wrap t
              imenu-create-index-function #'pi-ls--imenu
              font-lock-defaults '(pi-ls--keywords t)
              font-lock-extra-managed-props nil
              ;; A change never concerns more than its own line: what
              ;; spans lines is marked when it is inserted.
              jit-lock-contextually nil)
  (add-to-invisibility-spec 'pi-ls)
  (visual-line-mode))


;;; Changing the log

(defun pi-ls--followers ()
  "The windows that show the end of the transcript."
  (cl-remove-if (lambda (window) (< (window-point window) pi-ls--tail))
                (get-buffer-window-list nil nil t)))

(defmacro pi-ls--changing (&rest body)
  "Run BODY, which changes the transcript, and leave every reader in place.
Who was at the end stays at the end."
  (declare (indent 0) (debug t))
  (let ((followers (gensym)) (end (gensym)))
    `(let ((,followers (pi-ls--followers))
           (,end (>= (point) pi-ls--tail))
           (inhibit-read-only t))
       (prog1 (save-excursion ,@body)
         (when ,end (goto-char (point-max)))
         (dolist (window ,followers)
           (set-window-point window (point-max)))))))

(defun pi-ls--line-start-p (position)
  "Whether POSITION is at the beginning of a line."
  (or (= position (point-min)) (eq (char-before position) ?\n)))

(cl-defun pi-ls--open (key kind heading &key name args (folded (memq kind pi-ls-fold)))
  "Begin a block of KIND at the end of the log; return it.
It is found under KEY as long as it may change.  HEADING is its first
line, or nil for one that does not fold.  NAME and ARGS are of a
tool.  FOLDED hides what is below the heading."
  (let ((block (pi-ls--make-block :kind kind :number (cl-incf pi-ls--number)
                                  :folded (and folded t) :name name :args args)))
    (goto-char (or pi-ls--at pi-ls--tail))
    (unless (pi-ls--line-start-p (point)) (insert "\n"))
    (pi-ls--separate heading)
    (let ((start (point)))
      (when heading (insert (pi-ls--heading block (concat heading "\n"))))
      (setf (pi-ls--block-start block) (copy-marker start t)
            (pi-ls--block-body block) (copy-marker (point))
            (pi-ls--block-end block) (copy-marker (point))
            (pi-ls--block-scan block) (copy-marker (point))))
    (when key (puthash key block pi-ls--blocks))
    block))

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
      ('text (pi-ls--scan block))
      (_ (add-text-properties at (point) (list 'pi-ls-body (pi-ls--block-number block) 'pi-ls-raw t))
         (when (pi-ls--block-folded block)
           (put-text-property at (point) 'invisible 'pi-ls))))))

(defun pi-ls--replace (block string &rest properties)
  "Make STRING, with PROPERTIES, the whole body of BLOCK."
  (delete-region (pi-ls--block-body block) (pi-ls--block-end block))
  (set-marker (pi-ls--block-scan block) (pi-ls--block-body block))
  (setf (pi-ls--block-fence block) nil)
  (apply #'pi-ls--append block string properties))

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

(defun pi-ls--newline (block)
  "End the last line of BLOCK."
  (unless (pi-ls--line-start-p (pi-ls--block-end block))
    (pi-ls--append block "\n")))


;;; Markdown

(defun pi-ls--scan (block)
  "Mark the lines of code among the lines of BLOCK that became complete.
Each line is looked at once, however long the answer gets."
  (let ((end (pi-ls--block-end block))
        (scan (pi-ls--block-scan block)))
    (goto-char scan)
    (while (search-forward "\n" end t)
      (let ((bol (marker-position scan)))
        (goto-char bol)
        (if (looking-at " \\{0,3\\}\\(```+\\|~~~+\\)[ \t]*\\([^`\n ]*\\).*$")
            (let ((mark (match-string-no-properties 1)) (language (match-string-no-properties 2)))
              (pcase (pi-ls--block-fence block)
                ('nil (setf (pi-ls--block-fence block) (list mark (cons language (cl-incf pi-ls--number)))))
                (`(,open . ,_) (when (string-prefix-p open mark)
                                 (setf (pi-ls--block-fence block) nil))))
              (add-text-properties bol (line-end-position)
                                   '(pi-ls-raw t font-lock-face shadow)))
          (pcase (pi-ls--block-fence block)
            (`(,_ ,code)
             (add-text-properties bol (1+ (line-end-position))
                                  (list 'pi-ls-raw t 'font-lock-face 'pi-ls-code-block
                                        ;; One object for all lines: that is how they belong together.
                                        'pi-ls-code code)))))
        (forward-line 1)
        (set-marker scan (point))))
    (goto-char end)))

(defun pi-ls--markdown (regexp)
  "A matcher for REGEXP in what is Markdown."
  (lambda (limit)
    (let (found)
      (while (and (setq found (re-search-forward regexp limit t))
                  (get-text-property (match-beginning 0) 'pi-ls-raw)))
      found)))

(defvar pi-ls--keywords
  `((,(pi-ls--markdown "^#\\{1,6\\} .*$") 0 'pi-ls-heading)
    (,(pi-ls--markdown "^> .*$") 0 'font-lock-doc-face)
    (,(pi-ls--markdown "^ *\\([-*+]\\|[0-9]+[.)]\\) ") 1 'font-lock-keyword-face)
    (,(pi-ls--markdown "`[^`\n]+`") 0 'pi-ls-code)
    (,(pi-ls--markdown "\\*\\*[^*\n]+\\*\\*") 0 'bold prepend)
    (,(pi-ls--markdown "\\_<_[^_\n]+_\\_>") 0 'italic prepend)
    (,(pi-ls--markdown "\\[[^]\n]+\\](\\([^)\n]+\\))") 0 'link)
    (,(pi-ls--markdown "https?://[^] \t\n)>\"']+") 0 'link)
    (pi-ls--fontify-code))
  "Font-lock keywords for the Markdown of a transcript.")

(defun pi-ls--fontify-code (limit)
  "Colour the code blocks up to LIMIT as their own modes do; return nil."
  (while (< (point) limit)
    (let ((code (get-text-property (point) 'pi-ls-code))
          (next (next-single-property-change (point) 'pi-ls-code nil limit)))
      (if (or (null code) (get-text-property (point) 'pi-ls-coloured))
          (goto-char next)
        (let* ((from (or (previous-single-property-change (1+ (point)) 'pi-ls-code) (point-min)))
               (to (next-single-property-change (point) 'pi-ls-code nil (point-max))))
          ;; A block that still grows is done again when it is whole.
          (pi-ls--colour (car code) from to)
          (when (< to pi-ls--tail) (put-text-property from to 'pi-ls-coloured t))
          (goto-char (max next (min to limit)))))))
  nil)

(defvar pi-ls--language-buffers nil "Buffers in the modes of languages, by language.")

(defun pi-ls--language-mode (language)
  "The major mode for LANGUAGE, a string, or nil.
One that parses with tree-sitter is preferred, where its grammar is."
  (let* ((language (downcase language))
         (name (pcase language
                 ((or "sh" "shell" "zsh") "bash") ((or "js" "jsx" "mjs") "js") ("ts" "typescript")
                 ("py" "python") ("c++" "c++") ("elisp" "emacs-lisp") ("yml" "yaml") ("md" "") (other other)))
         (ts (intern (concat name "-ts-mode")))
         (grammar (intern (pcase name ("js" "javascript") ("c++" "cpp") (_ name)))))
    (cond ((string-empty-p name) nil)
          ((and (fboundp ts) (fboundp 'treesit-ready-p) (treesit-ready-p grammar t)) ts)
          ((string= name "bash") 'sh-mode)
          ((fboundp (intern (concat name "-mode"))) (intern (concat name "-mode")))
          (t (let ((mode (assoc-default (concat "x." language) auto-mode-alist #'string-match-p)))
               (and (symbolp mode) (fboundp mode) mode))))))

(defun pi-ls--colour (language from to)
  "Give the text between FROM and TO the faces that it has in LANGUAGE."
  (when-let* (((not (string-empty-p language)))
              (buffer (or (alist-get language pi-ls--language-buffers nil nil #'equal)
                          (when-let* ((mode (pi-ls--language-mode language)))
                            (with-current-buffer (generate-new-buffer (format " *pi-ls %s*" language))
                              (let ((delay-mode-hooks t)) (ignore-errors (funcall mode)))
                              (push (cons language (current-buffer)) pi-ls--language-buffers)
                              (current-buffer)))))
              ((buffer-live-p buffer))
              (text (buffer-substring-no-properties from to)))
    (let ((faces (with-current-buffer buffer
                   (let ((inhibit-modification-hooks nil)) (erase-buffer) (insert text))
                   (ignore-errors (font-lock-ensure))
                   (cl-loop with at = (point-min)
                            while (< at (point-max))
                            for next = (next-single-property-change at 'face nil (point-max))
                            for face = (get-text-property at 'face)
                            when face collect (list (1- at) (1- next) face)
                            do (setq at next)))))
      (with-silent-modifications
        (pcase-dolist (`(,a ,b ,face) faces)
          (put-text-property (+ from a) (+ from b) 'font-lock-face
                             (append (ensure-list face) '(pi-ls-code-block))))))))


;;; Messages

(defun pi-ls--text-of (content)
  "The text of CONTENT, a string or a vector of blocks."
  (if (stringp content)
      content
    (mapconcat (lambda (part)
                 (pcase (plist-get part :type)
                   ("text" (plist-get part :text))
                   ("image" (format "[image %s]" (or (plist-get part :mimeType) "")))
                   ("reference" (pi-ls--reference part))
                   (type (format "[%s]" type))))
               content "\n")))

(defun pi-ls--reference (part)
  "What stands in the transcript for PART, a reference to something large."
  (concat (plist-get part :preview)
          (propertize (format "\n[%s of %s: RET shows it]" (plist-get part :of)
                              (file-size-human-readable (or (plist-get part :bytes) 0)))
                      'font-lock-face 'link 'mouse-face 'highlight
                      'pi-ls-reference (plist-get part :id))))

(defun pi-ls--show-message (message &optional entry)
  "Add MESSAGE, a whole one, to the log; ENTRY is the id of its entry."
  (pcase (plist-get message :role)
    ("user" (pi-ls--show-user (pi-ls--text-of (plist-get message :content)) entry))
    ("assistant"
     (cl-loop for part across (plist-get message :content) for index from 0
              do (pi-ls--show-part (list 'part index) part))
     (pi-ls--show-stop message))
    ("toolResult"
     (let ((id (plist-get message :toolCallId)))
       (unless (gethash id pi-ls--blocks)
         (pi-ls--open-tool id (plist-get message :toolName) nil))
       (pi-ls--finish-tool id message (eq t (plist-get message :isError)) (plist-get message :durationMs))))
    ("bashExecution"
     (let ((block (pi-ls--open nil 'tool (pi-ls--bash-heading (plist-get message :command)
                                                              (plist-get message :exitCode)
                                                              (eq t (plist-get message :cancelled)))
                               :folded nil)))
       (pi-ls--append block (or (plist-get message :output) "") 'font-lock-face 'pi-ls-output)
       (pi-ls--newline block)
       (pi-ls--forget block)))
    ("compactionSummary"
     (pi-ls--show-summary (format "Compacted %s tokens" (plist-get message :tokensBefore))
                          (plist-get message :summary)))
    ("branchSummary" (pi-ls--show-summary "Summary of another branch" (plist-get message :summary)))
    ("custom"
     (when (eq t (plist-get message :display))
       (pi-ls--show-summary (plist-get message :customType)
                            (pi-ls--text-of (plist-get message :content)))))))

(defun pi-ls--show-user (text &optional entry)
  "Add TEXT of the user to the log; ENTRY is the id of its entry."
  (let ((block (pi-ls--open nil 'user nil)))
    (let ((from (point)))
      (insert (string-trim-right text) "\n")
      (add-text-properties from (point)
                           (list 'pi-ls-turn (or entry (cl-incf pi-ls--number)) 'pi-ls-raw t
                                 'font-lock-face 'pi-ls-user
                                 'wrap-prefix (propertize "  " 'face 'pi-ls-user)
                                 'line-prefix (propertize "  " 'face 'pi-ls-user)))
      (put-text-property from (save-excursion (goto-char from) (line-end-position))
                         'line-prefix (propertize "❯ " 'face '(bold pi-ls-user)))
      ;; Between what the user said and the answer.
      (insert "\n"))
    (pi-ls--forget block)))

(defun pi-ls--show-summary (title text)
  "Add a folded block to the log: TITLE, and below it TEXT."
  (let ((block (pi-ls--open nil 'summary (propertize title 'font-lock-face 'pi-ls-notice))))
    (pi-ls--append block text 'font-lock-face 'pi-ls-output)
    (pi-ls--newline block)
    (pi-ls--forget block)))

(defun pi-ls--show-part (key part)
  "Add PART of an answer, a whole one, to the log; KEY names its block."
  (pcase (plist-get part :type)
    ("text" (unless (string-blank-p (plist-get part :text))
              (pi-ls--open key 'text nil)
              (pi-ls--finish-text key (plist-get part :text))))
    ("thinking" (unless (string-blank-p (plist-get part :thinking))
                  (pi-ls--open-thinking key)
                  (pi-ls--finish-thinking key (plist-get part :thinking))))
    ("toolCall" (let ((id (plist-get part :id)))
                  (unless (gethash id pi-ls--blocks)
                    (pi-ls--open-tool id (plist-get part :name) (plist-get part :arguments)))))))

(defun pi-ls--show-stop (message)
  "Tell why MESSAGE of the agent ended, unless it ended well."
  (pcase (plist-get message :stopReason)
    ("error" (pi-ls--note (or (plist-get message :errorMessage) "The model failed") 'pi-ls-error))
    ("aborted" (pi-ls--note "Stopped" 'pi-ls-notice))
    ("length" (pi-ls--note "The answer reached the limit of its length" 'pi-ls-attention))))

(defun pi-ls--note (text &optional face)
  "Add TEXT, a line in FACE that nobody said, to the log."
  (goto-char (or pi-ls--at pi-ls--tail))
  (unless (pi-ls--line-start-p (point)) (insert "\n"))
  (pi-ls--separate t)
  (insert (propertize (concat "· " text "\n") 'font-lock-face (or face 'pi-ls-notice)
                      'pi-ls-raw t 'pi-ls-note t)))

(defun pi-ls--finish-text (key text)
  "Let TEXT be the whole text of the block under KEY."
  (when-let* ((block (gethash key pi-ls--blocks)))
    (unless (string= text (buffer-substring-no-properties
                           (pi-ls--block-body block) (pi-ls--block-end block)))
      (pi-ls--replace block text))
    (pi-ls--newline block)
    (pi-ls--release key)))

(defun pi-ls--open-thinking (key)
  "Begin a thought, found under KEY."
  (pi-ls--open key 'thinking (propertize "Thinking…" 'font-lock-face 'pi-ls-thinking)))

(defun pi-ls--finish-thinking (key text)
  "Let TEXT be the whole thought of the block under KEY."
  (when-let* ((block (gethash key pi-ls--blocks)))
    (pi-ls--replace block text 'font-lock-face 'pi-ls-thinking)
    (pi-ls--newline block)
    (pi-ls--retitle block (propertize (format "Thought: %s" (pi-ls--first-line text 60))
                                      'font-lock-face 'pi-ls-thinking))
    (pi-ls--release key)))

(defun pi-ls--first-line (text width)
  "The first line of TEXT that says something, in at most WIDTH columns."
  (truncate-string-to-width (car (split-string (string-trim text) "\n")) width nil nil "…"))


;;; Tools

(cl-defgeneric pi-ls-tool-title (_name args)
  "What the heading of a call of the tool NAME, a symbol, tells of ARGS.
ARGS is a plist.  Return a string of one line."
  (or (cl-loop for (_ value) on args by #'cddr when (stringp value) return value) ""))

(cl-defmethod pi-ls-tool-title ((_ (eql edit)) args) "The file in ARGS." (plist-get args :path))
(cl-defmethod pi-ls-tool-title ((_ (eql write)) args) "The file in ARGS." (plist-get args :path))
(cl-defmethod pi-ls-tool-title ((_ (eql bash)) args) "The command in ARGS." (plist-get args :command))
(cl-defmethod pi-ls-tool-title ((_ (eql read)) args)
  "The file in ARGS, and its first line."
  (concat (plist-get args :path)
          (and (plist-get args :offset) (format ":%s" (plist-get args :offset)))))

(cl-defgeneric pi-ls-tool-body (_name _args result)
  "What is shown of RESULT of the tool NAME, a symbol, called with ARGS.
Return a string; faces in it are `font-lock-face' properties."
  (let ((text (pi-ls--text-of (plist-get result :content))))
    (pi-ls--shaded (if (string-search "\e[" text) (ansi-color-filter-apply text) text))))

(cl-defmethod pi-ls-tool-body ((_ (eql edit)) args result)
  "The patch in RESULT, where there is one, of the file in ARGS."
  (let* ((details (plist-get result :details))
         (patch (and (listp details) (plist-get details :patch))))
    (if (stringp patch) (pi-ls--patch patch (plist-get args :path)) (cl-call-next-method))))

(cl-defmethod pi-ls-tool-body ((_ (eql write)) args result)
  "What was written, as ARGS have it, unless RESULT is an error."
  (if (and (stringp (plist-get args :content)) (not (eq t (plist-get result :isError))))
      (mapconcat (lambda (line) (propertize (concat "+" line) 'font-lock-face 'diff-added))
                 (split-string (string-trim-right (plist-get args :content) "\n") "\n") "\n")
    (cl-call-next-method)))

(defun pi-ls--shaded (text)
  "TEXT in the face of output, except where it has a face."
  (let ((text (copy-sequence text)))
    (alter-text-property 0 (length text) 'font-lock-face
                         (lambda (face) (or face 'pi-ls-output)) text)
    text))

(defun pi-ls--patch (patch path)
  "PATCH of the file PATH with faces, and with the place of each line."
  (let ((line nil))
    (mapconcat
     (lambda (text)
       (let ((face (pcase (and (> (length text) 0) (aref text 0))
                     (?+ 'diff-added) (?- 'diff-removed) (?@ 'diff-hunk-header) (_ 'diff-context))))
         (when (string-match "\\`@@ -[0-9,]+ \\+\\([0-9]+\\)" text)
           (setq line (1- (string-to-number (match-string 1 text)))))
         (when (and line (not (string-prefix-p "-" text)) (not (string-prefix-p "@" text)))
           (cl-incf line))
         (propertize text 'font-lock-face face 'pi-ls-place (cons path (and line (max 1 line))))))
     (cl-remove-if (lambda (text) (string-match-p "\\`\\(---\\|\\+\\+\\+\\|===\\|Index:\\|\\\\\\)" text))
                   (split-string (string-trim-right patch "\n") "\n"))
     "\n")))

(defun pi-ls--tool-place (name args)
  "The file that the tool NAME with ARGS is about: (PATH . LINE), or nil."
  (when-let* (((member name '("read" "edit" "write")))
              (path (plist-get args :path)))
    (cons path (plist-get args :offset))))

(defun pi-ls--tool-heading (block &optional sign face)
  "The heading of BLOCK, a call of a tool, that ends with SIGN in FACE."
  (let ((name (or (pi-ls--block-name block) "tool")))
    (concat (propertize name 'font-lock-face 'pi-ls-tool) " "
            (propertize (pi-ls--first-line (or (ignore-errors
                                                 (pi-ls-tool-title (intern name) (pi-ls--block-args block)))
                                               "")
                                           72)
                        'font-lock-face 'pi-ls-argument)
            (and sign (propertize (concat "  " sign) 'font-lock-face face)))))

(defun pi-ls--open-tool (id name args)
  "Begin the call ID of the tool NAME with ARGS."
  (let ((block (pi-ls--open id 'tool "" :name name :args args
                            :folded (and (memq 'tool pi-ls-fold)
                                         (not (member name pi-ls-unfolded-tools))))))
    (pi-ls--retitle block (pi-ls--tool-heading block))
    block))

(defun pi-ls--finish-tool (id result error duration)
  "Show RESULT of the call ID; ERROR is non-nil if it is one.
DURATION is in milliseconds, or nil."
  (when-let* ((block (gethash id pi-ls--blocks)))
    (let ((body (pi-ls-tool-body (intern (or (pi-ls--block-name block) "tool"))
                                 (pi-ls--block-args block)
                                 (append (list :isError error) result))))
      (pi-ls--replace block (if (string-empty-p body) "" (concat (string-trim-right body "\n") "\n"))))
    (pi-ls--retitle block (pi-ls--tool-heading
                           block
                           (concat (if error "✗" "✓")
                                   (and (numberp duration) (>= duration 1000)
                                        (format " %.1f s" (/ duration 1000.0))))
                           (if error 'pi-ls-error 'pi-ls-ok)))
    (pi-ls--release id)))

(defun pi-ls--bash-heading (command exit cancelled)
  "The heading of COMMAND of the user, which ended with EXIT or was CANCELLED."
  (concat (propertize "$ " 'font-lock-face 'pi-ls-tool)
          (propertize (pi-ls--first-line command 72) 'font-lock-face 'pi-ls-argument)
          (cond (cancelled (propertize "  ✗ stopped" 'font-lock-face 'pi-ls-error))
                ((null exit) "")
                ((eql exit 0) (propertize "  ✓" 'font-lock-face 'pi-ls-ok))
                (t (propertize (format "  ✗ %s" exit) 'font-lock-face 'pi-ls-error)))))


;;; The stream

(cl-defmethod pi-ls-handle-notification (_c (_m (eql pi/message_start)) &key message &allow-other-keys)
  "Show MESSAGE, unless it is an answer, which is still empty."
  (pcase (plist-get message :role)
    ("user"
     (setq pi-ls--sending (delete (pi-ls--text-of (plist-get message :content)) pi-ls--sending))
     (pi-ls--changing (pi-ls--show-message message))
     (pi-ls--update-tail))
    ("custom" (pi-ls--changing (pi-ls--show-message message)))))

(cl-defmethod pi-ls-handle-notification (_c (_m (eql pi/message_update)) &key assistantMessageEvent &allow-other-keys)
  "Show the step ASSISTANTMESSAGEEVENT of an answer."
  (let* ((event assistantMessageEvent)
         (index (plist-get event :contentIndex))
         (key (list 'part index)))
    (pi-ls--changing
      (pcase (plist-get event :type)
        ("text_delta"
         (let ((delta (plist-get event :delta)))
           (pi-ls--append (or (gethash key pi-ls--blocks) (pi-ls--open key 'text nil)) delta)))
        ("thinking_delta"
         (pi-ls--append (or (gethash key pi-ls--blocks) (pi-ls--open-thinking key))
                        (plist-get event :delta) 'font-lock-face 'pi-ls-thinking))
        ("text_end" (pi-ls--finish-text key (plist-get event :content)))
        ("thinking_end" (pi-ls--finish-thinking key (plist-get event :content)))
        ("toolcall_start"
         (when-let* ((id (plist-get event :id)))
           (unless (or (string-empty-p id) (gethash id pi-ls--blocks))
             (pi-ls--open-tool id (plist-get event :toolName) nil))))
        ("toolcall_end" (pi-ls--call (plist-get event :toolCall)))))))

(defun pi-ls--call (call)
  "Show that the agent makes CALL, a call of a tool."
  (let* ((id (plist-get call :id))
         (block (gethash id pi-ls--blocks)))
    (if (null block)
        (pi-ls--open-tool id (plist-get call :name) (plist-get call :arguments))
      (setf (pi-ls--block-name block) (plist-get call :name)
            (pi-ls--block-args block) (plist-get call :arguments))
      (pi-ls--retitle block (pi-ls--tool-heading block)))))

(cl-defmethod pi-ls-handle-notification (_c (_m (eql pi/message_end)) &key message &allow-other-keys)
  "Let MESSAGE be what counts of what was streamed."
  (when (equal (plist-get message :role) "assistant")
    (pi-ls--changing
      (cl-loop for part across (plist-get message :content) for index from 0
               for key = (list 'part index)
               when (gethash key pi-ls--blocks)
               do (pcase (plist-get part :type)
                    ("text" (pi-ls--finish-text key (plist-get part :text)))
                    ("thinking" (pi-ls--finish-thinking key (plist-get part :thinking)))))
      (maphash (lambda (key _) (when (consp key) (pi-ls--release key))) pi-ls--blocks)
      (pi-ls--show-stop message))))

(cl-defmethod pi-ls-handle-notification (_c (_m (eql pi/tool_execution_start))
                                            &key toolCallId toolName args &allow-other-keys)
  "Show that the call TOOLCALLID of the tool TOOLNAME runs with ARGS."
  (pi-ls--changing
    (pi-ls--call (list :id toolCallId :name toolName :arguments args))
    (let ((block (gethash toolCallId pi-ls--blocks)))
      (pi-ls--retitle block (pi-ls--tool-heading block "…" 'pi-ls-notice)))))

(cl-defmethod pi-ls-handle-notification (_c (_m (eql pi/tool_execution_update))
                                            &key toolCallId partialResult &allow-other-keys)
  "Show PARTIALRESULT, all that the call TOOLCALLID has said, if it is unfolded."
  (when-let* ((block (gethash toolCallId pi-ls--blocks)))
    (setf (pi-ls--block-partial block) partialResult)
    (unless (pi-ls--block-folded block)
      (pi-ls--changing (pi-ls--show-partial block)))))

(defun pi-ls--show-partial (block)
  "Show what the tool of BLOCK has said up to now."
  (when-let* ((result (pi-ls--block-partial block)))
    (pi-ls--replace block (pi-ls--shaded (pi-ls--text-of (plist-get result :content))))
    (pi-ls--newline block)))

(cl-defmethod pi-ls-handle-notification (_c (_m (eql pi/tool_execution_end))
                                            &key toolCallId toolName result isError durationMs &allow-other-keys)
  "Show RESULT of the call TOOLCALLID of the tool TOOLNAME.
ISERROR and DURATIONMS are as in pi's record."
  (let* ((block (gethash toolCallId pi-ls--blocks))
         (args (and block (pi-ls--block-args block))))
    (pi-ls--changing
      (unless block (pi-ls--open-tool toolCallId toolName nil))
      (pi-ls--finish-tool toolCallId result (eq isError t) durationMs))
    (unless (eq isError t)
      (run-hook-with-args 'pi-ls-tool-functions toolName args result))))

(defvar pi-ls-tool-functions nil
  "Called in the transcript when a tool has succeeded.
The arguments are the name of the tool, its arguments and its result.")

(defvar pi-ls-settled-hook nil
  "Run in the transcript when the agent has done all that it will do.")

(cl-defmethod pi-ls-handle-notification (_c (_m (eql pi/agent_settled)) &rest _)
  "Close what is open, and run `pi-ls-settled-hook'."
  (pi-ls--changing (pi-ls--close-all))
  (setq pi-ls--notice nil)
  (pi-ls--update-tail)
  (run-hooks 'pi-ls-settled-hook))

(defun pi-ls--close-all ()
  "Let no block of the log change any more."
  (let (keys)
    (maphash (lambda (key _) (push key keys)) pi-ls--blocks)
    (dolist (key keys)
      (let ((block (gethash key pi-ls--blocks)))
        (when (eq (pi-ls--block-kind block) 'tool)
          (pi-ls--retitle block (pi-ls--tool-heading block "✗ stopped" 'pi-ls-error)))
        (pi-ls--newline block)
        (pi-ls--release key)))))

(cl-defmethod pi-ls-handle-notification (_c (_m (eql pi/auto_retry_start))
                                            &key attempt maxAttempts delayMs errorMessage &allow-other-keys)
  "Tell that ATTEMPT of MAXATTEMPTS follows in DELAYMS because of ERRORMESSAGE."
  (setq pi-ls--notice (format "Retry %s of %s in %.0f s: %s" attempt maxAttempts
                              (/ delayMs 1000.0) errorMessage))
  (pi-ls--update-tail))

(cl-defmethod pi-ls-handle-notification (_c (_m (eql pi/auto_retry_end)) &rest _)
  "Tell nothing of retries any more."
  (setq pi-ls--notice nil)
  (pi-ls--update-tail))

(cl-defmethod pi-ls-handle-notification (_c (_m (eql pi/compaction_end))
                                            &key result aborted errorMessage &allow-other-keys)
  "Show RESULT of a compaction, or why there is none: ABORTED or ERRORMESSAGE."
  (pi-ls--changing
    (cond (result (pi-ls--show-summary (format "Compacted %s tokens to %s" (plist-get result :tokensBefore)
                                               (or (plist-get result :estimatedTokensAfter) "fewer"))
                                       (plist-get result :summary)))
          ((eq aborted t) (pi-ls--note "The compaction was stopped"))
          (errorMessage (pi-ls--note errorMessage 'pi-ls-error)))))

(cl-defmethod pi-ls-handle-notification (connection (_m (eql pi/extension_error))
                                                    &key extensionPath event error &allow-other-keys)
  "Show ERROR of EXTENSIONPATH, which handled EVENT, and log it for CONNECTION."
  (pi-ls-log connection "%s (%s): %s" extensionPath event error)
  (pi-ls--changing (pi-ls--note (format "An extension failed: %s" error) 'pi-ls-error)))


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


;;; Stored conversations

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
          (set-marker pi-ls--at nil))))
    (goto-char place)
    (set-marker place nil)
    (pcase-dolist (`(,window . ,start) starts)
      (set-window-start window start t)
      (set-marker start nil))))

(defun pi-ls-earlier ()
  "Show earlier messages of the conversation."
  (interactive nil pi-ls-chat-mode)
  (unless pi-ls--older (user-error "There are no earlier messages"))
  (pi-ls-request pi-ls--connection "bridge/history" (list :limit pi-ls-page :before pi-ls--older)
                 :then #'pi-ls--show-page))


;;; Which conversation

(defun pi-ls--chats ()
  "The transcripts that there are, the one used last first."
  (cl-remove-if-not (lambda (buffer) (provided-mode-derived-p
                                      (buffer-local-value 'major-mode buffer) 'pi-ls-chat-mode))
                    (buffer-list)))

(defun pi-ls--root ()
  "The directory that a conversation started here is about."
  (file-name-as-directory
   (expand-file-name (if-let* ((project (project-current))) (project-root project) default-directory))))

(defun pi-ls--chat-buffer ()
  "The transcript that a command given here is about.
That of this buffer, or of this project, or else the only one.
Signals `user-error' if there is none."
  (let ((root (pi-ls--root)))
    (or pi-ls--chat
        (and (derived-mode-p 'pi-ls-chat-mode) (current-buffer))
        (cl-find-if (lambda (chat) (string-prefix-p (buffer-local-value 'default-directory chat) root))
                    (pi-ls--chats))
        (let ((chats (pi-ls--chats))) (and (null (cdr chats)) (car chats)))
        (user-error "There is no conversation with pi here (M-x pi-ls)"))))

(defun pi-ls--the-connection ()
  "The connection that a command given here is about."
  (buffer-local-value 'pi-ls--connection (pi-ls--chat-buffer)))


;;; Commands of the transcript

(defun pi-ls--extent (property number position)
  "Where PROPERTY is NUMBER, at or after POSITION: (FROM . TO), or nil."
  (let ((from (if (eql (get-text-property position property) number)
                  (if (and (> position (point-min))
                           (eql (get-text-property (1- position) property) number))
                      (previous-single-property-change position property nil (point-min))
                    position)
                (text-property-any position (point-max) property number))))
    (when from (cons from (next-single-property-change from property nil (point-max))))))

(defun pi-ls-toggle ()
  "Fold or unfold the block at point."
  (interactive nil pi-ls-chat-mode)
  (let ((number (or (get-text-property (point) 'pi-ls-head) (get-text-property (point) 'pi-ls-body))))
    (unless number (user-error "Nothing folds here"))
    (pi-ls--set-folded number 'toggle)))

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
    (goto-char (point-min))
    (let ((folded 'unknown) match)
      (while (setq match (text-property-search-forward 'pi-ls-head nil nil))
        (let ((end (prop-match-end match)))
          (goto-char (prop-match-beginning match))
          (when (eq folded 'unknown) (setq folded (eq (char-after) ?▾)))
          (pi-ls--set-folded (prop-match-value match) folded)
          (goto-char end))))))

(defun pi-ls--turns ()
  "The positions of what the user said, last one first."
  (let* ((at (if (get-text-property (point-min) 'pi-ls-turn) (point-min)
               (pi-ls--turn-after (point-min))))
         turns)
    (while at
      (push at turns)
      (setq at (pi-ls--turn-after at)))
    turns))

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

(defun pi-ls--imenu ()
  "What the user said, for imenu."
  (nreverse
   (mapcar (lambda (at)
             (save-excursion
               (goto-char at)
               (cons (pi-ls--first-line (buffer-substring-no-properties at (line-end-position)) 60)
                     (copy-marker at))))
           (pi-ls--turns))))

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

(defun pi-ls--fetch (id)
  "Show what the reference ID at point stands for in its place."
  (let* ((extent (pi-ls--extent 'pi-ls-reference id (point)))
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

(provide 'pi-ls-chat)
;;; pi-ls-chat.el ends here

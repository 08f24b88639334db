;;; pi-ls-tool.el --- What is shown of the calls of tools  -*- lexical-binding: t -*-

;; This file is part of pi-ls.

;;; Commentary:

;; The headings and results of tools as strings with faces.  A tool of
;; your own is shown by methods of `pi-ls-tool-title' and
;; `pi-ls-tool-body'.

;;; Code:

(require 'cl-lib)
(require 'ansi-color)
(require 'diff-mode)


;;; Content

(defun pi-ls--text-of (content)
  "The text of CONTENT, a string or a vector of blocks."
  (if (stringp content)
      content
    (mapconcat (lambda (part)
                 (pcase (plist-get part :type)
                   ("text" (plist-get part :text))
                   ("image" (pi-ls--image part))
                   ("reference" (pi-ls--reference part))
                   (type (format "[%s]" type))))
               content "\n")))

(defun pi-ls--image (part)
  "What stands in the transcript for PART, an image: itself, where that can be."
  (let ((text (format "[image %s]" (or (plist-get part :mimeType) "")))
        (data (plist-get part :data)))
    (if-let* (((display-images-p))
              (data)
              (image (ignore-errors (create-image (base64-decode-string data) nil t :max-width 400))))
        (propertize text 'display image)
      text)))

(defun pi-ls--reference (part)
  "What stands in the transcript for PART, a reference to something large."
  (concat (plist-get part :preview)
          (propertize (format "\n[%s of %s: RET shows it]" (plist-get part :of)
                              (file-size-human-readable (or (plist-get part :bytes) 0)))
                      'font-lock-face 'link 'mouse-face 'highlight
                      'pi-ls-reference (plist-get part :id))))

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

(defun pi-ls--tool-place (name args)
  "The file that the tool NAME with ARGS is about: (PATH . LINE), or nil."
  (when-let* (((member name '("read" "edit" "write")))
              (path (plist-get args :path)))
    (cons path (plist-get args :offset))))


;;; Looks

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

(defun pi-ls--tool-heading (name args &optional sign face)
  "The heading of a call of the tool NAME with ARGS, that ends with SIGN in FACE."
  (let ((title (or (ignore-errors (pi-ls-tool-title (intern name) args)) "")))
    (concat (propertize name 'font-lock-face 'pi-ls-tool) " "
            (propertize (pi-ls--first-line title 72) 'font-lock-face 'pi-ls-argument)
            (and sign (propertize (concat "  " sign) 'font-lock-face face)))))

(defun pi-ls--bash-heading (command exit cancelled)
  "The heading of COMMAND of the user, which ended with EXIT or was CANCELLED."
  (concat (propertize "$ " 'font-lock-face 'pi-ls-tool)
          (propertize (pi-ls--first-line command 72) 'font-lock-face 'pi-ls-argument)
          (cond (cancelled (propertize "  ✗ stopped" 'font-lock-face 'pi-ls-error))
                ((null exit) "")
                ((eql exit 0) (propertize "  ✓" 'font-lock-face 'pi-ls-ok))
                (t (propertize (format "  ✗ %s" exit) 'font-lock-face 'pi-ls-error)))))

(provide 'pi-ls-tool)
;;; pi-ls-tool.el ends here

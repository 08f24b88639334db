;;; pi-ls-markdown.el --- The Markdown of an answer  -*- lexical-binding: t -*-

;; This file is part of pi-ls.

;;; Commentary:

;; What an answer looks like, told from its text alone: which lines are
;; code, found as they arrive, and the faces of font-lock.
;;
;; `pi-ls-raw' is on what is no Markdown, `pi-ls-code' on the lines of a
;; code block: one object, (LANGUAGE), for all lines of one block.

;;; Code:

(require 'cl-lib)


;;; Lines of code

(defconst pi-ls-markdown-fence "[ ]\\{0,3\\}\\(```+\\|~~~+\\)[ \t]*\\([^`\n ]*\\).*$"
  "A line that opens or closes a block of code: its mark, and its language.")

(defun pi-ls-markdown-scan (scan end fence)
  "Mark the lines of code among the whole lines from SCAN, a marker, to END.
FENCE is what this returned for the text before, nil at first; return
the fence that is open at the end: (MARK CODE), or nil.  SCAN moves
along: each line is looked at once, however long the answer gets."
  (goto-char scan)
  (while (search-forward "\n" end t)
    (let ((bol (marker-position scan)) (next (point)))
      (goto-char bol)
      (pcase-let* ((isfence (looking-at pi-ls-markdown-fence))
                   (mark (and isfence (match-string-no-properties 1)))
                   (language (and isfence (match-string-no-properties 2)))
                   (`(,open ,code) fence))
        (cond ((and isfence (null fence))
               (setq fence (list mark (list language)))
               (pi-ls-markdown--mark-fence bol next))
              ((and isfence (string-empty-p language) (string-prefix-p open mark))
               (setq fence nil)
               (pi-ls-markdown--mark-fence bol next)
               (pi-ls-markdown--colour-again bol))
              (fence
               (add-text-properties bol next (list 'pi-ls-raw t 'font-lock-face 'pi-ls-code-block
                                                   'pi-ls-code code)))))
      (goto-char next)
      (set-marker scan next)))
  (goto-char end)
  fence)

(defun pi-ls-markdown--mark-fence (from to)
  "Mark the line between FROM and TO as a fence."
  (add-text-properties from (1- to) '(pi-ls-raw t font-lock-face shadow)))

(defun pi-ls-markdown--colour-again (end)
  "Let the code that ends at END, now whole, be coloured as a whole.
While it grew, each line was coloured by itself."
  (when (and (> end (point-min)) (get-text-property (1- end) 'pi-ls-code))
    (remove-list-of-text-properties
     (previous-single-property-change end 'pi-ls-code nil (point-min)) end
     '(pi-ls-coloured fontified))))


;;; Faces

(defun pi-ls-markdown--matcher (regexp)
  "A matcher for REGEXP in what is Markdown."
  (lambda (limit)
    (let (found)
      (while (and (setq found (re-search-forward regexp limit t))
                  (get-text-property (match-beginning 0) 'pi-ls-raw)))
      found)))

(defconst pi-ls-markdown-keywords
  `((,(pi-ls-markdown--matcher "^#\\{1,6\\} .*$") 0 'pi-ls-heading)
    (,(pi-ls-markdown--matcher "^> .*$") 0 'font-lock-doc-face)
    (,(pi-ls-markdown--matcher "^ *\\([-*+]\\|[0-9]+[.)]\\) ") 1 'font-lock-keyword-face)
    (,(pi-ls-markdown--matcher "`[^`\n]+`") 0 'pi-ls-code)
    (,(pi-ls-markdown--matcher "\\*\\*[^*\n]+\\*\\*") 0 'bold prepend)
    (,(pi-ls-markdown--matcher "\\_<_[^_\n]+_\\_>") 0 'italic prepend)
    (,(pi-ls-markdown--matcher "\\[[^]\n]+\\](\\([^)\n]+\\))") 0 'link)
    (,(pi-ls-markdown--matcher "https?://[^] \t\n)>\"']+") 0 'link)
    (pi-ls-markdown--fontify-code))
  "Font-lock keywords for the Markdown of a transcript.")

(defconst pi-ls-markdown-colour-limit 50000
  "A block of code with more characters is not coloured: it would take long.")

(defun pi-ls-markdown--fontify-code (limit)
  "Colour the code up to LIMIT as its own mode does; return nil.
It is done once for what has come, and once more when a block is whole."
  (while (< (point) limit)
    (let ((code (get-text-property (point) 'pi-ls-code)))
      (if (or (null code) (get-text-property (point) 'pi-ls-coloured))
          (goto-char (min (next-single-property-change (point) 'pi-ls-code nil limit)
                          (next-single-property-change (point) 'pi-ls-coloured nil limit)))
        (let ((from (max (previous-single-property-change (1+ (point)) 'pi-ls-code nil (point-min))
                         (previous-single-property-change (1+ (point)) 'pi-ls-coloured nil (point-min))))
              (to (min (next-single-property-change (point) 'pi-ls-code nil (point-max))
                       (next-single-property-change (point) 'pi-ls-coloured nil (point-max)))))
          (when (< (- to from) pi-ls-markdown-colour-limit)
            (pi-ls-markdown--colour (car code) from to))
          (with-silent-modifications (put-text-property from to 'pi-ls-coloured t))
          (goto-char (min to limit))))))
  nil)


;;; Languages

(defvar pi-ls-markdown--language-buffers nil "Buffers in the modes of languages, by language.")

(defun pi-ls-markdown--language-mode (language)
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
          ((member name '("typescript" "tsx")) 'js-mode)
          ((fboundp (intern (concat name "-mode"))) (intern (concat name "-mode")))
          (t (let ((mode (assoc-default (concat "x." language) auto-mode-alist #'string-match-p)))
               (and (symbolp mode) (fboundp mode) mode))))))

(defun pi-ls-markdown--language-buffer (language)
  "A buffer in the mode of LANGUAGE, or nil if there is no such mode."
  (let ((known (assoc language pi-ls-markdown--language-buffers)))
    (if (buffer-live-p (cdr known)) (cdr known)
      (when-let* ((mode (pi-ls-markdown--language-mode language)))
        (with-current-buffer (generate-new-buffer (format " *pi-ls %s*" language))
          (buffer-disable-undo)
          (delay-mode-hooks (ignore-errors (funcall mode)))
          (setf (alist-get language pi-ls-markdown--language-buffers nil nil #'equal)
                (current-buffer)))))))

(defun pi-ls-markdown--faces (text buffer)
  "The faces that TEXT has in BUFFER: a list of (FROM TO FACE), from 0."
  (with-current-buffer buffer
    (let ((inhibit-modification-hooks nil)) (erase-buffer) (insert text))
    (ignore-errors (font-lock-ensure))
    (cl-loop with at = (point-min)
             while (< at (point-max))
             for next = (next-single-property-change at 'face nil (point-max))
             for face = (get-text-property at 'face)
             when face collect (list (1- at) (1- next) face)
             do (setq at next))))

(defun pi-ls-markdown--colour (language from to)
  "Give the text between FROM and TO the faces that it has in LANGUAGE."
  (when-let* (((not (string-empty-p language)))
              (buffer (pi-ls-markdown--language-buffer language))
              (faces (pi-ls-markdown--faces (buffer-substring-no-properties from to) buffer)))
    (with-silent-modifications
      (put-text-property from to 'font-lock-face 'pi-ls-code-block)
      (pcase-dolist (`(,a ,b ,face) faces)
        (put-text-property (+ from a) (+ from b) 'font-lock-face
                           (append (ensure-list face) '(pi-ls-code-block)))))))

(provide 'pi-ls-markdown)
;;; pi-ls-markdown.el ends here

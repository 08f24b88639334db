;;; pi-ls-completion.el --- Completion in the prompt  -*- lexical-binding: t -*-

;; This file is part of pi-ls.

;;; Commentary:

;; What is completed after / and @ comes from the bridge, which is told
;; of the prompt as a document in the language `pi-prompt'.

;;; Code:

(require 'pi-ls-chat)

(defvar-local pi-ls--version nil "The version of the document as the bridge knows it, with its tick.")
(put 'pi-ls--version 'permanent-local t)

(defun pi-ls-completion-at-point ()
  "Complete the slash command or the mention at point, as the bridge knows it."
  (when-let* ((connection pi-ls--connection)
              ((jsonrpc-running-p connection))
              ((plist-get (pi-ls-capabilities connection) :completionProvider))
              (from (pi-ls--word-start)))
    (let ((cache nil))
      (list from (point)
            (lambda (string predicate action)
              (pcase action
                ('metadata '(metadata (category . pi-ls) (display-sort-function . identity)
                                      (cycle-sort-function . identity)))
                (`(boundaries . ,_) nil)
                ;; Whether it is one of those that were offered: of a whole
                ;; mention the bridge has nothing more to say.
                ('lambda (and (member string (cdr cache)) t))
                (_ (unless (equal string (car cache))
                     (setq cache (cons string (save-restriction (widen) (pi-ls--complete connection)))))
                   (pcase action
                     ('t (cdr cache))
                     ;; Any match is one, whatever it begins with.
                     ('nil (and (cdr cache) string))
                     (_ (complete-with-action action (cdr cache) string predicate))))))
            :annotation-function
            (lambda (candidate)
              (when-let* ((detail (get-text-property 0 'pi-ls-detail candidate)))
                (concat "  " (truncate-string-to-width detail 60 nil nil "…"))))
            :exit-function #'pi-ls--completed
            :exclusive 'no))))

(defun pi-ls--word-start ()
  "Where the command or mention at point begins, or nil."
  (save-excursion
    (save-restriction
      (widen)
      (cond ((re-search-backward "@\\(?:\"[^\"\n]*\\|[^\"[:space:]]*\\)\\=" (pos-bol) t) (point))
            ((re-search-backward "\\`/[^[:space:]]*\\=" nil t) (point))))))

(defun pi-ls--completed (candidate _status)
  "Take away the second quote when CANDIDATE has brought one."
  (when (and (string-suffix-p "\"" candidate) (eq (char-after) ?\"))
    (delete-char 1)))

;; What fits is the bridge's to say, and it finds more than prefixes.
(add-to-list 'completion-category-defaults '(pi-ls (styles pi-ls)))

(add-to-list 'completion-styles-alist
             '(pi-ls pi-ls--try-completion pi-ls--all-completions "What the bridge found."))

(defun pi-ls--all-completions (string table predicate _point)
  "All that TABLE has for STRING and PREDICATE, in its order."
  (funcall table string predicate t))

(defun pi-ls--try-completion (string table predicate point)
  "Complete STRING up to POINT, if TABLE with PREDICATE has one answer."
  (let ((all (funcall table string predicate t)))
    (cond ((null all) nil)
          ((equal all (list string)) t)
          (t (let ((common (try-completion "" all)))
               (if (and (stringp common) (string-prefix-p string common) (not (equal string common)))
                   (cons common (length common))
                 (if (cdr all) (cons string point) (cons (car all) (length (car all))))))))))

(defun pi-ls--complete (connection)
  "What CONNECTION offers at point: strings that replace the word there."
  (pi-ls--sync-document connection)
  (let* ((position (list :line (1- (line-number-at-pos))
                         :character (let ((text (buffer-substring-no-properties (pos-bol) (point))))
                                      (/ (length (encode-coding-string text 'utf-16le)) 2))))
         ;; The user waits for it, and any key ends the waiting.
         (result (jsonrpc-request connection 'textDocument/completion
                                  (list :textDocument (list :uri (pi-ls--document-uri)) :position position
                                        :context '(:triggerKind 1))
                                  :timeout 5 :cancel-on-input t)))
    (mapcar (lambda (item)
              (propertize (or (plist-get (plist-get item :textEdit) :newText)
                              (plist-get item :insertText)
                              (plist-get item :label))
                          'pi-ls-detail (or (plist-get item :detail)
                                            (plist-get (plist-get item :labelDetails) :description))))
            (if (vectorp result) result (plist-get result :items)))))

(defun pi-ls--document-uri ()
  "The URI of the present prompt."
  (format "pi-prompt:/%s" (url-hexify-string (buffer-name))))

(defun pi-ls--sync-document (connection)
  "Let CONNECTION know the text of the present prompt."
  (let ((tick (buffer-chars-modified-tick))
        (text (buffer-substring-no-properties (point-min) (point-max)))
        (uri (pi-ls--document-uri)))
    (pcase pi-ls--version
      (`(,(pred (eq connection)) ,version ,known)
       (unless (eql tick known)
         (setq pi-ls--version (list connection (1+ version) tick))
         (jsonrpc-notify connection 'textDocument/didChange
                         (list :textDocument (list :uri uri :version (1+ version))
                               :contentChanges (vector (list :text text))))))
      (_ (setq pi-ls--version (list connection 0 tick))
         (jsonrpc-notify connection 'textDocument/didOpen
                         (list :textDocument (list :uri uri :languageId "pi-prompt"
                                                   :version 0 :text text)))))))

(provide 'pi-ls-completion)
;;; pi-ls-completion.el ends here

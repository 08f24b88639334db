;;; pi-ls-context-tests.el --- What goes into a prompt  -*- lexical-binding: t -*-

;;; Code:

(require 'pi-ls-test)
(require 'flymake)
(require 'yank-media)
(require 'dnd)

(defun pi-ls-test-sent ()
  "The text that is on its way to pi, or that it took last."
  (car pi-ls-prompt-history))

(defmacro pi-ls-test-with-diagnostics (diagnostics &rest body)
  "Run BODY in the file cart.ts of a conversation, in which Flymake reports DIAGNOSTICS.
Each is (BEG END TYPE TEXT)."
  (declare (indent 1))
  `(pi-ls-test-with-chat nil
     (with-temp-file "cart.ts" (insert "const a = b;\nconst c = 1;\nlet d;\n"))
     (with-current-buffer (find-file-noselect "cart.ts")
       (setq-local flymake-diagnostic-functions
                   (list (lambda (report &rest _)
                           (funcall report (mapcar (lambda (row) (apply #'flymake-make-diagnostic (current-buffer) row))
                                                   ,diagnostics)))))
       (flymake-mode)
       (flymake-start)
       ,@body)))

(ert-deftest pi-ls-context-diagnostics ()
  "All that Flymake reports is mentioned with the file, in the order of the lines."
  (pi-ls-test-with-diagnostics '((27 30 :warning "d is never used") (11 12 :error "b is not defined"))
    (pi-ls-test-wait (= 2 (length (flymake-diagnostics))))
    (pi-ls-mention-diagnostics)
    (should (equal (with-current-buffer (pi-ls--prompt-buffer chat) (buffer-string))
                   "@cart.ts\n- line 1: b is not defined\n- line 3: d is never used "))))

(ert-deftest pi-ls-context-no-diagnostics ()
  "Where Flymake reports nothing, or is not there, that is said, and nothing is sent."
  (pi-ls-test-with-diagnostics nil
    (should-error (pi-ls-mention-diagnostics) :type 'user-error)
    (should-error (pi-ls-fix-at-point) :type 'user-error)
    (flymake-mode -1)
    (should-error (pi-ls-mention-diagnostics) :type 'user-error)
    (should-not (pi-ls-test-sent))))

(ert-deftest pi-ls-context-fix-at-point ()
  "What Flymake reports on the line of point is sent, and nothing else."
  (pi-ls-test-with-diagnostics '((11 12 :error "b is not defined") (27 30 :warning "d is never used"))
    (pi-ls-test-wait (= 2 (length (flymake-diagnostics))))
    (goto-char 3)
    (pi-ls-fix-at-point)
    (should (equal (pi-ls-test-sent) "Fix this in @cart.ts#L1:\n\n- line 1: b is not defined"))
    (with-current-buffer chat (pi-ls-test-wait (pi-ls-test-shows "Fix this in @cart.ts#L1")))))

(ert-deftest pi-ls-context-defun-and-region ()
  "The function at point, and the region, are mentioned by their lines."
  (pi-ls-test-with-chat nil
    (with-temp-file "cart.el" (insert ";; x\n\n(defun a ()\n  1)\n\n(defun b ()\n  2)\n"))
    (with-current-buffer (find-file-noselect "cart.el")
      (goto-char (point-min))
      (search-forward "1")
      (save-selected-window (save-current-buffer (pi-ls-mention-defun)))
      (goto-char (point-min))
      (push-mark (point) t t)
      (forward-line 1)
      (save-selected-window (save-current-buffer (let ((transient-mark-mode t)) (pi-ls-mention))))
      (pi-ls-ask-region "What is this?" (point-min) (point-max)))
    (should (equal (with-current-buffer (pi-ls--prompt-buffer chat) (buffer-string))
                   "@cart.el#L3-4 @cart.el#L1 "))
    (should (equal (pi-ls-test-sent) "What is this?\n\n@cart.el#L1-7"))))

(ert-deftest pi-ls-context-yank-media ()
  "An image of the clipboard is attached by `yank-media'."
  (pi-ls-test-with-chat nil
    (with-current-buffer (pi-ls--prompt-buffer (current-buffer))
      (insert "say: seen ")
      ;; A terminal has no clipboard, and no images.
      (cl-letf (((symbol-function 'gui-get-selection)
                 (lambda (_ type) (if (eq type 'TARGETS) [TIMESTAMP image/png text/plain] pi-ls-test-image)))
                ((symbol-function 'image-type-available-p) #'always)
                ((symbol-function 'yank-media--find-matching-media) (lambda (_) '(image/png))))
        (call-interactively #'yank-media))
      (pcase (pi-ls--images)
        (`((:type "image" :path ,file))
         (should (equal (with-temp-buffer
                          (set-buffer-multibyte nil)
                          (insert-file-contents-literally file)
                          (buffer-string))
                        pi-ls-test-image)))
        (other (ert-fail other)))
      (pi-ls-send))
    (pi-ls-test-wait (pi-ls-test-shows "\\[image image/png\\]"))
    (pi-ls-test-idle)))

(ert-deftest pi-ls-context-images-shown ()
  "An image is shown as such where Emacs can, and named elsewhere."
  (let ((content `[(:type "text" :text "see") (:type "image" :mimeType "image/png"
                                                     :data ,(base64-encode-string pi-ls-test-image t))]))
    (should (equal (pi-ls--text-of content) "see\n[image image/png]"))
    (should-not (get-text-property 4 'display (pi-ls--text-of content)))
    (cl-letf (((symbol-function 'display-images-p) #'always)
              ((symbol-function 'create-image) (lambda (data &rest _) (list 'image :data data))))
      (should (equal (get-text-property 4 'display (pi-ls--text-of content))
                     (list 'image :data pi-ls-test-image))))
    (cl-letf (((symbol-function 'display-images-p) #'always)
              ((symbol-function 'create-image) (lambda (&rest _) (error "No such type"))))
      (should (equal (pi-ls--text-of content) "see\n[image image/png]")))))

(ert-deftest pi-ls-context-drag-and-drop ()
  "A dropped image is attached, another file is mentioned, text is inserted."
  (pi-ls-test-with-chat nil
    (pi-ls-test-write-image "a dot.png")
    (with-temp-file "cart.ts" (insert "x"))
    (let ((prompt (pi-ls--prompt-buffer (current-buffer))))
      (should (get-buffer-window prompt))
      (with-current-buffer prompt
        (dolist (file '("a dot.png" "cart.ts"))
          (dnd-handle-multiple-urls
           (get-buffer-window prompt)
           (list (concat "file://" (url-hexify-string (expand-file-name file) url-path-allowed-chars))) 'copy))
        (should (equal (substring-no-properties (buffer-string)) "[image a dot.png] @cart.ts "))
        (should (equal (pi-ls--images)
                       `((:type "image" :path ,(expand-file-name "a dot.png")))))
        (should-error (pi-ls-attach-image "cart.ts") :type 'user-error)))))

(ert-deftest pi-ls-context-drafts ()
  "What was written and not sent is there again in the next prompt of the folder."
  (pi-ls-test-with-chat nil
    (let ((project default-directory))
      (with-current-buffer (pi-ls--prompt-buffer (current-buffer)) (insert "half a thought"))
      (kill-buffer)
      (with-current-buffer (pi-ls--new-chat project)
        (should (equal (with-current-buffer (pi-ls--prompt-buffer (current-buffer)) (buffer-string))
                       "half a thought"))
        ;; It has not been taken yet.
        (pi-ls-test-say "a whole one")
        (kill-buffer))
      (with-current-buffer (pi-ls--new-chat project)
        (should (equal (with-current-buffer (pi-ls--prompt-buffer (current-buffer)) (buffer-string))
                       "a whole one"))
        (pi-ls-test-idle)))))

(ert-deftest pi-ls-context-reverted ()
  "A file that a shell command of the agent changed is reverted at the end of the run."
  (pi-ls-test-with-chat nil
    (with-temp-file "cart.ts" (insert "one\n"))
    (find-file-noselect "cart.ts")
    (pi-ls-test-run "tool: bash {\"command\":\"echo two >> cart.ts\"}")
    (should (equal (with-current-buffer (find-buffer-visiting "cart.ts") (buffer-string)) "one\ntwo\n"))))

(provide 'pi-ls-context-tests)
;;; pi-ls-context-tests.el ends here

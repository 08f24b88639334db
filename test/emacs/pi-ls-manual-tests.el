;;; pi-ls-manual-tests.el --- What README.md says is so  -*- lexical-binding: t -*-

;;; Code:

(require 'pi-ls-test)
(require 'eglot)
(require 'package)

(defun pi-ls-test-manual ()
  "The text of the manual."
  (with-temp-buffer
    (insert-file-contents (pi-ls-test-file "clients/emacs/README.md"))
    (buffer-string)))

(defun pi-ls-test-matches (regexp text &optional group)
  "All that REGEXP matches in TEXT, or its GROUP, in order."
  (let ((start 0) found)
    (while (string-match regexp text start)
      (push (match-string (or group 0) text) found)
      (setq start (match-end 0)))
    (nreverse found)))

(defun pi-ls-test-elisp ()
  "The blocks of Elisp in the manual, each as a form."
  (mapcar (lambda (text) (car (read-from-string (format "(progn %s\n)" text))))
          (pi-ls-test-matches "^```elisp\n\\(\\(?:.*\n\\)*?\\)```" (pi-ls-test-manual) 1)))

(ert-deftest pi-ls-manual-names ()
  "Every name of the package in the manual is one: a command, an option, a face, a function."
  (dolist (name (delete-dups (pi-ls-test-matches "`\\(pi-ls-[a-z-]+\\)`" (pi-ls-test-manual) 1)))
    (ert-info (name)
      (let ((symbol (intern name)))
        (should (or (fboundp symbol) (boundp symbol) (facep symbol) (get symbol 'group-documentation)))))))

(ert-deftest pi-ls-manual-options ()
  "Every option of the package is in the manual."
  (let ((manual (pi-ls-test-manual)))
    (pcase-dolist (`(,symbol ,type) (get 'pi-ls 'custom-group))
      (when (eq type 'custom-variable)
        (ert-info ((symbol-name symbol))
          (should (string-search (format "`%s`" symbol) manual)))))))

(ert-deftest pi-ls-manual-keys ()
  "Every key that the manual names for the prompt and the transcript is bound there."
  (pcase-dolist (`(,section ,map) `(("The prompt" ,pi-ls-prompt-mode-map) ("The transcript" ,pi-ls-chat-mode-map)))
    (let* ((text (car (pi-ls-test-matches (format "^## %s\n\\(\\(?:[^#\n].*\n\\|\n\\)*\\)" section) (pi-ls-test-manual) 1)))
           (rows (pi-ls-test-matches "^| \\(`[^|]*\\) |" text 1))
           (keys (mapcan (lambda (row) (pi-ls-test-matches "`\\([^`]+\\)`" row 1)) rows)))
      (should (> (length keys) 8))
      (dolist (key keys)
        (ert-info ((format "%s in %s" key section))
          (should (commandp (keymap-lookup map (if (equal key "S-TAB") "<backtab>" key)))))))))

(ert-deftest pi-ls-manual-elisp ()
  "Every form in the manual can be evaluated."
  (let ((pi-ls-options pi-ls-options)
        (pi-ls-attention-functions pi-ls-attention-functions)
        (eglot-server-programs eglot-server-programs)
        (load-path load-path)
        (forms (pi-ls-test-elisp)))
    (should (> (length forms) 4))
    ;; That needs a repository: see below.
    (dolist (form (delete (pi-ls-test-vc-form) forms))
      (ert-info ((prin1-to-string form))
        (eval (cl-subst (pi-ls-test-file "clients/emacs") "the folder" form :test #'equal) t)))
    (should (equal (pi-ls-tool-title 'deploy '(:stage "live")) "to live"))))

(defun pi-ls-test-vc-form ()
  "The form of the manual that installs the client from a repository."
  (cl-find-if (lambda (form) (string-search ":vc" (prin1-to-string form))) (pi-ls-test-elisp)))

(ert-deftest pi-ls-manual-vc ()
  "The client can be installed from a repository."
  (pi-ls-test-in-sandbox
    (let ((repository (expand-file-name "repository" pi-ls-test-root)))
      (make-directory (expand-file-name "clients" repository) t)
      (copy-directory (pi-ls-test-file "clients/emacs") (expand-file-name "clients/" repository))
      (let ((default-directory repository))
        (dolist (words '(("init" "-q") ("add" "-A")
                         ("-c" "user.name=a" "-c" "user.email=a@b.invalid" "commit" "-q" "-m" "a")))
          (should (eql 0 (apply #'call-process "git" nil nil nil words)))))
      (with-temp-buffer
        (call-process (expand-file-name invocation-name invocation-directory) nil t nil "-Q" "--batch" "--eval"
                      (prin1-to-string
                       `(progn
                          (require 'use-package)
                          (make-directory user-emacs-directory t)
                          (setq package-user-dir ,(expand-file-name "elpa" pi-ls-test-root) package-archives nil)
                          (package-initialize)
                          (eval ',(cl-subst repository "the repository" (pi-ls-test-vc-form) :test #'equal) t)
                          (princ (format "\n%s %s" (autoloadp (symbol-function 'pi-ls)) (locate-library "pi-ls"))))))
        (should (string-match-p "^t /.*/elpa/pi-ls/clients/emacs/pi-ls\\.elc$" (buffer-string)))))))

(defun pi-ls-test-install-program ()
  "Put a pi-language-server, as npm does, on the PATH of the present sandbox."
  (let ((folder (expand-file-name "bin" pi-ls-test-root)))
    (make-directory folder)
    (let ((file (expand-file-name "pi-language-server" folder)))
      (with-temp-file file
        (insert (format "#!/bin/sh\nexec node %s \"$@\"\n" (pi-ls-test-file "dist/pi-language-server.cjs"))))
      (set-file-modes file #o755))
    (setq exec-path (cons folder exec-path))
    (setenv "PATH" (concat folder ":" (getenv "PATH")))))

(defun pi-ls-test-children (parent)
  "The processes of the present sandbox that the process PARENT has started."
  (seq-filter (lambda (pid) (eql parent (alist-get 'ppid (process-attributes pid)))) (pi-ls-test-pids)))

(ert-deftest pi-ls-manual-eglot ()
  "In eglot there is a second agent beside the first: another bridge, whose pi starts when it is needed."
  (let ((exec-path exec-path)
        (eglot-server-programs nil)
        (eglot-sync-connect 30)
        (form (cl-find-if (lambda (form) (string-search "eglot-server-programs" (prin1-to-string form)))
                          (pi-ls-test-elisp)))
        (server nil))
    (pi-ls-test-with-chat nil
      (pi-ls-test-install-program)
      (eval form t)
      (unwind-protect
          (with-current-buffer (find-file-noselect "notes.txt")
            (should (equal (nth 3 (eglot--guess-contact)) '("pi-language-server" "--stdio")))
            (apply #'eglot (eglot--guess-contact))
            (pi-ls-test-wait (eglot-managed-p))
            (setq server (eglot-current-server))
            (let ((one (process-id (jsonrpc--process (buffer-local-value 'pi-ls--connection chat))))
                  (other (process-id (jsonrpc--process server))))
              (should-not (equal one other))
              (should (pi-ls-test-children one))
              (should-not (pi-ls-test-children other))))
        ;; What waits for its end in eglot takes the output of any process for a sign of it.
        (when server (delete-process (jsonrpc--process server)))))))

(ert-deftest pi-ls-manual-package ()
  "The folder can be installed as a package, and its commands are there when Emacs starts."
  (pi-ls-test-in-sandbox
    (let ((package-user-dir (expand-file-name "elpa" pi-ls-test-root))
          (package-alist nil) (package-activated-list nil) (load-path load-path)
          (inhibit-message t))
      (package-install-file (pi-ls-test-file "clients/emacs"))
      (with-temp-buffer
        (call-process (expand-file-name invocation-name invocation-directory) nil t nil "-Q" "--batch" "--eval"
                      (prin1-to-string
                       `(progn
                          (setq package-user-dir ,package-user-dir)
                          (package-initialize)
                          (dolist (command '(pi-ls pi-ls-ask pi-ls-ask-region pi-ls-mention pi-ls-mention-defun
                                             pi-ls-mention-diagnostics pi-ls-fix-at-point pi-ls-resume
                                             pi-ls-answer pi-ls-menu pi-ls-doctor))
                            (unless (autoloadp (symbol-function command)) (princ (format "no %s " command))))
                          (require 'pi-ls)
                          (princ (symbol-file 'pi-ls 'defun)))))
        (should (string-match-p "\\`.*/elpa/pi-ls-[0-9.]+/pi-ls\\.elc\\'" (buffer-string)))))))

(provide 'pi-ls-manual-tests)
;;; pi-ls-manual-tests.el ends here

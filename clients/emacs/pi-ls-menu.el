;;; pi-ls-menu.el --- Everything that pi can do, as a menu  -*- lexical-binding: t -*-

;; This file is part of pi-ls.

;;; Commentary:

;; `pi-ls-menu' has what is used every day.  From there, and with
;; `pi-ls-call', every command of the protocol can be sent: which there
;; are, and what they take, is in pi-ls-data.el.

;;; Code:

(require 'pi-ls-sessions)
(require 'transient)

(defun pi-ls-model ()
  "Choose the model."
  (interactive)
  (pi-ls--ask-after
   "pi/get_available_models" nil
   (lambda (result)
     (let ((models (append (plist-get result :models) nil)))
       (unless models (user-error "There are no models; see pi's documentation on providers"))
       (when-let* ((model (pi-ls--choose "Model: " models #'pi-ls--model-title #'pi-ls--model-note)))
         (pi-ls-request-here "pi/set_model" (list :provider (plist-get model :provider)
                                                  :modelId (plist-get model :id))))))))

(defun pi-ls--model-title (model)
  "What MODEL is called in a list."
  (format "%s/%s" (plist-get model :provider) (plist-get model :id)))

(defun pi-ls--model-note (model)
  "What is told beside the title of MODEL."
  (format "%s  %dk%s" (plist-get model :name) (/ (or (plist-get model :contextWindow) 0) 1000)
          (if (eq t (plist-get model :reasoning)) "  thinks" "")))

(defun pi-ls-thinking ()
  "Choose how much the model thinks."
  (interactive)
  (pi-ls--ask-after
   "pi/get_available_thinking_levels" nil
   (lambda (result)
     (when-let* ((level (pi-ls--choose "Thinking: " (append (plist-get result :levels) nil) #'identity)))
       (pi-ls-request-here "pi/set_thinking_level" (list :level level))))))

(defun pi-ls-queue ()
  "Take back the messages that wait in pi's queue, to edit them."
  (interactive)
  (pi-ls-request-here
   "pi/clear_queue" nil
   :then (lambda (queue)
           (message (if (pi-ls--give-back-queue queue) "Back in the prompt" "Nothing waits")))))

(defun pi-ls--toggle-mode (method queue)
  "Let METHOD set QUEUE, a key of `pi-ls-modes', to the mode that it has not."
  (let* ((modes (pi-ls-modes (pi-ls--the-connection)))
         (mode (if (equal (plist-get modes queue) "all") "one-at-a-time" "all")))
    (pi-ls-request-here method (list :mode mode)
                        :then (lambda (_)
                                (pi-ls--fetch-modes pi-ls--connection)
                                (message "Messages that wait are delivered %s"
                                         (if (equal mode "all") "all at once" "one at a time"))))))

(defun pi-ls-steering-mode ()
  "Deliver what waits to steer the agent all at once, or else one at a time."
  (interactive)
  (pi-ls--toggle-mode "pi/set_steering_mode" :steering))

(defun pi-ls-follow-up-mode ()
  "Deliver what waits to follow up all at once, or else one at a time."
  (interactive)
  (pi-ls--toggle-mode "pi/set_follow_up_mode" :followUp))

(defun pi-ls-restart ()
  "End pi and start it again on the same session."
  (interactive)
  (with-current-buffer (pi-ls--chat-buffer)
    (if (jsonrpc-running-p pi-ls--connection)
        (pi-ls-request pi-ls--connection "bridge/restart" nil
                       :then (lambda (_) (message "pi runs again")))
      (pi-ls-reconnect))))

(declare-function pi-ls-reconnect "pi-ls" ())

(defun pi-ls-log-show ()
  "Show the log of this conversation and what the bridge wrote to stderr."
  (interactive)
  (let* ((connection (pi-ls--the-connection))
         (errors (pi-ls--stderr connection)))
    (unless (string-empty-p errors)
      (pi-ls-log connection "stderr:\n%s" errors))
    (pop-to-buffer (pi-ls-log-buffer connection))))

;;;###autoload
(defun pi-ls-doctor ()
  "Check whether the bridge and pi can work here, and tell what is missing."
  (interactive)
  (let ((buffer (get-buffer-create "*pi doctor*"))
        (words (append (remove "--stdio" pi-ls-program) '("doctor")
                       (when-let* ((command (plist-get pi-ls-options :command)))
                         (list "--pi" (json-serialize command)))
                       (when-let* ((args (plist-get pi-ls-options :args)))
                         (cons "--" (append args nil))))))
    (with-current-buffer buffer
      (special-mode)
      (visual-line-mode)
      (let ((inhibit-read-only t)) (erase-buffer)))
    (if (executable-find (car words) t)
        (make-process :name "pi doctor" :buffer buffer :command words :file-handler t
                      :connection-type 'pipe :noquery t
                      :sentinel (lambda (process _)
                                  (unless (or (process-live-p process) (not (buffer-live-p buffer)))
                                    (with-current-buffer buffer
                                      (let ((inhibit-read-only t))
                                        (ansi-color-apply-on-region (point-min) (point-max)))))))
      (let ((report (pi-ls--doctor-without-bridge (car words))))
        (with-current-buffer buffer
          (let ((inhibit-read-only t)) (insert report)))))
    ;; What it is about stays in view.
    (display-buffer buffer '((display-buffer-reuse-window display-buffer-at-bottom)
                             (window-height . fit-window-to-buffer)))))

(defun pi-ls--doctor-without-bridge (program)
  "What can be told when there is no PROGRAM, the bridge, on the path."
  (concat
   (format "✗ There is no %s where Emacs looks for programs.\n" program)
   "  Install it: npm install -g pi-language-server\n"
   "  If it is installed, tell Emacs where: set `pi-ls-program', or add its folder to `exec-path'.\n"
   "  An Emacs that was not started from a shell often has another PATH than the shell.\n\n"
   (mapconcat (pcase-lambda (`(,name ,hint))
                (let ((file (executable-find name t)))
                  (format "%s %s: %s\n" (if file "✓" "✗") name (or file hint))))
              '(("node" "not found: Node 22.19 or newer is needed")
                ("npm" "not found: it comes with Node")
                ("pi" "not found: npm install -g @earendil-works/pi-coding-agent"))
              "")
   "\nLooked in" (if (file-remote-p default-directory) " on the remote machine" "") ":\n"
   (mapconcat (lambda (folder) (format "  %s\n" folder)) (exec-path) "")))


;;; Any command

(defun pi-ls--read-param (param)
  "Read a value for PARAM, an element of `:params' in `pi-ls-data-commands'.
Return it for JSON, or `none' if it is left out."
  (pcase-let* ((`(,name ,type ,required ,doc) param)
               (prompt (format "%s%s: " name (if required "" " (RET for none)")))
               (help-form doc))
    (pcase type
      ('boolean (if (y-or-n-p (format "%s (%s)? " name doc)) t :json-false))
      ((pred consp)
       (let ((value (completing-read prompt type nil t)))
         (if (string-empty-p value) 'none value)))
      (_ (let ((text (read-string prompt)))
           (cond ((string-empty-p text) (if required (if (eq type 'string) "" 'none) 'none))
                 ((eq type 'string) text)
                 ((eq type 'number) (string-to-number text))
                 (t (json-parse-string text :object-type 'plist :null-object nil
                                       :false-object :json-false))))))))

(defun pi-ls--read-params (spec)
  "Read the parameters of SPEC, an element of `pi-ls-data-commands'."
  (cl-loop for param in (plist-get (cdr spec) :params)
           for value = (pi-ls--read-param param)
           unless (eq value 'none)
           append (list (intern (format ":%s" (car param))) value)))

(defun pi-ls--method (spec)
  "The method of SPEC, of `pi-ls-data-commands' or `pi-ls-data-requests'."
  (let ((name (symbol-name (car spec))))
    (if (assq (car spec) pi-ls-data-commands) (concat "pi/" name) name)))

(defun pi-ls-call (name)
  "Send the command NAME, a symbol, to pi, and show what it returns.
The parameters are read in the minibuffer."
  (interactive
   (list (car (pi-ls--choose "Command: " (append pi-ls-data-commands pi-ls-data-requests)
                             (lambda (spec) (symbol-name (car spec)))
                             (lambda (spec) (plist-get (cdr spec) :summary))))))
  (let* ((spec (or (assq name pi-ls-data-commands) (assq name pi-ls-data-requests)))
         (params (pi-ls--read-params spec)))
    ;; What waits is for the session that these leave.
    (when (memq name '(new_session switch_session fork clone bridge/resume))
      (pi-ls--take-back-queue))
    (pi-ls-request-here (pi-ls--method spec) params
                        :then (lambda (result)
                                (when (memq name '(set_steering_mode set_follow_up_mode))
                                  (pi-ls--fetch-modes pi-ls--connection))
                                (pi-ls--show-result name result)))))

(defun pi-ls--show-result (name result)
  "Show RESULT of the command NAME: shortly, or in a buffer of its own."
  (if (null result)
      (message "%s: done" name)
    (let ((text (with-temp-buffer
                  (insert (json-serialize result :null-object nil :false-object :json-false))
                  (json-pretty-print-buffer)
                  (buffer-string))))
      (if (< (length text) 70)
          (message "%s: %s" name (replace-regexp-in-string "[\n ]+" " " text))
        (with-current-buffer (get-buffer-create (format "*pi %s*" name))
          (let ((inhibit-read-only t))
            (erase-buffer)
            (insert text)
            (js-json-mode)
            (view-mode)
            (goto-char (point-min)))
          (display-buffer (current-buffer)))))))


;;; The menu

(defun pi-ls--menu-state (&rest path)
  "What the state of the present conversation has at PATH, a list of keys."
  (ignore-errors
    (let ((value (pi-ls-state (pi-ls--the-connection))))
      (dolist (key path value) (setq value (plist-get value key))))))

(defun pi-ls--menu-mode (queue)
  "How QUEUE, a key of `pi-ls-modes', of the present conversation is delivered."
  (ignore-errors (plist-get (pi-ls-modes (pi-ls--the-connection)) queue)))

(defun pi-ls--menu-title ()
  "What the menu tells of the present conversation."
  (let ((session (pi-ls--menu-state :session)))
    (concat (propertize "pi " 'face 'transient-heading)
            (or (plist-get session :name) (plist-get session :cwd) "no conversation")
            (mapconcat (lambda (row)
                         (pcase-let ((`(,key ,what) row))
                           (let ((count (length (pi-ls--menu-state :queue key))))
                             (if (> count 0) (format "  %d %s" count what) ""))))
                       '((:steering "steering") (:followUp "following up"))))))

(defun pi-ls--menu-value (label value)
  "LABEL with VALUE, what it is at present."
  (concat label (if value (concat " " (propertize (format "%s" value) 'face 'transient-value)) "")))

;;;###autoload (autoload 'pi-ls-menu "pi-ls-menu" nil t)
(transient-define-prefix pi-ls-menu ()
  "What can be done with pi."
  [:description pi-ls--menu-title
   ["Agent"
    ("m" pi-ls-model :description
     (lambda () (pi-ls--menu-value "Model" (pi-ls--menu-state :model :id))))
    ("t" pi-ls-thinking :description
     (lambda () (pi-ls--menu-value "Thinking" (pi-ls--menu-state :thinkingLevel))))
    ("k" "Stop" pi-ls-abort)
    ("!" "Shell command" pi-ls-bash)
    ("q" "Take back the queue" pi-ls-queue)
    ("S" pi-ls-steering-mode :description
     (lambda () (pi-ls--menu-value "Steering" (pi-ls--menu-mode :steering))))
    ("F" pi-ls-follow-up-mode :description
     (lambda () (pi-ls--menu-value "Follow-up" (pi-ls--menu-mode :followUp))))
    ("y" pi-ls-answer :description
     (lambda () (pi-ls--menu-value "Answer" (let ((count (pi-ls--menu-state :dialogs)))
                                              (and count (> count 0) count)))))]
   ["Session"
    ("r" "Resume" pi-ls-resume)
    ("n" "New" pi-ls-new)
    ("N" pi-ls-rename :description
     (lambda () (pi-ls--menu-value "Name" (pi-ls--menu-state :session :name))))
    ("T" "Tree" pi-ls-tree)
    ("f" "Fork" pi-ls-fork)
    ("c" "Clone" pi-ls-clone)
    ("C" "Compact" pi-ls-compact)]
   ["Look"
    ("s" "Statistics" pi-ls-stats)
    ("d" "Diff of last run" pi-ls-diff-last-run)
    ("e" "Export" pi-ls-export)
    ("l" "Log" pi-ls-log-show)
    ("D" "Doctor" pi-ls-doctor)
    ("R" "Restart" pi-ls-restart)
    ("Q" "End" pi-ls-quit)
    (":" "All commands" pi-ls-all-commands)]])

(declare-function pi-ls-abort "pi-ls-prompt" ())
(declare-function pi-ls-answer "pi-ls-dialog" (&optional connection id))
(declare-function pi-ls-diff-last-run "pi-ls-context" ())
(declare-function pi-ls-quit "pi-ls" ())

(transient-define-prefix pi-ls-all-commands ()
  "Every command of the protocol."
  [:class transient-subgroups :setup-children pi-ls--all-children])

(defun pi-ls--all-children (_)
  "The groups of `pi-ls-all-commands', from the data of the protocol."
  (let ((taken nil) (columns nil))
    (dolist (spec (append pi-ls-data-commands pi-ls-data-requests))
      (let* ((group (plist-get (cdr spec) :group))
             (name (car spec))
             (key (pi-ls--free-key (symbol-name name) taken)))
        (push key taken)
        (push (list key (string-remove-prefix "bridge/" (symbol-name name))
                    (let ((command (intern (format "pi-ls-call:%s" name))))
                      (unless (fboundp command)
                        (defalias command (lambda () (interactive) (pi-ls-call name))
                          (plist-get (cdr spec) :summary)))
                      command))
              (alist-get group columns nil nil #'equal))))
    (mapcar (lambda (row)
              (transient-parse-suffix
               'pi-ls-all-commands
               (vconcat (mapcar (lambda (column) (vconcat (list (car column)) (reverse (cdr column)))) row))))
            (seq-partition (reverse columns) 4))))

(defun pi-ls--free-key (name taken)
  "A key of two letters for NAME that is not in TAKEN."
  (let* ((words (split-string (string-remove-prefix "bridge/" name) "[_./]"))
         (letters (mapcar (lambda (word) (substring word 0 1)) words))
         (first (if (string-prefix-p "bridge/" name) "b" (car letters))))
    (or (cl-loop for letter in (append (reverse (cdr letters))
                                       (mapcar #'char-to-string (append (string-join words) nil))
                                       (mapcar #'char-to-string "abcdefghijklmnopqrstuvwxyz"))
                 for key = (concat first letter)
                 unless (member key taken) return key)
        (error "No key for %s" name))))

(provide 'pi-ls-menu)
;;; pi-ls-menu.el ends here

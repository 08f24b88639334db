;;; pi-ls-sessions.el --- Sessions of pi: list, resume, tree, fork  -*- lexical-binding: t -*-

;; This file is part of pi-ls.

;;; Commentary:

;; Every command here is about the conversation of the current buffer
;; or project.  What must be known before it can ask is fetched first,
;; without waiting: the question comes with the answer.

;;; Code:

(require 'pi-ls-status)
(require 'iso8601)

(defun pi-ls--choose (prompt items label &optional annotate)
  "Let the user choose one of ITEMS with PROMPT; return it, or nil.
LABEL and ANNOTATE are functions from an item to a string."
  (let* ((table (make-hash-table :test #'equal))
         (labels (mapcar (lambda (item)
                           (let* ((label (funcall label item)) (unique label) (count 1))
                             (while (gethash unique table)
                               (setq unique (format "%s <%d>" label (cl-incf count))))
                             (puthash unique item table)
                             unique))
                         items)))
    (gethash
     (completing-read
      prompt
      (lambda (string predicate action)
        (if (eq action 'metadata)
            `(metadata (display-sort-function . identity) (cycle-sort-function . identity)
                       (annotation-function
                        . ,(lambda (label)
                             (let ((note (or (and annotate (funcall annotate (gethash label table))) "")))
                               (concat (propertize " " 'display '(space :align-to 62))
                                       (propertize note 'face 'completions-annotations))))))
          (complete-with-action action labels string predicate)))
      nil t)
     table)))

(defun pi-ls--ask-after (method params function)
  "Send METHOD with PARAMS to pi; FUNCTION, which asks, gets the result.
It is about the conversation that this buffer is about.  If the user
has gone on meanwhile, the question would take keys that are meant for
something else, and is not asked."
  (let ((keys num-nonmacro-input-events))
    (pi-ls-request-here
     method params
     :then (lambda (result)
             (let ((buffer (current-buffer)))
               ;; From a timer of its own: a question waits, and this
               ;; is within the handling of a message.
               (run-at-time
                0 nil
                (lambda ()
                  (if (or (/= keys num-nonmacro-input-events) (active-minibuffer-window))
                      (message "pi has answered %s; give the command again" method)
                    (let ((inhibit-quit nil))
                      (condition-case oops
                          (with-current-buffer buffer (funcall function result))
                        (quit (message "Quit"))
                        (error (message "%s" (error-message-string oops)))))))))))))

(defun pi-ls--age (timestamp)
  "How long ago TIMESTAMP, ISO 8601, was."
  (let ((seconds (float-time (time-since (encode-time (iso8601-parse timestamp))))))
    (cond ((< seconds 3600) (format "%2d min" (/ seconds 60)))
          ((< seconds 86400) (format "%2d h" (/ seconds 3600)))
          (t (format "%2d days" (/ seconds 86400))))))

;;;###autoload
(defun pi-ls-resume (&optional all)
  "Go on with a stored session of this project, or of any with ALL.
ALL is the prefix argument."
  (interactive "P")
  (unless (pi-ls--chat-here) (call-interactively #'pi-ls))
  (pi-ls--ask-after
   "bridge/list_sessions" (append '(:limit 500) (when all '(:all t)))
   (lambda (result)
     (let ((sessions (append (plist-get result :sessions) nil))
           (connection pi-ls--connection))
       (unless sessions (user-error "There are no stored sessions here"))
       (when-let* ((session (pi-ls--choose "Resume: " sessions #'pi-ls--session-title
                                           (lambda (session) (pi-ls--session-note session all)))))
         (pi-ls--take-back-queue)
         (pi-ls-request connection "bridge/resume" (list :file (plist-get session :file))
                        :then (lambda (state)
                                (pi-ls--take-state connection state)
                                (message "Resumed %s" (pi-ls--session-title session)))))))))

(defun pi-ls--session-title (session)
  "What SESSION is called in a list."
  (let ((first (plist-get session :firstMessage)))
    (truncate-string-to-width (or (plist-get session :name) (if (string-blank-p first) "(empty)" first))
                              58 nil nil "…")))

(defun pi-ls--session-note (session all)
  "What is told beside the title of SESSION; with ALL also where it belongs."
  (concat (pi-ls--age (plist-get session :modified))
          (when (plist-get session :messageCount)
            (format "  %d messages" (plist-get session :messageCount)))
          (when all (concat "  " (plist-get session :cwd)))
          (when (eq t (plist-get session :current)) "  (open)")))

(declare-function pi-ls "pi-ls" (&optional new))

(defun pi-ls--replaced (result)
  "Tell if RESULT of a command that replaces the session says that it did not."
  (when (eq t (plist-get result :cancelled))
    (message "pi: an extension refused, the session is unchanged")))

(defun pi-ls-new ()
  "Begin a new session in this conversation."
  (interactive)
  (pi-ls--take-back-queue)
  (pi-ls-request-here "pi/new_session" nil :then #'pi-ls--replaced))

(defun pi-ls-clone ()
  "Copy this session and go on in the copy."
  (interactive)
  (pi-ls--take-back-queue)
  (pi-ls-request-here "pi/clone" nil
                      :then (lambda (result)
                              (or (pi-ls--replaced result) (message "Going on in a copy")))))

(defun pi-ls--fork-from (entry)
  "Start a session before the message of the user in ENTRY, and edit that again."
  (pi-ls--take-back-queue)
  (pi-ls-request pi-ls--connection "pi/fork" (list :entryId entry)
                 :then (lambda (result)
                         (pi-ls--replaced result)
                         (when (plist-get result :text)
                           (pi-ls--give-back (list (plist-get result :text)))
                           (message "The message is in the prompt again")))))

(defun pi-ls-fork ()
  "Start a session from before one of the things that you said."
  (interactive)
  (pi-ls--ask-after
   "pi/get_fork_messages" nil
   (lambda (result)
     (let ((messages (reverse (append (plist-get result :messages) nil))))
       (unless messages (user-error "There is nothing to fork from"))
       (when-let* ((message (pi-ls--choose
                             "Fork before: " messages
                             (lambda (message) (pi-ls--first-line (plist-get message :text) 58)))))
         (pi-ls--fork-from (plist-get message :entryId)))))))

(defun pi-ls-fork-at-point ()
  "Start a session from before the turn at point, and edit what was said there."
  (interactive nil pi-ls-chat-mode)
  (let* ((at (if (get-text-property (point) 'pi-ls-turn) (point) (pi-ls--turn-before (point))))
         (entry (and at (get-text-property at 'pi-ls-turn))))
    (unless at (user-error "There is no turn here"))
    (if (stringp entry)
        (pi-ls--fork-from entry)
      ;; What was said since the session was opened: pi does not tell
      ;; the ids of entries, but their order is the same.
      (let ((later (cl-position-if (lambda (turn) (eq entry (get-text-property turn 'pi-ls-turn)))
                                   (pi-ls--turns))))
        (pi-ls-request
         pi-ls--connection "pi/get_fork_messages" nil
         :then (lambda (result)
                 (let* ((messages (plist-get result :messages))
                        (index (- (length messages) later 1)))
                   (unless (>= index 0) (user-error "pi cannot fork from there"))
                   (pi-ls--fork-from (plist-get (aref messages index) :entryId)))))))))

(defun pi-ls-rename (name)
  "Give this session NAME."
  (interactive (list (read-string "Name of the session: ")))
  (pi-ls-request-here "pi/set_session_name" (list :name name)))

(defun pi-ls-compact (instructions)
  "Replace the older part of the conversation by a summary.
INSTRUCTIONS say what it should keep in view; \"\" says nothing."
  (interactive (list (read-string "Keep in view (RET for nothing in particular): ")))
  (pi-ls-request-here "pi/compact"
                      (unless (string-blank-p instructions) (list :customInstructions instructions))))

(defun pi-ls-export (file)
  "Write the session as HTML to FILE on the machine of the agent."
  (interactive (list (read-file-name "Export to: " nil nil nil "session.html")))
  (pi-ls-request-here "pi/export_html" (list :outputPath (file-local-name (expand-file-name file)))
                      :then (lambda (result) (message "Wrote %s" (plist-get result :path)))))

(defun pi-ls-stats ()
  "Tell the tokens and the cost of this session."
  (interactive)
  (pi-ls-request-here
   "pi/get_session_stats" nil
   :then (lambda (stats)
           (let ((tokens (plist-get stats :tokens)))
             (message "%d messages, %d tool calls; %s tokens in, %s out, %s from cache; $%.4f"
                      (plist-get stats :totalMessages) (plist-get stats :toolCalls)
                      (plist-get tokens :input) (plist-get tokens :output)
                      (plist-get tokens :cacheRead) (plist-get stats :cost))))))


;;; The tree

(defvar-keymap pi-ls-tree-mode-map
  :doc "Keys of the tree of a session."
  :parent (make-composed-keymap pi-ls-common-map special-mode-map)
  "RET" #'pi-ls-tree-fork
  "n" #'next-line
  "p" #'previous-line
  "g" #'pi-ls-tree)

(define-derived-mode pi-ls-tree-mode special-mode "Pi-Tree"
  "The entries of a session as a tree.
\\[pi-ls-tree-fork] on something that you said starts a session from before it."
  :interactive nil
  (setq-local truncate-lines t)
  (hl-line-mode))

(defun pi-ls-tree ()
  "Show the tree of this session: every branch of the conversation."
  (interactive)
  (with-current-buffer (pi-ls--chat-buffer)
    (let ((chat (current-buffer)))
      (pi-ls--tree-pages
       pi-ls--connection nil nil
       (lambda (nodes leaf)
         (let ((buffer (get-buffer-create (string-replace "*pi" "*pi-tree" (buffer-name chat)))))
           (with-current-buffer buffer
             (pi-ls-tree-mode)
             (setq pi-ls--chat chat
                   pi-ls--connection (buffer-local-value 'pi-ls--connection chat))
             (let ((inhibit-read-only t))
               (erase-buffer)
               (pi-ls--insert-tree nodes leaf)))
           (pop-to-buffer buffer)))))))

(defun pi-ls--tree-pages (connection cursor nodes then)
  "Get the tree of CONNECTION from CURSOR on, after NODES; call THEN.
THEN gets all nodes and the id of the leaf."
  (pi-ls-request connection "bridge/tree" (append '(:limit 1000) (when cursor (list :cursor cursor)))
                 :then (lambda (page)
                         (let ((nodes (nconc nodes (append (plist-get page :nodes) nil))))
                           (if (plist-get page :cursor)
                               (pi-ls--tree-pages connection (plist-get page :cursor) nodes then)
                             (funcall then nodes (plist-get page :leafId)))))))

(defun pi-ls--insert-tree (nodes leaf)
  "Insert NODES, parents before children, as a tree; LEAF is the present end.
Only a branching indents: a long conversation stays readable."
  (let ((children (make-hash-table :test #'equal)) (depths (make-hash-table :test #'equal)))
    (dolist (node nodes)
      (cl-incf (gethash (plist-get node :parentId) children 0)))
    (dolist (node nodes)
      (let* ((parent (plist-get node :parentId))
             (depth (+ (gethash parent depths 0)
                       (if (and parent (> (gethash parent children 0) 1)) 1 0)))
             (role (or (plist-get node :role) (plist-get node :type)))
             (user (equal role "user")))
        (puthash (plist-get node :id) depth depths)
        (insert
         (propertize
          (concat (make-string (* 2 depth) ?\s)
                  (if (equal (plist-get node :id) leaf) "● " (if (eq t (plist-get node :active)) "│ " "  "))
                  (propertize (format "%-11s " role) 'face (if user 'bold 'shadow))
                  (propertize (string-replace "\n" " " (or (plist-get node :preview) ""))
                              'face (if (eq t (plist-get node :active)) 'default 'shadow))
                  (if (plist-get node :label) (format "  [%s]" (plist-get node :label)) "")
                  "\n")
          'pi-ls-entry (plist-get node :id) 'pi-ls-user user))))
    (goto-char (point-min))
    (when-let* ((match (text-property-search-forward 'pi-ls-entry leaf #'equal)))
      (goto-char (prop-match-beginning match)))))

(defun pi-ls-tree-fork ()
  "Start a session from before the message of the user at point."
  (interactive nil pi-ls-tree-mode)
  (unless (get-text-property (point) 'pi-ls-user) (user-error "Only what you said can be forked from"))
  (let ((entry (get-text-property (point) 'pi-ls-entry)) (chat pi-ls--chat))
    (quit-window)
    (with-current-buffer chat (pi-ls--fork-from entry))))

(provide 'pi-ls-sessions)
;;; pi-ls-sessions.el ends here

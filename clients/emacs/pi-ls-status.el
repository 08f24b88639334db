;;; pi-ls-status.el --- What is known of the agent, and its lines  -*- lexical-binding: t -*-

;; This file is part of pi-ls.

;;; Commentary:

;; The bridge tells the state of pi and of the run in one snapshot, which
;; the header lines, the mode lines and the tail of the transcript show.

;;; Code:

(require 'pi-ls-prompt)

(defcustom pi-ls-context-warning '(70 . 90)
  "From how many percent on the use of the context is a warning, and an error."
  :type '(cons natnum natnum)
  :group 'pi-ls)


;;; The state

(cl-defmethod pi-ls-handle-notification (connection (_m (eql bridge/state)) &rest state)
  "Let STATE be what is known of CONNECTION."
  (pi-ls--take-state connection state))

(defun pi-ls--take-state (connection state)
  "Let STATE be what is known of CONNECTION, and show it.
One that was left for another tells what it has lost, no more."
  (pi-ls--give-back-lost connection (plist-get state :lost))
  (if (eq connection pi-ls--connection)
      (pi-ls--show-new-state connection state)
    (setf (pi-ls-state connection) state)))

(defun pi-ls--show-new-state (connection state)
  "Let STATE be what is known of CONNECTION, that of the present transcript."
  (let ((before (plist-get (plist-get (pi-ls-state connection) :session) :id))
        (after (plist-get (plist-get state :session) :id))
        (ended (pi-ls--pid connection)))
    (setf (pi-ls-state connection) state)
    ;; A pi that dies settles nothing, and its answer does not go on.
    (unless (or (null ended) (eql ended (pi-ls--pid connection)))
      (pi-ls--changing
        (pi-ls--close-all)
        (pi-ls--note (or (plist-get (plist-get state :error) :message) "pi has ended") 'pi-ls-attention)))
    (set-process-query-on-exit-flag (jsonrpc--process connection) (pi-ls-running-p connection))
    ;; A bridge that has just started does not know it yet.
    (when-let* ((session (plist-get state :session)))
      (setq pi-ls--session-file (plist-get session :file)))
    (pi-ls--show-state connection)
    ;; An extension replaces the session without a word of its own.
    (when (and after (not (equal before after)))
      (pi-ls--fetch-modes connection)
      (pi-ls-reload))))

(defun pi-ls--pid (connection)
  "The process id of the pi of CONNECTION, or nil."
  (plist-get (plist-get (pi-ls-state connection) :pi) :pid))

(defun pi-ls--fetch-modes (connection)
  "Learn how the queues of CONNECTION are delivered, for the menu."
  (pi-ls-request connection "pi/get_state" nil
                 :then (lambda (state)
                         (setf (pi-ls-modes connection)
                               (list :steering (plist-get state :steeringMode)
                                     :followUp (plist-get state :followUpMode))))))


;;; The lines

(defun pi-ls--show-state (connection)
  "Show the state of CONNECTION in its header line and mode lines."
  (when (buffer-live-p (pi-ls-buffer connection))
    (with-current-buffer (pi-ls-buffer connection)
      (let ((process (pi-ls--activity connection)))
        (setq header-line-format (string-replace "%" "%%" (pi-ls--header connection))
              mode-line-process process)
        (with-current-buffer (pi-ls--prompt-buffer (current-buffer))
          (setq mode-line-process process
                header-line-format (pi-ls--prompt-header connection))))
      (pi-ls--update-tail)
      (force-mode-line-update t))))

(cl-defmethod pi-ls-handle-notification (connection (_m (eql pi/ui/setStatus))
                                                    &key statusKey statusText &allow-other-keys)
  "Show STATUSTEXT as what the extension STATUSKEY of CONNECTION does."
  (setf (alist-get statusKey (pi-ls-statuses connection) nil t #'equal)
        (and statusText (ansi-color-apply statusText)))
  (pi-ls--show-state connection))

(defun pi-ls--activity (connection)
  "What the agent of CONNECTION does, for the mode line."
  (let* ((state (pi-ls-state connection))
         (phase (plist-get state :phase)))
    (cond ((equal phase "ready")
           (pcase (plist-get state :activity)
             ("idle" nil)
             (activity (propertize (format ":%s" activity) 'face 'pi-ls-attention))))
          (t (propertize (format ":%s" (or phase "starting"))
                         'face (if (equal phase "failed") 'pi-ls-error 'pi-ls-notice))))))

(defun pi-ls--header (connection)
  "The header line for CONNECTION."
  (let* ((state (pi-ls-state connection))
         (usage (plist-get state :usage))
         (percent (plist-get usage :percent))
         (name (plist-get (plist-get state :session) :name))
         (model (plist-get state :model)))
    (concat
     " "
     (string-join
      (delq nil
            (append
             (list (propertize (or (plist-get model :id)
                                   (if (equal (plist-get state :phase) "ready") "no model"
                                     (or (plist-get state :phase) "starting…")))
                               'face 'bold 'help-echo (plist-get model :provider))
                   (plist-get state :thinkingLevel)
                   (when percent
                     (propertize (format "%.0f%% of %s" percent
                                         (pi-ls--short-number (plist-get usage :contextWindow)))
                                 'face (cond ((>= percent (cdr pi-ls-context-warning)) 'pi-ls-error)
                                             ((>= percent (car pi-ls-context-warning)) 'pi-ls-attention)
                                             (t nil))))
                   (let ((cost (plist-get usage :cost)))
                     (when (and cost (> cost 0)) (format "$%.2f" cost)))
                   (when name (propertize name 'face 'italic)))
             (mapcar #'cdr (pi-ls-statuses connection))))
      (propertize " · " 'face 'shadow)))))

(defun pi-ls--short-number (number)
  "NUMBER of tokens in a few characters."
  (cond ((null number) "?")
        ((>= number 1000000) (format "%gM" (/ (round number 100000) 10.0)))
        ((>= number 1000) (format "%dk" (/ number 1000)))
        (t (number-to-string number))))

(defun pi-ls--prompt-header (connection)
  "The header line of the prompt of CONNECTION."
  (substitute-command-keys
   (if (pi-ls-running-p connection)
       " \\<pi-ls-prompt-mode-map>\\[pi-ls-send] follow up  \\[pi-ls-steer] steer  \\[pi-ls-abort] stop"
     " \\<pi-ls-prompt-mode-map>\\[pi-ls-send] send  \\[pi-ls-menu] menu  TAB / @  ! shell")))

(provide 'pi-ls-status)
;;; pi-ls-status.el ends here

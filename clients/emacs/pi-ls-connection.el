;;; pi-ls-connection.el --- A JSON-RPC connection to pi-language-server  -*- lexical-binding: t -*-

;; This file is part of pi-ls.

;;; Commentary:

;; How to talk with the bridge, and nothing of what is shown: a
;; `jsonrpc-process-connection', requests that are answered later, and
;; the generic functions that every incoming message goes through.
;;
;; jsonrpc.el must answer a request as soon as its dispatcher returns.
;; A dialog of pi is answered by a person, so it is turned into a
;; notification that carries the request's id, before it is dispatched;
;; `pi-ls-reply' answers it at any time.

;;; Code:

(require 'jsonrpc)
(require 'cl-lib)
(require 'eieio)
(require 'url-util)
(require 'ansi-color)
(require 'pi-ls-data)

(defgroup pi-ls nil
  "The coding agent pi, through pi-language-server."
  :group 'tools
  :prefix "pi-ls-"
  :link '(url-link "https://pi.dev"))

(defcustom pi-ls-program '("pi-language-server" "--stdio")
  "The words that start the bridge, without a shell.
In a remote directory it is started on the remote machine."
  :type '(repeat string))

(defcustom pi-ls-options nil
  "What the bridge is told at its start, its `initializationOptions'.
A plist for JSON: `:command' and `:args' are vectors of strings,
`:env' is a plist, `:session' is \"new\", \"last\" or (:file FILE),
`:trust' is \"approve\" or \"no-approve\".  docs/PROTOCOL.md of the
bridge has them all."
  :type 'plist
  :safe nil)

(defcustom pi-ls-coalesce-ms 33
  "For how many milliseconds the bridge may gather pieces of an answer.
With nil each piece arrives by itself."
  :type '(choice natnum (const :tag "Do not gather" nil)))

(defcustom pi-ls-large-text (* 64 1024)
  "A result of a tool with more bytes is fetched only when it is unfolded."
  :type 'natnum)

(defcustom pi-ls-events-buffer-size 0
  "How much traffic is kept in the buffer of `jsonrpc-events-buffer'.
0 keeps none: pretty-printing a stream costs more than showing it."
  :type 'natnum)

(defclass pi-ls-connection (jsonrpc-process-connection)
  ((directory
    :initarg :directory :accessor pi-ls-directory
    :documentation "Where the agent works, as a directory name of Emacs.")
   (buffer
    :initarg :buffer :initform nil :accessor pi-ls-buffer
    :documentation "The transcript that shows the conversation.")
   (state
    :initform nil :accessor pi-ls-state
    :documentation "The latest `bridge/state', a plist.")
   (modes
    :initform nil :accessor pi-ls-modes
    :documentation "How pi's queues are delivered: (:steering MODE :followUp MODE).")
   (capabilities
    :initform nil :accessor pi-ls-capabilities
    :documentation "The `:capabilities' of the answer to `initialize'.")
   (dialogs
    :initform nil :accessor pi-ls-dialogs
    :documentation "The open dialogs, oldest first.")
   (last-id
    :initform nil :accessor pi-ls-last-id
    :documentation "The id of the request that was sent last.")
   (statuses
    :initform nil :accessor pi-ls-statuses
    :documentation "What extensions show in the status line: an alist.")
   (widgets
    :initform nil :accessor pi-ls-widgets
    :documentation "What extensions show at the prompt: an alist.")
   (given-back
    :initform nil :accessor pi-ls-given-back
    :documentation "The texts that pi had lost and the prompt has got back.")
   (closing
    :initform nil :accessor pi-ls-closing
    :documentation "Non-nil once the end was asked for."))
  :documentation "One bridge, which owns one pi and its conversation.")


;;; Incoming messages

(cl-defgeneric pi-ls-handle-notification (connection method &rest params)
  "Handle the notification METHOD, a symbol, with PARAMS on CONNECTION.
It is called with the transcript of CONNECTION current.  What it
returns is ignored; an error is logged and stops nothing else.")

(cl-defmethod pi-ls-handle-notification (_connection _method &rest _params)
  "Ignore METHOD: it is of a newer pi or bridge."
  nil)

(cl-defgeneric pi-ls-handle-request (connection method &rest params)
  "Answer the request METHOD, a symbol, with PARAMS on CONNECTION.
Return the result, or signal `jsonrpc-error'.  It must not wait for
the user.")

(cl-defmethod pi-ls-handle-request (_connection method &rest _params)
  "Refuse METHOD, which is unknown here."
  (jsonrpc-error :code -32601 :message (format "Emacs has no %s" method)))

(defun pi-ls--notified (connection method params)
  "Dispatch the notification METHOD with PARAMS of CONNECTION."
  (pi-ls--guarded connection method (pi-ls-buffer connection)
                  (lambda () (apply #'pi-ls-handle-notification connection method params))))

(defun pi-ls--guarded (connection what buffer function)
  "Call FUNCTION in BUFFER, if that still lives; it handles WHAT of CONNECTION.
Never signals: one bad message must not take the next ones with it."
  (when (buffer-live-p buffer)
    (condition-case oops
        (with-current-buffer buffer (funcall function))
      (error (pi-ls-log connection "%s failed: %s" what (error-message-string oops))))))

(defun pi-ls--requested (connection method params)
  "Answer the request METHOD with PARAMS of CONNECTION."
  (apply #'pi-ls-handle-request connection method params))

(cl-defmethod jsonrpc-convert-from-endpoint ((_ pi-ls-connection) message)
  "Make MESSAGE the notification pi-ls/dialog if it is the request of a dialog.
The id of the request is then the parameter `:pi-ls-id'."
  (let ((id (plist-get message :id))
        (method (plist-get message :method)))
    (if (and id method (string-prefix-p "pi/ui/" method))
        (list :jsonrpc "2.0" :method "pi-ls/dialog"
              :params (cl-list* :pi-ls-id id (plist-get message :params)))
      (cl-call-next-method))))

(cl-defmethod jsonrpc-connection-send :before ((connection pi-ls-connection)
                                               &key id method &allow-other-keys)
  "Remember the id of a request: jsonrpc.el does not tell it."
  (when (and id method)
    (setf (pi-ls-last-id connection) id)))


;;; Outgoing messages

(cl-defun pi-ls-request (connection method &optional params &key then else)
  "Send the request METHOD, a string, with PARAMS, a plist, to CONNECTION.
Return its id at once.  Later THEN is called with the result, or ELSE
with the error, a plist with `:code', `:message' and `:data'; without
ELSE the message is shown.  Both are called with the present buffer
current, and not at all if it has been killed.  There is no time
limit: an answer may wait for the user.  Signals `user-error' if
CONNECTION has ended."
  (unless (and connection (jsonrpc-running-p connection))
    (user-error "The agent is not connected (M-x pi-ls-reconnect)"))
  (let ((buffer (current-buffer)))
    (cl-flet ((later (function)
                (lambda (value)
                  (pi-ls--guarded connection method buffer
                                  (lambda () (funcall function value))))))
      (jsonrpc-async-request
       connection (intern method) params
       :timeout nil
       :success-fn (later (or then #'ignore))
       :error-fn (later (or else
                            (lambda (oops) (message "pi: %s" (plist-get oops :message)))))))
    (pi-ls-last-id connection)))

(defun pi-ls-reply (connection id result)
  "Answer the request ID of CONNECTION with RESULT."
  (when (jsonrpc-running-p connection)
    (jsonrpc-connection-send connection :id id :result result)))

(defun pi-ls-running-p (connection)
  "Whether the agent of CONNECTION is at work."
  (let ((activity (plist-get (pi-ls-state connection) :activity)))
    (not (member activity '(nil "idle")))))


;;; Life

(defun pi-ls-start (directory buffer initialized &optional options ended)
  "Start a bridge for the agent that works in DIRECTORY; return the connection.
BUFFER is its transcript.  INITIALIZED is called with the connection
when the bridge has answered `initialize'; pi itself may still be
starting, and requests wait for it.  OPTIONS, a plist, go before
`pi-ls-options'.  ENDED is called with the connection when the
bridge has ended.  Signals `user-error' if there is no bridge."
  (let* ((default-directory (file-name-as-directory directory))
         (name (pi-ls--free-name (format "pi-ls %s" (abbreviate-file-name directory)))))
    (pi-ls--check-program)
    (let ((connection
           (make-instance
            'pi-ls-connection
            :name name :directory default-directory :buffer buffer
            :events-buffer-config (list :size pi-ls-events-buffer-size :format 'full)
            :notification-dispatcher #'pi-ls--notified
            :request-dispatcher #'pi-ls--requested
            :on-shutdown (or ended #'ignore)
            :process (lambda () (pi-ls--process name)))))
      (jsonrpc-async-request
       connection 'initialize (pi-ls--initialize-params default-directory options)
       :timeout nil
       :success-fn (lambda (result)
                     (setf (pi-ls-capabilities connection) (plist-get result :capabilities))
                     (jsonrpc-notify connection 'initialized nil)
                     (pi-ls--guarded connection 'initialize buffer
                                     (lambda () (funcall initialized connection))))
       ;; An option is wrong, or the bridge has died at once.
       :error-fn (lambda (oops)
                   (pi-ls-log connection "%s" (plist-get oops :message))
                   (unless (pi-ls-closing connection)
                     (display-warning 'pi-ls (string-trim
                                              (format "%s\n%s" (or (plist-get oops :message) "no reason given")
                                                      (pi-ls--last-words connection)))
                                      :error))
                   (delete-process (jsonrpc--process connection))))
      connection)))

(defun pi-ls--free-name (name)
  "NAME, or one like it, that no running bridge has.
jsonrpc.el reads what a connection says in a buffer with its name."
  (let ((free name) (count 1))
    (while (get-buffer-process (format " *%s output*" free))
      (setq free (format "%s<%d>" name (cl-incf count))))
    free))

(defun pi-ls--stderr (connection)
  "What the bridge of CONNECTION wrote to stderr."
  (let ((buffer (jsonrpc-stderr-buffer connection)))
    (if (not (buffer-live-p buffer)) ""
      ;; What it wrote at its end is still on its way.
      (when-let* (((not (process-live-p (jsonrpc--process connection))))
                  (process (get-buffer-process buffer)))
        (cl-loop with end = (+ (float-time) 0.5)
                 while (and (process-live-p process) (< (float-time) end))
                 do (accept-process-output process 0.05 nil t)))
      (with-current-buffer buffer
        (ansi-color-filter-apply (string-trim-right (buffer-substring-no-properties (point-min) (point-max))))))))

(defun pi-ls--last-words (connection)
  "The last lines that the bridge of CONNECTION wrote to stderr."
  (string-join (last (split-string (pi-ls--stderr connection) "\n" t "[ \t\r]+") 8) "\n"))

(defun pi-ls--check-program ()
  "Signal `user-error' if the bridge cannot be found from `default-directory'."
  (unless (executable-find (car pi-ls-program) t)
    (user-error "There is no %s on %s: npm install -g pi-language-server, or see `pi-ls-program'"
                (car pi-ls-program)
                (if (file-remote-p default-directory) "the remote PATH" "the PATH of Emacs"))))

(defun pi-ls--process (name)
  "Start the bridge in `default-directory' as a process called NAME."
  (let* ((remote (file-remote-p default-directory))
         (process
          (make-process
           :name name
           :command (if remote
                        ;; TRAMP may give it a terminal, which would
                        ;; cut long lines, echo them and turn line ends.
                        (list "/bin/sh" "-c"
                              (concat "stty raw -echo >/dev/null 2>&1; echo pi-ls-ready; exec "
                                      (mapconcat #'shell-quote-argument pi-ls-program " ")))
                      pi-ls-program)
           :connection-type 'pipe
           :coding 'utf-8-emacs-unix
           :noquery t
           :stderr (get-buffer-create (format "*%s stderr*" name))
           :file-handler t)))
    ;; That it has ended is not among what it wrote.
    (when-let* ((errors (get-buffer-process (format "*%s stderr*" name))))
      (set-process-sentinel errors #'ignore))
    (when remote (pi-ls--await-ready process))
    process))

(defun pi-ls--await-ready (process)
  "Wait until the remote PROCESS has left the terminal's line mode.
Signals `user-error' if it does not within 20 seconds."
  (let ((output "") (end (+ (float-time) 20)))
    (set-process-filter process (lambda (_ text) (setq output (concat output text))))
    (while (not (string-search "pi-ls-ready" output))
      (unless (and (process-live-p process) (< (float-time) end))
        (delete-process process)
        (user-error "The bridge did not start: %s" (string-trim output)))
      (accept-process-output process 0.1))))

(defun pi-ls--initialize-params (directory options)
  "The parameters of `initialize' for an agent in DIRECTORY with OPTIONS."
  (let ((local (directory-file-name (file-local-name (expand-file-name directory)))))
    (list :processId (unless (file-remote-p directory) (emacs-pid))
          :clientInfo (list :name "Emacs" :version emacs-version)
          :rootUri (pi-ls-path-to-uri local)
          :capabilities
          (list :textDocument '(:synchronization (:dynamicRegistration :json-false)
                                :completion (:completionItem (:snippetSupport :json-false)))
                :experimental
                (list :pi (append
                           (list :events t
                                 :dialogs (vconcat pi-ls-data-dialogs)
                                 :largePayloads (list :above pi-ls-large-text))
                           (when pi-ls-coalesce-ms
                             (list :coalesce (list :ms pi-ls-coalesce-ms))))))
          ;; The first of equal keys is the one that counts.
          :initializationOptions
          (cl-loop with seen for (key value) on (append options pi-ls-options
                                                        '(:executeCommand :json-false))
                   by #'cddr
                   unless (memq key seen) append (list key value) and do (push key seen)))))

(defun pi-ls-path-to-uri (path)
  "The `file:' URI of PATH, a local file name."
  (concat "file://" (url-hexify-string path url-path-allowed-chars)))

(defun pi-ls-shutdown (connection)
  "Let CONNECTION end: its bridge stops pi and goes.
Returns at once; a bridge that does not obey loses its input."
  (setf (pi-ls-closing connection) t)
  (when (jsonrpc-running-p connection)
    (let ((process (jsonrpc--process connection)))
      (jsonrpc-async-request
       connection 'shutdown nil :timeout 5
       :success-fn (lambda (_)
                     (jsonrpc-notify connection 'exit nil)
                     (process-send-eof process))
       :error-fn #'ignore
       :timeout-fn (lambda () (delete-process process))))))


;;; Log

(defun pi-ls-log-buffer (connection)
  "The buffer with what CONNECTION had to report."
  (let ((buffer (get-buffer-create (format "*%s log*" (jsonrpc-name connection)))))
    (with-current-buffer buffer
      (unless (derived-mode-p 'special-mode)
        (special-mode)
        (buffer-disable-undo)))
    buffer))

(defun pi-ls-log (connection format &rest args)
  "Add a line to the log of CONNECTION: FORMAT with ARGS."
  (with-current-buffer (pi-ls-log-buffer connection)
    (let ((inhibit-read-only t))
      (save-excursion
        (goto-char (point-max))
        (insert (format-time-string "%T ") (apply #'format format args) "\n")))))

(cl-defmethod pi-ls-handle-notification (connection (_m (eql window/logMessage)) &rest params)
  "Keep the message in PARAMS in the log of CONNECTION."
  (pi-ls-log connection "%s" (plist-get params :message)))

(cl-defmethod pi-ls-handle-notification (connection (_m (eql window/showMessage)) &rest params)
  "Show the message in PARAMS, and keep it in the log of CONNECTION."
  (pi-ls-log connection "%s" (plist-get params :message))
  (message "pi: %s" (plist-get params :message)))

(provide 'pi-ls-connection)
;;; pi-ls-connection.el ends here

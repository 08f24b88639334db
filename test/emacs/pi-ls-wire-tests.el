;;; pi-ls-wire-tests.el --- Bytes, bursts, sizes, ends  -*- lexical-binding: t -*-

;;; Code:

(require 'pi-ls-test)
(require 'tramp)

(defmacro pi-ls-test-with-fake (words &rest body)
  "Run BODY in a transcript whose bridge is the fake one that plays WORDS."
  (declare (indent 1))
  `(pi-ls-test-in-sandbox
     (apply #'pi-ls-test-fake ,words)
     (let ((chat (pi-ls--new-chat default-directory)))
       (pi-ls--display chat)
       (with-current-buffer chat
         (pi-ls-test-wait (pi-ls-capabilities-known-p pi-ls--connection))
         ,@body))))

(defun pi-ls-capabilities-known-p (connection)
  "Whether CONNECTION is initialized."
  (null (jsonrpc--continuations connection)))

(defun pi-ls-test-framed (message)
  "MESSAGE, a plist, as bytes on the wire."
  (let ((json (encode-coding-string (json-serialize message :null-object nil) 'utf-8)))
    (format "Content-Length: %d\r\n\r\n%s" (string-bytes json) json)))

(ert-deftest pi-ls-wire-every-byte ()
  "Messages may be cut anywhere, within a header and within a character."
  (pi-ls-test-in-sandbox
    (let ((file (expand-file-name "bytes" pi-ls-test-root)))
      (with-temp-file file
        (set-buffer-multibyte nil)
        (dolist (text '("plain" "Grüße" "日本語" "🎉🎉" "end"))
          (insert (pi-ls-test-framed
                   `(:jsonrpc "2.0" :method "pi/message_start"
                              :params (:type "message_start" :message (:role "user" :content ,text)))))))
      (pi-ls-test-fake "bytes" file)
      (with-current-buffer (pi-ls--new-chat default-directory)
        (pi-ls-test-wait (pi-ls-capabilities-known-p pi-ls--connection))
        (jsonrpc-notify pi-ls--connection 'play nil)
        (pi-ls-test-wait (pi-ls-test-shows "^end"))
        (should (equal (split-string (pi-ls-test-text) "\n" t) '("plain" "Grüße" "日本語" "🎉🎉" "end")))))))

(ert-deftest pi-ls-wire-large-message ()
  "A message of a megabyte arrives whole."
  (pi-ls-test-with-chat nil
    (let ((text (concat "say: " (mapconcat (lambda (n) (format "line %d äöü %s" n (make-string 60 ?x)))
                                           (number-sequence 1 13000) "\\n"))))
      (should (> (string-bytes text) 1000000))
      (pi-ls--prompt text)
      (pi-ls-test-wait (pi-ls-test-shows "^line 13000 äöü") 60)
      (pi-ls-test-idle))))

(ert-deftest pi-ls-wire-bad-handler ()
  "A handler that signals stops nothing but itself, and is logged."
  (pi-ls-test-with-chat nil
    (let ((pi-ls-settled-hook (list (lambda () (error "Boom"))))
          (pi-ls-tool-functions (list (lambda (&rest _) (error "Bang")))))
      (pi-ls-test-say "say: before" "tool: bash {\"command\":\"true\"}" "say: after")
      (pi-ls-test-wait (pi-ls-test-shows "^after"))
      (pi-ls-test-idle)
      (with-current-buffer (pi-ls-log-buffer pi-ls--connection)
        (pi-ls-test-wait (and (string-search "Boom" (buffer-string)) (string-search "Bang" (buffer-string))))))))

(cl-defmethod pi-ls-handle-request (_c (_m (eql test/signals)) &rest _)
  "Signal what nobody expects."
  (car 'no-list))

(ert-deftest pi-ls-wire-bad-requests ()
  "Each request is answered, also one that is unknown here or whose handler signals."
  (pi-ls-test-with-chat nil
    (let ((sent nil))
      (cl-letf (((symbol-function 'process-send-string)
                 (let ((send (symbol-function 'process-send-string)))
                   (lambda (process text) (push text sent) (funcall send process text)))))
        (pcase-dolist (`(,method ,id ,code) '((test/signals 901 -32603) (of/the_future 902 -32601)))
          (jsonrpc-connection-receive pi-ls--connection
                                      (list :jsonrpc "2.0" :id id :method (symbol-name method) :params nil))
          (pi-ls-test-wait (cl-some (lambda (text)
                                      (and (string-search (format "\"id\":%d" id) text)
                                           (string-search (format "\"code\":%d" code) text)))
                                    sent)))))
    (pi-ls-test-run "say: fine")
    (should (pi-ls-test-shows "^fine"))))

(ert-deftest pi-ls-wire-unknown-messages ()
  "A newer bridge may say what is not known here."
  (pi-ls-test-with-chat nil
    (jsonrpc-connection-receive pi-ls--connection '(:jsonrpc "2.0" :method "pi/of_the_future" :params (:a 1)))
    (pi-ls-test-run "say: fine")
    (should (pi-ls-test-shows "^fine"))))

(defun pi-ls-test-idle-a-while ()
  "Do what Emacs does while nobody types: read output, run timers, redisplay."
  (if noninteractive (accept-process-output nil 0.005) (sit-for 0.005)))

(defmacro pi-ls-test-longest-stall (connection &rest body)
  "Run BODY; return the longest stall in seconds while CONNECTION brings something.
Emacs looks for keys before each time that it reads output.  So that is
the longest time from one reading to the next, redisplay and timers
included."
  (declare (indent 1))
  `(pi-ls-test--longest-stall ,connection (lambda () ,@body)))

(defun pi-ls-test--longest-stall (connection function)
  "Call FUNCTION; return the longest stall while CONNECTION brings something."
  (let* ((process (jsonrpc--process connection))
         (filter (process-filter process))
         (stall 0) (at (pi-ls-test-clock)))
    (cl-flet ((look () (let ((now (pi-ls-test-clock)))
                         (setq stall (max stall (- now at)) at now))))
      (set-process-filter process (lambda (process text) (look) (funcall filter process text)))
      (funcall function)
      (look)
      (set-process-filter process filter)
      stall)))

(defun pi-ls-test-flood (count discard &optional first)
  "Take COUNT deltas from a fake bridge; DISCARD them if non-nil.
FIRST is the delta before them.  Return (SECONDS . LONGEST-STALL)."
  (pi-ls-test-in-sandbox
    (apply #'pi-ls-test-fake "flood" (number-to-string count) "80" (ensure-list first))
    (let* ((chat (pi-ls--new-chat default-directory))
           (connection (buffer-local-value 'pi-ls--connection chat))
           (done nil) (stall 0) start)
      (pi-ls--display chat)
      (pi-ls-test-wait (pi-ls-capabilities-known-p connection))
      (setf (jsonrpc--notification-dispatcher connection)
            (lambda (connection method params)
              (unless discard (pi-ls--notified connection method params))
              (when (eq method 'pi/agent_settled) (setq done t))))
      (garbage-collect)
      (setq start (pi-ls-test-clock)
            stall (pi-ls-test-longest-stall connection
                    (jsonrpc-notify connection 'play nil)
                    (while (not done) (pi-ls-test-idle-a-while))))
      (unless discard
        (with-current-buffer chat
          (should (= (count-matches "lorem.*\n" (point-min) (point-max)) (1+ (/ count 12))))))
      (cons (- (pi-ls-test-clock) start) stall))))

(ert-deftest pi-ls-wire-flood ()
  "20,000 deltas, one message each, cost at most twice what a client takes that discards them."
  (let ((pi-ls-coalesce-ms nil))
    (let* ((discarded (pi-ls-test-flood 20000 t))
           (shown (pi-ls-test-flood 20000 nil)))
      (message "flood: discarded %.2f s (stall %.0f ms), shown %.2f s (stall %.0f ms), ratio %.2f"
               (car discarded) (* 1000 (cdr discarded)) (car shown) (* 1000 (cdr shown))
               (/ (car shown) (car discarded)))
      (should (<= (car shown) (* 2 (car discarded))))
      (should (pi-ls-test-no-stall-p (cdr shown) (cdr discarded))))))

(defun pi-ls-test-no-stall-p (shown discarded)
  "Whether a stall of SHOWN seconds is none.
The limit is 200 ms, unless the machine is so slow at the time that
already a client that discards everything stalls for DISCARDED."
  (< shown (max 0.2 (* 2 discarded))))

(ert-deftest pi-ls-wire-code ()
  "A block of code of 1,600 lines that streams is coloured without a stall."
  (let* ((pi-ls-coalesce-ms nil)
         (discarded (cl-loop repeat 2 minimize (cdr (pi-ls-test-flood 5000 t))))
         (shown (pi-ls-test-flood 20000 nil "```elisp\n(defun x ())\n")))
    (message "code: shown %.2f s (stall %.0f ms, %.0f ms when discarded)"
             (car shown) (* 1000 (cdr shown)) (* 1000 discarded))
    (should (pi-ls-test-no-stall-p (cdr shown) discarded))))

(ert-deftest pi-ls-wire-long-line ()
  "A line of a megabyte can be shown and read."
  (pi-ls-test-with-fake '("flood" "1" "1000000")
    (jsonrpc-notify pi-ls--connection 'play nil)
    (pi-ls-test-wait (> (buffer-size) 1000000))
    (let ((longest 0))
      (dolist (move (list #'ignore #'beginning-of-buffer #'next-line #'end-of-buffer #'ignore))
        (let ((at (pi-ls-test-clock)))
          (with-selected-window (get-buffer-window)
            (ignore-errors (funcall move))
            (redisplay t))
          (setq longest (max longest (- (pi-ls-test-clock) at)))))
      (message "line: at most %.0f ms to show a part of a line of 1 MB" (* 1000 longest))
      (should (< longest 0.2)))))

(defun pi-ls-test-clock ()
  "The seconds that Emacs has computed.
What other processes of the machine take is none of its business."
  (float-time (get-internal-run-time)))

(ert-deftest pi-ls-wire-real-stream ()
  "20,000 deltas of a real pi arrive without a stall."
  (pi-ls-test-with-chat nil
    (let* ((dispatcher (jsonrpc--notification-dispatcher pi-ls--connection))
           (discarded (progn
                        (setf (jsonrpc--notification-dispatcher pi-ls--connection)
                              (lambda (_ method _) (when (eq method 'pi/agent_settled) (setq pi-ls-test--settled t))))
                        (pi-ls-test-stream)))
           (pi-ls-settled-hook (list (lambda () (setq pi-ls-test--settled t))))
           (shown (progn
                    (setf (jsonrpc--notification-dispatcher pi-ls--connection) dispatcher)
                    (pi-ls-test-stream))))
      (message "stream: longest stall %.0f ms, %.0f ms when discarded" (* 1000 shown) (* 1000 discarded))
      (should (pi-ls-test-no-stall-p shown discarded))
      (should (= (how-many "word and word " (pi-ls-test-shows "^❯?.*deltas.*") (point-max)) 20000)))))

(defun pi-ls-test-stream ()
  "Let pi send 20,000 deltas, and return the longest stall in seconds."
  (setq pi-ls-test--settled nil)
  (garbage-collect)
  (pi-ls-test-longest-stall pi-ls--connection
    (pi-ls--prompt "deltas: 20000 x \"word and word \"")
    (while (not pi-ls-test--settled) (pi-ls-test-idle-a-while))))

(ert-deftest pi-ls-wire-append-is-constant ()
  "Appending costs the same at the end of a long transcript."
  (pi-ls-test-with-fake '("flood" "1" "10")
    (cl-flet ((cost ()
                (garbage-collect)
                (cl-loop
                 repeat 5 minimize
                 (car (benchmark-run 1
                       (dotimes (_ 2000)
                         (pi-ls-handle-notification
                          pi-ls--connection 'pi/message_update
                          :assistantMessageEvent '(:type "text_delta" :contentIndex 0 :delta "some words\n"))))))))
      (cost)
      (let ((short (cost)))
        (pi-ls--changing
          (dotimes (n 2000)
            (pi-ls--show-message (list :role "user" :content (format "question %d" n)))
            (pi-ls--show-message (list :role "assistant" :stopReason "stop"
                                       :content (vector (list :type "thinking" :thinking "hm")
                                                        (list :type "text" :text (make-string 400 ?x)))))))
        (let ((long (cost)))
          (message "append: %.1f µs, then %.1f µs" (* 500 short) (* 500 long))
          (should (< long (* 3 short))))))))

(defun pi-ls-test-write-session (file count)
  "Write a session of COUNT messages to FILE."
  (with-temp-file file
    (insert (json-serialize `(:type "session" :version 3 :id ,(format "long%d" count) :timestamp "2026-01-01T00:00:00.000Z"
                                    :cwd ,(directory-file-name default-directory)))
            "\n")
    (dotimes (n count)
      (insert (json-serialize
               `(:type "message" :id ,(format "e%07d" n) :parentId ,(if (= n 0) :null (format "e%07d" (1- n)))
                       :timestamp "2026-01-01T00:00:00.000Z"
                       :message ,(if (= 0 (% n 2))
                                     `(:role "user" :content ,(format "question %d" n) :timestamp 1767225600000)
                                   `(:role "assistant" :content [(:type "text" :text ,(format "answer %d\n\n```ts\nconst x = %d;\n```" n n))]
                                           :api "scripted" :provider "scripted" :model "script" :stopReason "stop"
                                           :usage (:input 1 :output 1 :cacheRead 0 :cacheWrite 0 :totalTokens 2
                                                          :cost (:input 0 :output 0 :cacheRead 0 :cacheWrite 0 :total 0))
                                           :timestamp 1767225600000))))
              "\n"))))

(defun pi-ls-test-open-session (count)
  "Open a session of COUNT messages; return the seconds until it is shown."
  (let ((file (expand-file-name (format "sessions/2026-01-01T00-00-00-000Z_long%d.jsonl" count) pi-ls-test-root)))
    (pi-ls-test-write-session file count)
    (let ((start (float-time)))
      (pi-ls-request pi-ls--connection "bridge/resume" (list :file file))
      (pi-ls-test-wait (pi-ls-test-shows (format "^answer %d" (1- count))))
      (redisplay)
      (- (float-time) start))))

(ert-deftest pi-ls-wire-long-session ()
  "A session of 5,000 messages is shown within a second, and read backwards."
  (pi-ls-test-with-chat nil
    (let* ((short (pi-ls-test-open-session 10))
           (long (pi-ls-test-open-session 5000)))
      (message "5000 messages: %.2f s until they are shown, 10 messages: %.2f s" long short)
      ;; The limit is a second, unless the machine is so slow at the time that ten take long.
      (should (< long (max 1 (* 4 short))))
      (should-not (pi-ls-test-shows "^question 100$"))
      ;; The reader stays where he is while more comes before.
      (goto-char (pi-ls-test-shows "^answer 4901"))
      (let ((text (buffer-substring (point) (pos-eol))))
        (pi-ls-earlier)
        (pi-ls-test-wait (pi-ls-test-shows "^answer 4801"))
        (should (equal text (buffer-substring (point) (pos-eol)))))
      (while pi-ls--older
        (let ((older pi-ls--older))
          (pi-ls-earlier)
          (pi-ls-test-wait (not (equal older pi-ls--older)))))
      (should (= (length (pi-ls--turns)) 2500))
      (goto-char (point-min))
      (should (looking-at "question 0$")))))

(ert-deftest pi-ls-wire-kill-emacs ()
  "Emacs may be killed while the agent runs: no process remains."
  (pi-ls-test-in-sandbox
    (with-temp-buffer
      (should
       (eql 0 (call-process
               (expand-file-name invocation-name invocation-directory) nil t nil "-Q" "--batch"
               "-L" (pi-ls-test-file "clients/emacs") "-L" (pi-ls-test-file "test/emacs") "-l" "pi-ls-test"
               "--eval"
               (prin1-to-string
                `(progn
                   (setq pi-ls-program ',pi-ls-program pi-ls-options ',pi-ls-options)
                   (with-current-buffer (pi-ls--new-chat ,default-directory)
                     (pi-ls-test-idle)
                     (pi-ls-test-say "say: begun" "tool: bash {\"command\":\"echo started; sleep 600\"}")
                     (pi-ls-test-wait (pi-ls-test-shows "^▸ bash echo started.*…"))
                     (princ "killing")
                     (kill-emacs 0)))))))
      (should (string-search "killing" (buffer-string))))
    (pi-ls-test-wait (null (pi-ls-test-pids)))))

(ert-deftest pi-ls-wire-tramp ()
  "On a remote machine the agent works there."
  (let* ((tramp-methods
          (cons '("pilstest" (tramp-login-program "/bin/sh") (tramp-login-args (("-i")))
                  (tramp-remote-shell "/bin/sh") (tramp-remote-shell-args ("-c")) (tramp-connection-timeout 20))
                tramp-methods))
         (tramp-default-host-alist (cons '("\\`pilstest\\'" nil "localhost") tramp-default-host-alist))
         (tramp-persistency-file-name nil)
         (tramp-remote-path (append (exec-path) '(tramp-own-remote-path)))
         (tramp-verbose 1)
         (tramp-allow-unsafe-temporary-files t))
    (pi-ls-test-in-sandbox
      (with-temp-file "cart.ts" (insert "const a = 1;\n"))
      (let* ((tramp-remote-process-environment
              (append (seq-take process-environment 6) tramp-remote-process-environment))
             (local default-directory)
             (default-directory (concat "/pilstest::" local))
             (chat (pi-ls--new-chat default-directory)))
        (with-current-buffer chat
          (pi-ls-test-idle)
          (pi-ls-test-run "tool: edit {\"path\":\"cart.ts\",\"edits\":[{\"oldText\":\"a = 1\",\"newText\":\"a = 2\"}]}"
                          "say: over TRAMP: äöü")
          (should (pi-ls-test-shows "^over TRAMP: äöü"))
          (should (file-remote-p (pi-ls--file "cart.ts")))
          (should (equal (plist-get (pi-ls-test-state :session) :cwd) (directory-file-name local)))
          (should (equal (with-temp-buffer (insert-file-contents (pi-ls--file "cart.ts")) (buffer-string))
                         "const a = 2;\n"))
          (kill-buffer)))
      (tramp-cleanup-all-connections))))

(provide 'pi-ls-wire-tests)
;;; pi-ls-wire-tests.el ends here

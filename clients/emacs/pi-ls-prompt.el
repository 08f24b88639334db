;;; pi-ls-prompt.el --- Where prompts for pi are written  -*- lexical-binding: t -*-

;; This file is part of pi-ls.

;;; Commentary:

;; The prompt is an ordinary buffer below the transcript.  What is
;; completed after / and @ comes from the bridge, which is told of the
;; text as a document in the language `pi-prompt'.

;;; Code:

(require 'pi-ls-chat)
(require 'dnd)
(require 'mailcap)

(defvar pi-ls-prompt-history nil
  "What was sent to pi, latest first.
Add it to `savehist-additional-variables' to keep it.")

(defvar pi-ls--drafts (make-hash-table :test #'equal)
  "The texts that were not sent when their prompts were killed, by directory.")

(defvar-local pi-ls--history-at nil "Which element of the history is shown, or nil.")
(defvar-local pi-ls--draft nil "The text that was there before the history was looked at.")
(defvar-local pi-ls--version nil "The version of the document as the bridge knows it, with its tick.")

(defcustom pi-ls-prompt-height 7
  "The lines of a window with a prompt."
  :type 'natnum
  :group 'pi-ls)

(defvar-keymap pi-ls-prompt-mode-map
  :doc "Keys of the prompt."
  :parent (make-composed-keymap pi-ls-common-map text-mode-map)
  "C-c C-c" #'pi-ls-send
  "C-c C-s" #'pi-ls-steer
  "C-c C-a" #'pi-ls-attach-image
  "C-c C-z" #'pi-ls-show-chat
  "TAB" #'completion-at-point
  "M-p" #'pi-ls-previous-prompt
  "M-n" #'pi-ls-next-prompt)

(define-derived-mode pi-ls-prompt-mode text-mode "Pi-Prompt"
  "Write a prompt for the coding agent pi.

\\{pi-ls-prompt-mode-map}"
  :interactive nil
  (setq-local dnd-protocol-alist (cons '("^file:" . pi-ls--dropped) dnd-protocol-alist))
  (visual-line-mode)
  (add-hook 'completion-at-point-functions #'pi-ls-completion-at-point nil t)
  (add-hook 'kill-buffer-hook #'pi-ls--keep-draft nil t)
  (when (fboundp 'yank-media-handler)
    (yank-media-handler "image/.*" #'pi-ls--yank-image)))

(defun pi-ls--prompt-buffer (chat)
  "The prompt of the transcript CHAT, made if there is none."
  (or (cl-loop for buffer in (buffer-list)
               when (eq chat (buffer-local-value 'pi-ls--chat buffer)) return buffer)
      (let ((directory (buffer-local-value 'default-directory chat)))
        (with-current-buffer (generate-new-buffer (string-replace "*pi" "*pi-prompt" (buffer-name chat)))
          (pi-ls-prompt-mode)
          (setq default-directory directory
                pi-ls--chat chat
                pi-ls--connection (buffer-local-value 'pi-ls--connection chat))
          (insert (gethash directory pi-ls--drafts ""))
          (remhash directory pi-ls--drafts)
          (current-buffer)))))

(defun pi-ls--keep-draft ()
  "Remember the text of a prompt that is killed."
  (unless (string-blank-p (buffer-string))
    (puthash default-directory (buffer-string) pi-ls--drafts)))

(defun pi-ls--give-back (texts)
  "Put TEXTS, which were not sent after all, into the prompt of this conversation.
What is being written there is kept, below them."
  (when texts
    (with-current-buffer (pi-ls--prompt-buffer (or pi-ls--chat (current-buffer)))
      (save-excursion
        (goto-char (point-min))
        (insert (string-join texts "\n\n"))
        (unless (eobp) (insert "\n\n"))))))


;;; Sending

(defun pi-ls-send ()
  "Send the prompt to pi; while pi runs, it follows when the run would end.
A line that begins with ! is a command for the shell, whose output
pi sees; with !! pi does not see it."
  (interactive nil pi-ls-prompt-mode)
  (pi-ls--send "followUp"))

(defun pi-ls-steer ()
  "Send the prompt to pi; while pi runs, it gets it after the present turn."
  (interactive nil pi-ls-prompt-mode)
  (pi-ls--send "steer"))

(defun pi-ls--send (behavior)
  "Send what is in the prompt; BEHAVIOR is for a pi that runs."
  (let* ((images (pi-ls--images))
         (text (string-trim (pi-ls--text-without-images)))
         (chat pi-ls--chat))
    (when (and (string-empty-p text) (null images)) (user-error "There is nothing to send"))
    (with-current-buffer chat
      (if (string-prefix-p "!" text)
          (pi-ls-bash (string-trim (string-trim-left text "!+")) (string-prefix-p "!!" text))
        (pi-ls--prompt text behavior images)))
    (setq pi-ls-prompt-history (cons text (delete text pi-ls-prompt-history))
          pi-ls--history-at nil)
    (erase-buffer)
    (when-let* ((window (get-buffer-window chat)))
      (set-window-point window (with-current-buffer chat (point-max))))))

(defun pi-ls--prompt (text &optional behavior images)
  "Send TEXT with IMAGES to pi from the transcript; BEHAVIOR as in pi/prompt.
A text that pi refuses comes back to the prompt."
  (pi-ls-request
   pi-ls--connection "pi/prompt"
   (append (list :message text
                 ;; Without a run pi ignores it, and whether one has
                 ;; just ended is not known here.
                 :streamingBehavior (or behavior "followUp"))
           (when images (list :images (vconcat images))))
   :then (lambda (_) (pi-ls--sent text))
   :else (lambda (oops)
           (pi-ls--sent text)
           (pi-ls--give-back (list text))
           (pi-ls--changing (pi-ls--note (plist-get oops :message) 'pi-ls-error))
           (message "pi: %s" (plist-get oops :message))))
  (setq pi-ls--sending (append pi-ls--sending (list text)))
  (pi-ls--update-tail))

(defun pi-ls--sent (text)
  "Do not show TEXT as on its way any more."
  (setq pi-ls--sending (delete text pi-ls--sending))
  (pi-ls--update-tail))

(defun pi-ls-abort ()
  "Stop pi, and take back what waits in its queue."
  (interactive)
  (with-current-buffer (or pi-ls--chat (current-buffer))
    (let ((connection pi-ls--connection))
      (cl-flet ((stop () (pi-ls-request connection "pi/abort")
                      (pi-ls-request connection "pi/abort_bash")))
        (pi-ls-request
         connection "pi/clear_queue" nil
         :then (lambda (queue)
                 (pi-ls--give-back (append (plist-get queue :steering) (plist-get queue :followUp) nil)))
         ;; An old pi has no such command: its queue stays.
         :else #'ignore)
        (stop)))))

(defun pi-ls-bash (command &optional hidden)
  "Run the shell COMMAND where pi works, and show its output.
pi sees it with the next prompt, unless HIDDEN (interactively, the
prefix argument) is non-nil."
  (interactive (list (read-shell-command "Shell command for pi: ") current-prefix-arg))
  (with-current-buffer (pi-ls--chat-buffer)
    (let* ((key nil)
           (id (pi-ls-request
                pi-ls--connection "pi/bash"
                (append (list :command command) (when hidden '(:excludeFromContext t)))
                :then (lambda (result) (pi-ls--bash-ended key command result))
                :else (lambda (oops)
                        (pi-ls--bash-ended key command (list :output (plist-get oops :message) :exitCode "?"))))))
      (setq key (cons 'bash id))
      (pi-ls--changing
        (pi-ls--open key 'bash (pi-ls--bash-heading command nil nil) :folded nil)))))

(defun pi-ls--bash-ended (key command result)
  "Show RESULT of COMMAND of the user, in the block under KEY."
  (when-let* ((block (gethash key pi-ls--blocks)))
    (pi-ls--changing
      (when (= (pi-ls--block-body block) (pi-ls--block-end block))
        (pi-ls--append block (plist-get result :output) 'font-lock-face 'pi-ls-output))
      (pi-ls--newline block)
      (pi-ls--retitle block (pi-ls--bash-heading command (plist-get result :exitCode)
                                                 (eq t (plist-get result :cancelled))))
      (pi-ls--release key))))

(cl-defmethod pi-ls-handle-notification (_c (_m (eql pi/bash_execution_update))
                                            &key id delta &allow-other-keys)
  "Show DELTA of the output of the command that the request ID runs."
  (when-let* ((block (gethash (cons 'bash id) pi-ls--blocks)))
    (pi-ls--changing
      (pi-ls--append block (ansi-color-filter-apply delta) 'font-lock-face 'pi-ls-output))))

(cl-defmethod pi-ls-handle-notification (_c (_m (eql pi/ui/set_editor_text)) &key text &allow-other-keys)
  "Put TEXT of an extension into the prompt."
  (with-current-buffer (pi-ls--prompt-buffer (current-buffer))
    (unless (string-blank-p (buffer-string))
      (push (buffer-string) pi-ls-prompt-history))
    (erase-buffer)
    (insert text)))

(declare-function pi-ls-show-chat "pi-ls" ())


;;; History

(defun pi-ls-previous-prompt (&optional count)
  "Replace the prompt by the one sent before it, COUNT times."
  (interactive "p" pi-ls-prompt-mode)
  (let* ((at (+ (or pi-ls--history-at -1) (or count 1))))
    (cond ((>= at (length pi-ls-prompt-history)) (user-error "No earlier prompt"))
          ((< at -1) (user-error "No later prompt"))
          (t (unless pi-ls--history-at (setq pi-ls--draft (buffer-string)))
             (erase-buffer)
             (insert (if (= at -1) (or pi-ls--draft "") (nth at pi-ls-prompt-history)))
             (setq pi-ls--history-at (and (>= at 0) at))))))

(defun pi-ls-next-prompt (&optional count)
  "Replace the prompt by the one sent after it, COUNT times.
After the last one comes what was being written."
  (interactive "p" pi-ls-prompt-mode)
  (pi-ls-previous-prompt (- (or count 1))))


;;; Completion

(defun pi-ls-completion-at-point ()
  "Complete the slash command or the mention at point, as the bridge knows it."
  (when-let* ((connection pi-ls--connection)
              ((jsonrpc-running-p connection))
              ((plist-get (pi-ls-capabilities connection) :completionProvider))
              (from (save-excursion
                      (skip-chars-backward "^ \t\n")
                      (and (or (eq (char-after) ?@)
                               (and (eq (char-after) ?/) (bobp)))
                           (point)))))
    (let ((cache nil))
      (list from (point)
            (lambda (string predicate action)
              (pcase action
                ('metadata '(metadata (category . pi-ls) (display-sort-function . identity)
                                      (cycle-sort-function . identity)))
                (`(boundaries . ,_) nil)
                (_ (unless (equal string (car cache))
                     (setq cache (cons string (pi-ls--complete connection))))
                   (pcase action
                     ('t (cdr cache))
                     ;; Any match is one, whatever it begins with.
                     ('nil (and (cdr cache) string))
                     (_ (complete-with-action action (cdr cache) string predicate))))))
            :annotation-function
            (lambda (candidate)
              (when-let* ((detail (get-text-property 0 'pi-ls-detail candidate)))
                (concat "  " (truncate-string-to-width detail 60 nil nil "…"))))
            :exclusive 'no))))

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
                                  :timeout 5 :cancel-on-input non-essential)))
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


;;; Images

(defun pi-ls--images ()
  "The images of the prompt, as pi wants them."
  (let ((remote (file-remote-p default-directory)) images)
    (save-excursion
      (goto-char (point-min))
      (let (match)
        (while (setq match (text-property-search-forward 'pi-ls-image))
          (let ((file (prop-match-value match)))
            (push (if (equal remote (file-remote-p file))
                      (list :type "image" :path (file-local-name (expand-file-name file)))
                    (list :type "image" :mimeType (pi-ls--image-type file)
                          :data (with-temp-buffer
                                  (set-buffer-multibyte nil)
                                  (insert-file-contents-literally file)
                                  (base64-encode-region (point-min) (point-max) t)
                                  (buffer-string))))
                  images)))))
    (nreverse images)))

(defun pi-ls--image-type (file)
  "The media type of the image FILE."
  (mailcap-extension-to-mime (or (file-name-extension file) "png")))

(defun pi-ls--text-without-images ()
  "The text of the prompt without the marks of its images."
  (let ((text (buffer-string)))
    (with-temp-buffer
      (insert text)
      (goto-char (point-min))
      (let (match)
        (while (setq match (text-property-search-forward 'pi-ls-image))
          (delete-region (prop-match-beginning match) (prop-match-end match))))
      (buffer-substring-no-properties (point-min) (point-max)))))

(defun pi-ls-attach-image (file)
  "Send the image FILE with the prompt, while its mark stands there."
  (interactive (list (read-file-name "Image: " nil nil t)) pi-ls-prompt-mode)
  (unless (string-match-p "\\`image/" (or (pi-ls--image-type file) "")) (user-error "%s is no image" file))
  (insert (propertize (format "[image %s]" (file-name-nondirectory file))
                      'pi-ls-image (expand-file-name file) 'font-lock-face 'link
                      'rear-nonsticky t)
          " "))

(defun pi-ls--yank-image (type data)
  "Attach the image DATA of TYPE from the clipboard."
  (let ((file (make-temp-file "pi-ls-" nil (concat "." (car (last (split-string (symbol-name type) "/")))))))
    (let ((coding-system-for-write 'binary)) (write-region data nil file nil 'silent))
    (pi-ls-attach-image file)))

(defun pi-ls--dropped (uri _action)
  "Attach the image, or mention the file, of URI that was dropped."
  (let ((file (dnd-get-local-file-name uri t)))
    (if (string-match-p "\\`image/" (or (pi-ls--image-type (or file "")) ""))
        (pi-ls-attach-image file)
      (insert "@" (pi-ls--mention file) " "))
    'private))

(defun pi-ls--mention (file &optional from to)
  "The mention of FILE, from line FROM to line TO, without the @."
  (let* ((local (file-local-name (expand-file-name file)))
         (root (file-local-name (expand-file-name default-directory))))
    (concat (if (string-prefix-p root local) (file-relative-name local root) local)
            (cond ((null from) "")
                  ((or (null to) (= from to)) (format "#L%d" from))
                  (t (format "#L%d-%d" from to))))))

(provide 'pi-ls-prompt)
;;; pi-ls-prompt.el ends here

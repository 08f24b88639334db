;;; pi-ls-image.el --- Images and files that go with a prompt  -*- lexical-binding: t -*-

;; This file is part of pi-ls.

;;; Commentary:

;; An image stands in the prompt as a mark.  It is sent as long as its
;; mark stands there: by its path, or as data where the agent has no
;; such file.

;;; Code:

(require 'pi-ls-chat)
(require 'dnd)
(require 'mailcap)
(require 'text-property-search)

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
      (insert (pi-ls--mention file) " "))
    'private))

(defun pi-ls--mention (file &optional from to)
  "The mention of FILE, from line FROM to line TO, as pi understands it."
  (let* ((local (file-local-name (expand-file-name file)))
         (root (file-local-name (expand-file-name default-directory)))
         (path (if (string-prefix-p root local) (file-relative-name local root) local)))
    (concat (format (if (string-match-p "[[:space:]]" path) "@\"%s\"" "@%s") path)
            (cond ((null from) "")
                  ((or (null to) (= from to)) (format "#L%d" from))
                  (t (format "#L%d-%d" from to))))))

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

(provide 'pi-ls-image)
;;; pi-ls-image.el ends here

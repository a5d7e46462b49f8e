import type { TargetedClipboardEvent, TargetedDragEvent } from 'preact'
import { useServices } from '../services/services.ts'
import { isImageType } from '../ui/attachment-content.tsx'
import { attachmentMarkdown } from '../ui/parse-markdown.ts'
import { useFileDrop } from '../ui/use-file-drop.ts'

/** Makes the panel accept dropped files. Without the extensions it accepts none. */
export function useAttachmentDrop(assignmentId: string) {
  const { configuration, files } = useServices()
  const upload = (dropped: FileList) => {
    for (const file of dropped) void files.upload(assignmentId, file)
  }
  return useFileDrop(configuration.extensions ? upload : undefined)
}

/**
 * Makes a Markdown field accept pasted and dropped files. Each is uploaded, and then shown or linked at the
 * caret.
 */
export function useFileInsertion(assignmentId: string) {
  const { configuration, files } = useServices()
  if (!configuration.extensions) return {}
  const insertFiles = (field: HTMLTextAreaElement, added: FileList) => {
    for (const file of added)
      void files.upload(assignmentId, file).then((stored) => {
        if (stored) insertAtCaret(field, attachmentMarkdown(stored.id, stored.name, isImageType(stored.type)))
      })
  }
  return {
    onPaste(event: TargetedClipboardEvent<HTMLTextAreaElement>) {
      const { clipboardData, currentTarget } = event
      // Office programs also copy a picture of a text. In this case, only the text is pasted.
      if (!clipboardData?.files.length || clipboardData.types.includes('text/plain')) return
      event.preventDefault()
      insertFiles(currentTarget, clipboardData.files)
    },
    onDrop(event: TargetedDragEvent<HTMLTextAreaElement>) {
      if (!event.dataTransfer?.files.length) return
      event.preventDefault()
      insertFiles(event.currentTarget, event.dataTransfer.files)
    },
  }
}

/**
 * Inserts the text as if it were typed. If the field was closed or has no room, the file is only in the list
 * of attachments.
 */
function insertAtCaret(field: HTMLTextAreaElement, text: string): void {
  const { value, selectionEnd, maxLength } = field
  const gap = /\S$/.test(value.slice(0, selectionEnd)) ? ' ' : ''
  if (!field.isConnected || value.length + gap.length + text.length > maxLength) return
  field.setRangeText(gap + text, selectionEnd, selectionEnd, 'end')
  field.dispatchEvent(new Event('input', { bubbles: true }))
}

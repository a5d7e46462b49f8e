import type { TargetedClipboardEvent, TargetedDragEvent } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { useServices } from '../services/services.ts'
import { isImageType } from '../ui/files.tsx'
import { attachmentMarkdown, createTick, type Task } from '../ui/parse-markdown.ts'

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

type Change = (text: string) => string | undefined

/**
 * Ticks tasks in a stored text. Each tick is shown at once, and ticks are saved one after the other. After an
 * error, the stored text is shown again.
 */
export function useTicks(stored: string, save: (change: Change, ticked: string) => Promise<void>) {
  const [unsaved, setUnsaved] = useState<readonly Change[]>([])
  const lastSave = useRef(Promise.resolve())
  const text = unsaved.reduce((shown, change) => change(shown) ?? shown, stored)
  const tick = (task: Task) => {
    const change = createTick(text, task)
    setUnsaved((all) => [...all, change])
    lastSave.current = lastSave.current
      .then(() => save(change, change(text) ?? text))
      .then(() => setUnsaved((all) => all.filter((other) => other !== change)))
  }
  return { text, tick }
}

import type { TargetedDragEvent } from 'preact'
import { useState } from 'preact/hooks'

const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') ?? false

/** Makes an element accept dropped files. Without `onFiles` it accepts none. */
export function useFileDrop(onFiles: ((files: FileList) => void) | undefined) {
  const [isOver, setOver] = useState(false)
  if (onFiles === undefined) return { isOver: false, handlers: {} }
  const handlers = {
    onDragOver(event: TargetedDragEvent<HTMLElement>) {
      if (!hasFiles(event)) return
      // Permits the drop. By default, the browser would open the file.
      event.preventDefault()
      setOver(true)
    },
    onDragLeave({ currentTarget, relatedTarget }: TargetedDragEvent<HTMLElement>) {
      // The event also comes when the pointer moves to an element inside.
      if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setOver(false)
    },
    onDrop(event: TargetedDragEvent<HTMLElement>) {
      setOver(false)
      // `defaultPrevented` means that a text field inside has accepted the files.
      if (!hasFiles(event) || event.defaultPrevented) return
      event.preventDefault()
      if (event.dataTransfer) onFiles(event.dataTransfer.files)
    },
  }
  return { isOver, handlers }
}

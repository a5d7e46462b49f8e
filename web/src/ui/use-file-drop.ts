import type { TargetedDragEvent } from 'preact'
import { useState } from 'preact/hooks'

const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') ?? false

/** Lets an element take dropped files. Without `onFiles` it takes none. */
export function useFileDrop(onFiles: ((files: FileList) => void) | undefined) {
  const [isOver, setOver] = useState(false)
  if (onFiles === undefined) return { isOver: false, handlers: {} }
  const handlers = {
    onDragOver(event: TargetedDragEvent<HTMLElement>) {
      if (!hasFiles(event)) return
      event.preventDefault()
      setOver(true)
    },
    onDragLeave({ currentTarget, relatedTarget }: TargetedDragEvent<HTMLElement>) {
      if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setOver(false)
    },
    onDrop(event: TargetedDragEvent<HTMLElement>) {
      setOver(false)
      if (!hasFiles(event) || event.defaultPrevented) return
      event.preventDefault()
      if (event.dataTransfer) onFiles(event.dataTransfer.files)
    },
  }
  return { isOver, handlers }
}

import type { TargetedDragEvent } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { sentenceOf } from '../api/problems.ts'
import { saveFile } from '../services/files.ts'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { Dialog } from './dialog.tsx'
import { Icon } from './icon.tsx'

/**
 * Returns whether files of this type are shown. The server detects these images by their bytes, and none can
 * contain scripts.
 */
export const isImageType = (type: string): boolean => /^image\/(png|jpeg|gif|webp|avif)$/.test(type)

interface AttachmentProps {
  readonly id: string
  readonly name: string
}

export function useSaveAttachment({ id, name }: AttachmentProps): () => void {
  const { files, toasts } = useServices()
  return () =>
    void files.download(id).then(
      (content) => saveFile(name, content),
      (error) => toasts.show({ kind: 'problem', text: sentenceOf(error) }),
    )
}

/** A link in a text that downloads the file. */
export function AttachmentLink({ id, name }: AttachmentProps) {
  const save = useSaveAttachment({ id, name })
  return (
    <button type="button" class="link-button" title={t('Download {name}', { name })} onClick={save}>
      {name}
    </button>
  )
}

/**
 * An image in a fixed box, so that nothing moves when it is loaded. A click shows it as large as the window
 * allows.
 */
export function AttachmentImage({
  id,
  name,
  isSmall = false,
}: AttachmentProps & { readonly isSmall?: boolean }) {
  const { url, isMissing } = useImage(id)
  const [isLarge, setLarge] = useState(false)
  const save = useSaveAttachment({ id, name })
  if (isMissing && isSmall) return <FileMark />
  if (isMissing) return <span class="quiet-text">{t('The image {name} cannot be shown.', { name })}</span>
  return (
    <>
      <button
        type="button"
        class={`attachment-image ${isSmall ? 'small' : ''}`}
        aria-label={t('Show {name}', { name })}
        aria-busy={url === undefined}
        onClick={() => url && setLarge(true)}
      >
        {url && <img src={url} alt="" />}
      </button>
      {isLarge && (
        <Dialog title={name} onClose={() => setLarge(false)}>
          <img class="image-large" src={url} alt={name} />
          <button type="button" class="button" onClick={save}>
            <Icon name="download" />
            <span>{t('Download')}</span>
          </button>
        </Dialog>
      )}
    </>
  )
}

export const FileMark = () => (
  <span class="attachment-icon">
    <Icon name="file" />
  </span>
)

/**
 * Downloads an image, because an `<img>` could not send the access token. It is requested again after an
 * outage if it could not be loaded.
 */
function useImage(attachmentId: string): { readonly url?: string; readonly isMissing: boolean } {
  const { files, isReachable } = useServices()
  const [url, setUrl] = useState<string>()
  const [isMissing, setMissing] = useState(false)
  const isOnline = isReachable.value
  useEffect(() => {
    if (url !== undefined) return
    const controller = new AbortController()
    files.download(attachmentId, controller.signal).then(
      (content) => {
        if (controller.signal.aborted) return
        const isImage = isImageType(content.type)
        setMissing(!isImage)
        if (isImage) setUrl(URL.createObjectURL(content))
      },
      () => controller.signal.aborted || setMissing(true),
    )
    return () => controller.abort()
  }, [files, attachmentId, isOnline])
  useEffect(() => () => void (url && URL.revokeObjectURL(url)), [url])
  return { ...(url && { url }), isMissing }
}

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

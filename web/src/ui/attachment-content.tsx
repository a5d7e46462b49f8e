import { useEffect, useState } from 'preact/hooks'
import { sentenceOf } from '../api/problems.ts'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { Dialog } from './dialog.tsx'
import { Icon } from './icon.tsx'
import { saveFile } from './save-file.ts'

/** The types that the server finds in the bytes of images without scripts. Others are only saved. */
export const isImageType = (type: string): boolean => /^image\/(png|jpeg|gif|webp|avif)$/.test(type)

interface AttachmentProps {
  readonly id: string
  readonly name: string
}

/** Returns a function that downloads a file and saves it. */
export function useSaveAttachment({ id, name }: AttachmentProps): () => void {
  const { files, toasts } = useServices()
  return () =>
    void files.download(id).then(
      (content) => saveFile(name, content),
      (error) => toasts.show({ kind: 'problem', text: sentenceOf(error) }),
    )
}

/** A file in a text. */
export function AttachmentLink({ id, name }: AttachmentProps) {
  const save = useSaveAttachment({ id, name })
  return (
    <button type="button" class="link-button" title={t('Download {name}', { name })} onClick={save}>
      {name}
    </button>
  )
}

/** An image in a fixed box, so that nothing moves when it arrives. A click shows it as large as the window allows. */
export function AttachmentImage({
  id,
  name,
  isSmall = false,
}: AttachmentProps & { readonly isSmall?: boolean }) {
  const image = useImage(id)
  const [isLarge, setLarge] = useState(false)
  const save = useSaveAttachment({ id, name })
  if (image === 'missing' && isSmall) return <FileMark />
  if (image === 'missing')
    return <span class="quiet-text">{t('The image {name} cannot be shown.', { name })}</span>
  return (
    <>
      <button
        type="button"
        class={`attachment-image ${isSmall ? 'small' : ''}`}
        aria-label={t('Show {name}', { name })}
        aria-busy={image === undefined}
        onClick={() => image && setLarge(true)}
      >
        {image && <img src={image} alt="" />}
      </button>
      {isLarge && (
        <Dialog title={name} onClose={() => setLarge(false)}>
          <img class="image-large" src={image} alt={name} />
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

/** Returns the address of a loaded image. An `<img>` could not send the access token. */
function useImage(attachmentId: string): string | undefined {
  const { files, isReachable } = useServices()
  const [image, setImage] = useState<string>()
  const isOnline = isReachable.value
  const isKnown = image !== undefined && image !== 'missing'
  useEffect(() => {
    if (isKnown) return
    const controller = new AbortController()
    files.download(attachmentId, controller.signal).then(
      (content) => {
        if (!controller.signal.aborted)
          setImage(isImageType(content.type) ? URL.createObjectURL(content) : 'missing')
      },
      () => controller.signal.aborted || setImage('missing'),
    )
    return () => controller.abort()
  }, [files, attachmentId, isOnline])
  useEffect(() => () => void (isKnown && URL.revokeObjectURL(image)), [image])
  return image
}

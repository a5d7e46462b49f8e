import type { TargetedClipboardEvent, TargetedDragEvent } from 'preact'
import { useRef } from 'preact/hooks'
import type { RecordOf } from '../api/api.ts'
import type { Upload } from '../services/files.ts'
import { useServices } from '../services/services.ts'
import { inOneLine, locale, t } from '../texts/text.ts'
import { formatTimestamp } from '../time/format-timestamp.ts'
import { AttachmentImage, FileMark, isImageType, useSaveAttachment } from '../ui/attachment-content.tsx'
import { Icon } from '../ui/icon.tsx'
import { LoadProblem } from '../ui/notes.tsx'
import { attachmentMarkdown } from '../ui/parse-markdown.ts'
import { useFileDrop } from '../ui/use-file-drop.ts'
import { useRemoval } from '../ui/use-removal.ts'
import { PanelSection } from './panel-section.tsx'
import type { PanelSections } from './use-panel-sections.ts'

type Attachment = RecordOf<'attachment'>

interface AttachmentsSectionProps extends Pick<PanelSections, 'attachments'> {
  readonly assignmentId: string
}

/** Lists the files of an assignment and those that are being uploaded, and adds and removes files. */
export function AttachmentsSection({ assignmentId, attachments }: AttachmentsSectionProps) {
  const { configuration, files } = useServices()
  const input = useRef<HTMLInputElement>(null)
  const uploads = files.uploads.value.filter((upload) => upload.assignmentId === assignmentId)
  return (
    <PanelSection
      name="attachments"
      title={t('Attachments')}
      isEmpty={attachments.rows.length === 0 && uploads.length === 0}
    >
      {attachments.problem && attachments.rows.length === 0 && (
        <LoadProblem problem={attachments.problem} onRetry={attachments.reload} />
      )}
      <ul class="rows">
        {attachments.rows.map((row) => (
          <AttachmentRow key={row.id} attachment={row} />
        ))}
        {uploads.map((upload) => (
          <UploadRow key={upload.id} upload={upload} />
        ))}
      </ul>
      {attachments.isCut && <p class="quiet-text">{t('Only the first 500 are shown.')}</p>}
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={t('Files to attach')}
        onChange={({ currentTarget }) => {
          for (const file of currentTarget.files ?? []) void files.upload(assignmentId, file)
          currentTarget.value = ''
        }}
      />
      <button
        type="button"
        class="button quiet"
        title={t('Or drop them here, or paste them into a text. Any type, up to {count} MB each.', {
          count: configuration.fileMegabytes,
        })}
        onClick={() => input.current?.click()}
      >
        <Icon name="plus" />
        <span>{t('Attach files')}</span>
      </button>
    </PanelSection>
  )
}

/** Larger images are shown on request, because each is downloaded as a whole. */
const previewBytesMax = 5 * 1024 ** 2

function AttachmentRow({ attachment }: { readonly attachment: Attachment }) {
  const { id, name, type, size, userId, createdAt } = attachment
  const { people } = useServices()
  const remove = useRemoval()
  const save = useSaveAttachment(attachment)
  return (
    <li class="row">
      {isImageType(type) && size <= previewBytesMax ? (
        <AttachmentImage id={id} name={name} isSmall />
      ) : (
        <FileMark />
      )}
      <span class="row-text">
        <button
          type="button"
          class="link-button"
          aria-label={t('Download {name}', { name })}
          title={t('Download {name}', { name })}
          onClick={save}
        >
          <span dir="auto">{name}</span>
        </button>
        <span class="quiet-text line">
          {inOneLine(formatBytes(size), people.nameOf(userId), formatTimestamp(createdAt))}
        </span>
      </span>
      <button
        type="button"
        class="button quiet icon-only"
        aria-label={t('Remove {name}', { name })}
        onClick={() => void remove('attachment', id, name)}
      >
        <Icon name="trash" />
      </button>
    </li>
  )
}

function UploadRow({ upload: { id, file, progress, problem } }: { readonly upload: Upload }) {
  const { files } = useServices()
  const { name } = file
  return (
    <li class="row">
      <span class="row-text">
        <span dir="auto">{name}</span>
        {problem === undefined ? (
          <progress class="line" aria-label={t('Upload of {name}', { name })} value={progress} />
        ) : (
          <span class="field-errors line" role="alert">
            {problem}
          </span>
        )}
      </span>
      {problem !== undefined && (
        <button type="button" class="button" onClick={() => files.retry(id)}>
          {t('Try again')}
        </button>
      )}
      <button
        type="button"
        class="button quiet icon-only"
        aria-label={t('Cancel the upload of {name}', { name })}
        onClick={() => files.cancel(id)}
      >
        <Icon name="close" />
      </button>
    </li>
  )
}

const units = ['byte', 'kilobyte', 'megabyte'] as const

function formatBytes(bytes: number): string {
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(bytes, 1)) / 10))
  return new Intl.NumberFormat(locale(), {
    style: 'unit',
    unit: units[power] ?? 'byte',
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: 1,
  }).format(bytes / 1024 ** power)
}

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
      // Office programs add a picture of the text that they copy; the text is pasted.
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

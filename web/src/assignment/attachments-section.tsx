import { useRef } from 'preact/hooks'
import type { RecordOf } from '../api/api.ts'
import type { Upload } from '../services/files.ts'
import { useRemoval, useServices } from '../services/services.ts'
import { inOneLine, locale, t } from '../texts/text.ts'
import { formatTimestamp } from '../time/days.ts'
import { AttachmentImage, FileMark, isImageType, useSaveAttachment } from '../ui/files.tsx'
import { Icon } from '../ui/icon.tsx'
import { LoadProblem } from '../ui/page-states.tsx'
import { type PanelData, PanelSection } from './panel-section.tsx'

type Attachment = RecordOf<'attachment'>

interface AttachmentsSectionProps extends Pick<PanelData, 'attachments'> {
  readonly assignmentId: string
}

/** Lists the files of an assignment and the files that are being uploaded. */
export function AttachmentsSection({ assignmentId, attachments }: AttachmentsSectionProps) {
  const { files } = useServices()
  const uploads = files.uploads.value.filter((upload) => upload.assignmentId === assignmentId)
  if (attachments.rows.length === 0 && uploads.length === 0 && !attachments.problem) return null
  return (
    <div class="panel-group">
      <PanelSection name="attachments" title={t('Attachments')} isEmpty={false}>
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
      </PanelSection>
    </div>
  )
}

/** A button that adds files. */
export function AttachFiles({ assignmentId }: Pick<AttachmentsSectionProps, 'assignmentId'>) {
  const { configuration, files } = useServices()
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
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
        <span>{t('Files')}</span>
      </button>
    </>
  )
}

/** Larger images have no preview, because it would download the whole file. */
const previewBytesMax = 5 * 1024 ** 2

function AttachmentRow({ attachment }: { readonly attachment: Attachment }) {
  const { id, name, type, size, userId, createdAt } = attachment
  const { people } = useServices()
  const remove = useRemoval()
  const save = useSaveAttachment(attachment)
  return (
    <li class="row removable-row">
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

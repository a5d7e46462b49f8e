import {
  discardChange,
  type QueuedChange,
  queuedChanges,
  retryChange,
  waitingChanges,
} from '../assignment/queue.ts'
import { assignmentPath } from '../router/router.ts'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { formatDay } from '../time/days.ts'
import { formatHours } from '../time/hours.ts'
import { Dialog } from '../ui/dialog.tsx'

interface QueueDialogProps {
  /** Present if the user is about to sign out. */
  onSignOut: (() => void) | undefined
  onClose(): void
}

/** Lists the changes that wait for the network or were rejected, to discard them or to send them again. */
export function QueueDialog({ onSignOut, onClose }: QueueDialogProps) {
  const waiting = waitingChanges(queuedChanges.value)
  return (
    <Dialog title={t('Changes that were not sent')} onClose={onClose}>
      {onSignOut && <p>{t('They are lost when you sign out.')}</p>}
      {waiting.length === 0 && <p role="status">{t('No change is waiting.')}</p>}
      <ul class="rows">
        {waiting.map((change) => (
          <Row
            key={`${change.kind} ${change.assignment.id} ${change.at}`}
            change={change}
            onClose={onClose}
          />
        ))}
      </ul>
      {onSignOut && (
        <div class="form-buttons">
          <button type="button" class="button" onClick={onClose}>
            {t('Cancel')}
          </button>
          <button type="button" class="button primary" onClick={onSignOut}>
            {waiting.length === 0 ? t('Sign out') : t('Discard them and sign out')}
          </button>
        </div>
      )}
    </Dialog>
  )
}

function Row({ change, onClose }: { readonly change: QueuedChange; onClose(): void }) {
  const services = useServices()
  const { id, projectId, name } = change.assignment
  return (
    <li class="row">
      <span class="row-text">
        <a href={assignmentPath(projectId, id)} dir="auto" onClick={onClose}>
          {name}
        </a>
        <span class="quiet-text line">{textOf(change)}</span>
        {change.problem && (
          <span class="field-errors line" role="alert">
            {change.problem}
          </span>
        )}
      </span>
      {change.problem && (
        <button
          type="button"
          class="button"
          aria-label={t('Send again: {name}', { name })}
          onClick={() => retryChange(services, change)}
        >
          {t('Send again')}
        </button>
      )}
      <button
        type="button"
        class="button"
        aria-label={t('Discard: {name}', { name })}
        onClick={() => discardChange(services, change)}
      >
        {t('Discard')}
      </button>
    </li>
  )
}

const textOf = (change: QueuedChange): string =>
  change.kind === 'stage'
    ? t('Moved to {stage}.', { stage: change.to.name })
    : t('{hours} on {day}', {
        hours: formatHours(change.entry.amountHours),
        day: formatDay(change.entry.keepDate),
      })

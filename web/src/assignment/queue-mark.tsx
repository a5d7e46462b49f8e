import { t } from '../texts/text.ts'
import { Icon } from '../ui/icon.tsx'
import { type QueuedChange, waitingChanges } from './queue.ts'

/** Shows that changes wait for the network, or that the server has rejected one. */
export function QueueMark({ changes }: { readonly changes: readonly QueuedChange[] }) {
  const waiting = waitingChanges(changes)
  if (waiting.length === 0) return null
  const isRejected = waiting.some(({ problem }) => problem !== undefined)
  return (
    <span class="note-chip" data-color={isRejected ? 'red' : 'amber'}>
      <Icon name={isRejected ? 'warning' : 'clock'} />
      {isRejected ? t('Not accepted') : t('Waits for the network')}
    </span>
  )
}

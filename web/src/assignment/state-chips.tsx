import type { RecordOf } from '../api/api.ts'
import { t, tn } from '../texts/text.ts'
import { formatAge } from '../time/days.ts'
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

/** Says since when an impediment blocks an assignment. */
export const BlockedChip = ({ since }: { readonly since: string }) => (
  <span class="note-chip" data-color="red">
    <Icon name="warning" />
    {t('Blocked {age}', { age: formatAge(since) })}
  </span>
)

/** Names the unfinished assignment that an assignment waits for, or counts them. */
export const WaitsChip = ({
  blockers,
}: {
  readonly blockers: readonly Pick<RecordOf<'assignment'>, 'name'>[]
}) => (
  <span class="note-chip" data-color="amber" title={blockers.map(({ name }) => name).join('\n')}>
    <Icon name="link" />
    <span class="label-name">
      {tn(blockers.length, 'Waits for {name}', 'Waits for {count} assignments', {
        name: blockers[0]?.name ?? '',
      })}
    </span>
  </span>
)

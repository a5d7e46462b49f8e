import type { RecordOf } from '../../../api/api.ts'
import { assignmentPath } from '../../../router/addresses.ts'
import { t } from '../../../texts/text.ts'
import { dayOf, showDay, today } from '../../../time/days.ts'
import { PersonAvatar } from '../../../ui/person-avatar.tsx'

type Assignment = RecordOf<'assignment'>

export interface DayRowsProps {
  readonly rows: readonly Assignment[]
  readonly query: string
  isDone(row: Assignment): boolean
  onGo?(): void
}

export const DayRows = ({ rows, query, isDone, onGo }: DayRowsProps) => (
  <ul class="rows">
    {rows.map((row) => (
      <li key={row.id} class="row work-row day-row">
        <span class="row-text">
          <a href={assignmentPath(row.projectId, row.id, query)} dir="auto" onClick={onGo}>
            {row.name}
          </a>
          <span class={`quiet-text line ${!isDone(row) && dayOf(row.endDate) < today() ? 'late' : ''}`}>
            {t('{from} to {to}', { from: showDay(dayOf(row.startDate)), to: showDay(dayOf(row.endDate)) })}
          </span>
        </span>
        <PersonAvatar id={row.userId} />
      </li>
    ))}
  </ul>
)

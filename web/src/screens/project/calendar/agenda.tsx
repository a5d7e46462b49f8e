import type { RecordOf } from '../../../api/api.ts'
import { t } from '../../../texts/text.ts'
import { dateOf, dayOf, formatOf, today } from '../../../time/days.ts'
import { EmptyState } from '../../../ui/notes.tsx'
import { DayRows } from './day-rows.tsx'

type Assignment = RecordOf<'assignment'>

export interface AgendaProps {
  readonly rows: readonly Assignment[]
  readonly month: string
  readonly query: string
  isDone(row: Assignment): boolean
}

/** The month by the days on which something ends, where seven days do not fit beside each other. */
export function Agenda({ rows, month, query, isDone }: AgendaProps) {
  const ends = Map.groupBy(
    rows.toSorted((a, b) => (a.endDate < b.endDate ? -1 : 1)),
    ({ endDate }) => dayOf(endDate),
  )
  const days = [...ends].filter(([day]) => day.startsWith(month))
  const going = rows.filter(({ endDate }) => dayOf(endDate).slice(0, 7) > month)
  if (rows.length === 0)
    return (
      <EmptyState title={t('Nothing in this month')}>
        <p>{t('Look at another month, or add an assignment.')}</p>
      </EmptyState>
    )
  return (
    <section class="agenda" aria-label={t('Calendar')}>
      {days.map(([day, some]) => (
        <section key={day} class="group" aria-label={formatOf('whole').format(dateOf(day))}>
          <h2 class={day === today() ? 'today' : ''}>{formatOf('whole').format(dateOf(day))}</h2>
          <DayRows rows={some} query={query} isDone={isDone} />
        </section>
      ))}
      {going.length > 0 && (
        <section class="group" aria-label={t('Ends later')}>
          <h2>{t('Ends later')}</h2>
          <DayRows rows={going} query={query} isDone={isDone} />
        </section>
      )}
    </section>
  )
}

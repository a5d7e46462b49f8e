import type { TargetedKeyboardEvent } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { RecordOf } from '../../../api/api.ts'
import { isLate, responsibleOf } from '../../../data/assignments.ts'
import { assignmentPath } from '../../../router/router.ts'
import { t } from '../../../texts/text.ts'
import { dateFormat, dateOf, dayOf, today } from '../../../time/days.ts'
import { Icon } from '../../../ui/icon.tsx'
import { EmptyState } from '../../../ui/page-states.tsx'
import { PersonAvatar } from '../../../ui/people.tsx'
import type { NameLookup } from '../name-lookup.ts'
import { RowFacts } from '../row-facts.tsx'

type Assignment = RecordOf<'assignment'>

interface AgendaProps extends DayRowsProps {
  readonly month: string
  /** True while the rows of another month are shown. */
  readonly isStale: boolean
}

/**
 * Shows the month as a list of days with the assignments that end on them. Today is always listed in the
 * current month, after overdue assignments. The list is scrolled to overdue assignments, or else to today.
 */
export function Agenda({ month, isStale, ...rowProps }: AgendaProps) {
  const { rows, isDone } = rowProps
  const agenda = useRef<HTMLElement>(null)
  const isEmpty = rows.length === 0
  useLayoutEffect(() => {
    const begin = agenda.current?.querySelector<HTMLElement>('.overdue, .today')?.parentElement
    if (agenda.current && begin) agenda.current.scrollTop = begin.offsetTop + begin.clientTop
  }, [month, isEmpty, isStale])
  if (isEmpty)
    return (
      <EmptyState icon="calendar" title={t('Nothing this month')}>
        <p>{t('Choose another month, or add an assignment.')}</p>
      </EmptyState>
    )
  const currentDay = today()
  const isCurrent = currentDay.startsWith(month)
  const sorted = rows.toSorted((a, b) => (a.endDate < b.endDate ? -1 : 1))
  const byLateness = Map.groupBy(sorted, (row) => isCurrent && isLate(row, isDone(row)))
  const overdue = byLateness.get(true) ?? []
  const ends = Map.groupBy(byLateness.get(false) ?? [], ({ endDate }) => dayOf(endDate))
  const days = [...new Set([...ends.keys(), ...(isCurrent ? [currentDay] : [])])].sort()
  const sectionOf = (day: string) => (
    <DaySection key={day} {...rowProps} day={day} isToday={day === currentDay} rows={ends.get(day) ?? []} />
  )
  return (
    <section ref={agenda} class="agenda" aria-label={t('Calendar')} aria-busy={isStale}>
      {days.filter((day) => day < currentDay).map(sectionOf)}
      {overdue.length > 0 && (
        <section key="overdue" aria-label={t('Overdue')}>
          <h2 class="overdue">
            <span>{t('Overdue')}</span>
            <span class="overdue-count">{overdue.length}</span>
          </h2>
          <DayRows {...rowProps} rows={overdue} />
        </section>
      )}
      {days.filter((day) => day >= currentDay).map(sectionOf)}
    </section>
  )
}

interface DaySectionProps extends DayRowsProps {
  readonly day: string
  readonly isToday: boolean
}

function DaySection({ day, isToday, ...rowProps }: DaySectionProps) {
  const name = dateFormat('whole').format(dateOf(day))
  const isThisYear = day.slice(0, 4) === today().slice(0, 4)
  return (
    <section aria-label={name}>
      <h2 class={isToday ? 'today' : ''}>
        <span>{isThisYear ? dateFormat('heading').format(dateOf(day)) : name}</span>
        {isToday && <span class="today-chip">{t('Today')}</span>}
      </h2>
      {rowProps.rows.length > 0 ? (
        <DayRows {...rowProps} />
      ) : (
        <p class="quiet-text">{t('Nothing ends today')}</p>
      )}
    </section>
  )
}

interface DayRowsProps {
  readonly rows: readonly Assignment[]
  readonly query: string
  readonly names: NameLookup
  isDone(row: Assignment): boolean
}

export const DayRows = ({ rows, query, names, isDone }: DayRowsProps) => (
  <ul class="rows" onKeyDown={moveFocus}>
    {rows.map((row) => (
      <li key={row.id} class={`row work-row day-row ${isDone(row) ? 'done' : ''}`} data-row={row.id}>
        <span class="row-text">
          <a href={assignmentPath(row.projectId, row.id, query)} dir="auto" title={row.name}>
            {row.name}
          </a>
          <RowFacts
            row={row}
            names={names}
            isDone={isDone(row)}
            shows={(name) => name !== 'end' && name !== 'hours'}
          >
            <DaysChip row={row} isDone={isDone(row)} />
          </RowFacts>
        </span>
        <PersonAvatar id={responsibleOf(row)} />
      </li>
    ))}
  </ul>
)

/** Moves the focus between the rows of all days, or of the one day that a popover shows. */
function moveFocus(event: TargetedKeyboardEvent<HTMLElement>): void {
  const list = event.currentTarget.closest('.agenda') ?? event.currentTarget
  const step = rowSteps[event.key]
  if (step === undefined || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return
  const links = [...list.querySelectorAll<HTMLElement>('.row a')]
  const next = links[links.indexOf(event.target as HTMLElement) + step]
  if (next === undefined) return
  event.preventDefault()
  next.focus()
}

const rowSteps: Readonly<Record<string, number>> = { ArrowUp: -1, ArrowDown: 1 }

/** Shows the days of an assignment if it is late, or has more days than the one that the heading names. */
function DaysChip({ row, isDone }: { readonly row: Assignment; readonly isDone: boolean }) {
  const isOverdue = isLate(row, isDone)
  if (dayOf(row.startDate) === dayOf(row.endDate) && !isOverdue) return null
  return (
    <span class="due" data-color={isOverdue ? 'red' : undefined}>
      <Icon name={isOverdue ? 'clock' : 'calendar'} />
      {dateFormat('short').formatRange(dateOf(row.startDate), dateOf(row.endDate))}
      {isOverdue && <span class="visually-hidden"> {t('Overdue')}</span>}
    </span>
  )
}

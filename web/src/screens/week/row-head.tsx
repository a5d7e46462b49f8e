import { TimerButton } from '../../assignment/timer-button.tsx'
import { assignmentPath } from '../../router/addresses.ts'
import { t } from '../../texts/text.ts'
import { dayOf, showDay } from '../../time/days.ts'
import { showHours } from '../../time/hours.ts'
import { showWeekday } from '../../time/weeks.ts'
import type { Appointment, WeekRow } from './week.ts'

export interface RowHeadProps {
  readonly row: WeekRow
  /** Recorded by anybody, ever; unknown where that is too much to add up. */
  readonly recorded: number | undefined
  readonly entries: readonly Appointment[]
  readonly isOwn: boolean
}

/** The assignment of a row: what is left of its estimate, and what the hours of this week were for. */
export function RowHead({ row: { assignment, projectName }, recorded, entries, isOwn }: RowHeadProps) {
  const notes = entries.filter(({ description }) => description)
  return (
    <th scope="row">
      <span class="week-name">
        <a href={assignmentPath(assignment.projectId, assignment.id)} dir="auto">
          {assignment.name}
        </a>
        {isOwn && <TimerButton assignment={assignment} />}
      </span>
      <span class="quiet-text line">
        <span dir="auto">{projectName}</span> · {estimateOf(assignment, recorded)}
      </span>
      {notes.map(({ id, keepDate, description }) => (
        <span key={id} class="quiet-text line week-note" title={description ?? ''}>
          {t('{day}: {note}', { day: showWeekday(dayOf(keepDate)), note: description ?? '' })}
        </span>
      ))}
    </th>
  )
}

function estimateOf({ amountHours, endDate }: WeekRow['assignment'], recorded: number | undefined): string {
  const values = {
    day: showDay(endDate),
    planned: showHours(amountHours),
    left: showHours(Math.round((amountHours - (recorded ?? 0)) * 100) / 100),
    over: showHours(Math.round(((recorded ?? 0) - amountHours) * 100) / 100),
  }
  if (amountHours === 0) return t('until {day}', values)
  if (recorded === undefined) return t('{planned} until {day}', values)
  if (recorded > amountHours) return t('{over} over {planned}, until {day}', values)
  return t('{left} left of {planned}, until {day}', values)
}

import { useState } from 'preact/hooks'
import { dailyTarget, hoursOfDay } from '../../assignment/recorded-hours.ts'
import { TimerButton } from '../../assignment/timer-button.tsx'
import { assignmentPath } from '../../router/router.ts'
import { t } from '../../texts/text.ts'
import {
  addDays,
  dayOf,
  daysInWeek,
  daysOfWeek,
  formatDay,
  formatWeekday,
  today,
  weekdayOf,
} from '../../time/days.ts'
import { formatHours, formatPlanned, plannedHours, sumHours } from '../../time/hours.ts'
import type { Entries } from './use-entries.ts'
import { type Appointment, type Cell, cellKeyOf, entriesByCell, type WeekRow } from './week.ts'
import { WeekCell } from './week-cell.tsx'

export interface WeekGridProps {
  readonly monday: string
  readonly rows: readonly WeekRow[]
  readonly entries: Entries
  /** The recorded hours of all users by assignment. */
  readonly recorded: ReadonlyMap<string, number> | undefined
  readonly isOwn: boolean
  onOpen(cell: Cell, assignmentName: string): void
}

/** Seven days by assignments; on a phone one day at a time. */
export function WeekGrid({ monday, rows, entries, recorded, isOwn, onOpen }: WeekGridProps) {
  const days = daysOfWeek(monday)
  const [chosen, setChosen] = useState(today())
  const shown = days.includes(chosen) ? chosen : monday
  const classOf = (day: string) =>
    `${day === today() ? 'today' : ''} ${day === shown ? 'chosen' : 'other-day'}`
  const inWeek = entries.entries.filter(({ keepDate }) => days.includes(dayOf(keepDate)))
  const cells = entriesByCell(inWeek)
  const nextMonday = addDays(monday, daysInWeek)
  const planned = rows.reduce((sum, { assignment }) => sum + plannedHours(assignment, monday, nextMonday), 0)
  return (
    <>
      <DayStrip days={days} shown={shown} entries={inWeek} onChoose={setChosen} />
      <section class="week-scroll" aria-label={t('Week')}>
        <table class="week">
          <caption class="visually-hidden">{t('Hours by assignment and day')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('Assignment')}</th>
              {days.map((day) => (
                <th
                  key={day}
                  scope="col"
                  class={`number ${classOf(day)}`}
                  aria-current={day === today() ? 'date' : undefined}
                >
                  {formatWeekday(day)} <span class="quiet-text week-head-more">{formatDay(day)}</span>
                </th>
              ))}
              <th scope="col" class="number">
                {t('Week')} <span class="quiet-text week-head-more">{t('of planned')}</span>
              </th>
            </tr>
          </thead>
          {rows.map((row, index) => (
            <Row
              key={row.assignment.id}
              index={index}
              row={row}
              recorded={recorded?.get(row.assignment.id)}
              isOwn={isOwn}
              monday={monday}
              classOf={classOf}
              cellOf={(day) => {
                const place = { assignmentId: row.assignment.id, day }
                return { ...place, entries: cells.get(cellKeyOf(place)) ?? [] }
              }}
              entries={entries}
              onOpen={onOpen}
            />
          ))}
          <WeekSums days={days} entries={inWeek} planned={planned} isOwn={isOwn} classOf={classOf} />
        </table>
      </section>
    </>
  )
}

const formatSum = (entries: readonly Appointment[]): string =>
  entries.length === 0 ? '' : formatHours(sumHours(entries))

interface DayStripProps {
  readonly days: readonly string[]
  readonly shown: string
  readonly entries: readonly Appointment[]
  onChoose(day: string): void
}

/** Shown only where the days do not fit side by side. */
const DayStrip = ({ days, shown, entries, onChoose }: DayStripProps) => (
  <fieldset class="day-strip" aria-label={t('Day')}>
    {days.map((day) => (
      <button
        key={day}
        type="button"
        class={day === today() ? 'today' : ''}
        aria-pressed={day === shown}
        onClick={() => onChoose(day)}
      >
        <span>{formatWeekday(day)}</span>
        <strong>{Number(day.slice(8))}</strong>
        <span class="quiet-text">{formatSum(entriesOf(entries, day)).replace(' h', '') || '·'}</span>
      </button>
    ))}
  </fieldset>
)

interface RowProps {
  readonly index: number
  readonly row: WeekRow
  readonly recorded: number | undefined
  readonly isOwn: boolean
  readonly monday: string
  readonly entries: Entries
  classOf(day: string): string
  cellOf(day: string): Cell
  onOpen(cell: Cell, assignmentName: string): void
}

function Row({ index, row, recorded, isOwn, monday, entries, classOf, cellOf, onOpen }: RowProps) {
  const { assignment } = row
  const cells = daysOfWeek(monday).map(cellOf)
  const problemId = `week-problem-${assignment.id}`
  const problems = cells.flatMap((cell) => {
    const problem = entries.typed.get(cellKeyOf(cell))?.problem
    return problem === undefined ? [] : [`${formatWeekday(cell.day)} ${formatDay(cell.day)}: ${problem}`]
  })
  return (
    <tbody>
      <tr class="week-row">
        <RowHead
          row={row}
          recorded={recorded}
          entries={cells.flatMap((cell) => cell.entries)}
          isOwn={isOwn}
        />
        {cells.map((cell, column) => (
          <td key={cell.day} class={classOf(cell.day)}>
            <WeekCell
              cell={cell}
              assignmentName={assignment.name}
              at={{ row: index, column }}
              typed={entries.typed.get(cellKeyOf(cell))}
              problemId={problemId}
              onType={(text) => entries.type(cell, text)}
              onSave={(text) => entries.save(cell, text)}
              onRevert={() => entries.revert(cell)}
              onOpen={() => onOpen(cell, assignment.name)}
            />
          </td>
        ))}
        <td class="week-total">
          <Total
            recorded={sumHours(cells.flatMap((cell) => cell.entries))}
            planned={plannedHours(assignment, monday, addDays(monday, daysInWeek))}
          />
        </td>
      </tr>
      {problems.length > 0 && (
        <tr>
          <td class="field-errors" colSpan={daysInWeek + 2} id={problemId} role="alert">
            {problems.join(' ')}
          </td>
        </tr>
      )}
    </tbody>
  )
}

export interface RowHeadProps {
  readonly row: WeekRow
  /** Hours of all users; undefined where there are too many to add up. */
  readonly recorded: number | undefined
  readonly entries: readonly Appointment[]
  readonly isOwn: boolean
}

/** The assignment of a row: the rest of its estimate, and the notes of this week. */
function RowHead({ row: { assignment, projectName }, recorded, entries, isOwn }: RowHeadProps) {
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
          {t('{day}: {note}', { day: formatWeekday(dayOf(keepDate)), note: description ?? '' })}
        </span>
      ))}
    </th>
  )
}

function estimateOf({ amountHours, endDate }: WeekRow['assignment'], recorded: number | undefined): string {
  const values = {
    day: formatDay(endDate),
    planned: formatHours(amountHours),
    left: formatHours(Math.round((amountHours - (recorded ?? 0)) * 100) / 100),
    over: formatHours(Math.round(((recorded ?? 0) - amountHours) * 100) / 100),
  }
  if (amountHours === 0) return t('until {day}', values)
  if (recorded === undefined) return t('{planned} until {day}', values)
  if (recorded > amountHours) return t('{over} over {planned}, until {day}', values)
  return t('{left} left of {planned}, until {day}', values)
}

export interface WeekSumsProps {
  readonly days: readonly string[]
  readonly entries: readonly Appointment[]
  readonly planned: number
  /** The user's own week, for which remaining hours are shown. */
  readonly isOwn: boolean
  classOf(day: string): string
}

/** The sum of each day, compared with the hours of a working day. */
const WeekSums = ({ days, entries, planned, isOwn, classOf }: WeekSumsProps) => (
  <tfoot>
    <tr class="week-sums">
      <th scope="row">
        {t('Total')}
        {isOwn && (
          <span class="quiet-text line">{t('of {hours} a day', { hours: formatHours(dailyTarget()) })}</span>
        )}
      </th>
      {days.map((day) => (
        <td key={day} class={`number ${classOf(day)}`}>
          <DaySum entries={entriesOf(entries, day)} target={isOwn && isWorkingDay(day) ? dailyTarget() : 0} />
        </td>
      ))}
      <td class="week-total">
        <Total recorded={sumHours(entries)} planned={planned} />
        {isOwn && (
          <Left recorded={sumHours(entries)} target={dailyTarget() * days.filter(isWorkingDay).length} />
        )}
      </td>
    </tr>
  </tfoot>
)

const isWorkingDay = (day: string): boolean => weekdayOf(day) % 6 !== 0

const entriesOf = (entries: readonly Appointment[], day: string) =>
  entries.filter(({ keepDate }) => dayOf(keepDate) === day)

const DaySum = ({
  entries,
  target,
}: {
  readonly entries: readonly Appointment[]
  readonly target: number
}) => {
  const hours = sumHours(entries)
  if (hours > hoursOfDay)
    return (
      <>
        {formatHours(hours)}
        <span class="too-long line" role="status">
          {t('More than 24 h')}
        </span>
      </>
    )
  return (
    <>
      {entries.length > 0 && formatHours(hours)}
      {target > 0 && entries.length > 0 && <Left recorded={hours} target={target} />}
    </>
  )
}

/** The remaining hours of a target; empty when it is reached. */
const Left = ({ recorded, target }: { readonly recorded: number; readonly target: number }) =>
  recorded >= target ? null : (
    <span class="quiet-text line week-left">
      {t('{hours} left', { hours: formatHours(Math.round((target - recorded) * 100) / 100) })}
    </span>
  )

const Total = ({ recorded, planned }: { readonly recorded: number; readonly planned: number }) => (
  <>
    <strong>{formatHours(recorded)}</strong>{' '}
    <span class="quiet-text week-head-more">
      {planned > 0 ? t('of {hours}', { hours: formatPlanned(planned) }) : t('no plan this week')}
    </span>
  </>
)

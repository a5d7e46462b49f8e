import { useState } from 'preact/hooks'
import { t } from '../../texts/text.ts'
import { addDays, dayOf, showDay, today } from '../../time/days.ts'
import { showHours } from '../../time/hours.ts'
import { plannedHours, showPlanned } from '../../time/planned-hours.ts'
import { sumHours } from '../../time/sum-hours.ts'
import { daysInWeek, daysOfWeek, showWeekday } from '../../time/weeks.ts'
import type { Entries } from './use-entries.ts'
import { type Appointment, type Cell, cellKeyOf, entriesByCell, type WeekRow } from './week.ts'
import { WeekCell } from './week-cell.tsx'

export interface WeekGridProps {
  readonly monday: string
  readonly rows: readonly WeekRow[]
  readonly entries: Entries
  onOpen(cell: Cell, assignmentName: string): void
}

/** Seven days by assignments; on a phone one day at a time. */
export function WeekGrid({ monday, rows, entries, onOpen }: WeekGridProps) {
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
          <caption class="visually-hidden">Hours by assignment and day</caption>
          <thead>
            <tr>
              <th scope="col">Assignment</th>
              {days.map((day) => (
                <th
                  key={day}
                  scope="col"
                  class={`number ${classOf(day)}`}
                  aria-current={day === today() ? 'date' : undefined}
                >
                  {showWeekday(day)} <span class="quiet-text week-head-more">{showDay(day)}</span>
                </th>
              ))}
              <th scope="col" class="number">
                Week <span class="quiet-text week-head-more">of planned</span>
              </th>
            </tr>
          </thead>
          {rows.map((row, index) => (
            <Row
              key={row.assignment.id}
              index={index}
              row={row}
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
          <tfoot>
            <tr class="week-sums">
              <th scope="row">Total</th>
              {days.map((day) => (
                <td key={day} class={`number ${classOf(day)}`}>
                  {showSum(entriesOf(inWeek, day))}
                  <TooLong entries={entriesOf(inWeek, day)} />
                </td>
              ))}
              <td class="week-total">
                <Total recorded={sumHours(inWeek)} planned={planned} />
              </td>
            </tr>
          </tfoot>
        </table>
      </section>
    </>
  )
}

const entriesOf = (entries: readonly Appointment[], day: string) =>
  entries.filter(({ keepDate }) => dayOf(keepDate) === day)

const showSum = (entries: readonly Appointment[]): string =>
  entries.length === 0 ? '' : showHours(sumHours(entries))

/** Nobody works more than a day has; what was typed is kept all the same. */
const hoursOfDay = 24

const TooLong = ({ entries }: { readonly entries: readonly Appointment[] }) =>
  sumHours(entries) <= hoursOfDay ? null : (
    <span class="too-long line" role="status">
      {t('More than 24 h')}
    </span>
  )

const Total = ({ recorded, planned }: { readonly recorded: number; readonly planned: number }) => (
  <>
    <strong>{showHours(recorded)}</strong>{' '}
    <span class="quiet-text week-head-more">
      {planned > 0 ? `of ${showPlanned(planned)}` : 'not planned'}
    </span>
  </>
)

interface DayStripProps {
  readonly days: readonly string[]
  readonly shown: string
  readonly entries: readonly Appointment[]
  onChoose(day: string): void
}

/** Only where the days do not fit beside each other. */
const DayStrip = ({ days, shown, entries, onChoose }: DayStripProps) => (
  <fieldset class="day-strip" aria-label="Day">
    {days.map((day) => (
      <button
        key={day}
        type="button"
        class={day === today() ? 'today' : ''}
        aria-pressed={day === shown}
        onClick={() => onChoose(day)}
      >
        <span>{showWeekday(day)}</span>
        <strong>{Number(day.slice(8))}</strong>
        <span class="quiet-text">{showSum(entriesOf(entries, day)).replace(' h', '') || '·'}</span>
      </button>
    ))}
  </fieldset>
)

interface RowProps {
  readonly index: number
  readonly row: WeekRow
  readonly monday: string
  readonly entries: Entries
  classOf(day: string): string
  cellOf(day: string): Cell
  onOpen(cell: Cell, assignmentName: string): void
}

function Row({
  index,
  row: { assignment, projectName },
  monday,
  entries,
  classOf,
  cellOf,
  onOpen,
}: RowProps) {
  const cells = daysOfWeek(monday).map(cellOf)
  const problemId = `week-problem-${assignment.id}`
  const problems = cells.flatMap((cell) => {
    const problem = entries.typed.get(cellKeyOf(cell))?.problem
    return problem === undefined ? [] : [`${showWeekday(cell.day)} ${showDay(cell.day)}: ${problem}`]
  })
  return (
    <tbody>
      <tr class="week-row">
        <th scope="row">
          <a href={`/projects/${assignment.projectId}/assignments/${assignment.id}`}>{assignment.name}</a>
          <span class="quiet-text line">
            {projectName} · {showHours(assignment.amountHours)} until {showDay(assignment.endDate)}
          </span>
        </th>
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
              onTakeBack={() => entries.forget(cell)}
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

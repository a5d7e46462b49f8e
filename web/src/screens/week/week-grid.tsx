import { useState } from 'preact/hooks'
import { t } from '../../texts/text.ts'
import { addDays, dayOf, showDay, today } from '../../time/days.ts'
import { showHours } from '../../time/hours.ts'
import { plannedHours } from '../../time/planned-hours.ts'
import { sumHours } from '../../time/sum-hours.ts'
import { daysInWeek, daysOfWeek, showWeekday } from '../../time/weeks.ts'
import { RowHead } from './row-head.tsx'
import type { Entries } from './use-entries.ts'
import { type Appointment, type Cell, cellKeyOf, entriesByCell, type WeekRow } from './week.ts'
import { WeekCell } from './week-cell.tsx'
import { entriesOf, Total, WeekSums } from './week-sums.tsx'

export interface WeekGridProps {
  readonly monday: string
  readonly rows: readonly WeekRow[]
  readonly entries: Entries
  /** By assignment, the hours that anybody has recorded on it. */
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
                  {showWeekday(day)} <span class="quiet-text week-head-more">{showDay(day)}</span>
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

const showSum = (entries: readonly Appointment[]): string =>
  entries.length === 0 ? '' : showHours(sumHours(entries))

interface DayStripProps {
  readonly days: readonly string[]
  readonly shown: string
  readonly entries: readonly Appointment[]
  onChoose(day: string): void
}

/** Only where the days do not fit beside each other. */
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
    return problem === undefined ? [] : [`${showWeekday(cell.day)} ${showDay(cell.day)}: ${problem}`]
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

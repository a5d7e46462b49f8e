import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { dailyTarget, freeHours, targetOn } from '../../assignment/daily-target.ts'
import { changesOf } from '../../assignment/queue.ts'
import { QueueMark } from '../../assignment/state-chips.tsx'
import { TimerButton } from '../../assignment/timer-button.tsx'
import { endDayOf } from '../../data/assignments.ts'
import { assignmentPath } from '../../router/router.ts'
import { t, tx } from '../../texts/text.ts'
import {
  addDays,
  dateFormat,
  dateOf,
  dayOf,
  daysInWeek,
  daysOfWeek,
  formatDay,
  formatWeekday,
  isWeekend,
  today,
} from '../../time/days.ts'
import {
  formatHours,
  formatNumber,
  hoursPerDay,
  plannedHours,
  roundHours,
  roundPlanned,
  sumHours,
} from '../../time/hours.ts'
import { ProjectMark } from '../../ui/page.tsx'
import { narrow, useMedia } from '../../ui/viewport.ts'
import {
  type Appointment,
  type Cell,
  cellKeyOf,
  type EntriesState,
  entriesByCell,
  type WeekRow,
} from './week.ts'
import { WeekCell } from './week-cell.tsx'

interface WeekGridProps {
  readonly monday: string
  readonly rows: readonly WeekRow[]
  readonly state: EntriesState
  /** The recorded hours of all users by assignment. */
  readonly recorded: ReadonlyMap<string, number> | undefined
  readonly isOwn: boolean
  onOpen(cell: Cell, assignmentName: string): void
}

/** Shows the hours of a week by assignment and day. A narrow window shows one day at a time. */
export function WeekGrid({ monday, rows, state, recorded, isOwn, onOpen }: WeekGridProps) {
  const days = daysOfWeek(monday)
  const { shownDays, goToDay, table } = useShownDays(days)
  const weekEntries = state.entries.filter(({ keepDate }) => days.includes(dayOf(keepDate)))
  const cells = entriesByCell(weekEntries)
  const nextMonday = addDays(monday, daysInWeek)
  const planned = rows.reduce((sum, { assignment }) => sum + plannedHours(assignment, monday, nextMonday), 0)
  const [day = ''] = shownDays.length === 1 ? shownDays : []
  return (
    <>
      {day !== '' && (
        <DayStrip
          days={days}
          shownDay={day}
          entries={weekEntries}
          isOwn={isOwn}
          onChoose={(chosen) => goToDay(chosen)}
        />
      )}
      <section class="week-scroll" aria-label={t('Week')}>
        {day !== '' && <DayHead day={day} entries={weekEntries} isOwn={isOwn} />}
        <table class="week" ref={table}>
          <caption class="visually-hidden">{t('Hours by assignment and day')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('Assignment')}</th>
              {shownDays.map((shownDay) => (
                <th
                  key={shownDay}
                  scope="col"
                  class={`number ${classOf(shownDay)}`}
                  aria-current={shownDay === today() ? 'date' : undefined}
                >
                  {formatWeekday(shownDay)} {dayNumber(shownDay)}
                </th>
              ))}
              <th scope="col" class="number">
                {planned > 0 ? t('Week/plan') : t('Week')}
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
              shownDays={shownDays}
              cellOf={(cellDay) => {
                const position = { assignmentId: row.assignment.id, day: cellDay }
                return { ...position, entries: cells.get(cellKeyOf(position)) ?? [] }
              }}
              state={state}
              onOpen={onOpen}
              onLeave={(column) => goToDay(days[column], `${index},${column}`)}
            />
          ))}
          <WeekSums days={days} shownDays={shownDays} entries={weekEntries} planned={planned} isOwn={isOwn} />
        </table>
      </section>
    </>
  )
}

/** The heading of the week has its months. */
const dayNumber = (day: string): number => Number(day.slice(8))

function classOf(day: string): string {
  if (day === today()) return 'today'
  return isWeekend(day) ? 'weekend' : ''
}

/** Returns the visible days: all days, or the chosen day in a narrow window. */
function useShownDays(days: readonly string[]) {
  // The style sheet stacks the parts of a row at the same width.
  const isNarrow = useMedia(narrow)
  const [chosenDay, setChosenDay] = useState(today())
  const table = useRef<HTMLTableElement>(null)
  const nextCell = useRef<string | undefined>(undefined)
  const shownDay = days.includes(chosenDay) ? chosenDay : (days[0] ?? '')
  /** Shows another day. If `at` has a row and a column, the cell there gets the focus. */
  const goToDay = (day: string | undefined, at?: string) => {
    if (day === undefined || !isNarrow) return
    // A cell saves its text when it loses the focus. Removing the cell may not cause that event.
    table.current?.querySelector<HTMLElement>('input:focus')?.blur()
    nextCell.current = at
    setChosenDay(day)
  }
  useLayoutEffect(() => {
    table.current?.querySelector<HTMLElement>(`[data-at="${nextCell.current}"]`)?.focus()
    nextCell.current = undefined
  }, [shownDay])
  return { shownDays: isNarrow ? [shownDay] : days, goToDay, table }
}

interface DayStripProps {
  readonly days: readonly string[]
  readonly shownDay: string
  readonly entries: readonly Appointment[]
  readonly isOwn: boolean
  onChoose(day: string): void
}

/** Chooses the shown day. A bar on each of the user's own working days shows how much of it is recorded. */
const DayStrip = ({ days, shownDay, entries, isOwn, onChoose }: DayStripProps) => (
  <fieldset class="day-strip" aria-label={t('Day')}>
    {days.map((day) => (
      <button
        key={day}
        type="button"
        class={isWeekend(day) ? 'weekend' : ''}
        aria-pressed={day === shownDay}
        aria-current={day === today() ? 'date' : undefined}
        onClick={() => onChoose(day)}
      >
        <span class="day-name">{formatWeekday(day)}</span>
        <strong>{dayNumber(day)}</strong>
        <span class="day-sum">{formatSum(entriesOn(entries, day))}</span>
        {isOwn && targetOn(day) > 0 && (
          <span class="day-fill" style={{ '--filled': `${filledPercent(entriesOn(entries, day))}%` }} />
        )}
      </button>
    ))}
  </fieldset>
)

const filledPercent = (entries: readonly Appointment[]): number =>
  Math.min(100, Math.round((sumHours(entries) / dailyTarget()) * 100))

/** Formats the hours without their unit, for which there is no room. A dot marks a day without entries. */
const formatSum = (entries: readonly Appointment[]): string =>
  entries.length === 0 ? '·' : formatNumber(sumHours(entries))

interface DayHeadProps {
  readonly day: string
  readonly entries: readonly Appointment[]
  readonly isOwn: boolean
}

/** Names the only shown day, with its sum. */
const DayHead = ({ day, entries, isOwn }: DayHeadProps) => (
  <header class="week-day">
    <h2>{dateFormat('heading').format(dateOf(day))}</h2>
    <span class="week-day-sum">
      <DaySum day={day} entries={entries} />
      {isTooLong(day, entries) && (
        <span class="too-long note" role="status">
          {t('More than 24 h')}
        </span>
      )}
      {isOwn && <FreeHours days={[day]} entries={entries} />}
    </span>
  </header>
)

interface RowProps {
  readonly index: number
  readonly row: WeekRow
  readonly recorded: number | undefined
  readonly isOwn: boolean
  readonly monday: string
  readonly shownDays: readonly string[]
  readonly state: EntriesState
  cellOf(day: string): Cell
  onOpen(cell: Cell, assignmentName: string): void
  /** Called when a key leads to a column that is not shown. */
  onLeave(column: number): void
}

function Row(props: RowProps) {
  const { index, row, recorded, isOwn, monday, shownDays, state, cellOf, onOpen, onLeave } = props
  const { assignment } = row
  const cells = daysOfWeek(monday).map(cellOf)
  const problemId = `week-problem-${assignment.id}`
  const problems = cells.flatMap((cell) => {
    const unsaved = state.unsaved.get(cellKeyOf(cell))
    if (unsaved?.problem === undefined) return []
    const text = `${formatWeekday(cell.day)} ${formatDay(cell.day)}: ${unsaved.problem}`
    return [{ text, ...(unsaved.isQuestion && { confirm: () => state.save(cell, unsaved.text, true) }) }]
  })
  return (
    <tbody>
      <tr class="week-row">
        <AssignmentHeader
          row={row}
          recorded={recorded}
          entries={cells.filter(({ day }) => shownDays.includes(day)).flatMap((cell) => cell.entries)}
          isOwn={isOwn}
          problems={problems}
          problemId={problemId}
        />
        {cells.map(
          (cell, column) =>
            shownDays.includes(cell.day) && (
              <td key={cell.day} class={classOf(cell.day)}>
                <WeekCell
                  cell={cell}
                  assignmentName={assignment.name}
                  position={{ row: index, column }}
                  unsaved={state.unsaved.get(cellKeyOf(cell))}
                  problemId={problemId}
                  onType={(text) => state.setText(cell, { text })}
                  onSave={(text, isConfirmed) => state.save(cell, text, isConfirmed)}
                  onRevert={() => state.revert(cell)}
                  onOpen={() => onOpen(cell, assignment.name)}
                  onLeave={onLeave}
                />
              </td>
            ),
        )}
        <td class="week-total" data-label={t('Week')}>
          <Total
            recorded={sumHours(cells.flatMap((cell) => cell.entries))}
            planned={plannedHours(assignment, monday, addDays(monday, daysInWeek))}
          />
        </td>
      </tr>
    </tbody>
  )
}

interface AssignmentHeaderProps {
  readonly row: WeekRow
  /** The recorded hours of all users. Undefined if they are not loaded. */
  readonly recorded: number | undefined
  readonly entries: readonly Appointment[]
  readonly isOwn: boolean
  readonly problems: readonly { readonly text: string; readonly confirm?: () => void }[]
  readonly problemId: string
}

/**
 * Shows the assignment of a row with its remaining estimate, the notes of the shown days, and the reasons why
 * cells are not saved.
 */
function AssignmentHeader({
  row: { assignment, projectName, projectColor },
  recorded,
  entries,
  isOwn,
  problems,
  problemId,
}: AssignmentHeaderProps) {
  const notes = entries.filter(({ description }) => description)
  const [hours, day] = estimateTexts(assignment, recorded)
  return (
    <th scope="row">
      <span class="week-name">
        <a href={assignmentPath(assignment.projectId, assignment.id)} dir="auto">
          {assignment.name}
        </a>
        {isOwn && <TimerButton assignment={assignment} />}
        {isOwn && <QueueMark changes={changesOf(assignment.id)} />}
      </span>
      <span class="quiet-text week-facts">
        <span class="week-project" title={projectName}>
          <ProjectMark project={{ id: assignment.projectId, color: projectColor }} />
          <span dir="auto">{projectName}</span>
        </span>
        <span class="week-estimate">
          {hours && <span>{hours}</span>}
          <span class="week-end">{hours ? ` · ${day}` : day}</span>
        </span>
      </span>
      {notes.map(({ id, keepDate, description }) => (
        <span key={id} class="quiet-text line week-note" title={description ?? ''}>
          {t('{day}: {note}', { day: formatWeekday(dayOf(keepDate)), note: description ?? '' })}
        </span>
      ))}
      {problems.length > 0 && (
        <span class="field-errors week-problem" id={problemId} role="alert">
          {problems.map(({ text, confirm }) => (
            <span key={text} class="line">
              {text}{' '}
              {confirm && (
                <button type="button" class="link-button" onClick={confirm}>
                  {t('Save again')}
                </button>
              )}
            </span>
          ))}
        </span>
      )}
    </th>
  )
}

/** Returns the hours that are left, or an empty text without an estimate, and the last day. */
function estimateTexts(
  assignment: WeekRow['assignment'],
  recorded: number | undefined,
): readonly [hours: string, day: string] {
  const { amountHours } = assignment
  const hours = amountHours > 0 ? hoursLeftText(amountHours, recorded) : ''
  const endDay = endDayOf(assignment)
  if (endDay === '') return [hours, t('No dates')]
  const day = formatDay(endDay)
  if (endDay < today()) return [hours, t('ended {day}', { day })]
  return [hours, t('ends {day}', { day })]
}

function hoursLeftText(planned: number, recorded: number | undefined): string {
  if (recorded === undefined) return formatHours(planned)
  const left = roundHours(planned - recorded)
  return left < 0
    ? t('{over} over {planned}', { over: formatHours(-left), planned: formatHours(planned) })
    : t('{left} of {planned} h left', { left: formatNumber(left), planned: formatNumber(planned) })
}

interface WeekSumsProps {
  readonly days: readonly string[]
  readonly shownDays: readonly string[]
  readonly entries: readonly Appointment[]
  readonly planned: number
  /** True for the user's own week, which also shows free hours. */
  readonly isOwn: boolean
}

/** Shows the sum of each day and what is free of a working day. */
const WeekSums = ({ days, shownDays, entries, planned, isOwn }: WeekSumsProps) => (
  <tfoot>
    <tr class="week-sums">
      <th scope="row">
        {t('Total')}
        {isOwn && (
          <span class="quiet-text line">
            {t('Free of {hours} a day', { hours: formatHours(dailyTarget()) })}
          </span>
        )}
        {shownDays.length > 1 &&
          days
            .filter((day) => isTooLong(day, entries))
            .map((day) => (
              <span key={day} class="too-long note line" role="status">
                {t('{day}: {note}', { day: formatWeekday(day), note: t('More than 24 h') })}
              </span>
            ))}
      </th>
      {shownDays.map((day) => (
        <td key={day} class={`number ${classOf(day)}`}>
          <DaySum day={day} entries={entries} format={formatNumber} />
          {isOwn && <FreeHours days={[day]} entries={entries} format={formatNumber} />}
        </td>
      ))}
      <td class="week-total" data-label={t('Week')}>
        <Total recorded={sumHours(entries)} planned={planned} />
        {isOwn && <FreeHours days={days} entries={entries} />}
      </td>
    </tr>
  </tfoot>
)

const entriesOn = (entries: readonly Appointment[], day: string) =>
  entries.filter(({ keepDate }) => dayOf(keepDate) === day)

const isTooLong = (day: string, entries: readonly Appointment[]): boolean =>
  sumHours(entriesOn(entries, day)) > hoursPerDay

interface DayProps {
  readonly day: string
  readonly entries: readonly Appointment[]
  /** Below the fields of a day, hours have no unit, so that all figures of a column line up. */
  readonly format?: typeof formatNumber
}

const DaySum = ({ day, entries, format = formatHours }: DayProps) => {
  const ofDay = entriesOn(entries, day)
  if (ofDay.length === 0) return <NoHours />
  return <span class={isTooLong(day, entries) ? 'too-long' : ''}>{format(sumHours(ofDay))}</span>
}

const NoHours = () => (
  <span class="quiet-text">
    <span aria-hidden="true">–</span>
    <span class="visually-hidden">{formatHours(0)}</span>
  </span>
)

interface FreeHoursProps {
  readonly days: readonly string[]
  readonly entries: readonly Appointment[]
  readonly format?: typeof formatNumber
}

/** Shows the free hours of a day or week, if there are any. */
function FreeHours({ days, entries, format = formatHours }: FreeHoursProps) {
  const free = freeHours(days, entries)
  if (free === 0) return null
  return (
    <span class="quiet-text line week-left">
      <span class="free-figure" aria-hidden="true">
        {format(free)}
      </span>
      <span class="free-text">{t('{hours} free', { hours: formatHours(free) })}</span>
    </span>
  )
}

interface TotalProps {
  readonly recorded: number
  readonly planned: number
}

/** Shows the recorded hours of a week, compared with the planned ones if there are any. */
const Total = ({ recorded, planned }: TotalProps) =>
  planned === 0 ? (
    recorded > 0 ? (
      <strong>{formatHours(recorded)}</strong>
    ) : (
      <NoHours />
    )
  ) : (
    <span class="week-of">
      {tx('{recorded}/{planned} h', {
        recorded: recorded > 0 ? <strong>{formatNumber(recorded)}</strong> : formatNumber(recorded),
        planned: formatNumber(roundPlanned(planned)),
      })}
    </span>
  )

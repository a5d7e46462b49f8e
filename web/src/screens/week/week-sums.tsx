import { dailyTarget, hoursOfDay } from '../../assignment/daily-target.ts'
import { t } from '../../texts/text.ts'
import { dayOf } from '../../time/days.ts'
import { showHours } from '../../time/hours.ts'
import { showPlanned } from '../../time/planned-hours.ts'
import { sumHours } from '../../time/sum-hours.ts'
import { weekdayOf } from '../../time/weeks.ts'
import type { Appointment } from './week.ts'

export interface WeekSumsProps {
  readonly days: readonly string[]
  readonly entries: readonly Appointment[]
  readonly planned: number
  /** One's own: then what is left to do counts. */
  readonly isOwn: boolean
  classOf(day: string): string
}

/** What each day adds up to, and how far that is from what one works on a day. */
export const WeekSums = ({ days, entries, planned, isOwn, classOf }: WeekSumsProps) => (
  <tfoot>
    <tr class="week-sums">
      <th scope="row">
        {t('Total')}
        {isOwn && (
          <span class="quiet-text line">{t('of {hours} a day', { hours: showHours(dailyTarget()) })}</span>
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

export const entriesOf = (entries: readonly Appointment[], day: string) =>
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
        {showHours(hours)}
        <span class="too-long line" role="status">
          {t('More than 24 h')}
        </span>
      </>
    )
  return (
    <>
      {entries.length > 0 && showHours(hours)}
      {target > 0 && entries.length > 0 && <Left recorded={hours} target={target} />}
    </>
  )
}

/** How much is left of what one wanted to do; nothing where it is done. */
const Left = ({ recorded, target }: { readonly recorded: number; readonly target: number }) =>
  recorded >= target ? null : (
    <span class="quiet-text line week-left">
      {t('{hours} left', { hours: showHours(Math.round((target - recorded) * 100) / 100) })}
    </span>
  )

export const Total = ({ recorded, planned }: { readonly recorded: number; readonly planned: number }) => (
  <>
    <strong>{showHours(recorded)}</strong>{' '}
    <span class="quiet-text week-head-more">
      {planned > 0 ? t('of {hours}', { hours: showPlanned(planned) }) : t('no plan this week')}
    </span>
  </>
)

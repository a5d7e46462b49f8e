import { t } from '../../../texts/text.ts'
import {
  addDays,
  dateFormat,
  dateOf,
  daysBetween,
  formatWeekday,
  today,
  weekdayOf,
} from '../../../time/days.ts'

interface TimeScaleProps {
  readonly scaleRef: { current: HTMLDivElement | null }
  readonly from: string
  readonly dayCount: number
  readonly dayPixels: number
}

/** The minimum width of a day for its weekday and number. */
const weekdayPixels = 48
/** The minimum width of a day for its number. If days are narrower, only Mondays have numbers. */
const numberPixels = 24
/** The minimum width of a day for "Today" instead of its number. */
const todayPixels = 36
/** The minimum width of a month for its full name. */
const longMonthPixels = 120
/** The minimum width of a month for its short name. */
const shortMonthPixels = 36

/** Shows the months and the days above the lanes. Screen readers read the dates of each bar instead. */
export function TimeScale({ scaleRef, from, dayCount, dayPixels }: TimeScaleProps) {
  const days = Array.from({ length: dayCount }, (_, index) => addDays(from, index))
  const todayIndex = daysBetween(from, today())
  const months = [...Map.groupBy(days.keys(), (index) => days[index]?.slice(0, 7) ?? '')]
  return (
    <div class="timeline-head" aria-hidden="true">
      <span class="timeline-corner" />
      <div
        ref={scaleRef}
        class="timeline-scale"
        style={{ gridTemplateColumns: `repeat(${dayCount}, minmax(0, 1fr))` }}
      >
        {months.map(([month, indexes]) => (
          <span key={month} class="timeline-month" style={columnsOf(indexes)}>
            {monthLabel(month, indexes.length * dayPixels)}
          </span>
        ))}
        {days.map((day, index) =>
          index === todayIndex || (dayPixels < numberPixels && weekdayOf(day) !== 1) ? null : (
            <span key={day} class="timeline-date" style={{ gridColumn: `${index + 1}` }}>
              {dayLabel(day, dayPixels)}
            </span>
          ),
        )}
        {todayIndex >= 0 && todayIndex < dayCount && (
          <span class="timeline-date today" title={t('Today')} style={{ gridColumn: `${todayIndex + 1}` }}>
            <b>
              {dayPixels >= todayPixels && dayPixels < weekdayPixels
                ? t('Today')
                : dayLabel(today(), dayPixels)}
            </b>
          </span>
        )}
      </div>
    </div>
  )
}

const columnsOf = (indexes: readonly number[]) => ({
  gridColumn: `${(indexes[0] ?? 0) + 1} / span ${indexes.length}`,
})

const dayLabel = (day: string, dayPixels: number): string =>
  dayPixels >= weekdayPixels ? `${formatWeekday(day)} ${Number(day.slice(8))}` : String(Number(day.slice(8)))

function monthLabel(month: string, pixels: number): string {
  const date = dateOf(`${month}-01`)
  if (pixels >= longMonthPixels) return dateFormat('month').format(date)
  return pixels >= shortMonthPixels ? dateFormat('shortMonth').format(date) : ''
}

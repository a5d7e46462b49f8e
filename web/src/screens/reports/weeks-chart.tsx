import { t } from '../../texts/text.ts'
import { formatDay, formatWeek } from '../../time/days.ts'
import { formatHours, formatNumber, formatPlanned } from '../../time/hours.ts'
import { Chart } from './chart.tsx'
import type { HoursRow } from './report.ts'
import { ticksFor } from './ticks.ts'

// All sizes are in pixels.
const height = 260
const marginTop = 20
const marginBottom = 28
/** The width of an average letter in a label. */
const letterWidth = 6.5
/** The width of a digit at an axis. */
const digitWidth = 7.5
/** The width that a number needs above its bar. */
const valueWidth = 30

/** Shows recorded and planned hours side by side, week by week. */
export const WeeksChart = ({
  weeks,
  currentMonday,
}: {
  readonly weeks: readonly HoursRow[]
  readonly currentMonday: string
}) => (
  <Chart title={t('Hours per week')} rowHeading={t('Week')} rows={weeks} labelOf={({ id }) => formatWeek(id)}>
    {(width, pattern) => ({
      height,
      shapes: <Bars weeks={weeks} currentMonday={currentMonday} width={width} pattern={pattern} />,
    })}
  </Chart>
)

interface BarsProps {
  readonly weeks: readonly HoursRow[]
  readonly currentMonday: string
  readonly width: number
  readonly pattern: string
}

function Bars({ weeks, currentMonday, width, pattern }: BarsProps) {
  const ticks = ticksFor(Math.max(...weeks.flatMap(({ planned, recorded }) => [planned, recorded])))
  const yOf = (hours: number) =>
    height - marginBottom - (hours / (ticks.at(-1) ?? 1)) * (height - marginTop - marginBottom)
  const left = 12 + digitWidth * Math.max(3, ...ticks.map((tick) => formatNumber(tick).length))
  const groupWidth = (width - left) / weeks.length
  const barWidth = Math.min(28, (groupWidth - 6) / 2)
  const labelWidth =
    letterWidth *
    Math.max(...[t('This week'), ...weeks.map(({ id }) => formatDay(id))].map((label) => label.length))
  const labelInterval = Math.ceil(labelWidth / groupWidth)
  const currentIndex = weeks.findIndex(({ id }) => id === currentMonday)
  return (
    <>
      {ticks.map((tick) => (
        <g key={tick}>
          <line class="grid-line" x1={left} x2={width} y1={yOf(tick)} y2={yOf(tick)} />
          <text class="axis" x={left - 8} y={yOf(tick) + 4} text-anchor="end">
            {formatNumber(tick)}
          </text>
        </g>
      ))}
      {weeks.map(({ id, planned, recorded }, index) => {
        const middle = left + groupWidth * (index + 0.5)
        const isInside = middle - labelWidth / 2 >= 0 && middle + labelWidth / 2 <= width
        const isLabelled =
          (index - Math.max(currentIndex, 0)) % labelInterval === 0 && (isInside || labelInterval === 1)
        return (
          <g key={id}>
            <title>
              {t('{name}: {recorded} recorded, {planned} planned', {
                name: formatWeek(id),
                recorded: formatHours(recorded),
                planned: formatPlanned(planned),
              })}
            </title>
            <rect
              class="recorded"
              x={middle - barWidth}
              y={yOf(recorded)}
              width={barWidth - 1}
              height={yOf(0) - yOf(recorded)}
            />
            <rect
              class="planned"
              fill={pattern}
              x={middle + 1.5}
              y={yOf(planned)}
              width={barWidth - 2}
              height={yOf(0) - yOf(planned)}
            />
            {recorded > 0 && barWidth >= valueWidth / 2 && groupWidth >= 2 * valueWidth && (
              <text class="value" x={middle - barWidth / 2} y={yOf(recorded) - 5} text-anchor="middle">
                {formatNumber(Math.round(recorded * 10) / 10)}
              </text>
            )}
            {isLabelled && (
              <text
                class={id === currentMonday ? 'axis current' : 'axis'}
                x={middle}
                y={height - 8}
                text-anchor="middle"
              >
                {id === currentMonday ? t('This week') : formatDay(id)}
              </text>
            )}
          </g>
        )
      })}
    </>
  )
}

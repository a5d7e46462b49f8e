import { t } from '../../texts/text.ts'
import { formatDay, formatWeek } from '../../time/days.ts'
import { formatHours, formatNumber, formatPlanned } from '../../time/hours.ts'
import { Chart } from './chart.tsx'
import { ticksFor } from './periods.ts'
import type { Hours } from './report.ts'

/** Pixels. */
const height = 260
const top = 20
const bottom = 28
/** The width of an average letter in a label. */
const letterWidth = 6.5
/** The width of a digit at an axis. */
const digitWidth = 7.5
/** The width that a number needs above its bar. */
const valueWidth = 30

/** Shows recorded next to planned hours, week by week. */
export const WeeksChart = ({
  weeks,
  current,
}: {
  readonly weeks: readonly Hours[]
  readonly current: string
}) => (
  <Chart title={t('Hours per week')} kind={t('Week')} rows={weeks} labelOf={({ id }) => formatWeek(id)}>
    {(width, pattern) => ({
      height,
      shapes: <Bars weeks={weeks} current={current} width={width} pattern={pattern} />,
    })}
  </Chart>
)

interface BarsProps {
  readonly weeks: readonly Hours[]
  readonly current: string
  readonly width: number
  readonly pattern: string
}

function Bars({ weeks, current, width, pattern }: BarsProps) {
  const ticks = ticksFor(Math.max(...weeks.flatMap(({ planned, recorded }) => [planned, recorded])))
  const yOf = (hours: number) => height - bottom - (hours / (ticks.at(-1) ?? 1)) * (height - top - bottom)
  const left = 12 + digitWidth * Math.max(3, ...ticks.map((tick) => formatNumber(tick).length))
  const group = (width - left) / weeks.length
  const bar = Math.min(28, (group - 6) / 2)
  const labelWidth =
    letterWidth *
    Math.max(...[t('This week'), ...weeks.map(({ id }) => formatDay(id))].map((label) => label.length))
  const labelled = Math.ceil(labelWidth / group)
  const currentIndex = weeks.findIndex(({ id }) => id === current)
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
        const middle = left + group * (index + 0.5)
        const isInside = middle - labelWidth / 2 >= 0 && middle + labelWidth / 2 <= width
        const isLabelled =
          (index - Math.max(currentIndex, 0)) % labelled === 0 && (isInside || labelled === 1)
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
              x={middle - bar}
              y={yOf(recorded)}
              width={bar - 1}
              height={yOf(0) - yOf(recorded)}
            />
            <rect
              class="planned"
              fill={pattern}
              x={middle + 1.5}
              y={yOf(planned)}
              width={bar - 2}
              height={yOf(0) - yOf(planned)}
            />
            {recorded > 0 && bar >= valueWidth / 2 && group >= 2 * valueWidth && (
              <text class="value" x={middle - bar / 2} y={yOf(recorded) - 5} text-anchor="middle">
                {formatNumber(Math.round(recorded * 10) / 10)}
              </text>
            )}
            {isLabelled && (
              <text
                class={id === current ? 'axis current' : 'axis'}
                x={middle}
                y={height - 8}
                text-anchor="middle"
              >
                {id === current ? t('This week') : formatDay(id)}
              </text>
            )}
          </g>
        )
      })}
    </>
  )
}

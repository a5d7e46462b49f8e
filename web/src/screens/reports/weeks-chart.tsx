import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { t } from '../../texts/text.ts'
import { formatDay, formatWeek } from '../../time/days.ts'
import { formatHours, splitHours } from '../../time/hours.ts'
import { HoursTable, OverPlan, PlannedPattern, Swatch } from './hours-table.tsx'
import { type Hours, type HoursRow, ticksFor } from './report.ts'

interface WeeksChartProps {
  readonly weeks: readonly HoursRow[]
  readonly currentMonday: string
  /** The hours of the whole period. */
  readonly total: Hours
}

/**
 * Shows recorded and planned hours by week, as a chart or as a table. The figures above are the sums of the
 * period, or of the week under the pointer.
 */
export function WeeksChart({ weeks, currentMonday, total }: WeeksChartProps) {
  const id = useId()
  const [isTable, setTable] = useState(false)
  const [pointedId, setPointedId] = useState<string>()
  const { element, width } = useWidth()
  const title = t('Hours per week')
  const pointed = weeks.find((week) => week.id === pointedId)
  return (
    <figure class="chart" aria-labelledby={`${id}-caption`} onMouseLeave={() => setPointedId(undefined)}>
      <figcaption>
        <h2 id={`${id}-caption`}>{title}</h2>
        {pointed && <span class="quiet-text">{formatWeek(pointed.id)}</span>}
        <button
          type="button"
          class="button"
          aria-pressed={isTable}
          onClick={() => {
            setTable(!isTable)
            setPointedId(undefined)
          }}
        >
          {isTable ? t('Show the chart') : t('Show as table')}
        </button>
      </figcaption>
      <Figures {...(pointed ?? total)} />
      <div ref={element} class="chart-body">
        {isTable && (
          <HoursTable
            title={title}
            rowHeading={t('Week')}
            rows={weeks}
            nameOf={(week) => (
              <span class={week.id === currentMonday ? 'current-week' : ''}>{formatWeek(week.id)}</span>
            )}
          />
        )}
        {!isTable && width > 0 && (
          <svg
            role="img"
            aria-labelledby={`${id}-title ${id}-desc`}
            width={width}
            height={height}
            viewBox={`0 0 ${width} ${height}`}
          >
            <title id={`${id}-title`}>{title}</title>
            <desc id={`${id}-desc`}>{describe(total)}</desc>
            <PlannedPattern id={`${id}-planned`} />
            <Weeks
              weeks={weeks}
              currentMonday={currentMonday}
              width={width}
              plannedFill={`url(#${id}-planned)`}
              onPoint={setPointedId}
            />
          </svg>
        )}
      </div>
      <p class="quiet-text chart-note">
        {t('Planned hours are spread evenly over the working days of their assignment.')}{' '}
        {t('Left is what open assignments have not used of them; over is what was recorded beyond them.')}
      </p>
    </figure>
  )
}

/** Describes the content of the chart in words. */
const describe = ({ planned, recorded }: Hours): string =>
  t('{recorded} recorded, {planned} planned. The table has every number.', {
    recorded: formatHours(recorded),
    planned: formatHours(planned),
  })

/** Shows the figures. They are also the legend of the chart. */
const Figures = ({ planned, recorded, left, over }: Hours) => (
  <dl class="figures">
    <Figure label={t('Recorded')} swatch={<Swatch of="recorded" />}>
      {formatHours(recorded)}
    </Figure>
    <Figure label={t('Planned')} swatch={<Swatch of="planned" />}>
      {formatHours(planned)}
    </Figure>
    <Figure label={t('Left')}>{formatHours(left)}</Figure>
    <Figure label={t('Over')} swatch={<Swatch of="over" />}>
      <OverPlan hours={over}>{formatHours(over)}</OverPlan>
    </Figure>
  </dl>
)

interface FigureProps {
  readonly label: string
  readonly swatch?: ComponentChildren
  readonly children: ComponentChildren
}

export const Figure = ({ label, swatch, children }: FigureProps) => (
  <div>
    <dt>
      {swatch} {label}
    </dt>
    <dd>{children}</dd>
  </div>
)

// All sizes are in pixels.
const height = 220
const marginTop = 12
const marginBottom = 28
/** The width of an average letter in a label. */
const letterWidth = 6.5
const digitWidth = 7.5
const plannedWidthMax = 36

interface WeeksProps extends Pick<WeeksChartProps, 'weeks' | 'currentMonday'> {
  readonly width: number
  readonly plannedFill: string
  onPoint(id: string): void
}

function Weeks({ weeks, currentMonday, width, plannedFill, onPoint }: WeeksProps) {
  const ends = weeks.flatMap(({ planned, recorded }) => [planned, recorded])
  const ticks = ticksFor(Math.max(...ends))
  const yOf = (hours: number) =>
    height - marginBottom - (hours / (ticks.at(-1) ?? 1)) * (height - marginTop - marginBottom)
  const left = 12 + digitWidth * Math.max(2, ...ticks.map((tick) => formatHours(tick).length))
  const groupWidth = (width - left) / weeks.length
  const labelWidth =
    letterWidth *
    Math.max(...[t('This week'), ...weeks.map(({ id }) => formatDay(id))].map((label) => label.length))
  const labelInterval = Math.ceil(labelWidth / groupWidth)
  const currentIndex = weeks.findIndex(({ id }) => id === currentMonday)
  const isLabelled = (index: number, middle: number) => {
    const isInside = middle - labelWidth / 2 >= 0 && middle + labelWidth / 2 <= width
    return (index - Math.max(currentIndex, 0)) % labelInterval === 0 && (isInside || labelInterval === 1)
  }
  return (
    <>
      {ticks.map((tick) => (
        <g key={tick}>
          <line class="grid-line" x1={left} x2={width} y1={yOf(tick)} y2={yOf(tick)} />
          <text class="axis" x={left - 8} y={yOf(tick) + 4} text-anchor="end">
            {formatHours(tick)}
          </text>
        </g>
      ))}
      {weeks.map((week, index) => {
        const { id } = week
        const middle = left + groupWidth * (index + 0.5)
        return (
          // biome-ignore lint/a11y/noStaticElementInteractions: only shows figures, which the table has, too
          <g key={id} class="week" onMouseEnter={() => onPoint(id)}>
            <rect
              class="week-band"
              x={middle - groupWidth / 2}
              width={groupWidth}
              height={height - marginBottom}
              rx="4"
            />
            <Bars week={week} middle={middle} groupWidth={groupWidth} yOf={yOf} plannedFill={plannedFill} />
            {isLabelled(index, middle) && (
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

interface BarsProps extends Pick<WeeksProps, 'plannedFill'> {
  readonly week: HoursRow
  readonly middle: number
  readonly groupWidth: number
  yOf(hours: number): number
}

/** Draws the recorded hours, with the excess at their end, in front of the wider, outlined bar of the planned hours. */
function Bars({ week, middle, groupWidth, yOf, plannedFill }: BarsProps) {
  const { planned, recorded } = week
  const { within, over } = splitHours(week)
  const plannedWidth = Math.min(plannedWidthMax, Math.round(groupWidth * 0.66))
  const recordedWidth = Math.round(plannedWidth * 0.5)
  const inner = { x: middle - recordedWidth / 2, width: recordedWidth }
  return (
    <>
      {planned > 0 && (
        <rect
          class="planned"
          fill={plannedFill}
          x={middle - plannedWidth / 2}
          y={yOf(planned)}
          width={plannedWidth}
          height={yOf(0) - yOf(planned)}
          rx="3"
        />
      )}
      {over > 0 && (
        <rect class="over" {...inner} rx="2" y={yOf(recorded)} height={yOf(within) - yOf(recorded)} />
      )}
      {within > 0 && (
        <rect class="recorded" {...inner} rx="2" y={yOf(within)} height={yOf(0) - yOf(within)} />
      )}
    </>
  )
}

/** Measures the width, because the chart is drawn in pixels, so that its texts keep their size on a phone. */
function useWidth() {
  const element = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  // A layout effect runs before the first paint, so that the page does not move when the chart appears.
  useLayoutEffect(() => {
    if (element.current === null) return
    setWidth(Math.floor(element.current.clientWidth))
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)))
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [])
  return { element, width }
}

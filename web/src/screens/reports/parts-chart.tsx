import { isolate, t } from '../../texts/text.ts'
import { formatHours, formatNumber, formatPlanned } from '../../time/hours.ts'
import { Chart } from './chart.tsx'
import type { HoursRow } from './report.ts'

interface PartsChartProps {
  readonly title: string
  readonly rowHeading: string
  readonly parts: readonly HoursRow[]
  readonly hrefOf: (part: HoursRow) => string
}

// All sizes are in pixels.
const rowHeight = 60
const barHeight = 10
/** The width of “1,234.5 of 1,234.5 h” at the end of its line. */
const valueWidth = 150
/** The width of an average letter. Longer names are truncated here and complete in the table. */
const letterWidth = 7.6
/** The chart shows at most this many parts; the table shows all. */
const partsMax = 20

/** Shows the hours of each project or assignment as two bars: recorded above planned. */
export function PartsChart({ title, rowHeading, parts, hrefOf }: PartsChartProps) {
  const visibleParts = parts.slice(0, partsMax)
  const max = Math.max(1, ...visibleParts.flatMap(({ planned, recorded }) => [planned, recorded]))
  return (
    <>
      <Chart
        title={title}
        rowHeading={rowHeading}
        rows={parts}
        labelOf={(part) => (
          <a href={hrefOf(part)} dir="auto">
            {part.name}
          </a>
        )}
      >
        {(width, pattern) => ({
          height: visibleParts.length * rowHeight,
          shapes: visibleParts.map((part, index) => (
            <Part key={part.id} part={part} y={index * rowHeight} width={width} max={max} pattern={pattern} />
          )),
        })}
      </Chart>
      {parts.length > partsMax && (
        <p class="quiet-text">
          {t('The chart shows the {count} with the most hours; the table has all {total}.', {
            count: partsMax,
            total: parts.length,
          })}
        </p>
      )}
    </>
  )
}

interface PartProps {
  readonly part: HoursRow
  readonly y: number
  readonly width: number
  readonly max: number
  readonly pattern: string
}

function Part({ part: { name, planned, recorded }, y, width, max, pattern }: PartProps) {
  const lengthOf = (hours: number) => (hours / max) * (width - 1)
  const lettersMax = Math.max(8, Math.floor((width - valueWidth) / letterWidth))
  return (
    <g>
      <title>
        {t('{name}: {recorded} recorded, {planned} planned', {
          name,
          recorded: formatHours(recorded),
          planned: formatPlanned(planned),
        })}
      </title>
      <text class="name" x="0" y={y + 14}>
        {isolate(name.length > lettersMax ? `${name.slice(0, lettersMax - 1)}…` : name)}
      </text>
      <text class="axis" x={width} y={y + 14} text-anchor="end">
        {t('{recorded} of {planned}', {
          recorded: formatNumber(recorded),
          planned: formatPlanned(planned),
        })}
      </text>
      <rect class="recorded" x="0" y={y + 21} width={lengthOf(recorded)} height={barHeight} />
      <rect class="planned" fill={pattern} x="0.5" y={y + 33} width={lengthOf(planned)} height={barHeight} />
    </g>
  )
}

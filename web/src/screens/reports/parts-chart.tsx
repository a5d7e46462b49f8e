import { isolate, t } from '../../texts/text.ts'
import { formatHours, formatNumber, formatPlanned } from '../../time/hours.ts'
import { Chart } from './chart.tsx'
import type { Hours } from './report.ts'

export interface PartsChartProps {
  readonly title: string
  readonly kind: string
  readonly parts: readonly Hours[]
  readonly hrefOf: (part: Hours) => string
}

/** Pixels. */
const rowHeight = 60
const barHeight = 10
/** The width of “1,234.5 of 1,234.5 h” at the end of its line. */
const valueWidth = 150
/** The width of an average letter. Longer names are truncated here and complete in the table. */
const letterWidth = 7.6
/** The table shows the rest. */
const drawnMax = 20

/** Projects or assignments below each other, recorded above planned. */
export function PartsChart({ title, kind, parts, hrefOf }: PartsChartProps) {
  const drawn = parts.slice(0, drawnMax)
  const greatest = Math.max(1, ...drawn.flatMap(({ planned, recorded }) => [planned, recorded]))
  return (
    <>
      <Chart
        title={title}
        kind={kind}
        rows={parts}
        labelOf={(part) => (
          <a href={hrefOf(part)} dir="auto">
            {part.name}
          </a>
        )}
      >
        {(width, pattern) => ({
          height: drawn.length * rowHeight,
          shapes: drawn.map((part, index) => (
            <Part
              key={part.id}
              part={part}
              y={index * rowHeight}
              width={width}
              greatest={greatest}
              pattern={pattern}
            />
          )),
        })}
      </Chart>
      {parts.length > drawnMax && (
        <p class="quiet-text">
          {t('The chart shows the {count} with the most hours; the table has all {total}.', {
            count: drawnMax,
            total: parts.length,
          })}
        </p>
      )}
    </>
  )
}

interface PartProps {
  readonly part: Hours
  readonly y: number
  readonly width: number
  readonly greatest: number
  readonly pattern: string
}

function Part({ part: { name, planned, recorded }, y, width, greatest, pattern }: PartProps) {
  const lengthOf = (hours: number) => (hours / greatest) * (width - 1)
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

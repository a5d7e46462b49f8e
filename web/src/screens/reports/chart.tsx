import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { t } from '../../texts/text.ts'
import { formatHours, formatPlanned } from '../../time/hours.ts'
import type { HoursRow } from './report.ts'

interface ChartProps {
  readonly title: string
  /** The heading of the table's first column, such as Week. */
  readonly rowHeading: string
  readonly rows: readonly HoursRow[]
  readonly labelOf: (row: HoursRow) => ComponentChildren
  /**
   * Draws the chart in this width. `plannedFill` is a pattern, which distinguishes planned from recorded
   * hours without colors.
   */
  readonly children: (
    width: number,
    plannedFill: string,
  ) => { readonly height: number; readonly shapes: ComponentChildren }
}

/** Shows hours as a chart or, on request, as a table. */
export function Chart({ title, rowHeading, rows, labelOf, children: draw }: ChartProps) {
  const id = useId()
  const [isTable, setTable] = useState(false)
  const { element, width } = useWidth()
  const patternId = `${id}-planned`
  const { height, shapes } = draw(width, `url(#${patternId})`)
  return (
    <figure class="chart" aria-labelledby={`${id}-caption`}>
      <figcaption>
        <h2 id={`${id}-caption`}>{title}</h2>
        <Legend />
        <button type="button" class="button" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          {isTable ? t('Show the chart') : t('Show as table')}
        </button>
      </figcaption>
      <div ref={element} class="chart-body">
        {isTable ? (
          <HoursTable title={title} rowHeading={rowHeading} rows={rows} labelOf={labelOf} />
        ) : (
          width > 0 && (
            <svg
              role="img"
              aria-labelledby={`${id}-title ${id}-desc`}
              width={width}
              height={height}
              viewBox={`0 0 ${width} ${height}`}
            >
              <title id={`${id}-title`}>{title}</title>
              <desc id={`${id}-desc`}>{describe(rows)}</desc>
              <Pattern id={patternId} />
              {shapes}
            </svg>
          )
        )}
      </div>
    </figure>
  )
}

const Pattern = ({ id }: { readonly id: string }) => (
  <defs>
    <pattern id={id} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <rect class="planned-background" width="6" height="6" />
      <rect class="planned-line" width="2" height="6" />
    </pattern>
  </defs>
)

/** Describes the content of the chart in words. */
function describe(rows: readonly HoursRow[]): string {
  const sum = (key: 'planned' | 'recorded') => rows.reduce((total, row) => total + row[key], 0)
  return t('{recorded} recorded, {planned} planned. The table has every number.', {
    recorded: formatHours(sum('recorded')),
    planned: formatPlanned(sum('planned')),
  })
}

function Legend() {
  const id = useId()
  return (
    <ul class="legend">
      <li>
        <svg width="16" height="12" aria-hidden="true">
          <rect class="recorded" width="16" height="12" rx="2" />
        </svg>
        {t('Recorded')}
      </li>
      <li>
        <svg width="16" height="12" aria-hidden="true">
          <Pattern id={id} />
          <rect class="planned" fill={`url(#${id})`} x="0.5" y="0.5" width="15" height="11" rx="2" />
        </svg>
        {t('Planned')}
      </li>
    </ul>
  )
}

const HoursTable = ({
  title,
  rowHeading,
  rows,
  labelOf,
}: Pick<ChartProps, 'title' | 'rowHeading' | 'rows' | 'labelOf'>) => (
  <table class="hours-table">
    <caption class="visually-hidden">{title}</caption>
    <thead>
      <tr>
        <th scope="col">{rowHeading}</th>
        <th scope="col">{t('Recorded')}</th>
        <th scope="col">{t('Planned')}</th>
      </tr>
    </thead>
    <tbody>
      {rows.map((row) => (
        <tr key={row.id}>
          <th scope="row">{labelOf(row)}</th>
          <td>{formatHours(row.recorded)}</td>
          <td>{formatPlanned(row.planned)}</td>
        </tr>
      ))}
    </tbody>
  </table>
)

/** Measures the width, because charts are drawn in pixels, so that their texts keep their size on a phone. */
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

import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { t } from '../../texts/text.ts'
import { formatHours, splitHours } from '../../time/hours.ts'
import { Icon } from '../../ui/icon.tsx'
import type { Hours, HoursRow } from './report.ts'

interface HoursTableProps {
  readonly title: string
  /** The heading of the first column, such as Week. */
  readonly rowHeading: string
  readonly rows: readonly HoursRow[]
  /** True if the rows with most recorded hours are the first. */
  readonly isSorted?: boolean
  readonly nameOf: (row: HoursRow) => ComponentChildren
}

/** Shows hours as a table with a bar in each row. The headings are the legend. */
export function HoursTable({ title, rowHeading, rows, isSorted, nameOf }: HoursTableProps) {
  const max = Math.max(...rows.flatMap(({ planned, recorded, over }) => [planned + over, recorded]))
  return (
    <table class="hours-table hours-bars">
      <caption class="visually-hidden">{title}</caption>
      <thead>
        <tr>
          <th scope="col">{rowHeading}</th>
          <td class="hours-track" />
          <th scope="col" aria-sort={isSorted ? 'descending' : undefined}>
            <Swatch of="recorded" /> {t('Recorded')}
            {isSorted && <SortMark />}
          </th>
          <PlanHeadings />
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id}>
            <th scope="row">{nameOf(row)}</th>
            <td class="hours-track">
              <HoursTrack {...row} max={max} />
            </td>
            <td>{formatOrDash(row.recorded)}</td>
            <PlanCells {...row} />
          </tr>
        ))}
      </tbody>
    </table>
  )
}

export const PlanHeadings = () => (
  <>
    <th scope="col">
      <Swatch of="planned" /> {t('Planned')}
    </th>
    <th scope="col" class="hours-left">
      {t('Left')}
    </th>
    <th scope="col" class="hours-over">
      <Swatch of="over" /> {t('Over')}
    </th>
  </>
)

export const PlanCells = ({ planned, left, over }: Omit<Hours, 'recorded'>) => (
  <>
    <td>{formatOrDash(planned)}</td>
    <td class="hours-left" data-label={labelOf(t('Left'), left)}>
      {formatOrDash(left)}
    </td>
    <td class="hours-over" data-label={labelOf(t('Over'), over)}>
      <OverPlan hours={over}>{formatOrDash(over)}</OverPlan>
    </td>
  </>
)

/** Formats the hours of a column. A dash is quieter than a zero. */
export const formatOrDash = (hours: number): string => (hours === 0 ? '–' : formatHours(hours))

/** Phones show no column headings, so each cell with hours has the heading as its label. */
const labelOf = (label: string, hours: number): string | undefined => (hours > 0 ? label : undefined)

/** Marks the column by which a table is sorted in descending order. */
export const SortMark = () => (
  <span class="sort-mark">
    <Icon name="down" />
  </span>
)

interface OverPlanProps {
  readonly hours: number
  readonly children: string
}

/** Marks hours over the plan, if there are any. */
export const OverPlan = ({ hours, children }: OverPlanProps) => (
  <span class={hours > 0 ? 'over-plan' : ''}>{children}</span>
)

/** The number of rows that are shown until the user asks for all. */
const rowsAtFirst = 20

export function HoursSection(props: HoursTableProps) {
  const id = useId()
  const [showsAll, setShowsAll] = useState(false)
  const { title, rows } = props
  return (
    <section class="chart" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <HoursTable {...props} isSorted rows={showsAll ? rows : rows.slice(0, rowsAtFirst)} />
      {!showsAll && rows.length > rowsAtFirst && (
        <button type="button" class="button quiet wide" onClick={() => setShowsAll(true)}>
          {t('Show all {count}', { count: rows.length })}
        </button>
      )}
    </section>
  )
}

type SwatchKind = 'recorded' | 'planned' | 'over'

/** Shows a sample of a bar, for the legend. */
export const Swatch = ({ of }: { readonly of: SwatchKind }) => (
  <span class={`hours-swatch ${of}-swatch`} aria-hidden="true" />
)

/** Hatches planned hours, so that they can be recognized without colors. */
export const PlannedPattern = ({ id }: { readonly id: string }) => (
  <defs>
    <pattern id={id} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <rect class="planned-background" width="5" height="5" />
      <rect class="planned-line" width="1.5" height="5" />
    </pattern>
  </defs>
)

// All sizes are in pixels.
const trackHeight = 14
const recordedHeight = 6

interface HoursTrackProps extends Pick<Hours, 'planned' | 'recorded' | 'over'> {
  /** The number of hours that the whole width stands for. */
  readonly max: number
}

/** Shows recorded hours as a bar in front of an outlined bar of planned hours, and the excess in amber. */
export function HoursTrack({ max, ...hours }: HoursTrackProps) {
  const id = useId()
  const { planned } = hours
  const { within, over } = splitHours(hours)
  const lengthOf = (hours: number) => `${(hours / Math.max(max, 1)) * 100}%`
  const inner = { y: (trackHeight - recordedHeight) / 2, height: recordedHeight, rx: 2 }
  return (
    <svg width="100%" height={trackHeight} aria-hidden="true">
      <PlannedPattern id={id} />
      {planned > 0 && (
        <rect
          class="planned"
          fill={`url(#${id})`}
          x="0.5"
          y="0.5"
          width={lengthOf(planned)}
          height={trackHeight - 1}
          rx="3"
        />
      )}
      {over > 0 && <rect class="over" {...inner} x={lengthOf(within)} width={lengthOf(over)} />}
      {within > 0 && <rect class="recorded" {...inner} width={lengthOf(within)} />}
    </svg>
  )
}

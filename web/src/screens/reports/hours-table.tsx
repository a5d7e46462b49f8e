import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { t } from '../../texts/text.ts'
import { alignHours } from './align-hours.ts'
import type { HoursRow } from './report.ts'
import { HoursTrack, Swatch } from './tracks.tsx'

interface HoursTableProps {
  readonly title: string
  /** The heading of the first column, such as Week. */
  readonly rowHeading: string
  readonly rows: readonly HoursRow[]
  readonly nameOf: (row: HoursRow) => ComponentChildren
}

/** Shows planned and recorded hours as a table with a bar in each row. The headings are the legend. */
export function HoursTable({ title, rowHeading, nameOf, ...props }: HoursTableProps) {
  const rows = props.rows.map((row) => ({ ...row, planned: roundPlanned(row.planned) }))
  const max = Math.max(...rows.flatMap(({ planned, recorded }) => [planned, recorded]))
  const formatRecorded = alignHours(rows.map(({ recorded }) => recorded))
  const formatPlanned = alignHours(rows.map(({ planned }) => planned))
  const formatLeft = alignHours(rows.map((row) => leftOf(row) ?? 0))
  return (
    <table class="hours-table hours-bars">
      <caption class="visually-hidden">{title}</caption>
      <thead>
        <tr>
          <th scope="col">{rowHeading}</th>
          <td class="hours-track" />
          <th scope="col">
            <Swatch of="recorded" /> {t('Recorded')}
          </th>
          <th scope="col">
            <Swatch of="planned" /> {t('Planned')}
          </th>
          <th scope="col" class="hours-left">
            {t('Left')}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id}>
            <th scope="row">{nameOf(row)}</th>
            <td class="hours-track">
              <HoursTrack {...row} max={max} />
            </td>
            <td>{formatRecorded(row.recorded)}</td>
            <td>{formatPlanned(row.planned)}</td>
            <td class="hours-left" data-label={row.recorded > row.planned ? undefined : t('Left')}>
              <Left hours={leftOf(row)} format={formatLeft} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Rounds to tenths, because a share of an estimate is only a guess. */
export const roundPlanned = (hours: number): number => Math.round(hours * 10) / 10

interface LeftProps {
  /** Negative if more is recorded than planned; undefined without a plan. */
  readonly hours: number | undefined
  format(hours: number): string
}

/** The planned hours that are not recorded yet, or those recorded in addition. */
export function Left({ hours, format }: LeftProps) {
  if (hours === undefined) return null
  return hours < 0 ? (
    <span class="over-plan">{t('{hours} over', { hours: format(-hours) })}</span>
  ) : (
    <span>{format(hours)}</span>
  )
}

/** Returns the planned hours that are not recorded yet, without rounding errors. */
export const leftOf = ({ planned, recorded }: Pick<HoursRow, 'planned' | 'recorded'>): number | undefined =>
  planned > 0 ? Math.round((planned - recorded) * 100) / 100 : undefined

/** More rows are shown on request. */
const rowsAtFirst = 20

/** A box with a table of hours. */
export function HoursSection(props: HoursTableProps) {
  const id = useId()
  const [showsAll, setShowsAll] = useState(false)
  const { title, rows } = props
  return (
    <section class="chart" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <HoursTable {...props} rows={showsAll ? rows : rows.slice(0, rowsAtFirst)} />
      {!showsAll && rows.length > rowsAtFirst && (
        <button type="button" class="button quiet wide" onClick={() => setShowsAll(true)}>
          {t('Show all {count}', { count: rows.length })}
        </button>
      )}
    </section>
  )
}

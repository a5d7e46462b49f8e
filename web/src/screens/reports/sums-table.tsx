import { t } from '../../texts/text.ts'
import { showHours } from '../../time/hours.ts'
import { sumHours } from '../../time/sum-hours.ts'
import { PersonAvatar } from '../../ui/person-avatar.tsx'
import { ProjectMark } from '../../ui/project-mark.tsx'
import { groupings, type SumRow, type Wanted } from './sums.ts'

export interface SumsTableProps {
  readonly rows: readonly SumRow[]
  readonly wanted: Wanted
  readonly total: { readonly hours: number; readonly appointments: number }
}

/** With one grouping what is left of the estimates, else the hours alone. */
export function SumsTable({ rows, wanted, total }: SumsTableProps) {
  const { by, second } = wanted
  const hasPlan = second === undefined && rows.some(({ planned }) => planned !== undefined)
  const labelOf = (name: string | undefined) => {
    const found = groupings.find((one) => one.name === name)
    return found && t(found.label)
  }
  return (
    <section
      class="sums-scroll"
      aria-label={t('Sums')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
      tabIndex={0}
    >
      <table class="hours-table sums">
        <caption class="visually-hidden">{t('Hours recorded, and planned where there is a plan')}</caption>
        <thead>
          <tr>
            <th scope="col">{labelOf(by)}</th>
            {second && (
              <th scope="col" class="sums-second">
                {labelOf(second)}
              </th>
            )}
            <th scope="col">{t('In this period')}</th>
            <th scope="col" class="minor">
              {t('Entries')}
            </th>
            {hasPlan && <PlanHeads />}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.id} ${row.second}`}>
              <th scope="row">
                <GroupName by={by} row={row} />
              </th>
              {second && <td class="sums-second">{row.second ?? t('not visible to you')}</td>}
              <td>{showHours(row.hours)}</td>
              <td class="minor">{row.entries}</td>
              {hasPlan && <PlanCells recorded={row.recorded ?? 0} planned={row.planned ?? 0} />}
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{t('Total')}</th>
            {second && <td />}
            <td>{showHours(total.hours)}</td>
            <td class="minor">{total.appointments}</td>
            {hasPlan && (
              <PlanCells
                recorded={sumHours(rows.map(({ recorded = 0 }) => ({ amountHours: recorded })))}
                planned={sumHours(rows.map(({ planned = 0 }) => ({ amountHours: planned })))}
              />
            )}
          </tr>
        </tfoot>
      </table>
    </section>
  )
}

const GroupName = ({ by, row: { id, name } }: { readonly by: Wanted['by']; readonly row: SumRow }) => (
  <span class="sums-name">
    {by === 'person' && <PersonAvatar id={id} isNamed />}
    {by === 'project' && <ProjectMark id={id} />}
    {by === 'project' && name !== null ? (
      <a href={`/projects/${id}/report`} dir="auto">
        {name}
      </a>
    ) : (
      <span dir="auto">{name ?? t('not visible to you')}</span>
    )}
  </span>
)

const PlanHeads = () => (
  <>
    <th scope="col" class="minor">
      {t('Recorded in all')}
    </th>
    <th scope="col" class="minor">
      {t('Planned')}
    </th>
    <th scope="col">{t('Left')}</th>
    <th scope="col" class="minor">
      <span class="visually-hidden">{t('Part of the plan')}</span>
    </th>
  </>
)

function PlanCells({ recorded, planned }: { readonly recorded: number; readonly planned: number }) {
  const left = Math.round((planned - recorded) * 100) / 100
  const isOver = planned > 0 && left < 0
  return (
    <>
      <td class="minor">{showHours(recorded)}</td>
      <td class="minor">{planned === 0 ? t('not planned') : showHours(planned)}</td>
      <td class={isOver ? 'late' : ''}>
        {isOver ? t('{hours} over', { hours: showHours(-left) }) : planned > 0 && showHours(left)}
      </td>
      <td class="minor sums-bar">
        {planned > 0 && (
          <svg class={isOver ? 'over' : ''} viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
            <rect class="time-planned" width="100" height="6" />
            <rect class="time-recorded" width={Math.min(100, (recorded / planned) * 100)} height="6" />
          </svg>
        )}
      </td>
    </>
  )
}

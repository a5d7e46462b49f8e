import { byId } from '../../api/load-all.ts'
import { t, tn } from '../../texts/text.ts'
import { formatDay } from '../../time/days.ts'
import { formatHours } from '../../time/hours.ts'
import type { MatchingTargets } from './matching.ts'
import type { ImportPlan } from './plan-import.ts'
import type { PlannedRow } from './plan-row.ts'
import type { RejectedRow } from './runs.ts'

const previewRowsMax = 20
const rejectionsShownMax = 200

/** Shows the first rows as they will be imported, and each row that cannot be imported, with the reasons. */
export function Preview({ plan, targets }: { readonly plan: ImportPlan; readonly targets: MatchingTargets }) {
  const stages = byId(targets.stages)
  const people = byId(targets.people)
  const rejected = plan.rows.filter(({ problems }) => problems.length > 0)
  return (
    <div class="import-step">
      <h2 id="import-preview">{t('Preview')}</h2>
      <section
        class="import-scroll"
        aria-labelledby="import-preview"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
      >
        <table class="import-table">
          <thead>
            <tr>
              <th scope="col">{t('Row')}</th>
              <th scope="col">{t('Name')}</th>
              <th scope="col">{t('Stage')}</th>
              <th scope="col">{t('Responsible')}</th>
              <th scope="col">{t('Start')}</th>
              <th scope="col">{t('End')}</th>
              <th scope="col">{t('Planned hours')}</th>
              <th scope="col">{t('Labels')}</th>
              <th scope="col">{t('Comments')}</th>
            </tr>
          </thead>
          <tbody>
            {plan.rows.slice(0, previewRowsMax).map((row) => (
              <tr key={row.item.line} class={row.problems.length > 0 ? 'refused' : undefined}>
                <td>{row.item.line}</td>
                <th scope="row" dir="auto">
                  {row.values.name}
                  {row.problems.map((problem) => (
                    <span class="field-errors" key={problem}>
                      {problem}
                    </span>
                  ))}
                </th>
                <td>{stages.get(row.values.workflowId)?.name}</td>
                <td>
                  <bdi>{!row.values.isUnassigned && people.get(row.values.userId)?.name}</bdi>
                </td>
                <td>{!row.values.isUnscheduled && <time>{formatDay(row.values.startDate)}</time>}</td>
                <td>{!row.values.isUnscheduled && <time>{formatDay(row.values.endDate)}</time>}</td>
                <td>{row.values.amountHours > 0 && formatHours(row.values.amountHours)}</td>
                <td dir="auto">{row.item.labels.join(', ')}</td>
                <td>{row.item.comments.length > 0 && row.item.comments.length}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {plan.rows.length > previewRowsMax && (
        <p class="quiet-text">
          {t('The first {count} of {total} rows.', { count: previewRowsMax, total: plan.rows.length })}
        </p>
      )}
      {rejected.length > 0 && (
        <RejectedRows
          title={tn(rejected.length, 'One row cannot be imported', '{count} rows cannot be imported')}
          rows={rejected.map(toRejectedRow)}
        />
      )}
    </div>
  )
}

const toRejectedRow = ({ item, problems }: PlannedRow): RejectedRow => ({
  line: item.line,
  name: item.name,
  reason: problems.join(' '),
})

export function RejectedRows({
  title,
  rows,
}: {
  readonly title: string
  readonly rows: readonly RejectedRow[]
}) {
  return (
    <details class="import-refusals" open>
      <summary>{title}</summary>
      <ul>
        {rows.slice(0, rejectionsShownMax).map(({ line, name, reason }) => (
          <li key={line}>
            {line > 0 && <span class="quiet-text">{t('Row {line}', { line })} </span>}
            <bdi>{name}</bdi> <span class="field-errors">{reason}</span>
          </li>
        ))}
      </ul>
      {rows.length > rejectionsShownMax && (
        <p class="quiet-text">{t('And {count} more.', { count: rows.length - rejectionsShownMax })}</p>
      )}
    </details>
  )
}

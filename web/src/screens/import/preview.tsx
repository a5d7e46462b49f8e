import { byId } from '../../api/load-all.ts'
import { t, tn } from '../../texts/text.ts'
import { formatDay } from '../../time/days.ts'
import { formatHours } from '../../time/hours.ts'
import type { MatchingTargets } from './matching.ts'
import type { ImportPlan } from './plan-import.ts'
import type { PlannedRow } from './plan-row.ts'
import type { Refusal } from './runs.ts'

const previewRowsMax = 20
const problemsMax = 200

/** The first rows as they will be, and each row that cannot be imported with its reasons. */
export function Preview({ plan, targets }: { readonly plan: ImportPlan; readonly targets: MatchingTargets }) {
  const stages = byId(targets.stages)
  const people = byId(targets.people)
  const refused = plan.rows.filter(({ problems }) => problems.length > 0)
  return (
    <div class="import-step">
      <h2 id="import-preview">{t('Preview')}</h2>
      <section
        class="import-scroll"
        aria-labelledby="import-preview"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
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
                  <bdi>{people.get(row.values.userId)?.name}</bdi>
                </td>
                <td>
                  <time>{formatDay(row.values.startDate)}</time>
                </td>
                <td>
                  <time>{formatDay(row.values.endDate)}</time>
                </td>
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
      {refused.length > 0 && (
        <Refusals
          title={tn(refused.length, 'One row cannot be imported', '{count} rows cannot be imported')}
          refusals={refused.map(refusalOf)}
        />
      )}
    </div>
  )
}

const refusalOf = ({ item, problems }: PlannedRow): Refusal => ({
  line: item.line,
  name: item.name,
  reason: problems.join(' '),
})

export function Refusals({
  title,
  refusals,
}: {
  readonly title: string
  readonly refusals: readonly Refusal[]
}) {
  return (
    <details class="import-refusals" open>
      <summary>{title}</summary>
      <ul>
        {refusals.slice(0, problemsMax).map(({ line, name, reason }) => (
          <li key={line}>
            {line > 0 && <span class="quiet-text">{t('Row {line}', { line })} </span>}
            <bdi>{name}</bdi> <span class="field-errors">{reason}</span>
          </li>
        ))}
      </ul>
      {refusals.length > problemsMax && (
        <p class="quiet-text">{t('And {count} more.', { count: refusals.length - problemsMax })}</p>
      )}
    </details>
  )
}

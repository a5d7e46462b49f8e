import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { byId } from '../../api/load-all.ts'
import { sentenceOf } from '../../api/problems.ts'
import { projectPath } from '../../router/router.ts'
import { useServices } from '../../services/services.ts'
import { t, tn } from '../../texts/text.ts'
import { formatDay, today } from '../../time/days.ts'
import { formatHours } from '../../time/hours.ts'
import { Icon } from '../../ui/icon.tsx'
import { EmptyState } from '../../ui/page-states.tsx'
import { fieldsMappedTwice, missingFields } from './cells.ts'
import { MapColumns, MatchValues } from './choose-matching.tsx'
import {
  hasUnmatchedPeople,
  itemsOf,
  type Matching,
  type MatchingTargets,
  type ProjectValues,
  rememberMatching,
} from './matching.ts'
import { type ImportPlan, type PlannedRow, planImport } from './plan-import.ts'
import type { ReadFile } from './read-file.ts'
import {
  countRejectedRows,
  importedResources,
  isFinished,
  isLabel,
  isRow,
  type RejectedRow,
  type Run,
  sendImport,
  storeRun,
} from './run-import.ts'

interface PrepareImportProps {
  readonly projectId: string
  readonly values: ProjectValues
  readonly file: ReadFile
  readonly matching: Matching
  readonly existingKeys: readonly string[]
  readonly run: Run | undefined
  onClose(): void
}

/** Matches a file with the project, shows what would be written, and writes it. */
export function PrepareImport(props: PrepareImportProps) {
  const { values, file } = props
  const { matching, setMatching, items, plan, ...sending } = useImport(props)
  const { run } = sending
  if (run && isFinished(run)) return <ImportDone {...props} plan={plan} run={run} />
  const isMatched =
    file.source.kind === 'items' ||
    (missingFields(matching.columns).length === 0 && fieldsMappedTwice(matching.columns).length === 0)
  return (
    <div class="import">
      <FileLine {...file} />
      {run && !sending.isSending && (
        <p>{t('Part of this file was imported before. The rest is imported with the same choices.')}</p>
      )}
      {!run && (
        <>
          {file.source.kind === 'table' && (
            <MapColumns
              source={file.source}
              mapping={matching.columns}
              onChange={(columns) => setMatching({ ...matching, columns })}
            />
          )}
          <MatchValues items={items} matching={matching} values={values} onChange={setMatching} />
        </>
      )}
      {isMatched && <Preview plan={plan} targets={values} />}
      {sending.problem !== '' && (
        <p class="field-errors" role="alert">
          {sending.problem}
        </p>
      )}
      <Progress run={sending.isSending ? run : undefined} />
      <ImportButtons
        {...sending}
        plan={plan}
        matching={matching}
        isMatched={isMatched}
        onClose={props.onClose}
      />
    </div>
  )
}

/** Stores the matching and derives the plan from it. */
function useImport(props: PrepareImportProps) {
  const { projectId, values, file, existingKeys, run } = props
  const { session } = useServices()
  const [matching, setMatching] = useState(props.matching)
  const [runId] = useState(() => run?.id ?? crypto.randomUUID())
  const [day] = useState(() => run?.day ?? today())
  const items = useMemo(() => itemsOf(file.source, matching.columns), [file, matching.columns])
  const plan = useMemo(() => {
    const caller = { id: values.ownId, isAdministrator: session.person.value?.isAdministrator ?? false }
    return planImport(items, matching, {
      projectId,
      runId,
      defaultDay: day,
      caller,
      labels: values.labels,
      existingKeys: new Set(existingKeys),
    })
  }, [items, matching])
  return { matching, setMatching, items, plan, ...useSending({ ...props, runId, day, matching, plan }) }
}

const FileLine = ({ name, source }: ReadFile) => (
  <p>
    <bdi>{name}</bdi>
    {source.kind === 'table' && (
      <span class="quiet-text"> · {tn(source.rows.length, 'one row', '{count} rows')}</span>
    )}{' '}
    {source.kind === 'items' && source.skippedCount > 0 && (
      <span class="quiet-text">
        {tn(source.skippedCount, 'One archived card is left out.', '{count} archived cards are left out.')}
      </span>
    )}
  </p>
)

interface ImportButtonsProps extends ReturnType<typeof useSending> {
  readonly plan: ImportPlan
  readonly matching: Matching
  readonly isMatched: boolean
  onClose(): void
}

function ImportButtons({
  plan,
  matching,
  isMatched,
  run,
  isSending,
  send,
  stop,
  onClose,
}: ImportButtonsProps) {
  const accepted = plan.rows.filter((row) => !isLeftOut(row))
  const rowCount = accepted.length
  const unmatchedCount = accepted.filter(({ item }) => hasUnmatchedPeople(item, matching)).length
  return (
    <div class="form-buttons">
      {!isSending && (
        <button
          type="button"
          class="button primary"
          disabled={!isMatched || rowCount === 0}
          onClick={() => void send()}
        >
          {run
            ? t('Continue the import')
            : tn(rowCount, 'Import one assignment', 'Import {count} assignments')}
        </button>
      )}
      <button type="button" class="button" onClick={isSending ? stop : onClose}>
        {isSending ? t('Stop') : t('Cancel')}
      </button>
      {unmatchedCount > 0 && (
        <span class="import-unmatched">
          <Icon name="warning" />
          {tn(
            unmatchedCount,
            'One row has people who are not matched.',
            '{count} rows have people who are not matched.',
          )}
        </span>
      )}
    </div>
  )
}

interface SendingProps extends PrepareImportProps {
  readonly runId: string
  readonly day: string
  readonly plan: ImportPlan
}

/** Sends the plan. An import that is stopped, also by leaving the screen, can be continued. */
function useSending({ projectId, file, matching, existingKeys, plan, runId, day, ...props }: SendingProps) {
  const { api, tracker } = useServices()
  const [run, setRun] = useState(props.run)
  const [problem, setProblem] = useState('')
  const [controller, setController] = useState<AbortController>()
  const latest = useRef(controller)
  latest.current = controller
  useEffect(() => () => latest.current?.abort(), [])
  const send = async () => {
    const next = new AbortController()
    const started = run ?? createRun({ id: runId, day, matching, existingKeys }, file, plan)
    setController(next)
    setProblem('')
    setRun(started)
    storeRun(projectId, started)
    rememberMatching(projectId, file.source, matching)
    try {
      await sendImport(tracker, plan, started, { projectId, signal: next.signal, onProgress: setRun })
    } catch (error) {
      if (!next.signal.aborted) setProblem(sentenceOf(error))
    } finally {
      setController(undefined)
      for (const name of importedResources) api.announce(name)
    }
  }
  return { run, problem, isSending: controller !== undefined, send, stop: () => controller?.abort() }
}

const createRun = (
  run: Pick<Run, 'id' | 'day' | 'matching' | 'existingKeys'>,
  { fingerprint, name }: ReadFile,
  plan: ImportPlan,
): Run => ({
  ...run,
  fingerprint,
  fileName: name,
  startedAt: new Date().toISOString(),
  rowCount: plan.rows.length,
  labelCount: plan.labelCount,
  work: plan.rows.flatMap(({ appointmentPositions }, row) =>
    appointmentPositions.map((child) => [row, child] as const),
  ),
  batchCount: plan.batches.length,
  batchesDone: 0,
  rejections: [],
})

/** The status element is always rendered, because screen readers only announce changes of its content. */
const Progress = ({ run }: { readonly run: Run | undefined }) => (
  <div class="import-progress" role="status">
    {run && (
      <>
        <progress max={run.batchCount} value={run.batchesDone} aria-label={t('Progress')} />
        <span>
          {t('{percent} % imported', { percent: Math.floor((run.batchesDone / run.batchCount) * 100) })}
        </span>
      </>
    )}
  </div>
)

interface ImportDoneProps extends Pick<PrepareImportProps, 'projectId' | 'onClose'> {
  readonly plan: ImportPlan
  readonly run: Run
}

function ImportDone({ projectId, plan, run, onClose }: ImportDoneProps) {
  const { createdCount = 0, rejections } = run
  const labels = rejections.filter(isLabel)
  const rejectedCount = countRejectedRows(run)
  const leftOutCount = plan.rows.filter(isLeftOut).length
  return (
    <div class="import">
      <div role="status">
        <EmptyState icon="check" title={t('The import of {file} is complete.', { file: run.fileName })}>
          <p>
            {tn(createdCount, 'One assignment was created.', '{count} assignments were created.')}{' '}
            {leftOutCount > 0 && tn(leftOutCount, 'One row was left out.', '{count} rows were left out.')}
          </p>
          <div class="form-buttons">
            <a class="button primary" href={projectPath(projectId)}>
              {t('Show the project')}
            </a>
            <a class="button" href={projectPath(projectId, '?view=list&changed=1&sort=-changed')}>
              {t('Show what was imported')}
            </a>
            <button type="button" class="button" onClick={onClose}>
              {t('Import another file')}
            </button>
          </div>
        </EmptyState>
      </div>
      <RejectedRows
        title={tn(labels.length, 'The server rejected one label', 'The server rejected {count} labels')}
        rows={labels}
      />
      <RejectedRows
        title={tn(rejectedCount, 'The server rejected one row', 'The server rejected {count} rows')}
        rows={rejections.filter(isRow)}
        count={rejectedCount}
      />
    </div>
  )
}

const previewRowsMax = 20
const rejectionsShownMax = 200

/** Shows the first rows as they will be imported, and each row that cannot be imported, with the reasons. */
function Preview({ plan, targets }: { readonly plan: ImportPlan; readonly targets: MatchingTargets }) {
  const stages = byId(targets.stages)
  const people = byId(targets.people)
  const rejected = plan.rows.filter(isLeftOut)
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
              <tr key={row.item.line} class={isLeftOut(row) ? 'refused' : undefined}>
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
      <RejectedRows
        title={tn(rejected.length, 'One row cannot be imported', '{count} rows cannot be imported')}
        rows={rejected.map(toRejectedRow)}
      />
    </div>
  )
}

const isLeftOut = ({ problems }: PlannedRow): boolean => problems.length > 0

const toRejectedRow = ({ item, problems }: PlannedRow): RejectedRow => ({
  line: item.line,
  name: item.name,
  reason: problems.join(' '),
})

interface RejectedRowsProps {
  readonly title: string
  readonly rows: readonly RejectedRow[]
  /** Includes rows that are not stored. */
  readonly count?: number
}

/** Names what was rejected, and why. */
export function RejectedRows({ title, rows, count = rows.length }: RejectedRowsProps) {
  if (rows.length === 0) return null
  return (
    <details class="import-refusals" open>
      <summary>{title}</summary>
      <ul>
        {rows.slice(0, rejectionsShownMax).map(({ line, name, reason, href }) => (
          <li key={href ?? `${line} ${name}`}>
            {line > 0 && <span class="quiet-text">{t('Row {line}', { line })} </span>}
            <bdi>{href ? <a href={href}>{name}</a> : name}</bdi> <span class="field-errors">{reason}</span>
          </li>
        ))}
      </ul>
      {count > rejectionsShownMax && (
        <p class="quiet-text">{t('And {count} more.', { count: count - rejectionsShownMax })}</p>
      )}
    </details>
  )
}

import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { sentenceOf } from '../../api/problems.ts'
import { projectPath } from '../../router/router.ts'
import { useServices } from '../../services/services.ts'
import { t, tn } from '../../texts/text.ts'
import { today } from '../../time/days.ts'
import { Icon } from '../../ui/icon.tsx'
import { fieldsMappedTwice } from './columns.ts'
import { LabelledSelect, MapColumns, MatchNames } from './match-columns.tsx'
import { datesIn, hasUnmatchedPeople, itemsOf, type Matching, namesIn, rememberMatching } from './matching.ts'
import { type DateOrder, hasAmbiguousDates } from './parse-values.ts'
import { type ImportPlan, planImport } from './plan-import.ts'
import { Preview, RejectedRows } from './preview.tsx'
import type { ProjectValues } from './project-values.ts'
import type { ReadFile } from './read-file.ts'
import { importedResources, sendImport } from './run-import.ts'
import { isFinished, type Run, storeRun } from './runs.ts'

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
  if (run && isFinished(run)) return <ImportDone {...props} run={run} />
  const isMatched =
    file.source.kind === 'items' ||
    (matching.columns.includes('name') && fieldsMappedTwice(matching.columns).length === 0)
  return (
    <div class="import">
      <FileLine {...file} />
      {run ? (
        <p>{t('Part of this file was imported before. The rest is imported with the same choices.')}</p>
      ) : (
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

/** Holds the matching, which the user changes, and derives the plan from it. */
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
    <bdi>{name}</bdi>{' '}
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
  const accepted = plan.rows.filter(({ problems }) => problems.length === 0)
  const rowCount = accepted.length
  const unmatchedCount = accepted.filter(({ item }) => hasUnmatchedPeople(item, matching)).length
  return (
    <div class="form-buttons">
      <button
        type="button"
        class="button primary"
        disabled={!isMatched || rowCount === 0 || isSending}
        onClick={() => void send()}
      >
        {run ? t('Continue the import') : tn(rowCount, 'Import one assignment', 'Import {count} assignments')}
      </button>
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

interface MatchValuesProps {
  readonly items: ReturnType<typeof itemsOf>
  readonly matching: Matching
  readonly values: ProjectValues
  onChange(matching: Matching): void
}

function MatchValues({ items, matching, values, onChange }: MatchValuesProps) {
  const names = useMemo(() => namesIn(items), [items])
  const isAmbiguous = useMemo(() => hasAmbiguousDates(datesIn(items)), [items])
  return (
    <section class="import-step" aria-labelledby="import-values">
      <h2 id="import-values">{t('Stages, types and people')}</h2>
      <div class="import-values">
        <MatchNames
          title={t('Stages')}
          names={names.stages}
          choices={values.stages}
          matched={matching.stages}
          fallback={{
            label: t('Without a stage'),
            value: matching.defaultStage,
            onChange: (defaultStage) => onChange({ ...matching, defaultStage }),
          }}
          onChange={(stages) => onChange({ ...matching, stages })}
        />
        <MatchNames
          title={t('Types')}
          names={names.types}
          choices={values.types}
          matched={matching.types}
          fallback={{
            label: t('Without a type'),
            value: matching.defaultType,
            onChange: (defaultType) => onChange({ ...matching, defaultType }),
          }}
          onChange={(types) => onChange({ ...matching, types })}
        />
        <MatchNames
          title={t('People')}
          names={names.people}
          choices={values.people}
          matched={matching.people}
          fallback={{
            label: t('Without a person'),
            value: matching.defaultPerson,
            emptyLabel: t('Unassigned'),
            onChange: (defaultPerson) => onChange({ ...matching, defaultPerson }),
          }}
          onChange={(people) => onChange({ ...matching, people })}
        />
        {isAmbiguous && (
          <LabelledSelect
            label={t('Dates such as 3/4/2026')}
            value={matching.dateOrder}
            choices={[
              { id: 'day', name: t('3 April') },
              { id: 'month', name: t('4 March') },
            ]}
            onChange={(dateOrder) => onChange({ ...matching, dateOrder: dateOrder as DateOrder })}
          />
        )}
      </div>
    </section>
  )
}

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

function ImportDone({ projectId, run, onClose }: PrepareImportProps & { readonly run: Run }) {
  const { createdCount = 0 } = run
  return (
    <div class="import">
      <p role="status">
        {t('The import of {file} is complete.', { file: run.fileName })}{' '}
        {tn(createdCount, 'One assignment was created.', '{count} assignments were created.')}
      </p>
      {run.rejections.length > 0 && (
        <RejectedRows
          title={tn(run.rejections.length, 'The server rejected one row', 'The server rejected {count} rows')}
          rows={run.rejections}
        />
      )}
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
    </div>
  )
}

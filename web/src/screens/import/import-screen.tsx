import { useEffect, useRef, useState } from 'preact/hooks'
import type { Api } from '../../api/api.ts'
import { loadByIds } from '../../api/load-all.ts'
import { sentenceOf } from '../../api/problems.ts'
import { assignmentPath, projectPath, type ScreenProps } from '../../router/router.ts'
import { useServices } from '../../services/services.ts'
import { locale, t, tn } from '../../texts/text.ts'
import { formatTimestamp } from '../../time/days.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { useFileDrop } from '../../ui/files.tsx'
import { Icon } from '../../ui/icon.tsx'
import { EmptyState, LoadProblem, Skeleton } from '../../ui/page-states.tsx'
import { ProjectSubPage } from '../../ui/project-sub-page.tsx'
import { type ColumnField, columnFields, isRequired } from './cells.ts'
import {
  findExistingKeys,
  guessMatching,
  type Matching,
  type ProjectValues,
  rememberedMatching,
  useProjectValues,
} from './matching.ts'
import { PrepareImport, RejectedRows } from './prepare-import.tsx'
import { type ReadFile, readFile } from './read-file.ts'
import {
  canContinue,
  deleteRun,
  importedResources,
  type RejectedRemoval,
  type RejectedRow,
  type Run,
  storedRuns,
  storeRun,
  undoImport,
} from './run-import.ts'

/** Imports assignments from a table, a Jira export, or a Trello board. */
export function ImportScreen({ parameters: { projectId = '' } }: ScreenProps) {
  const { configuration } = useServices()
  const values = useProjectValues(projectId)
  return (
    <ProjectSubPage projectId={projectId} path="import" title={t('Import')}>
      {!configuration.extensions ? (
        <EmptyState title={t('Import is not available on this server')} />
      ) : values.value ? (
        <Import projectId={projectId} values={values.value} />
      ) : values.problem ? (
        <LoadProblem problem={values.problem} onRetry={values.reload} />
      ) : (
        <Skeleton as="fields" rows={2} cells="field" />
      )}
    </ProjectSubPage>
  )
}

interface Prepared {
  readonly file: ReadFile
  readonly matching: Matching
  readonly existingKeys: readonly string[]
  /** The interrupted import of the same file, if there is one. */
  readonly run: Run | undefined
}

function Import({ projectId, values }: { readonly projectId: string; readonly values: ProjectValues }) {
  const { tracker } = useServices()
  const [prepared, setPrepared] = useState<Prepared>()
  const [problem, setProblem] = useState('')
  const [runs, setRuns] = useState(() => storedRuns(projectId))
  const reloadRuns = () => setRuns(storedRuns(projectId))
  const choose = async (chosen: File) => {
    setProblem('')
    try {
      const file = await readFile(chosen)
      const run = runs.find((stored) => stored.fingerprint === file.fingerprint && canContinue(stored))
      const orderDefault = locale().startsWith('en-US') ? 'month' : 'day'
      const matching =
        run?.matching ?? guessMatching(file.source, values, rememberedMatching(projectId), orderDefault)
      // A continued import uses the keys from its beginning, because the assignments that it has created have
      // keys as well.
      const existingKeys = run
        ? (run.existingKeys ?? [])
        : await findExistingKeys(tracker, { id: projectId, key: values.key }, file.source)
      setPrepared({ file, matching, existingKeys, run })
    } catch (error) {
      setProblem(sentenceOf(error))
    }
  }
  if (prepared)
    return (
      <PrepareImport
        projectId={projectId}
        values={values}
        {...prepared}
        onClose={() => {
          setPrepared(undefined)
          reloadRuns()
        }}
      />
    )
  return (
    <div class="import">
      <FileDrop onChoose={(file) => void choose(file)} />
      {problem !== '' && (
        <p class="field-errors" role="alert">
          {problem}
        </p>
      )}
      <TableFormat projectId={projectId} />
      <EarlierImports projectId={projectId} runs={runs} onChange={reloadRuns} />
    </div>
  )
}

function FileDrop({ onChoose }: { onChoose(file: File): void }) {
  const input = useRef<HTMLInputElement>(null)
  const choose = (files: FileList | null) => {
    const file = files?.[0]
    if (file) onChoose(file)
  }
  const { isOver, handlers } = useFileDrop(choose)
  return (
    <div class={`import-drop ${isOver ? 'over' : ''}`} {...handlers}>
      <Icon name="file" />
      <p>{t('Drop a file here: CSV, a Jira export (CSV) or a Trello export (JSON).')}</p>
      <button type="button" class="button primary" onClick={() => input.current?.click()}>
        {t('Choose a file')}
      </button>
      <input
        ref={input}
        hidden
        type="file"
        aria-label={t('File')}
        accept=".csv,.tsv,.txt,.json,text/csv,application/json"
        onChange={(event) => {
          choose(event.currentTarget.files)
          // Otherwise, choosing the same file again would not fire `change`.
          event.currentTarget.value = ''
        }}
      />
    </div>
  )
}

/** Says what a table needs, before one is chosen. */
function TableFormat({ projectId }: { readonly projectId: string }) {
  const namesOf = (fields: readonly ColumnField[]) =>
    fields.map(({ name, label }) => (
      <li key={name} class="chip">
        {t(label)}
      </li>
    ))
  return (
    <section class="import-step" aria-labelledby="import-format">
      <h2 id="import-format">{t('Columns of a table')}</h2>
      <dl class="facts column-facts">
        <dt>{t('Required')}</dt>
        <dd>
          <ul class="column-names">{namesOf(columnFields.filter(isRequired))}</ul>
        </dd>
        <dt>{t('Optional')}</dt>
        <dd>
          <ul class="column-names">{namesOf(columnFields.filter((field) => !isRequired(field)))}</ul>
        </dd>
      </dl>
      <p class="quiet-text">
        {t('Columns with other names are assigned in the next step, or left out.')}{' '}
        {t('People are found among the members of the project.')}{' '}
        <a href={projectPath(projectId, '/settings?part=members')}>{t('Add members')}</a>
      </p>
    </section>
  )
}

interface EarlierImportsProps {
  readonly projectId: string
  readonly runs: readonly Run[]
  onChange(): void
}

interface IncompleteUndo {
  readonly file: string
  /** Names each record that could not be removed, and the reason. */
  readonly rejected: readonly RejectedRow[]
}

/** Undoes an import. If something cannot be removed, the import stays, so that undo can be repeated. */
function useUndo({ projectId, onChange }: Pick<EarlierImportsProps, 'projectId' | 'onChange'>) {
  const { api, toasts, tracker } = useServices()
  const [incomplete, setIncomplete] = useState<IncompleteUndo>()
  const [undoProgress, setUndoProgress] = useState<{ readonly id: string; readonly fraction: number }>()
  const controller = useRef(new AbortController())
  useEffect(() => () => controller.current.abort(), [])
  const undo = async (run: Run) => {
    const { signal } = controller.current
    const file = run.fileName
    setIncomplete(undefined)
    setUndoProgress({ id: run.id, fraction: 0 })
    try {
      storeRun(projectId, { ...run, isUndoStarted: true })
      const onProgress = (fraction: number) => setUndoProgress({ id: run.id, fraction })
      const removals = await undoImport(tracker, run, { signal, onProgress })
      if (removals.length === 0) {
        deleteRun(projectId, run.id)
        toasts.show({ kind: 'done', text: t('The import of {file} was undone.', { file }) })
      } else {
        toasts.show({ kind: 'problem', text: t('The import of {file} was not undone completely.', { file }) })
        setIncomplete({ file, rejected: await nameRemovals(api, removals, signal) })
      }
    } catch (error) {
      if (!signal.aborted) toasts.show({ kind: 'problem', text: sentenceOf(error) })
    }
    setUndoProgress(undefined)
    for (const name of importedResources) api.announce(name)
    onChange()
  }
  return { undo, undoProgress, incomplete }
}

/** Loads the names, because a stored import has only ids. */
async function nameRemovals(
  api: Api,
  removals: readonly RejectedRemoval[],
  signal: AbortSignal,
): Promise<readonly RejectedRow[]> {
  const idsOf = (resource: RejectedRemoval['resource']) =>
    removals.flatMap((removal) => (removal.resource === resource ? [removal.id] : []))
  const [assignments, labels] = await Promise.all([
    loadByIds(api, 'assignment', idsOf('assignment'), signal),
    loadByIds(api, 'label', idsOf('label'), signal),
  ])
  return removals.map(({ id, reason }) => {
    const assignment = assignments.get(id)
    return {
      line: 0,
      name: assignment?.name ?? labels.get(id)?.name ?? '',
      reason,
      ...(assignment && { href: assignmentPath(assignment.projectId, id) }),
    }
  })
}

/** Lists the last imports into the project from this browser. Each can be undone. */
function EarlierImports({ projectId, runs, onChange }: EarlierImportsProps) {
  const [runToUndo, setRunToUndo] = useState<Run>()
  const { undo, undoProgress, incomplete } = useUndo({ projectId, onChange })
  if (runs.length === 0) return null
  return (
    <section class="import-step" aria-labelledby="import-earlier">
      <h2 id="import-earlier">{t('Earlier imports')}</h2>
      <ul class="rows">
        {runs.map((run) => (
          <li key={run.id} class="row">
            <span class="row-text">
              <bdi>{run.fileName}</bdi>
              <span class="quiet-text line">
                {formatTimestamp(run.startedAt)} · {tn(run.rowCount, 'one row', '{count} rows')}
                {canContinue(run) && ` · ${t('stopped; choose the file again to continue')}`}
                {run.isUndoStarted && ` · ${t('not undone completely')}`}
              </span>
            </span>
            {undoProgress?.id === run.id ? (
              <progress max={1} value={undoProgress.fraction} aria-label={t('Progress')} />
            ) : (
              <button
                type="button"
                class="button"
                disabled={undoProgress !== undefined}
                onClick={() => setRunToUndo(run)}
              >
                {t('Undo')}
                <span class="visually-hidden"> {run.fileName}</span>
              </button>
            )}
          </li>
        ))}
      </ul>
      {incomplete && (
        <RejectedRows
          title={tn(
            incomplete.rejected.length,
            'One item of {file} could not be removed',
            '{count} items of {file} could not be removed',
            { file: incomplete.file },
          )}
          rows={incomplete.rejected}
        />
      )}
      {runToUndo && (
        <ConfirmDialog
          title={t('Undo the import of {file}?', { file: runToUndo.fileName })}
          text={t('Everything it created is removed, including what was changed since.')}
          confirmLabel={t('Undo')}
          onConfirm={() => void undo(runToUndo)}
          onClose={() => setRunToUndo(undefined)}
        />
      )}
    </section>
  )
}

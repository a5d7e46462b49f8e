import { useEffect, useRef, useState } from 'preact/hooks'
import { sentenceOf } from '../../api/problems.ts'
import { projectPath, type ScreenProps } from '../../router/router.ts'
import { useServices } from '../../services/services.ts'
import { locale, t, tn } from '../../texts/text.ts'
import { formatTimestamp } from '../../time/days.ts'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { useFileDrop } from '../../ui/files.tsx'
import { EmptyState, LoadProblem, Skeleton } from '../../ui/page-states.tsx'
import { ProjectSubPage } from '../../ui/project-sub-page.tsx'
import {
  findExistingKeys,
  guessMatching,
  type Matching,
  type ProjectValues,
  rememberedMatching,
  useProjectValues,
} from './matching.ts'
import { PrepareImport } from './prepare-import.tsx'
import { type ReadFile, readFile } from './read-file.ts'
import { deleteRun, importedResources, isFinished, type Run, storedRuns, undoImport } from './run-import.ts'

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
      const run = runs.find((stored) => stored.fingerprint === file.fingerprint && !isFinished(stored))
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
      <p class="form-note import-note">
        {t(
          'Labels, comments, people and hours are imported, too. Only members of the project are matched, so add the people first.',
        )}
        <a href={projectPath(projectId, '/settings?part=members')}>{t('Add members')}</a>
      </p>
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

interface EarlierImportsProps {
  readonly projectId: string
  readonly runs: readonly Run[]
  onChange(): void
}

/** Lists the last imports into the project from this browser. Each can be undone. */
function EarlierImports({ projectId, runs, onChange }: EarlierImportsProps) {
  const { api, toasts, tracker } = useServices()
  const [runToUndo, setRunToUndo] = useState<Run>()
  const [undoProgress, setUndoProgress] = useState<{ readonly id: string; readonly fraction: number }>()
  const controller = useRef(new AbortController())
  useEffect(() => () => controller.current.abort(), [])
  const undo = async (run: Run) => {
    setUndoProgress({ id: run.id, fraction: 0 })
    try {
      const onProgress = (fraction: number) => setUndoProgress({ id: run.id, fraction })
      await undoImport(tracker, run, { signal: controller.current.signal, onProgress })
      deleteRun(projectId, run.id)
      toasts.show({ kind: 'done', text: t('The import of {file} was undone.', { file: run.fileName }) })
    } catch (error) {
      if (!controller.current.signal.aborted) toasts.show({ kind: 'problem', text: sentenceOf(error) })
    }
    setUndoProgress(undefined)
    for (const name of importedResources) api.announce(name)
    onChange()
  }
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
                {!isFinished(run) && ` · ${t('stopped; choose the file again to continue')}`}
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

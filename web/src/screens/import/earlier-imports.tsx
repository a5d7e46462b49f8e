import { useEffect, useRef, useState } from 'preact/hooks'
import { sentenceOf } from '../../api/problems.ts'
import { useServices } from '../../services/services.ts'
import { t, tn } from '../../texts/text.ts'
import { formatTimestamp } from '../../time/format-timestamp.ts'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { importedResources, undoImport } from './run-import.ts'
import { deleteRun, isFinished, type Run } from './runs.ts'

interface EarlierImportsProps {
  readonly projectId: string
  readonly runs: readonly Run[]
  onChange(): void
}

/** Lists the last imports into the project from this browser. Each can be undone. */
export function EarlierImports({ projectId, runs, onChange }: EarlierImportsProps) {
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

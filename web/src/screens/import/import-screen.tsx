import { useRef, useState } from 'preact/hooks'
import { sentenceOf } from '../../api/problems.ts'
import { projectPath, type ScreenProps } from '../../router/router.ts'
import { useServices } from '../../services/services.ts'
import { locale, t } from '../../texts/text.ts'
import { EmptyState, LoadProblem } from '../../ui/notes.tsx'
import { ProjectSubPage } from '../../ui/project-page.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useFileDrop } from '../../ui/use-file-drop.ts'
import { EarlierImports } from './earlier-imports.tsx'
import { findExistingKeys } from './existing-keys.ts'
import { guessMatching, type Matching, rememberedMatching } from './matching.ts'
import { PrepareImport } from './prepare-import.tsx'
import { type ProjectValues, useProjectValues } from './project-values.ts'
import { type ReadFile, readFile } from './read-file.ts'
import { isFinished, type Run, storedRuns } from './runs.ts'

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
      // A continued import uses the keys from its beginning: by now, the assignments that it created have
      // keys, too.
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
      <p class="form-note">
        {t(
          'Labels, comments, people and hours are imported, too. Only members of the project are matched, so add the people first.',
        )}{' '}
        <a href={projectPath(projectId)}>{t('Go to the project')}</a>
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

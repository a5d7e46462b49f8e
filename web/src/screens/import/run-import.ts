import { type BatchItem, type BatchResult, limits, type Tracker } from '#tracker-client'
import { translateSentence } from '../../texts/text.ts'
import { type ImportPlan, labelIdOf, type PlannedBatch } from './plan-import.ts'
import { idOf } from './plan-row.ts'
import { type RejectedRow, type Run, storeRun } from './runs.ts'

/** Further rejected rows are not stored, because local storage has room for only a few megabytes. */
const rejectionsMax = 500

/** The resources that an import and its undo may change. */
export const importedResources = [
  'assignment',
  'label',
  'assignmentLabel',
  'userAssignment',
  'comment',
  'appointment',
] as const

interface SendOptions {
  readonly projectId: string
  readonly signal: AbortSignal
  onProgress(run: Run): void
}

/**
 * Sends the remaining batches of a plan, and stores the progress after each of them, so that the import can
 * be continued after the page was closed. A batch that was sent but not stored as done can be sent again: it
 * creates no row twice, because the server rejects ids that already exist.
 */
export async function sendImport(
  tracker: Pick<Tracker, 'call'>,
  plan: ImportPlan,
  started: Run,
  { projectId, signal, onProgress }: SendOptions,
): Promise<void> {
  let run = started
  for (const [index, batch] of plan.batches.entries()) {
    if (index < run.batchesDone) continue
    const results = await sendBatch(tracker, batch.requests, signal)
    const rejections = [...run.rejections, ...rejectionsOf(batch, results)].slice(0, rejectionsMax)
    const createdCount = (run.createdCount ?? 0) + countCreated(batch, results)
    run = { ...run, batchesDone: index + 1, createdCount, rejections }
    storeRun(projectId, run)
    onProgress(run)
  }
}

async function sendBatch(
  tracker: Pick<Tracker, 'call'>,
  items: readonly BatchItem[],
  signal: AbortSignal,
): Promise<readonly BatchResult[]> {
  if (items.length === 0) return []
  const body = { mode: 'eachForItself', items } as const
  const { results } = await tracker.call('POST /ext/batch', { body }, { signal })
  return results
}

/**
 * The ids of a run are always valid, so an error about an id means that an earlier attempt created the row.
 */
const wasCreatedBefore = ({ errors }: BatchResult): boolean => errors?.id !== undefined

const countCreated = ({ requests }: PlannedBatch, results: readonly BatchResult[]): number =>
  results.filter(
    (result, index) =>
      requests[index]?.resource === 'assignment' && (result.statusCode === 200 || wasCreatedBefore(result)),
  ).length

/**
 * Returns the first error of each row. Later ones follow from it: a comment is rejected if its assignment is.
 */
function rejectionsOf({ rows }: PlannedBatch, results: readonly BatchResult[]): readonly RejectedRow[] {
  const rejected = new Map<unknown, RejectedRow>()
  for (const [index, result] of results.entries()) {
    if (result.statusCode === 200 || wasCreatedBefore(result)) continue
    const row = rows[index]
    if (rejected.has(row)) continue
    const [reason = result.message ?? ''] = Object.values(result.errors ?? {}).flat()
    rejected.set(row, {
      line: row?.item.line ?? 0,
      name: row?.item.name ?? '',
      reason: translateSentence(reason),
    })
  }
  return [...rejected.values()]
}

/**
 * Removes everything that an import has created. Recorded time comes first, because an assignment with
 * recorded time cannot be removed.
 */
export async function undoImport(
  tracker: Pick<Tracker, 'call'>,
  { id: runId, rowCount, labelCount, work }: Run,
  { signal, onProgress }: { readonly signal: AbortSignal; onProgress(fraction: number): void },
): Promise<void> {
  const removals: readonly BatchItem[] = [
    ...work.map(([row, child]) => removalOf('appointment', idOf(runId, row, child))),
    ...Array.from({ length: rowCount }, (_, row) => removalOf('assignment', idOf(runId, row))),
    ...Array.from({ length: labelCount }, (_, index) => removalOf('label', labelIdOf(runId, index))),
  ]
  for (let from = 0; from < removals.length; from += limits.items) {
    const chunk = removals.slice(from, from + limits.items)
    await sendBatch(tracker, chunk, signal)
    onProgress(Math.min(1, (from + chunk.length) / removals.length))
  }
}

const removalOf = (resource: BatchItem['resource'], id: string): BatchItem => ({
  operation: 'remove',
  resource,
  body: { ids: [id] },
})

import type { BatchItem, BatchResult, Tracker } from '#tracker-client'
import { limits } from '#tracker-client'
import { translateSentence } from '../../texts/text.ts'
import { type ImportPlan, labelIdOf, type PlannedBatch } from './plan-import.ts'
import { idOf } from './plan-row.ts'
import { type Refusal, type Run, storeRun } from './runs.ts'

/** Further refusals are not stored. */
const refusalsMax = 500

/** An import, and its undo, may change the lists of these. */
export const importedResources = [
  ...(['assignment', 'label', 'assignmentLabel', 'userAssignment'] as const),
  ...(['comment', 'appointment'] as const),
] as const

interface SendOptions {
  readonly projectId: string
  readonly signal: AbortSignal
  onProgress(run: Run): void
}

/**
 * Sends the batches of a plan that are not done yet. The progress is stored after each of them, so a closed page loses nothing:
 * a row that an earlier try has created is not created twice, because its id is taken.
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
    const refusals = [...run.refusals, ...refusalsOf(batch, results)].slice(0, refusalsMax)
    run = { ...run, batchesDone: index + 1, refusals }
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
  const answer = await tracker.call('POST /ext/batch', { body }, { signal })
  return answer.results
}

/** Returns whether an earlier try has created the row: ids of a run are valid, so what is wrong with one is that it is taken. */
const isOwnRow = ({ errors }: BatchResult): boolean => errors?.id !== undefined

/** Returns the first reason for each row. The others follow from it: a comment is refused if its assignment is. */
function refusalsOf({ rows }: PlannedBatch, results: readonly BatchResult[]): readonly Refusal[] {
  const refused = new Map<unknown, Refusal>()
  for (const [index, result] of results.entries()) {
    if (result.statusCode === 200 || isOwnRow(result)) continue
    const row = rows[index]
    if (refused.has(row)) continue
    const [reason = result.message ?? ''] = Object.values(result.errors ?? {}).flat()
    refused.set(row, {
      line: row?.item.line ?? 0,
      name: row?.item.name ?? '',
      reason: translateSentence(reason),
    })
  }
  return [...refused.values()]
}

/** Removes everything that an import has created: recorded time first, because an assignment with time cannot be removed. */
export async function undoImport(
  tracker: Pick<Tracker, 'call'>,
  { id: runId, rowCount, labelCount, work }: Run,
  { signal, onProgress }: { readonly signal: AbortSignal; onProgress(share: number): void },
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
  ...{ operation: 'remove', resource },
  body: { ids: [id] },
})

import { type BatchItem, type BatchResult, limits, type Tracker } from '#tracker-client'
import { readStoredJson } from '../../services/browser-storage.ts'
import { translateSentence } from '../../texts/text.ts'
import type { Matching } from './matching.ts'
import { type ImportPlan, idOf, labelIdOf, type PlannedBatch } from './plan-import.ts'

/** An import, stored in this browser so that it can be continued or undone. */
export interface Run {
  readonly id: string
  /** The SHA-256 of the file, because an import can only be continued with the same file. */
  readonly fingerprint: string
  readonly fileName: string
  readonly startedAt: string
  /** Replaces a missing start or end. */
  readonly day: string
  readonly matching: Matching
  /**
   * Rows with these keys are not imported. Missing in imports that an earlier version of the client began.
   */
  readonly existingKeys?: readonly string[]
  readonly rowCount: number
  readonly labelCount: number
  /** The recorded time that an undo removes before the assignments, as the last two arguments of `idOf`. */
  readonly work: readonly (readonly [row: number, child: number])[]
  readonly batchCount: number
  readonly batchesDone: number
  /** Missing in imports that an earlier version of the client began. */
  readonly createdCount?: number
  /** Includes rows that are not in `rejections`. Missing in imports that an earlier version began. */
  readonly rejectedRowCount?: number
  readonly rejections: readonly RejectedRow[]
  /** True after an undo that is not complete. It can be repeated. */
  readonly isUndoStarted?: true
}

/** A row that is not imported, or a label, whose line is 0. */
export interface RejectedRow {
  readonly line: number
  readonly name: string
  readonly reason: string
  /** The address of its assignment, if it exists. */
  readonly href?: string
}

/** Older imports cannot be undone here; their assignments can be removed in the list. */
const runsMax = 5
const storageKey = (projectId: string) => `tracker.imports.${projectId}`

/** Returns the stored imports, newest first. */
export const storedRuns = (projectId: string): readonly Run[] => readStoredJson(storageKey(projectId)) ?? []

export function storeRun(projectId: string, run: Run): void {
  const runs = storedRuns(projectId)
  const isStored = runs.some(({ id }) => id === run.id)
  const next = isStored ? runs.map((stored) => (stored.id === run.id ? run : stored)) : [run, ...runs]
  localStorage.setItem(storageKey(projectId), JSON.stringify(next.slice(0, runsMax)))
}

export function deleteRun(projectId: string, runId: string): void {
  const otherRuns = storedRuns(projectId).filter(({ id }) => id !== runId)
  localStorage.setItem(storageKey(projectId), JSON.stringify(otherRuns))
}

export const isLabel = ({ line }: RejectedRow): boolean => line === 0
export const isRow = (rejection: RejectedRow): boolean => !isLabel(rejection)

export const countRejectedRows = ({ rejectedRowCount, rejections }: Run): number =>
  rejectedRowCount ?? rejections.filter(isRow).length

export const isFinished = ({ batchesDone, batchCount }: Run): boolean => batchesDone === batchCount

/** After an undo has started, the rows that it has removed cannot be created again with their ids. */
export const canContinue = (run: Run): boolean => !isFinished(run) && !run.isUndoStarted

/** Further rejected rows are only counted, because local storage has room for only a few megabytes. */
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
 * Sends the remaining batches of a plan, and stores the progress after each batch, so that the import can be
 * continued. If a batch is sent twice, the server rejects ids that exist, so no row is created twice.
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
    // A long row is in several batches.
    const known = new Set(run.rejections.filter(isRow).map(({ line }) => line))
    const rejected = rejectionsOf(batch, results).filter(({ line }) => !known.has(line))
    run = {
      ...run,
      batchesDone: index + 1,
      createdCount: (run.createdCount ?? 0) + countCreated(batch, results),
      rejectedRowCount: countRejectedRows(run) + rejected.filter(isRow).length,
      rejections: [...run.rejections, ...rejected].slice(0, rejectionsMax),
    }
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

/** Returns the first error of each row and label. Later errors of a row follow from it. */
function rejectionsOf(
  { requests, rows }: PlannedBatch,
  results: readonly BatchResult[],
): readonly RejectedRow[] {
  const rejected = new Map<unknown, RejectedRow>()
  for (const [index, result] of results.entries()) {
    if (result.statusCode === 200 || wasCreatedBefore(result)) continue
    const row = rows[index]
    const key = row ?? index
    if (rejected.has(key)) continue
    rejected.set(key, {
      line: row?.item.line ?? 0,
      name: row?.item.name ?? String(requests[index]?.body.name),
      reason: reasonOf(result),
    })
  }
  return [...rejected.values()]
}

function reasonOf({ message = '', errors = {} }: BatchResult): string {
  const [reason = message] = Object.values(errors).flat()
  return translateSentence(reason)
}

/** An assignment or a label that an undo could not remove. */
export interface RejectedRemoval {
  readonly resource: 'assignment' | 'label'
  readonly id: string
  readonly reason: string
}

/**
 * Removes everything that an import has created, and returns what the server did not remove. Recorded time
 * comes first, because an assignment with recorded time cannot be removed. An undo can be repeated.
 */
export async function undoImport(
  tracker: Pick<Tracker, 'call'>,
  run: Run,
  { signal, onProgress }: { readonly signal: AbortSignal; onProgress(fraction: number): void },
): Promise<readonly RejectedRemoval[]> {
  const rejected = new Map<string, RejectedRemoval>()
  const removals = removalsOf(run)
  for (let from = 0; from < removals.length; from += limits.items) {
    const chunk = removals.slice(from, from + limits.items)
    const items = chunk.map(({ item }) => item)
    const results = await sendBatch(tracker, items, signal)
    for (const [index, { resource, id }] of chunk.entries()) {
      const result = results[index]
      // If recorded time is rejected first, its reason is also why its assignment stays.
      if (!result || isRemoved(result) || rejected.has(id)) continue
      rejected.set(id, { resource, id, reason: reasonOf(result) })
    }
    onProgress(Math.min(1, (from + chunk.length) / removals.length))
  }
  return [...rejected.values()]
}

/** A row is missing if the import was rejected for it, or if it was removed before. */
const isRemoved = ({ statusCode }: BatchResult): boolean => statusCode === 200 || statusCode === 404

/** Returns the requests of an undo, each with the assignment or the label to which it belongs. */
function removalsOf({ id: runId, rowCount, labelCount, work }: Run) {
  const assignment = (row: number) => ({ resource: 'assignment', id: idOf(runId, row) }) as const
  const label = (position: number) => ({ resource: 'label', id: labelIdOf(runId, position) }) as const
  return [
    ...work.map(([row, child]) => ({
      ...assignment(row),
      item: removalOf('appointment', idOf(runId, row, child)),
    })),
    ...[
      ...Array.from({ length: rowCount }, (_, row) => assignment(row)),
      ...Array.from({ length: labelCount }, (_, position) => label(position)),
    ].map((record) => ({ ...record, item: removalOf(record.resource, record.id) })),
  ]
}

const removalOf = (resource: BatchItem['resource'], id: string): BatchItem => ({
  operation: 'remove',
  resource,
  body: { ids: [id] },
})

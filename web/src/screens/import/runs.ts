import { readStoredJson } from '../../data/stored-json.ts'
import type { Matching } from './matching.ts'

/** An import as this browser remembers it, to continue or to undo it. */
export interface Run {
  readonly id: string
  /** The SHA-256 of the file: only the same file can be continued. */
  readonly fingerprint: string
  readonly fileName: string
  readonly startedAt: string
  /** The day of rows without a date. */
  readonly day: string
  readonly matching: Matching
  readonly rowCount: number
  readonly labelCount: number
  /** Recorded time, as pairs of a row and its number in the row: it has to be removed before its assignments. */
  readonly work: readonly (readonly [row: number, child: number])[]
  readonly batchCount: number
  readonly batchesDone: number
  readonly refusals: readonly Refusal[]
}

/** Something that the server did not accept. */
export interface Refusal {
  readonly line: number
  readonly name: string
  readonly reason: string
}

/** Older imports are undone in the list of assignments. */
const runsMax = 5
const storageKey = (projectId: string) => `tracker.imports.${projectId}`

/** The newest first. */
export const storedRuns = (projectId: string): readonly Run[] => readStoredJson(storageKey(projectId)) ?? []

export function storeRun(projectId: string, run: Run): void {
  const others = storedRuns(projectId).filter(({ id }) => id !== run.id)
  localStorage.setItem(storageKey(projectId), JSON.stringify([run, ...others].slice(0, runsMax)))
}

export function forgetRun(projectId: string, runId: string): void {
  const others = storedRuns(projectId).filter(({ id }) => id !== runId)
  localStorage.setItem(storageKey(projectId), JSON.stringify(others))
}

export const isFinished = ({ batchesDone, batchCount }: Run): boolean => batchesDone === batchCount

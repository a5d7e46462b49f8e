import { readStoredJson } from '../../services/stored-json.ts'
import type { Matching } from './matching.ts'

/** An import as this browser stores it, to continue or to undo it. */
export interface Run {
  readonly id: string
  /** The SHA-256 of the file: only the same file can be continued. */
  readonly fingerprint: string
  readonly fileName: string
  readonly startedAt: string
  /** The day of rows without a date. */
  readonly day: string
  readonly matching: Matching
  /** The rows with these keys are not imported. Missing in imports that an earlier version of the client began. */
  readonly existingKeys?: readonly string[]
  readonly rowCount: number
  readonly labelCount: number
  /** Recorded time, by its row and its number in the row. Undo has to remove it before the assignments. */
  readonly work: readonly (readonly [row: number, child: number])[]
  readonly batchCount: number
  readonly batchesDone: number
  /** Missing in imports that an earlier version of the client began. */
  readonly createdCount?: number
  readonly rejections: readonly RejectedRow[]
}

/** A row that is not imported. The line is 0 for a label, which has no row. */
export interface RejectedRow {
  readonly line: number
  readonly name: string
  readonly reason: string
}

/** Users undo older imports in the list of assignments. */
const runsMax = 5
const storageKey = (projectId: string) => `tracker.imports.${projectId}`

/** Returns the stored imports, newest first. */
export const storedRuns = (projectId: string): readonly Run[] => readStoredJson(storageKey(projectId)) ?? []

export function storeRun(projectId: string, run: Run): void {
  const others = storedRuns(projectId).filter(({ id }) => id !== run.id)
  localStorage.setItem(storageKey(projectId), JSON.stringify([run, ...others].slice(0, runsMax)))
}

export function deleteRun(projectId: string, runId: string): void {
  const others = storedRuns(projectId).filter(({ id }) => id !== runId)
  localStorage.setItem(storageKey(projectId), JSON.stringify(others))
}

export const isFinished = ({ batchesDone, batchCount }: Run): boolean => batchesDone === batchCount

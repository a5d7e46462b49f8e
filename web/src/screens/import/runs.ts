import { readStoredJson } from '../../services/stored-json.ts'
import type { Matching } from './matching.ts'

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
  readonly rejections: readonly RejectedRow[]
}

/** A row that is not imported, or a label, whose line is 0. */
export interface RejectedRow {
  readonly line: number
  readonly name: string
  readonly reason: string
}

/** Older imports cannot be undone here; their assignments can be removed in the list. */
const runsMax = 5
const storageKey = (projectId: string) => `tracker.imports.${projectId}`

/** Returns the stored imports, newest first. */
export const storedRuns = (projectId: string): readonly Run[] => readStoredJson(storageKey(projectId)) ?? []

export function storeRun(projectId: string, run: Run): void {
  const otherRuns = storedRuns(projectId).filter(({ id }) => id !== run.id)
  localStorage.setItem(storageKey(projectId), JSON.stringify([run, ...otherRuns].slice(0, runsMax)))
}

export function deleteRun(projectId: string, runId: string): void {
  const otherRuns = storedRuns(projectId).filter(({ id }) => id !== runId)
  localStorage.setItem(storageKey(projectId), JSON.stringify(otherRuns))
}

export const isFinished = ({ batchesDone, batchCount }: Run): boolean => batchesDone === batchCount

import type { Tracker } from '#tracker-client'
import type { ProjectStage } from '../data/project-stages.ts'
import { sumHours } from '../time/hours.ts'

/** The recorded hours by assignment. Assignments without any are missing. */
export type RecordedHours = ReadonlyMap<string, number>

export interface RecordedScope {
  readonly projectId: string
  readonly stages: readonly Pick<ProjectStage, 'id'>[]
}

type HoursOfAssignment = readonly [assignmentId: string, hours: number]

/**
 * Loads the recorded hours of the assignments of a project. A report has at most 1,000 assignments, so in a
 * larger project, each stage has a report of its own. Assignments beyond the limit are left out.
 */
export async function loadRecordedHours(
  tracker: Tracker,
  { projectId, stages }: RecordedScope,
  signal: AbortSignal,
): Promise<readonly HoursOfAssignment[]> {
  const read = async (workflowId?: string) => {
    const query = { groupBy: 'assignment', projectId, ...(workflowId && { workflowId }) }
    return (await tracker.call('GET /ext/reports/hours', { query }, { signal })).result
  }
  const whole = await read()
  const reports = [whole]
  if (whole.totalGroups > whole.groups.length) for (const { id } of stages) reports.push(await read(id))
  return reports.flatMap(({ groups }) =>
    groups.map(({ assignment, hours }): HoursOfAssignment => [assignment?.id ?? '', hours]),
  )
}

/** The part of a queued change that adds to recorded hours. */
type Queued =
  | { readonly kind: 'stage' }
  | {
      readonly kind: 'hours'
      readonly entry: RecordedEntry
      readonly formerHours?: number | undefined
      readonly isSent?: boolean
    }

type RecordedEntry = Readonly<{ assignmentId: string; keepDate: string; amountHours: number }>

/** Adds the hours that wait for the network. The report already has those that were sent. */
export function withQueued(
  loaded: Iterable<HoursOfAssignment> | undefined,
  queued: readonly Queued[],
): RecordedHours {
  const recorded = new Map(loaded)
  for (const { assignmentId, amountHours } of unsentHours(queued))
    recorded.set(assignmentId, sumHours([{ amountHours: recorded.get(assignmentId) ?? 0 }, { amountHours }]))
  return recorded
}

/** Returns the hours that wait for the network. Those of a changed entry are what they add to its recorded ones. */
export const unsentHours = (all: readonly Queued[]): readonly RecordedEntry[] =>
  all.flatMap((change) =>
    change.kind === 'stage' || change.isSent
      ? []
      : { ...change.entry, amountHours: change.entry.amountHours - (change.formerHours ?? 0) },
  )

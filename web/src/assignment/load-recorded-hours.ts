import type { Tracker } from '#tracker-client'
import type { ProjectStage } from '../data/project-stages.ts'

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

import type { Api, ResourceName } from '../../api/api.ts'
import { type ById, loadByIds, rowsMax } from '../../api/load-all.ts'
import { showDay } from '../../time/days.ts'
import { showHours } from '../../time/hours.ts'

/** What a removed record may have, whatever it is. */
export interface RemovedRow {
  readonly id: string
  readonly deletedAt: string | null
  readonly name?: string
  readonly text?: string
  readonly login?: string
  readonly description?: string | null
  readonly keepDate?: string
  readonly amountHours?: number
  readonly userId?: string
  readonly projectId?: string
  readonly assignmentId?: string
  readonly impedimentId?: string
}

export interface RemovedRows {
  readonly rows: readonly RemovedRow[]
  readonly totalCount: number
  readonly names: Names
}

/** Names of what the rows refer to. A parent that is removed too is not among them. */
type Names = Readonly<Record<'project' | 'assignment' | 'impediment', ById<{ readonly name: string }>>>

/** The first pages of what the caller could restore, the newest removal first. */
export async function loadRemoved(
  api: Api,
  resource: ResourceName,
  {
    search,
    pages,
    signal,
  }: { readonly search: string; readonly pages: number; readonly signal: AbortSignal },
): Promise<RemovedRows> {
  const found = await Promise.all(
    Array.from({ length: pages }, (_, index) =>
      api.removed(resource, { search, pageSize: rowsMax, pageNumber: index + 1 }, signal),
    ),
  )
  const rows: readonly RemovedRow[] = found.flatMap(({ data }) => data)
  const idsOf = (key: 'projectId' | 'assignmentId' | 'impedimentId') => rows.flatMap((row) => row[key] ?? [])
  const [project, assignment, impediment] = await Promise.all([
    loadByIds(api, 'project', idsOf('projectId'), signal),
    loadByIds(api, 'assignment', idsOf('assignmentId'), signal),
    loadByIds(api, 'impediment', idsOf('impedimentId'), signal),
  ])
  return { rows, totalCount: found[0]?.totalCount ?? 0, names: { project, assignment, impediment } }
}

/** How people would call it: its own name, or those of what it ties together. */
export function titleOf(row: RemovedRow, nameOfPerson: (id: string) => string, names: Names): string {
  const assignment = nameIn(names.assignment, row.assignmentId, 'a removed assignment')
  const project = nameIn(names.project, row.projectId, 'a removed project')
  const what = nameIn(names.impediment, row.impedimentId, 'A removed kind of impediment')
  const time = row.keepDate && `${showHours(row.amountHours ?? 0)} on ${showDay(row.keepDate)}`
  const person = row.name === undefined && row.userId && nameOfPerson(row.userId)
  return [row.name, row.text && firstLine(row.text), time, what, person, assignment, project]
    .filter(Boolean)
    .join(' · ')
}

/** Enough of a comment to know it by. */
const firstLine = (text: string): string => {
  const [line = ''] = text.split('\n')
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}

const nameIn = (names: Names[keyof Names], id: string | undefined, unknown: string): string | undefined =>
  id === undefined ? undefined : (names.get(id)?.name ?? unknown)

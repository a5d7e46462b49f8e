import type { Api, ResourceName } from '../../api/api.ts'
import { type ById, loadByIds, rowsMax } from '../../api/load-all.ts'
import { inOneLine, type Text, t } from '../../texts/text.ts'
import { formatDay } from '../../time/days.ts'
import { formatHours } from '../../time/hours.ts'

/** The properties that a removed record of any kind may have. */
export interface RemovedRow {
  readonly id: string
  readonly resource: ResourceName
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
  readonly hasMore: boolean
  readonly names: Names
}

/** Names of related rows. Removed parents are not among them. */
type Names = Readonly<Record<'project' | 'assignment' | 'impediment', ById<{ readonly name: string }>>>

export interface RemovedQuery {
  readonly search: string
  readonly pages: number
  readonly signal: AbortSignal
}

/** Browsers have six connections to a host. */
const parallelMax = 3

/** The latest removals of all kinds that the user could restore. */
export async function loadRemoved(
  api: Api,
  resources: readonly ResourceName[],
  query: RemovedQuery,
): Promise<RemovedRows> {
  const waiting = [...resources]
  const found: Awaited<ReturnType<typeof loadKind>>[] = []
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      found.push(await loadKind(api, next, query))
  }
  await Promise.all(Array.from({ length: parallelMax }, work))
  // Below the last loaded row of a kind with further pages the order would be incomplete.
  const known = found.flatMap(({ rows, hasMore }) => (hasMore ? [rows.at(-1)?.deletedAt ?? ''] : []))
  const oldest = known.toSorted().at(-1) ?? ''
  const rows = found
    .flatMap((one) => one.rows)
    .filter(({ deletedAt }) => (deletedAt ?? '') >= oldest)
    .sort((a, b) => (b.deletedAt ?? '').localeCompare(a.deletedAt ?? ''))
  const idsOf = (key: 'projectId' | 'assignmentId' | 'impedimentId') => rows.flatMap((row) => row[key] ?? [])
  const [project, assignment, impediment] = await Promise.all([
    loadByIds(api, 'project', idsOf('projectId'), query.signal),
    loadByIds(api, 'assignment', idsOf('assignmentId'), query.signal),
    loadByIds(api, 'impediment', idsOf('impedimentId'), query.signal),
  ])
  return { rows, hasMore: known.length > 0, names: { project, assignment, impediment } }
}

async function loadKind(api: Api, resource: ResourceName, { search, pages, signal }: RemovedQuery) {
  const rows: RemovedRow[] = []
  let totalCount = 0
  for (let pageNumber = 1; pageNumber <= pages; pageNumber += 1) {
    const page = await api.removed(resource, { search, pageSize: rowsMax, pageNumber }, signal)
    rows.push(...page.data.map((row): RemovedRow => ({ ...row, resource })))
    totalCount = page.totalCount
    if (page.totalPages <= pageNumber) break
  }
  return { rows, hasMore: rows.length < totalCount }
}

/** A readable title: its own name, or the names of the related records. */
export function titleOf(row: RemovedRow, nameOfPerson: (id: string) => string, names: Names): string {
  const assignment = nameIn(names.assignment, row.assignmentId, t('a removed assignment'))
  const project = nameIn(names.project, row.projectId, t('a removed project'))
  const what = nameIn(names.impediment, row.impedimentId, t('A removed impediment type'))
  const time =
    row.keepDate &&
    t('{hours} on {day}', { hours: formatHours(row.amountHours ?? 0), day: formatDay(row.keepDate) })
  const person = row.name === undefined && row.userId && nameOfPerson(row.userId)
  return inOneLine(row.name, row.text && firstLine(row.text), time, what, person, assignment, project)
}

/** Enough of a comment to recognize it. */
const firstLine = (text: string): string => {
  const [line = ''] = text.split('\n')
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}

const nameIn = (names: Names[keyof Names], id: string | undefined, unknown: string): string | undefined =>
  id === undefined ? undefined : (names.get(id)?.name ?? unknown)

export interface RemovedKind {
  readonly resource: ResourceName
  readonly label: Text
  /** Only administrators may restore it. */
  readonly administratorsOnly?: boolean
}

type Kind = Omit<RemovedKind, 'resource'>

/** Every resource that can be removed, the most common first; a missing one does not compile. */
const kinds: Readonly<Record<ResourceName, Kind>> = {
  project: { label: 'Projects' },
  assignment: { label: 'Assignments' },
  appointment: { label: 'Time' },
  comment: { label: 'Comments' },
  savedView: { label: 'Views' },
  projectView: { label: 'Shared views' },
  assignmentImpediment: { label: 'Impediments' },
  userProject: { label: 'Memberships' },
  userAssignment: { label: 'Participants' },
  organization: { label: 'Organizations', administratorsOnly: true },
  user: { label: 'Users', administratorsOnly: true },
  workflow: { label: 'Stages', administratorsOnly: true },
  assignmentType: { label: 'Types', administratorsOnly: true },
  impediment: { label: 'Impediment kinds', administratorsOnly: true },
}

export const removedKinds: readonly RemovedKind[] = Object.entries(kinds).map(([resource, kind]) => ({
  resource: resource as ResourceName,
  ...kind,
}))

export const pathOf = ({ resource }: RemovedKind): string => `/removed/${resource}s`

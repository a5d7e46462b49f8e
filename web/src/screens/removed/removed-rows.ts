import { type Api, pluralOf, type ResourceName } from '../../api/api.ts'
import { type ById, loadByIds, rowsMax } from '../../api/load-all.ts'
import { inOneLine, type MessageKey, t } from '../../texts/text.ts'
import { formatDay } from '../../time/days.ts'
import { formatHours } from '../../time/hours.ts'

/** A removed record of any kind, with the properties that this screen shows. */
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
  readonly names: RelatedNames
}

/** The names of related records, except removed ones. */
export type RelatedNames = Readonly<
  Record<'project' | 'assignment' | 'impediment', ById<{ readonly name: string }>>
>

export interface RemovedQuery {
  readonly search: string
  readonly pages: number
  readonly signal: AbortSignal
}

/** Browsers have six connections to a host, and other lists need some of them. */
const parallelMax = 3

/** Loads the latest removals of all kinds that the user may restore. */
export async function loadRemoved(
  api: Api,
  resources: readonly ResourceName[],
  query: RemovedQuery,
): Promise<RemovedRows> {
  const queue = [...resources]
  const found: Awaited<ReturnType<typeof loadKind>>[] = []
  const loadNext = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift())
      found.push(await loadKind(api, next, query))
  }
  await Promise.all(Array.from({ length: parallelMax }, loadNext))
  // Rows older than the last loaded row of a kind with further pages are left out: rows that are not loaded yet belong between them.
  const cutoffs = found.flatMap(({ rows, hasMore }) => (hasMore ? [rows.at(-1)?.deletedAt ?? ''] : []))
  const cutoff = cutoffs.toSorted().at(-1) ?? ''
  const rows = found
    .flatMap((one) => one.rows)
    .filter(({ deletedAt }) => (deletedAt ?? '') >= cutoff)
    .sort((a, b) => (b.deletedAt ?? '').localeCompare(a.deletedAt ?? ''))
  const idsOf = (key: 'projectId' | 'assignmentId' | 'impedimentId') => rows.flatMap((row) => row[key] ?? [])
  const [project, assignment, impediment] = await Promise.all([
    loadByIds(api, 'project', idsOf('projectId'), query.signal),
    loadByIds(api, 'assignment', idsOf('assignmentId'), query.signal),
    loadByIds(api, 'impediment', idsOf('impedimentId'), query.signal),
  ])
  return { rows, hasMore: cutoffs.length > 0, names: { project, assignment, impediment } }
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

/** Returns a readable title: the record's own name, or the names of related records. */
export function titleOf(row: RemovedRow, nameOfPerson: (id: string) => string, names: RelatedNames): string {
  const assignment = nameIn(names.assignment, row.assignmentId, t('a removed assignment'))
  const project = nameIn(names.project, row.projectId, t('a removed project'))
  const impediment = nameIn(names.impediment, row.impedimentId, t('A removed impediment type'))
  const time =
    row.keepDate &&
    t('{hours} on {day}', { hours: formatHours(row.amountHours ?? 0), day: formatDay(row.keepDate) })
  const person = row.name === undefined && row.userId && nameOfPerson(row.userId)
  return inOneLine(row.name, row.text && firstLine(row.text), time, impediment, person, assignment, project)
}

/** The beginning of a comment is enough to recognize it. */
const firstLine = (text: string): string => {
  const [line = ''] = text.split('\n')
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}

const nameIn = (
  names: RelatedNames[keyof RelatedNames],
  id: string | undefined,
  unknown: string,
): string | undefined => (id === undefined ? undefined : (names.get(id)?.name ?? unknown))

export interface RemovedKind {
  readonly resource: ResourceName
  readonly label: MessageKey
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
  attachment: { label: 'Attachments' },
  savedView: { label: 'Views' },
  projectView: { label: 'Shared views' },
  label: { label: 'Labels' },
  assignmentLabel: { label: 'Labels of assignments' },
  assignmentDependency: { label: 'Dependencies' },
  assignmentImpediment: { label: 'Impediments' },
  userProject: { label: 'Memberships' },
  projectStage: { label: 'Stages of projects' },
  userAssignment: { label: 'Participants' },
  organization: { label: 'Organizations', administratorsOnly: true },
  user: { label: 'Users', administratorsOnly: true },
  workflow: { label: 'Stages', administratorsOnly: true },
  assignmentType: { label: 'Types', administratorsOnly: true },
  impediment: { label: 'Impediment types', administratorsOnly: true },
}

export const removedKinds: readonly RemovedKind[] = Object.entries(kinds).map(([resource, kind]) => ({
  resource: resource as ResourceName,
  ...kind,
}))

export const pathOf = ({ resource }: RemovedKind): string => `/removed/${pluralOf(resource)}`

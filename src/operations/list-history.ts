import { readableAmong, readableEntries, rememberedRow } from '../access/remembered-rows.ts'
import { requireRole } from '../access/require-write.ts'
import type { Caller } from '../model/caller.ts'
import { labelOf } from '../model/field.ts'
import { isMissing } from '../model/field-kinds.ts'
import { missing } from '../model/problem.ts'
import { collectViolations } from '../model/violations.ts'
import type { Resource } from '../resources/define-resource.ts'
import { project } from '../resources/project.ts'
import { tableOf } from '../store/columns.ts'
import type { Queries } from '../store/database.ts'
import { allOf, eitherWay, type Sql, sql } from '../store/sql.ts'
import { pageSizeDefault, pageSizeMax } from './limits.ts'
import { readNumber, readResource, readUuid } from './query-values.ts'
import { rejectFilters } from './read-list-query.ts'
import { refuseTooSlow } from './refuse-too-slow.ts'
import { changeColumns, type ShownChange, type StoredChange, showChange } from './show-change.ts'
import type { Tracker } from './tracker.ts'

export interface HistoryPage {
  readonly data: readonly ShownChange[]
  /** What `before` has to be for the page after this one; null on the last. */
  readonly next: string | null
}

/** Who changed a row, or anything in a project, newest first. Anyone who may not see it now learns nothing of before either. */
export async function listHistory(
  { database }: Tracker,
  caller: Caller,
  query: Readonly<Record<string, unknown>>,
): Promise<HistoryPage> {
  const { resource, id, projectId, pageSize, before } = readHistoryQuery(query)
  if (resource && !projectId) requireRole(resource, caller, 'read')
  const [seen, seenId] = projectId === undefined ? [resource as Resource, id] : [project, projectId]
  const [row] = await database.query(sql`
    select 1 from ${tableOf(seen)} as row where id = ${seenId} and ${rememberedRow(seen, caller)}`)
  if (!row) throw missing(seen.title)
  const conditions =
    projectId === undefined
      ? [sql`entry.row_id = ${id} and entry.resource = ${resource?.name}`]
      : [sql`entry.project_id = ${projectId}`, ...(resource ? [sql`entry.resource = ${resource.name}`] : [])]
  const wanted = { caller, conditions, count: pageSize + 1, before, isOfRow: projectId === undefined }
  const found = await refuseTooSlow(slowness, () =>
    database.lists.query<StoredChange>(
      eitherWay(newestReadable(wanted), (queries) => newestInTurn(queries, wanted)),
      caller.id,
    ),
  )
  const data = found.slice(0, pageSize).map((change) => showChange(change, caller))
  return { data, next: found.length > pageSize ? (data.at(-1)?.id ?? null) : null }
}

interface Wanted {
  readonly caller: Caller
  readonly conditions: readonly Sql[]
  readonly count: number
  readonly before: number | undefined
  /** Who may see the row may see its history. */
  readonly isOfRow: boolean
}

const newest = ({ conditions, before, count }: Omit<Wanted, 'caller' | 'isOfRow'>): Sql => {
  const wanted = [...conditions, ...(before === undefined ? [] : [sql`entry.sequence < ${before}`])]
  return sql`
    select ${changeColumns} from history as entry where ${allOf(wanted)} order by entry.sequence desc limit ${count}`
}

const newestReadable = ({ caller, conditions, isOfRow, ...rest }: Wanted): Sql =>
  newest({ ...rest, conditions: isOfRow ? conditions : [...conditions, readableEntries(caller)] })

/** Looked at in parts, until enough of them are for the reader. */
async function newestInTurn(
  queries: Queries,
  { caller, isOfRow, ...wanted }: Wanted,
): Promise<readonly StoredChange[]> {
  const found: StoredChange[] = []
  let { before } = wanted
  for (;;) {
    const part = await queries.query<StoredChange>(newest({ ...wanted, before, count: lookedAtOnce }))
    found.push(...(isOfRow ? part : await readableAmong(queries, caller, part)))
    if (part.length < lookedAtOnce || found.length >= wanted.count) return found.slice(0, wanted.count)
    before = part.at(-1)?.sequence
  }
}

const lookedAtOnce = 500

const slowness = { what: 'Reading the history', advice: 'Ask for smaller pages, or for one row.' }

function readHistoryQuery(query: Readonly<Record<string, unknown>>) {
  const violations = collectViolations()
  for (const [key, value] of Object.entries(query))
    if (Array.isArray(value)) violations.add(key, `${labelOf(key)} must be given once.`)
  const given = (key: string) => (isMissing(query[key]) || Array.isArray(query[key]) ? undefined : query[key])
  rejectFilters('Changes', ['id', 'projectId'], given, violations)
  const resource = readResource(given('resource'), violations)
  const projectId = readUuid('projectId', given('projectId'), violations)
  const id = readUuid('id', given('id'), violations)
  if (projectId === undefined && given('projectId') === undefined) {
    if (given('resource') === undefined) violations.add('resource', 'Resource is required, or a ProjectId.')
    if (given('id') === undefined) violations.add('id', 'Id is required, or a ProjectId.')
  } else if (id !== undefined) violations.add('id', 'Id and ProjectId exclude each other.')
  const read = {
    resource,
    id,
    projectId,
    pageSize: readNumber('pageSize', given('pageSize'), pageSizeMax, violations) ?? pageSizeDefault,
    before: readNumber('before', given('before'), Number.MAX_SAFE_INTEGER, violations),
  }
  violations.refuseIfAny()
  return read
}

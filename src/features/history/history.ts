import { tableOf } from '../../db/columns.ts'
import { allOf, join, type Sql, sql } from '../../db/sql.ts'
import { newestEntries, readableAmong } from '../../db/stepwise-statements.ts'
import type { Caller } from '../../model/caller.ts'
import { capitalize } from '../../model/field.ts'
import { isEarlier, timestamp } from '../../model/field-kinds.ts'
import { collectViolations, invalid, notFound, type Violations } from '../../model/problem.ts'
import type { Context } from '../../records/context.ts'
import { explainTimeout, requireSettled } from '../../records/get.ts'
import {
  pageSizeDefault,
  pageSizeMax,
  parseNumber,
  parseResource,
  parseUuid,
  rejectRepeatedKeys,
  rejectUnsupportedFilters,
  valueUnlessBlank,
} from '../../records/list-query.ts'
import { isCovered, requireAccess } from '../../records/rights.ts'
import {
  historyVisibleRow,
  isChangedAfter,
  readAccessOf,
  readableEntries,
} from '../../records/visible-rows.ts'
import { resources } from '../../resources/all.ts'
import { assignment } from '../../resources/assignment.ts'
import type { Resource } from '../../resources/define-resource.ts'
import { project } from '../../resources/project.ts'
import {
  changeColumns,
  type SerializedChange,
  type StoredChange,
  serializeChange,
} from '../changes/serialize-change.ts'

export interface HistoryPage {
  readonly data: readonly SerializedChange[]
  /** The value of `before` for the next page. Null on the last. */
  readonly next: string | null
}

/**
 * Lists the changes of a row, of an assignment with its related rows, or of a project, the newest first.
 * Users see the history of the rows that they can see now.
 */
export async function listHistory(
  { database }: Context,
  caller: Caller,
  query: Readonly<Record<string, unknown>>,
): Promise<HistoryPage> {
  const { scope, subject, subjectId, resource, pageSize, before } = parseHistoryQuery(query)
  if (scope !== 'project') requireAccess(subject, caller, 'read')
  const [row] = await database.query(sql`
    select 1 from ${tableOf(subject)} as row where id = ${subjectId} and ${historyVisibleRow(subject, caller)}`)
  if (!row) throw notFound(subject.title)
  const scopeConditions = {
    row: () => sql`entry.row_id = ${subjectId}`,
    project: () => sql`entry.project_id = ${subjectId}`,
    assignment: async () =>
      sql`entry.row_id = any(${[subjectId, ...(await childIds(database, caller, subjectId))]}::uuid[])`,
  }
  const conditions = [
    await scopeConditions[scope](),
    ...(resource ? [sql`entry.resource = ${resource.name}`] : []),
  ]
  const entryQuery = {
    caller,
    conditions,
    count: pageSize + 1,
    before,
    isEveryEntryReadable: scope !== 'project',
  }
  const found = await explainTimeout(timeoutAdvice, () =>
    database.listReads.query<StoredChange>(newestReadableSql(entryQuery), caller.id),
  )
  const data = found.slice(0, pageSize).map((change) => serializeChange(change, caller))
  return { data, next: found.length > pageSize ? (data.at(-1)?.id ?? null) : null }
}

/** The history of an assignment covers its newest rows of each resource, up to this number. */
const childrenMax = 1000

/**
 * Returns the ids of the rows that belong to the assignment, of the resources that the caller's token covers.
 */
async function childIds(
  { listReads }: Context['database'],
  caller: Caller,
  assignmentId: string,
): Promise<readonly string[]> {
  const children = resources.filter(
    (resource) =>
      resource.access.kind === 'projectMembers' &&
      resource.access.projectPath[0] === 'assignmentId' &&
      isCovered(caller, resource, 'read'),
  )
  const selects = children.map(
    (child) => sql`
      (select id from ${tableOf(child)} where assignment_id = ${assignmentId} order by id desc limit ${childrenMax}::int)`,
  )
  if (selects.length === 0) return []
  const rows = await listReads.query<{ id: string }>(join(selects, ' union all '), caller.id)
  return rows.map(({ id }) => id)
}

interface EntryQuery {
  readonly caller: Caller
  readonly conditions: readonly Sql[]
  readonly count: number
  readonly before: number | undefined
  /**
   * True if the caller can see the row that the entries are about, so that the entries need no check of their
   * own.
   */
  readonly isEveryEntryReadable: boolean
}

const newestEntriesSql = ({
  conditions,
  before,
  count,
}: Omit<EntryQuery, 'caller' | 'isEveryEntryReadable'>): Sql => {
  const allConditions = [...conditions, ...(before === undefined ? [] : [sql`entry.sequence < ${before}`])]
  return sql`
    select ${changeColumns} from history as entry where ${allOf(allConditions)} order by entry.sequence desc limit ${count}`
}

const newestReadableSql = ({ caller, conditions, isEveryEntryReadable, count, before }: EntryQuery): Sql =>
  newestEntries.attach(
    {
      accessOf: isEveryEntryReadable ? () => 'all' : readAccessOf(caller),
      count,
      before,
      entries: (count, before) => newestEntriesSql({ conditions, count, before }),
    },
    newestEntriesSql({
      conditions: isEveryEntryReadable ? conditions : [...conditions, readableEntries(caller)],
      count,
      before,
    }),
  )

const timeoutAdvice = { subject: 'Reading the history', advice: 'Ask for smaller pages, or for one row.' }

const scopes = { id: 'row', projectId: 'project', assignmentId: 'assignment' } as const
const scopeKeys = ['id', 'projectId', 'assignmentId'] as const

function parseHistoryQuery(query: Readonly<Record<string, unknown>>) {
  const violations = collectViolations()
  rejectRepeatedKeys(query, violations)
  const queryValue = (key: string) => valueUnlessBlank(query, key)
  rejectUnsupportedFilters({ pluralTitle: 'Changes', shownIn: 'ext' }, scopeKeys, queryValue, violations)
  const resource = parseResource(queryValue('resource'), violations)
  const parsed = {
    ...parseScope(queryValue, resource, violations),
    resource,
    pageSize: parseNumber('pageSize', queryValue('pageSize'), pageSizeMax, violations) ?? pageSizeDefault,
    before: parseNumber('before', queryValue('before'), Number.MAX_SAFE_INTEGER, violations),
  }
  violations.throwIfAny()
  return parsed
}

function parseScope(
  queryValue: (key: string) => unknown,
  resource: Resource | undefined,
  violations: Violations,
) {
  const ids = scopeKeys.map((key) => parseUuid(key, queryValue(key), violations))
  const keys = scopeKeys.filter((key) => queryValue(key) !== undefined)
  const [key = 'id'] = keys
  if (keys.length === 0) violations.add('id', 'Id is required, or a ProjectId.')
  if (keys.length > 1) violations.add('id', 'Id, ProjectId and AssignmentId exclude each other.')
  if (key === 'id' && queryValue('resource') === undefined)
    violations.add('resource', 'Resource is required, or a ProjectId.')
  const subjectId = ids.find((id) => id !== undefined) ?? ''
  return {
    scope: scopes[key],
    subject: { id: resource ?? project, projectId: project, assignmentId: assignment }[key],
    subjectId,
  }
}

/** The change of one row between two instants. */
export interface Difference {
  readonly resource: string
  readonly rowId: string
  readonly kind: 'added' | 'changed' | 'removed'
  /** The fields that differ, as they were at the first instant. Null for a row that did not exist. */
  readonly before: Values | null
  readonly after: Values
}

type Values = Readonly<Record<string, unknown>>

/** More changes are read from the feed, because no user compares them by eye. */
export const differenceChangesMax = 5000

/** Compares a project at two instants, in the rows that the caller may see now. */
export async function listDifferences(
  { database }: Context,
  caller: Caller,
  query: Readonly<Record<string, unknown>>,
): Promise<Difference[]> {
  const { id, from, to } = parseDifferenceQuery(query)
  const [visible] = await database.query(
    sql`select 1 from projects as row where id = ${id} and ${historyVisibleRow(project, caller)}`,
  )
  if (!visible) throw notFound(project.title)
  await requireSettled(database, from, 'from')
  await requireSettled(database, to, 'to')
  // If a row moved to another project, its `fields` have both projects; `->> 0` selects the first.
  const entries = sql`
    select ${changeColumns} from history as entry
    where (entry.project_id = ${id} or entry.fields -> 'project_id' ->> 0 = ${id}::text)
      and ${isChangedAfter(from)} and not ${isChangedAfter(to)}`
  const inOrder = sql`order by entry.sequence limit ${differenceChangesMax + 1}::int`
  const advice = {
    subject: 'Reading the difference',
    advice: 'Choose instants that are closer together.',
  }
  const found = await explainTimeout(advice, () =>
    database.listReads.query<StoredChange>(
      readableAmong.attach(
        { accessOf: readAccessOf(caller), entries: () => sql`${entries} ${inOrder}` },
        sql`${entries} and ${readableEntries(caller)} ${inOrder}`,
      ),
      caller.id,
    ),
  )
  if (found.length > differenceChangesMax)
    throw invalid({
      from: [`There are more than ${differenceChangesMax} changes between From and To. Read the feed.`],
    })
  const byRow = Map.groupBy(found, ({ resource, rowId }) => `${resource} ${rowId}`)
  return [...byRow.values()].flatMap((changes) =>
    differenceOf(changes.map((change) => serializeChange(change, caller))),
  )
}

/** Returns nothing for a row that is unchanged in the end, or that existed only in between. */
function differenceOf(changes: readonly SerializedChange[]): Difference[] {
  const [first] = changes
  if (!first) return []
  const key = { resource: first.resource, rowId: first.rowId }
  const { before, after } = combineChanges(changes)
  const isRemoved = after.active === false
  if (first.before === null) return isRemoved ? [] : [{ ...key, kind: 'added', before: null, after }]
  const names = Object.keys(after).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  )
  // A row that was removed and then restored unchanged does not differ.
  if (names.every((name) => name === 'updatedAt')) return []
  const pick = (values: Values) => Object.fromEntries(names.map((name) => [name, values[name]]))
  const isRestored = before.active === false && !isRemoved
  const kindIfActive = isRestored ? 'added' : 'changed'
  const kind = isRemoved ? 'removed' : kindIfActive
  return [{ ...key, kind, before: pick(before), after: pick(after) }]
}

/** Returns the first and the last value of each field. */
function combineChanges(changes: readonly SerializedChange[]) {
  const fields = changes.flatMap((change) => Object.entries(change.before ?? {}))
  return {
    // The last entry of a name counts, so the order is reversed to get the first value.
    before: Object.fromEntries(fields.toReversed()) as Values,
    after: Object.assign({}, ...changes.map((change) => change.after)) as Values,
  }
}

function parseDifferenceQuery(query: Readonly<Record<string, unknown>>) {
  const violations = collectViolations()
  const queryValue = (key: string) => valueUnlessBlank(query, key)
  for (const key of ['id', 'from', 'to'])
    if (queryValue(key) === undefined) violations.add(key, `${capitalize(key)} is required, once.`)
  const parsed = {
    id: parseUuid('id', queryValue('id'), violations) ?? '',
    from: parseTimestamp('from', queryValue('from'), violations),
    to: parseTimestamp('to', queryValue('to'), violations),
  }
  if (parsed.from && parsed.to && isEarlier(parsed.to, parsed.from))
    violations.add('to', 'To must be on or after From.')
  violations.throwIfAny()
  return parsed
}

function parseTimestamp(key: string, input: unknown, violations: Violations): string {
  if (input === undefined) return ''
  const parsed = timestamp.parse(typeof input === 'string' ? input.trim() : input, capitalize(key))
  if ('value' in parsed) return parsed.value
  violations.add(key, ...parsed.problems)
  return ''
}

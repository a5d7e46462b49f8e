import { firstSnapshot, type Snapshot } from '../../db/change-log.ts'
import type { LimitedReads } from '../../db/limited-reads.ts'
import { allOf, raw, type Sql, sql } from '../../db/sql.ts'
import { pageOfFeed } from '../../db/stepwise-statements.ts'
import type { Caller } from '../../model/caller.ts'
import { isNullOrBlank } from '../../model/field-kinds.ts'
import { collectViolations, gone, type Violations } from '../../model/problem.ts'
import type { Context } from '../../records/context.ts'
import { explainTimeout } from '../../records/get.ts'
import {
  pageSizeMax,
  parseNames,
  parseNumber,
  parseUuid,
  rejectRepeatedKeys,
  rejectUnsupportedFilters,
  valueUnlessBlank,
} from '../../records/list-query.ts'
import { readAccessOf, readableEntries } from '../../records/visible-rows.ts'
import { resourceNames } from '../../resources/all.ts'
import {
  changeColumns,
  type SerializedChange,
  type StoredChange,
  serializeChange,
} from './serialize-change.ts'

/** The changes that a reader requests. An absent property allows all values. */
export interface FeedFilter {
  readonly resources?: readonly string[] | undefined
  readonly actions?: readonly string[] | undefined
  readonly projectId?: string | undefined
}

export interface FeedQuery {
  readonly caller: Caller
  readonly filter: FeedFilter
  /** Absent for the beginning of the kept changes. */
  readonly position: FeedPosition | undefined
  readonly pageSize: number
}

export interface FeedPage {
  readonly changes: readonly { readonly change: StoredChange; readonly position: FeedPosition }[]
  /** The position after this page, even if nothing in it was for this reader. */
  readonly position: FeedPosition
  /** True if this was everything committed when the page was read. */
  readonly isCurrent: boolean
}

/** Limits the rows that one statement reads. Few transactions write more rows. */
const scannedMax = 2000

/**
 * Reads the next changes after a position, without gaps or duplicates. The changes of a row are in the order
 * in which they happened.
 */
export async function readFeed(query: FeedQuery, reads: LimitedReads): Promise<FeedPage> {
  const { caller, position, pageSize } = query
  const found = await explainTimeout(
    { subject: 'Reading the feed', advice: 'Ask for smaller pages, or filter by resource or project.' },
    () => reads.query<FoundChange>(feedStatement(query), caller.id),
  )
  // The statement returns the bounds in every row, and at least one row.
  const { scanned, lastScanned, snapshot, now, begin, isAhead } = found[0] as FoundChange
  if (position && (isAhead || begin > position.sinceAt)) throw tooOld()
  const { since, sinceAt, within } = position ?? { since: firstSnapshot, sinceAt: begin }
  const { until, untilAt } = within ?? { until: snapshot, untilAt: now }
  const at = (last: number): FeedPosition => ({ since, sinceAt, within: { until, untilAt, last } })
  const changes = found.flatMap((row) =>
    row.sequence === null ? [] : [{ change: changeIn(row), position: at(row.sequence) }],
  )
  const isPageFull = changes.length === pageSize
  const isPartial = isPageFull || scanned === scannedMax
  const last = isPageFull ? changes.at(-1)?.change.sequence : lastScanned
  const next = isPartial ? at(last ?? 0) : { since: until, sinceAt: untilAt }
  return {
    // After the last change of a complete range, the reader continues with the next range.
    changes: changes.map((entry, index) =>
      index === changes.length - 1 && !isPartial ? { ...entry, position: next } : entry,
    ),
    position: next,
    isCurrent: !isPartial && until === snapshot,
  }
}

/** The position of a reader who wants no earlier changes. */
export async function newestPosition(reads: LimitedReads, caller: Caller): Promise<FeedPosition> {
  const [row] = await reads.query<{ since: string; sinceAt: number }>(
    sql`select lasting_snapshot()::text as since, ${milliseconds(raw('statement_timestamp()'))} as "sinceAt"`,
    caller.id,
  )
  if (!row) throw new Error('The store did not return its snapshot.')
  return row
}

/** Reported if the next changes have been purged, or the database has been restored to an earlier state. */
const tooOld = () =>
  gone(
    'Changes after this position are no longer kept. Read the lists again, then continue from a new position.',
  )

type FoundChange = StoredChange & {
  readonly scanned: number
  readonly lastScanned: number | null
  readonly snapshot: string
  readonly now: number
  readonly begin: number
  readonly isAhead: boolean
}

/** Returns a row without the bounds. */
function changeIn({
  scanned,
  lastScanned,
  snapshot,
  now,
  begin,
  isAhead,
  ...change
}: FoundChange): StoredChange {
  return change
}

const milliseconds = (timestamp: Sql): Sql => sql`floor(extract(epoch from ${timestamp}) * 1000)::bigint`

function feedStatement(query: FeedQuery): Sql {
  const { caller, pageSize } = query
  return pageOfFeed.attach(
    { accessOf: readAccessOf(caller), pageSize, entries: () => changesOf(query, raw('true'), scannedMax) },
    changesOf(query, readableEntries(caller), pageSize),
  )
}

function changesOf({ filter, position }: FeedQuery, readable: Sql, count: number): Sql {
  const since = position?.since ?? firstSnapshot
  return sql`
    with lasting as materialized (select lasting_snapshot() as snapshot),
      bounds as materialized (
        select lasting.snapshot::text, ${milliseconds(raw('statement_timestamp()'))} as now,
          (select ${milliseconds(raw('greatest(at, restored_at)'))} from history_begin) as begin,
          pg_snapshot_xmax(${since}::pg_snapshot) > pg_snapshot_xmax(settled_snapshot()) as "isAhead"
        from lasting
      ),
      scanned as materialized (${scannedEntries(position)})
    select bounds.*, total.*, found.* from bounds
    cross join (select count(*) as scanned, max(sequence) as "lastScanned" from scanned) as total
    left join (
      select ${changeColumns} from scanned as entry
      where ${allOf([...filterConditions(filter), readable])} order by entry.sequence limit ${count}
    ) as found on true
    order by found.sequence`
}

/**
 * Within a range of transactions, the next changes are found by their sequence numbers. At the start of a
 * range, they are found by their transactions. `+ 0` then keeps the planner from scanning all numbers.
 */
function scannedEntries(position: FeedPosition | undefined): Sql {
  if (position === undefined)
    return sql`select entry.* from history as entry where ${isLasting} order by entry.sequence limit ${scannedMax}::int`
  const { since, within } = position
  const isNew = sql`entry.transaction >= pg_snapshot_xmin(${since}::pg_snapshot)
    and not pg_visible_in_snapshot(entry.transaction, ${since}::pg_snapshot)`
  if (within === undefined)
    return sql`select entry.* from history as entry where ${isNew} and ${isLasting} order by entry.sequence + 0 limit ${scannedMax}::int`
  return sql`
    select entry.* from history as entry
    where entry.sequence > ${within.last} and ${isNew} and pg_visible_in_snapshot(entry.transaction, ${within.until}::pg_snapshot)
    order by entry.sequence limit ${scannedMax}::int`
}

const isLasting = raw('pg_visible_in_snapshot(entry.transaction, (select snapshot from lasting))')

const filterConditions = ({ resources, actions, projectId }: FeedFilter): Sql[] => [
  ...(resources ? [sql`entry.resource = any(${resources}::text[])`] : []),
  ...(actions ? [sql`entry.action = any(${actions}::text[])`] : []),
  ...(projectId ? [sql`entry.project_id = ${projectId}`] : []),
]

export interface SerializedFeedPage {
  readonly data: readonly SerializedChange[]
  /** The start of the next page. */
  readonly cursor: string
  /** True if more changes can be read immediately. */
  readonly hasMore: boolean
}

/** A page of the feed, the same on every host. */
export async function readFeedPage(
  { database: { listReads } }: Pick<Context, 'database'>,
  caller: Caller,
  { after, filter, pageSize }: FeedRequest,
): Promise<SerializedFeedPage> {
  const position = after === 'now' ? await newestPosition(listReads, caller) : after
  const page = await readFeed({ caller, filter, position, pageSize }, listReads)
  return {
    data: page.changes.map(({ change }) => serializeChange(change, caller)),
    cursor: formatPosition(page.position),
    hasMore: !page.isCurrent,
  }
}

export const feedActions = ['create', 'update', 'remove', 'restore'] as const

interface FeedRequest {
  readonly filter: FeedFilter
  /** Undefined is the beginning; `now` only includes later changes. */
  readonly after: FeedPosition | 'now' | undefined
  readonly pageSize: number
}

/** A client that reopens a stream sends `lastEventId` instead of `after`. */
export function parseFeedQuery(query: Readonly<Record<string, unknown>>, lastEventId?: unknown): FeedRequest {
  const violations = collectViolations()
  rejectRepeatedKeys(query, violations)
  const queryValue = (key: string) => valueUnlessBlank(query, key)
  // An empty filter is an error, because otherwise the client would receive all changes.
  const filterIn = (key: string) => (Array.isArray(query[key]) ? undefined : (query[key] ?? undefined))
  rejectUnsupportedFilters({ pluralTitle: 'Changes', shownIn: 'ext' }, ['projectId'], filterIn, violations)
  const parsed = {
    filter: {
      resources: parseNames('resource', filterIn('resource'), resourceNames, violations),
      actions: parseNames('action', filterIn('action'), feedActions, violations),
      projectId: parseUuid('projectId', filterIn('projectId'), violations),
    },
    after: parseAfter(isNullOrBlank(lastEventId) ? queryValue('after') : lastEventId, violations),
    pageSize: parseNumber('pageSize', queryValue('pageSize'), pageSizeMax, violations) ?? pageSizeMax,
  }
  violations.throwIfAny()
  return parsed
}

function parseAfter(input: unknown, violations: Violations): FeedRequest['after'] {
  if (input === undefined || input === 'now') return input
  // The id of a snapshot of a live listing is a position followed by a hash of its content.
  const position = typeof input === 'string' ? parsePosition(input.split('~')[0] ?? '') : undefined
  if (position === undefined) violations.add('after', 'After must be now, or a cursor from the feed.')
  return position
}

/**
 * The progress of a reader: everything committed in `since` and, between two pages, everything committed in
 * `until` up to the entry `last`. A transaction that commits late may have an early number, so the progress
 * consists of snapshots.
 */
export interface FeedPosition {
  readonly since: Snapshot
  /** The time of that snapshot, in milliseconds since 1970 by the database's clock. */
  readonly sinceAt: number
  readonly within?: RangeInProgress
}

interface RangeInProgress {
  readonly until: Snapshot
  readonly untilAt: number
  readonly last: number
}

/** Opaque to clients. It grants no access: every request that uses it is authorized again. */
export const formatPosition = ({ since, sinceAt, within }: FeedPosition): string =>
  Buffer.from(
    JSON.stringify([since, sinceAt, ...(within ? [within.until, within.untilAt, within.last] : [])]),
  ).toString('base64url')

/** A snapshot lists the transactions in progress. Two snapshots with some hundred each fit. */
export const positionCharactersMax = 8192

/** Returns undefined for an invalid text, because PostgreSQL would report an error of its own. */
export function parsePosition(text: string): FeedPosition | undefined {
  if (text.length > positionCharactersMax) return undefined
  const [since, sinceAt, until, untilAt, last, ...more] = decodeParts(text)
  if (!isSnapshot(since) || !isCount(sinceAt) || more.length > 0) return undefined
  if (until === undefined) return { since, sinceAt }
  if (!isSnapshot(until) || !isCount(untilAt) || !isCount(last)) return undefined
  return { since, sinceAt, within: { until, untilAt, last } }
}

function decodeParts(text: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(parts) ? parts : []
  } catch {
    return []
  }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

const transactionMax = 2n ** 63n

/** xmin:xmax:list in ascending order, as PostgreSQL writes it. */
function isSnapshot(value: unknown): value is Snapshot {
  const [matched, xmin, xmax, list] =
    (typeof value === 'string' && /^(\d{1,19}):(\d{1,19}):((?:\d{1,19}(?:,\d{1,19})*)?)$/.exec(value)) || []
  if (matched === undefined) return false
  const [least, next] = [BigInt(xmin ?? 0), BigInt(xmax ?? 0)]
  if (least < 1n || next < least || next >= transactionMax) return false
  const open = list ? list.split(',').map(BigInt) : []
  return open.every(
    (transaction, index) =>
      transaction >= (index === 0 ? least : (open[index - 1] ?? 0n) + 1n) && transaction < next,
  )
}

import { lastChangeSecond, waitUntilSettled } from '../db/change-log.ts'
import { selectColumns } from '../db/columns.ts'
import type { Database } from '../db/database.ts'
import { StatementTooSlowError } from '../db/limited-reads.ts'
import type { LastChange } from '../db/modification-dates.ts'
import type { Row } from '../db/rows.ts'
import { raw, sql } from '../db/sql.ts'
import { rowWithLastChange } from '../db/stepwise-statements.ts'
import type { Caller } from '../model/caller.ts'
import { capitalize } from '../model/field.ts'
import { isNullOrBlank, timestamp, uuid } from '../model/field-kinds.ts'
import { collectViolations, gone, invalid, notFound, overloaded, type Violations } from '../model/problem.ts'
import type { Resource } from '../resources/define-resource.ts'
import type { Context } from './context.ts'
import { requireAccess } from './rights.ts'
import { resourcesAffecting, selectRows } from './visible-rows.ts'

export interface RowWithLastChange {
  readonly row: Row
  readonly lastChange: LastChange
}

/** Returns the row as it is, or as it was at an instant. */
export async function get(
  { database }: Context,
  resource: Resource,
  caller: Caller,
  input: { readonly id: unknown; readonly at?: unknown },
): Promise<RowWithLastChange> {
  requireAccess(resource, caller, 'read')
  const { id, at } = parseRequest(input)
  const { from, where } = selectRows(resource, caller, at, sql`${id}`)
  const columns = selectColumns(resource)
  const lastChange = () =>
    sql`${lastChangeSecond(resourcesAffecting(resource, caller))} as "lastChangeSecond"`
  // The transaction that wrote the row costs no lookup. The row as it was has none, and the nodes of a sharded
  // store have separate transaction numbers, so these use the change log.
  const dating = at === undefined ? lastTransaction : lastChange()
  // A sharded store executes the parts of the statement one after the other.
  const statement = rowWithLastChange.attach(
    { row: () => sql`select ${columns} from ${from} where ${where}`, lastChange },
    sql`select ${columns}, ${dating} from ${from} where ${where}`,
  )
  if (at !== undefined) await requireSettled(database, at)
  // The history can be slow to read, so this read queues with the lists. Their number per account is limited.
  const [found] =
    at === undefined
      ? await database.query<FoundRow>(statement)
      : await explainTimeout(timeoutAdvice, () => database.listReads.query<FoundRow>(statement, caller.id))
  if (!found) throw notFound(resource.title)
  const { lastChangeSecond: second, lastTransaction: transaction, ...row } = found
  return { row: row as Row, lastChange: { lastChangeSecond: second, lastTransaction: transaction } }
}

const lastTransaction = raw('row.xmin::text::bigint as "lastTransaction"')

type FoundRow = Row & LastChange

const timeoutAdvice = { subject: 'Reading the row as it was', advice: 'Request a later instant.' }

function parseRequest(input: { readonly id: unknown; readonly at?: unknown }) {
  const violations = collectViolations()
  const parsed = { id: parseId(input.id, violations), at: parseAt(input.at, violations) }
  violations.throwIfAny()
  return parsed
}

function parseId(input: unknown, violations: Violations): string {
  const parsed = uuid.parse(input, 'Id')
  if ('value' in parsed) return parsed.value
  if (input === undefined || input === null || input === '') violations.add('id', 'Id is required.')
  else if (Array.isArray(input)) violations.add('id', 'Id must be given once.')
  else violations.add('id', ...parsed.problems)
  // Never used, because the caller throws the violations.
  return ''
}

/** Older timestamps have settled, because transactions that write are shorter than this. */
const recentSeconds = 60

interface Age {
  readonly isFuture: boolean
  readonly isPurged: boolean
  readonly isRecent: boolean
}

/**
 * Rejects a timestamp in the future or before the history. Waits for transactions that were in progress then,
 * so that the same timestamp always shows the same data.
 */
export async function requireSettled(database: Database, at: string, key = 'at'): Promise<void> {
  const [age] = await database.query<Age>(sql`
    select ${at}::timestamptz > statement_timestamp() as "isFuture",
      ${at}::timestamptz > statement_timestamp() - make_interval(secs => ${recentSeconds}) as "isRecent",
      ${at}::timestamptz < (select at from history_begin) as "isPurged"`)
  if (!age || age.isFuture) throw invalid({ [key]: [`${capitalize(key)} must not lie in the future.`] })
  if (age.isPurged) throw gone('The history does not go back that far.')
  if (!age.isRecent) return
  if (await waitUntilSettled(database)) return
  throw overloaded('Changes from that time are still being committed. Please try again.', {
    retryAfterSeconds: 5,
  })
}

/** Parses the requested timestamp. Undefined means now. */
export function parseAt(input: unknown, violations: Violations): string | undefined {
  if (input === undefined) return undefined
  if (Array.isArray(input)) violations.add('at', 'At must be given once.')
  else if (isNullOrBlank(input)) violations.add('at', 'At must not be empty.')
  else {
    const parsed = timestamp.parse(String(input).trim(), 'At')
    if ('value' in parsed) return parsed.value
    violations.add('at', ...parsed.problems)
  }
  return undefined
}

export interface TimeoutAdvice {
  /** The subject of the sentence, such as "The list of projects". */
  readonly subject: string
  readonly advice: string
  /** The request parameter that makes the read slow, if it is a particular one. */
  readonly key?: string
}

const retryAfterSeconds = 5

/** Runs the read. If the read exceeds its time limit, throws an error that advises the caller what to change. */
export async function explainTimeout<Result>(
  { subject, advice, key }: TimeoutAdvice,
  read: () => Promise<Result>,
) {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof StatementTooSlowError)) throw error
    const message = `${subject} took longer than ${error.seconds} seconds and was stopped. ${advice}`
    throw overloaded(message, { retryAfterSeconds, ...(key && { errors: { [key]: [message] } }) })
  }
}

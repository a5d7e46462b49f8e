import { lastChangeSecond as lastChangeSecondSql } from '../db/change-log.ts'
import { selectColumns } from '../db/columns.ts'
import type { Row } from '../db/rows.ts'
import { sql } from '../db/sql.ts'
import { rowWithLastChange } from '../db/stepwise-statements.ts'
import type { Caller } from '../model/caller.ts'
import { uuid } from '../model/field-kinds.ts'
import { collectViolations, notFound, type Violations } from '../model/problem.ts'
import type { Resource } from '../resources/define-resource.ts'
import type { Context } from './context.ts'
import { explainTimeout, parseAt, requireSettled } from './read-guards.ts'
import { requireAccess } from './rights.ts'
import { resourcesAffecting, selectRows } from './visible-rows.ts'

export interface RowWithLastChange {
  readonly row: Row
  /**
   * The time of the last change that can affect the response, in seconds since 1970; null when it is no
   * longer in the change log.
   */
  readonly lastChangeSecond: number | null
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
  const lastChange = sql`${lastChangeSecondSql(resourcesAffecting(resource, caller))} as "lastChangeSecond"`
  // A sharded store executes the pieces one after another; a single PostgreSQL executes the whole statement.
  const statement = rowWithLastChange.attach(
    { row: sql`select ${columns} from ${from} where ${where}`, lastChange },
    sql`select ${columns}, ${lastChange} from ${from} where ${where}`,
  )
  if (at !== undefined) await requireSettled(database, at)
  // The history can be slow to read, so an earlier state waits among the lists, whose number per account is
  // limited.
  const [found] =
    at === undefined
      ? await database.query<FoundRow>(statement)
      : await explainTimeout(timeoutAdvice, () => database.listReads.query<FoundRow>(statement, caller.id))
  if (!found) throw notFound(resource.title)
  const { lastChangeSecond, ...row } = found
  return { row: row as Row, lastChangeSecond }
}

type FoundRow = Row & { readonly lastChangeSecond: number | null }

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

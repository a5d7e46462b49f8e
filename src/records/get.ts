import { lastChangeSecond } from '../db/change-log.ts'
import { selectColumns } from '../db/columns.ts'
import { datedRow } from '../db/named-statements.ts'
import type { Row } from '../db/rows.ts'
import { sql } from '../db/sql.ts'
import type { Caller } from '../model/caller.ts'
import { uuid } from '../model/field-kinds.ts'
import { collectViolations, missing, type Violations } from '../model/problem.ts'
import type { Resource } from '../resources/define-resource.ts'
import type { Context } from './context.ts'
import { requireRole } from './rights.ts'
import { parseAt, rejectTooSlow, requireSettled } from './settled-timestamp.ts'
import { changesThatMatter, selectRows } from './visible-rows.ts'

export interface Found {
  readonly row: Row
  /**
   * The time of the last change to anything the answer depends on, in seconds since 1970; null when it is no
   * longer in the change log.
   */
  readonly lastChangeSecond: number | null
}

/** Returns the row as it is, or as it was at an instant. */
export async function get(
  { database }: Context,
  resource: Resource,
  caller: Caller,
  given: { readonly id: unknown; readonly at?: unknown },
): Promise<Found> {
  requireRole(resource, caller, 'read')
  const { id, at } = parseWanted(given)
  const { from, wanted } = selectRows(resource, caller, at, sql`${id}`)
  const columns = selectColumns(resource)
  const lastChange = sql`${lastChangeSecond(changesThatMatter(resource, caller))} as "lastChangeSecond"`
  const statement = datedRow.of(
    { row: sql`select ${columns} from ${from} where ${wanted}`, lastChange },
    sql`select ${columns}, ${lastChange} from ${from} where ${wanted}`,
  )
  if (at !== undefined) await requireSettled(database, at)
  const [found] =
    at === undefined
      ? await database.query<FoundRow>(statement)
      : await rejectTooSlow(slowness, () => database.lists.query<FoundRow>(statement, caller.id))
  if (!found) throw missing(resource.title)
  const { lastChangeSecond: second, ...row } = found
  return { row: row as Row, lastChangeSecond: second }
}

type FoundRow = Row & { readonly lastChangeSecond: number | null }

const slowness = { what: 'Reading the row as it was', advice: 'Ask for a later moment.' }

function parseWanted(given: { readonly id: unknown; readonly at?: unknown }) {
  const violations = collectViolations()
  const read = { id: parseId(given.id, violations), at: parseAt(given.at, violations) }
  violations.throwIfAny()
  return read
}

function parseId(input: unknown, violations: Violations): string {
  const reading = uuid.read(input, 'Id')
  if ('value' in reading) return reading.value
  if (Array.isArray(input)) violations.add('id', 'Id must be given once.')
  else
    violations.add(
      'id',
      ...(input === undefined || input === null || input === '' ? ['Id is required.'] : reading.problems),
    )
  return ''
}

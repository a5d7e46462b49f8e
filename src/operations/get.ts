import { requireRole } from '../access/require-write.ts'
import { changesThatMatter, visibleRows } from '../access/visible-rows.ts'
import type { Caller } from '../model/caller.ts'
import { uuid } from '../model/field-kinds.ts'
import { missing } from '../model/problem.ts'
import { collectViolations } from '../model/violations.ts'
import type { Resource } from '../resources/define-resource.ts'
import { lastChangeSecond } from '../store/change-log.ts'
import { type Row, shownColumns, tableOf } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import type { Tracker } from './tracker.ts'

export interface Found {
  readonly row: Row
  /** When anything the answer depends on changed last, in seconds since 1970; null when the change log no longer has it. */
  readonly lastChangeSecond: number | null
}

export async function get(
  { database }: Tracker,
  resource: Resource,
  caller: Caller,
  id: unknown,
): Promise<Found> {
  requireRole(resource, caller, 'read')
  const [found] = await database.query<Row & { lastChangeSecond: number | null }>(sql`
    select ${shownColumns(resource)}, ${lastChangeSecond(changesThatMatter(resource, caller))} as "lastChangeSecond"
    from ${tableOf(resource)} as row
    where id = ${readId(id)} and active and ${visibleRows(resource, caller)}`)
  if (!found) throw missing(resource.title)
  const { lastChangeSecond: second, ...row } = found
  return { row: row as Row, lastChangeSecond: second }
}

function readId(input: unknown): string {
  const violations = collectViolations()
  const reading = uuid.read(input, 'Id')
  if ('value' in reading) return reading.value
  if (Array.isArray(input)) violations.add('id', 'Id must be given once.')
  else
    violations.add(
      'id',
      ...(input === undefined || input === null || input === '' ? ['Id is required.'] : reading.problems),
    )
  violations.refuseIfAny()
  return ''
}

import { readableAmong, readableEntries, rememberedRow } from '../access/remembered-rows.ts'
import { isLater } from '../access/rows-at.ts'
import type { Caller } from '../model/caller.ts'
import { labelOf } from '../model/field.ts'
import { isMissing, moment } from '../model/field-kinds.ts'
import { isEarlier } from '../model/moment.ts'
import { invalid, missing } from '../model/problem.ts'
import { collectViolations, type Violations } from '../model/violations.ts'
import { project } from '../resources/project.ts'
import { eitherWay, sql } from '../store/sql.ts'
import { readUuid } from './query-values.ts'
import { refuseTooSlow } from './refuse-too-slow.ts'
import { requireSettled } from './settled-moment.ts'
import { changeColumns, type ShownChange, type StoredChange, showChange } from './show-change.ts'
import type { Tracker } from './tracker.ts'

/** What became of one row between two moments. */
export interface Difference {
  readonly resource: string
  readonly rowId: string
  readonly kind: 'added' | 'changed' | 'removed'
  /** The fields that differ, as they were at the first moment; null for a row that was not there. */
  readonly before: Values | null
  readonly after: Values
}

type Values = Readonly<Record<string, unknown>>

/** Enough for what people compare; more is read from the feed. */
export const differenceChangesMax = 5000

/** How a project at one moment differs from itself at another, in the rows that the reader may see now. */
export async function listDifferences(
  { database }: Tracker,
  caller: Caller,
  query: Readonly<Record<string, unknown>>,
): Promise<Difference[]> {
  const { id, from, to } = readDifferenceQuery(query)
  const [seen] = await database.query(
    sql`select 1 from projects as row where id = ${id} and ${rememberedRow(project, caller)}`,
  )
  if (!seen) throw missing(project.title)
  await requireSettled(database, from, 'from')
  await requireSettled(database, to, 'to')
  const entries = sql`
    select ${changeColumns} from history as entry
    where (entry.project_id = ${id} or entry.fields -> 'project_id' ->> 0 = ${id}::text)
      and ${isLater(from)} and not ${isLater(to)}`
  const inOrder = sql`order by entry.sequence limit ${differenceChangesMax + 1}::int`
  const slowness = { what: 'Reading the difference', advice: 'Choose moments that lie nearer to each other.' }
  const found = await refuseTooSlow(slowness, () =>
    database.lists.query<StoredChange>(
      eitherWay(sql`${entries} and ${readableEntries(caller)} ${inOrder}`, async (queries) =>
        readableAmong(queries, caller, await queries.query<StoredChange>(sql`${entries} ${inOrder}`)),
      ),
      caller.id,
    ),
  )
  if (found.length > differenceChangesMax)
    throw invalid({
      from: [`There are more than ${differenceChangesMax} changes between From and To. Read the feed.`],
    })
  const byRow = Map.groupBy(found, ({ resource, rowId }) => `${resource} ${rowId}`)
  return [...byRow.values()].flatMap((changes) => differenceOf(changes.map((one) => showChange(one, caller))))
}

/** Nothing for a row that is again as it was, or that came and went in between. */
function differenceOf(changes: readonly ShownChange[]): Difference[] {
  const [first] = changes
  if (!first) return []
  const key = { resource: first.resource, rowId: first.rowId }
  const { before, after } = sumOf(changes)
  const isOver = after.active === false
  if (first.before === null) return isOver ? [] : [{ ...key, kind: 'added', before: null, after }]
  const names = Object.keys(after).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  )
  // A row that was removed and restored unchanged is no difference.
  if (names.every((name) => name === 'updatedAt')) return []
  const pick = (values: Values) => Object.fromEntries(names.map((name) => [name, values[name]]))
  const kind = isOver ? 'removed' : before.active === false ? 'added' : 'changed'
  return [{ ...key, kind, before: pick(before), after: pick(after) }]
}

/** Of each field what it was at first and what it became at last. */
function sumOf(changes: readonly ShownChange[]) {
  const fields = changes.flatMap((change) => Object.entries(change.before ?? {}))
  return {
    before: Object.fromEntries(fields.toReversed()) as Values,
    after: Object.assign({}, ...changes.map((change) => change.after)) as Values,
  }
}

function readDifferenceQuery(query: Readonly<Record<string, unknown>>) {
  const violations = collectViolations()
  const given = (key: string) => (isMissing(query[key]) || Array.isArray(query[key]) ? undefined : query[key])
  for (const key of ['id', 'from', 'to'])
    if (given(key) === undefined) violations.add(key, `${labelOf(key)} is required, once.`)
  const read = {
    id: readUuid('id', given('id'), violations) ?? '',
    from: readMomentAt('from', given('from'), violations),
    to: readMomentAt('to', given('to'), violations),
  }
  if (read.from && read.to && isEarlier(read.to, read.from))
    violations.add('to', 'To must be on or after From.')
  violations.refuseIfAny()
  return read
}

function readMomentAt(key: string, input: unknown, violations: Violations): string {
  if (input === undefined) return ''
  const reading = moment.read(typeof input === 'string' ? input.trim() : input, labelOf(key))
  if ('value' in reading) return reading.value
  violations.add(key, ...reading.problems)
  return ''
}

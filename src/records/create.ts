import { newId } from '../db/columns.ts'
import type { Queries, SingleWrites } from '../db/database.ts'
import { type Writers, writerOfInput } from '../db/many-rows.ts'
import { insertRow, type Row, type Values } from '../db/rows.ts'
import type { Caller } from '../model/caller.ts'
import type { Resource } from '../resources/define-resource.ts'
import type { Tracker } from './context.ts'
import { noteAccountChange } from './note-account-change.ts'
import { readInput } from './read-input.ts'
import { requireRole } from './require-write.ts'
import { createConditions, type RequiredVersions, referenceConditions } from './write-conditions.ts'
import { createEach, type EachItem, shapeOf, updateAlike } from './write-each.ts'

/**
 * Runs one statement that locks the parents, checks the conditions, and inserts. It may also include
 * concurrent creates by other callers.
 */
export async function create(
  tracker: Tracker,
  resource: Resource,
  caller: Caller,
  body: unknown,
): Promise<Row> {
  const { rules } = resource
  requireRole(resource, caller, 'write')
  const { id = newId(), values } = readInput(resource, body, 'create', tracker, caller.id)
  const stored = (await rules.prepare?.(values, tracker.passwords)) ?? values
  const { single } = tracker.database
  const alone = () =>
    insertRow(
      single,
      resource,
      caller,
      { id, ...stored },
      {
        conditions: createConditions(
          resource,
          caller,
          values,
          referenceConditions(resource, [values], { caller }),
        ),
        also: rules.alsoCreate?.(caller, id) ?? [],
      },
    )
  const created = await createGathered(single, resource, { caller, id, values, stored }, alone)
  noteAccountChange(tracker.securityLog, resource, caller, 'create', [created.id])
  return created
}

/** The write that one caller requests. */
interface Wanted {
  readonly caller: Caller
  readonly id: string
  readonly values: Values
  readonly stored: Values
  readonly versions?: RequiredVersions
}

type Alone = () => Promise<Row>

/** Creates a row, possibly in one statement with concurrent creates. */
const createGathered = (
  single: SingleWrites,
  resource: Resource,
  wanted: Wanted,
  alone: Alone,
): Promise<Row> =>
  resource.rules.prepare || resource.rules.alsoCreate
    ? alone()
    : gathered(single, 'create', resource, wanted, alone)

/** Changes a row, possibly in one statement with concurrent changes. */
export const updateGathered = (
  single: SingleWrites,
  resource: Resource,
  wanted: Wanted,
  alone: Alone,
): Promise<Row> => (resource.rules.prepare ? alone() : gathered(single, 'update', resource, wanted, alone))

/** Writes by a token run alone, because each token has its own rights. */
function gathered(
  { gathered: gather }: SingleWrites,
  verb: 'create' | 'update',
  resource: Resource,
  wanted: Wanted,
  alone: Alone,
): Promise<Row> {
  const { caller, id, values, stored, versions = none } = wanted
  if (!gather || caller.token) return alone()
  const shape = shapeOf({ ids: [id], values }, versions)
  return gather(
    {
      name: [verb, resource.name, caller.isAdministrator, shape, Object.keys(stored).join()].join(' '),
      accountOf: (one) => one.wanted.caller.id,
      idOf: (one) => one.wanted.id,
      alone: (one) => one.alone(),
      together: (queries, all) =>
        writeTogether(
          queries,
          verb,
          resource,
          all.map((one) => one.wanted),
        ),
    },
    { wanted, alone },
  )
}

const none: RequiredVersions = new Map()

async function writeTogether(
  queries: Queries,
  verb: 'create' | 'update',
  resource: Resource,
  all: readonly Wanted[],
): Promise<(Row | undefined)[]> {
  const writers: Writers = { each: all.map(({ caller }) => caller) }
  const items = all.map(({ id, values, stored }, index): EachItem => ({ index, ids: [id], values, stored }))
  const caller = eachCaller(all[0]?.caller.isAdministrator === true)
  const outcomes =
    verb === 'create'
      ? await createEach(queries, resource, caller, items, writers)
      : await updateAlike(queries, resource, caller, items, versionsOf(all), writers)
  return outcomes.map(({ row }) => row)
}

/** A placeholder for the caller of each row in conditions: its id is not a text but the SQL that finds it. */
const eachCaller = (isAdministrator: boolean): Caller => ({
  id: writerOfInput as unknown as string,
  isAdministrator,
})

const versionsOf = (all: readonly Wanted[]): RequiredVersions =>
  new Map(all.flatMap(({ versions = none }) => [...versions]))

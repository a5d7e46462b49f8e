import { newId } from '../db/columns.ts'
import type { Queries, SingleWrites } from '../db/database.ts'
import { insertRow, type Row, type Values } from '../db/rows.ts'
import type { Caller } from '../model/caller.ts'
import type { Resource } from '../resources/define-resource.ts'
import type { Context } from './context.ts'
import { parseInput } from './parse-input.ts'
import { recordAccountChange } from './record-account-change.ts'
import { isOfAccounts, requireRole } from './rights.ts'
import { createConditions, type RequiredVersions, referenceConditions } from './write-conditions.ts'
import { callersOf, createEach, type EachItem, shapeOf, updateAlike } from './write-each.ts'

/**
 * Runs one statement that locks the parents, checks the conditions, and inserts. It may also include
 * concurrent creates by other callers.
 */
export async function create(
  context: Context,
  resource: Resource,
  caller: Caller,
  body: unknown,
): Promise<Row> {
  const { rules } = resource
  requireRole(resource, caller, 'write')
  const { id = newId(), values } = parseInput(resource, body, 'create', context, caller.id)
  const stored = (await rules.prepare?.(values, context.passwords)) ?? values
  const { single } = context.database
  const alone = () => {
    const references = referenceConditions(resource, values, { caller })
    const conditions = createConditions(resource, caller, values, references)
    const also = rules.alsoCreate?.(caller, id) ?? []
    return insertRow(single, resource, caller, { id, ...stored }, { conditions, also })
  }
  const mayShare = !rules.prepare && !rules.alsoCreate
  const created = mayShare
    ? await grouped(single, 'create', resource, { caller, id, values, stored }, alone)
    : await alone()
  if (isOfAccounts(resource)) recordAccountChange(context.securityLog, caller, 'create', [created.id])
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

/** Changes a row, possibly in one statement with concurrent changes. */
export const updateGrouped = (
  single: SingleWrites,
  resource: Resource,
  wanted: Wanted,
  alone: Alone,
): Promise<Row> => (resource.rules.prepare ? alone() : grouped(single, 'update', resource, wanted, alone))

/** Writes by a token run alone, because each token has its own rights. */
function grouped(
  { grouped: writeGrouped }: SingleWrites,
  verb: 'create' | 'update',
  resource: Resource,
  wanted: Wanted,
  alone: Alone,
): Promise<Row> {
  const { caller, id, values, stored, versions = none } = wanted
  if (!writeGrouped || caller.token) return alone()
  const shape = shapeOf({ ids: [id], values }, versions)
  return writeGrouped(
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
  const callers = callersOf(all.map(({ caller }) => caller))
  const items = all.map(({ id, values, stored }, index): EachItem => ({ index, ids: [id], values, stored }))
  const outcomes =
    verb === 'create'
      ? await createEach(queries, resource, callers, items)
      : await updateAlike(queries, resource, callers, items, versionsOf(all))
  return outcomes.map(({ row }) => row)
}

const versionsOf = (all: readonly Wanted[]): RequiredVersions =>
  new Map(all.flatMap(({ versions = none }) => [...versions]))

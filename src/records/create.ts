import type { Queries, SingleWrites } from '../db/database.ts'
import { insertRow, newId, type Row, type Values } from '../db/rows.ts'
import type { Caller } from '../model/caller.ts'
import type { Resource } from '../resources/define-resource.ts'
import type { Context } from './context.ts'
import { needsProjectRules, requireProjectRules } from './project-rules.ts'
import { parseBody } from './record-json.ts'
import { isAccountResource, recordAccountChange, requireAccess } from './rights.ts'
import { createConditions, type RequiredVersions, referenceConditions } from './write-conditions.ts'
import { createMany, groupingKeyOf, updateSameFields, type WriteItem } from './write-many.ts'

/**
 * Runs one statement that locks the parents, checks the conditions, and inserts the row. A group commit may
 * include creates of other callers. Rules of a project need further statements.
 */
export async function create(
  context: Context,
  resource: Resource,
  caller: Caller,
  body: unknown,
): Promise<Row> {
  const { hooks } = resource
  requireAccess(resource, caller, 'write')
  const { id = newId(), values } = parseBody(resource, body, 'create', context, caller.id)
  const stored = (await hooks.prepare?.(values, context.passwords)) ?? values
  const { singleWrites } = context.database
  const createIn = (queries: Queries) => {
    const references = referenceConditions(resource, values, { caller })
    const conditions = createConditions(resource, caller, values, references)
    const relatedRows = hooks.relatedRows?.(caller, id) ?? []
    return insertRow(queries, resource, caller, { id, ...stored }, { conditions, relatedRows })
  }
  const canBeGrouped = !hooks.prepare && !hooks.relatedRows
  const request = { caller, id, values, stored }
  const created = needsProjectRules(resource, values)
    ? await context.database.transaction(async (transaction) => {
        const row = await createIn(transaction)
        await requireProjectRules(transaction, resource, [row.id])
        return row
      })
    : canBeGrouped
      ? await createInGroup(singleWrites, resource, request, () => createIn(singleWrites))
      : await createIn(singleWrites)
  if (isAccountResource(resource)) recordAccountChange(context.securityLog, caller, 'create', [created.id])
  return created
}

/**
 * Batches creates. A row with a counter first joins a batch of rows of any counters, which skips it if its
 * counter is locked. It then joins a batch of its own counter, which waits for the lock.
 */
const createInGroup = (
  singleWrites: SingleWrites,
  resource: Resource,
  request: WriteRequest,
  createAlone: Write,
): Promise<Row> => {
  const counterId = resource.counter && request.values[resource.counter.per]
  if (counterId === undefined) return writeInGroup(singleWrites, 'create', resource, request, createAlone)
  const createWithSameCounter = () =>
    writeInGroup(singleWrites, 'create', resource, request, createAlone, counterId)
  return writeInGroup(singleWrites, 'create', resource, request, createWithSameCounter)
}

interface WriteRequest {
  readonly caller: Caller
  readonly id: string
  readonly values: Values
  readonly stored: Values
  readonly versions?: RequiredVersions
}

type Write = () => Promise<Row>

/** Changes a row, possibly in one statement with concurrent changes. */
export const updateInGroup = (
  singleWrites: SingleWrites,
  resource: Resource,
  request: WriteRequest,
  writeAlone: Write,
): Promise<Row> =>
  resource.hooks.prepare ? writeAlone() : writeInGroup(singleWrites, 'update', resource, request, writeAlone)

/**
 * Combines the write with concurrent writes in one statement, or calls `fallback`. A write with a personal
 * access token is not combined, because each token has its own rights.
 */
function writeInGroup(
  { writeGrouped }: SingleWrites,
  verb: 'create' | 'update',
  resource: Resource,
  request: WriteRequest,
  fallback: Write,
  counterToWaitFor?: unknown,
): Promise<Row> {
  const { caller, id, values, stored, versions = noVersions } = request
  if (!writeGrouped || caller.token) return fallback()
  const groupKey = groupingKeyOf({ ids: [id], values }, versions)
  const columns = Object.keys(stored).join()
  return writeGrouped(
    {
      name: [verb, resource.typeName, caller.isAdministrator, groupKey, columns, counterToWaitFor].join(' '),
      accountOf: (entry) => entry.request.caller.id,
      idOf: (entry) => entry.request.id,
      writeAlone: (entry) => entry.fallback(),
      writeTogether: (queries, entries) =>
        writeTogether(
          queries,
          verb,
          resource,
          entries.map((entry) => entry.request),
          { waitsForCounter: counterToWaitFor !== undefined },
        ),
    },
    { request, fallback },
  )
}

const noVersions: RequiredVersions = new Map()

async function writeTogether(
  queries: Queries,
  verb: 'create' | 'update',
  resource: Resource,
  requests: readonly WriteRequest[],
  options: { readonly waitsForCounter: boolean },
): Promise<(Row | undefined)[]> {
  const callers = { each: requests.map(({ caller }) => caller) }
  const items = requests.map(
    ({ id, values, stored }, index): WriteItem => ({ index, ids: [id], values, stored }),
  )
  const outcomes =
    verb === 'create'
      ? await createMany(queries, resource, callers, items, options)
      : await updateSameFields(queries, resource, callers, items, versionsOf(requests))
  return outcomes.map(({ row }) => row)
}

const versionsOf = (requests: readonly WriteRequest[]): RequiredVersions =>
  new Map(requests.flatMap(({ versions = noVersions }) => [...versions]))

import { joinTransaction, type Queries } from '../db/database.ts'
import type { Row } from '../db/rows.ts'
import { raw, type Sql, sql } from '../db/sql.ts'
import type { Schema } from '../http/openapi.ts'
import type { Caller } from '../model/caller.ts'
import { capitalize, type Parsed } from '../model/field.ts'
import { uuid } from '../model/field-kinds.ts'
import { collectViolations, contended, invalid, notFound, parseObject } from '../model/problem.ts'
import type { Context } from '../records/context.ts'
import { get } from '../records/get.ts'
import { requireAccess } from '../records/rights.ts'
import { writeUpdate } from '../records/update.ts'
import { visibleRows } from '../records/visible-rows.ts'
import type { RequiredVersions } from '../records/write-conditions.ts'
import { updateSameFields } from '../records/write-many.ts'
import { assignment, rankCharactersMax } from '../resources/assignment.ts'
import { extensionForm } from '../resources/derived.ts'
import { type Route, readIfMatchVersions, recordBody } from '../routes/route.ts'
import { recordResponseSchema, ref } from '../routes/schemas.ts'

const nullableId: Schema = { ...uuid.schema, type: ['string', 'null'] }

export const assignmentOrderSchemas: Readonly<Record<string, Schema>> = {
  AssignmentMove: {
    type: 'object',
    required: ['id'],
    properties: {
      id: { ...uuid.schema, description: 'The assignment to move.' },
      workflowId: {
        ...uuid.schema,
        description: 'The stage to move it to; by default the stage that it is in.',
      },
      beforeId: {
        ...nullableId,
        description: 'The assignment that comes next in the stage; null moves it to the end.',
      },
      afterId: {
        ...nullableId,
        description: 'The assignment that comes before it in the stage; null moves it to the beginning.',
      },
    },
  },
}

/** The route that moves an assignment in the manual order of a stage. Clients sort by `rank` to show it. */
export function assignmentOrderRoute(): Route {
  const extended = extensionForm(assignment)
  return {
    id: 'MoveAssignment',
    tag: extended.pluralTitle,
    summary: 'Moves an assignment within the manual order of a stage.',
    description:
      'Either `beforeId` or `afterId` is required. The order is that of `rank`; when there is no room left between two assignments, their neighbours get new ranks.',
    method: 'POST',
    path: '/ext/assignment/move',
    body: ref('AssignmentMove'),
    response: recordResponseSchema(extended),
    errors: [400, 403, 404, 409, 412],
    hasPrecondition: true,
    async handle(exchange) {
      const { context, caller, request } = exchange
      const versions = await readIfMatchVersions(context, extended, exchange, parseObject(request.body).id)
      return { body: recordBody(extended, await moveAssignment(context, caller, request.body, versions)) }
    },
  }
}

/**
 * The neighbour on one side. If its id is null, the assignment becomes the first or the last of its stage.
 */
type Neighbour = { readonly side: 'beforeId' | 'afterId'; readonly id: string | null }

interface Move {
  readonly id: string
  readonly workflowId?: string | undefined
  readonly neighbour: Neighbour
}

interface Ranked {
  readonly id: string
  readonly rank: string
}

/** The number of neighbours on each side that get new ranks. It grows until all ranks are short enough. */
const spreadCounts = [0, 50, 500, 5000] as const

/**
 * Gives an assignment a rank between two others of a stage. While the order of the project is locked, its
 * ranks do not change. The lock is taken before any row is locked, so that moves wait for each other without
 * a deadlock.
 */
async function moveAssignment(
  { database }: Context,
  caller: Caller,
  body: unknown,
  versions: RequiredVersions,
): Promise<Row> {
  requireAccess(assignment, caller, 'write')
  const move = parseMove(body)
  return database.transaction(async (transaction) => {
    const { projectId } = await findPlace(transaction, caller, move.id)
    await transaction.query(
      sql`select pg_advisory_xact_lock(hashtextextended(${`order of ${projectId}`}, 0))`,
    )
    const place = await findPlace(transaction, caller, move.id)
    if (place.projectId !== projectId) throw contended()
    const { id, workflowId = place.workflowId } = move
    const inStage = sql`project_id = ${projectId} and workflow_id = ${workflowId} and active and id <> ${id}`
    const ranked = await findRanks(transaction, projectId, inStage, move)
    const neighbours = ranked.filter((row) => row.id !== id)
    // Only a neighbour that was just removed can be rejected, and it needs no rank.
    await updateSameFields(transaction, assignment, { one: caller }, neighbours.map(toItem), anyVersion)
    const values = workflowId === place.workflowId ? {} : { workflowId }
    const stored = { ...values, rank: ranked.find((row) => row.id === id)?.rank }
    const joined = joinTransaction(database, transaction)
    return writeUpdate(joined, assignment, caller, { id, values, stored, versions })
  })
}

const anyVersion: RequiredVersions = new Map()

const toItem = ({ id, rank }: Ranked, index: number) => ({ index, ids: [id], values: {}, stored: { rank } })

function parseMove(body: unknown): Move {
  const input = parseObject(body)
  const violations = collectViolations()
  const parse = (name: string): string | undefined => {
    const parsed: Parsed<string> = uuid.parse(input[name], capitalize(name))
    if ('value' in parsed) return parsed.value
    violations.add(name, ...parsed.problems)
    return undefined
  }
  const id = parse('id') ?? ''
  const workflowId = input.workflowId === undefined ? undefined : parse('workflowId')
  const sides = (['beforeId', 'afterId'] as const).filter((name) => input[name] !== undefined)
  const [side = 'beforeId'] = sides
  const neighbourId = input[side] === null || input[side] === undefined ? null : (parse(side) ?? null)
  if (sides.length !== 1) violations.add('beforeId', 'Either BeforeId or AfterId is required.')
  if (neighbourId !== null && neighbourId === id)
    violations.add(side, `${capitalize(side)} must be another assignment.`)
  violations.throwIfAny()
  return { id, workflowId, neighbour: { side, id: neighbourId } }
}

interface Place {
  readonly projectId: string
  readonly workflowId: string
}

async function findPlace(transaction: Queries, caller: Caller, id: string): Promise<Place> {
  const [place] = await transaction.query<Place>(sql`
    select row.project_id as "projectId", row.workflow_id as "workflowId" from assignments as row
    where row.id = ${id} and row.active and ${visibleRows(assignment, caller)}`)
  if (!place) throw notFound(assignment.title)
  return place
}

/** Returns the rank of the assignment, and new ranks of as few neighbours as possible. */
async function findRanks(
  transaction: Queries,
  projectId: string,
  inStage: Sql,
  { id, neighbour }: Move,
): Promise<readonly Ranked[]> {
  const { lower, upper } = await neighbourConditions(transaction, inStage, neighbour)
  const end = await rankOfNextAssignment(transaction, projectId)
  for (const spread of spreadCounts) {
    const limit = sql`limit ${spread + 1}::int`
    const below = await transaction.query<Ranked>(
      sql`select id, rank from assignments where ${inStage} and ${lower} order by rank desc, id desc ${limit}`,
    )
    const above = await transaction.query<Ranked>(
      sql`select id, rank from assignments where ${inStage} and ${upper} order by rank, id ${limit}`,
    )
    const order = [...below.slice(0, spread).reverse().map(idOf), id, ...above.slice(0, spread).map(idOf)]
    const ranks = ranksBetween(below[spread]?.rank ?? '', above[spread]?.rank ?? end, order.length)
    if (ranks?.every((rank) => rank.length <= rankCharactersMax))
      return order.map((rankedId, index) => ({ id: rankedId, rank: ranks[index] ?? '' }))
  }
  throw contended()
}

const idOf = ({ id }: Ranked) => id

/** Returns SQL conditions for the assignments below and above the new position. */
async function neighbourConditions(
  transaction: Queries,
  inStage: Sql,
  { side, id }: Neighbour,
): Promise<{ readonly lower: Sql; readonly upper: Sql }> {
  const noRow = raw('false')
  const everyRow = raw('true')
  if (id === null)
    return side === 'afterId' ? { lower: noRow, upper: everyRow } : { lower: everyRow, upper: noRow }
  const [found] = await transaction.query<Ranked>(
    sql`select id, rank from assignments where ${inStage} and id = ${id}`,
  )
  if (!found)
    throw invalid({ [side]: [`${capitalize(side)} must refer to an active assignment of the same stage.`] })
  const border = sql`(${found.rank}::text collate "C", ${found.id}::uuid)`
  return side === 'afterId'
    ? { lower: sql`(rank, id) <= ${border}`, upper: sql`(rank, id) > ${border}` }
    : { lower: sql`(rank, id) < ${border}`, upper: sql`(rank, id) >= ${border}` }
}

/**
 * Returns the rank that the next new assignment of the project will have. An assignment that is moved to the
 * end stays below it, so that new assignments come last.
 */
async function rankOfNextAssignment(transaction: Queries, projectId: string): Promise<string> {
  const [next] = await transaction.query<{ rank: string }>(
    sql`select initial_rank(last + 1) as rank from assignment_counters where id = ${projectId}`,
  )
  return next?.rank ?? ''
}

/** The digits of a rank, in the order of their bytes, by which the database sorts. */
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const base = BigInt(digits.length)

/**
 * Returns `count` ranks between two others, as far apart as possible. Returns undefined if `low` is not below
 * `high`. A rank contains the digits of a fraction in base 62. There is always room between two ranks,
 * because no rank ends in zero.
 */
export function ranksBetween(low: string, high: string, count: number): readonly string[] | undefined {
  if (low >= high) return undefined
  const parts = BigInt(count + 1)
  for (let length = Math.max(low.length, high.length); ; length += 1) {
    const from = toNumber(low, length)
    const room = toNumber(high, length) - from
    if (room < parts) continue
    return Array.from({ length: count }, (_, index) =>
      toRank(from + (room * BigInt(index + 1)) / parts, length),
    )
  }
}

function toNumber(rank: string, length: number): bigint {
  let number = 0n
  for (const digit of rank.padEnd(length, digits[0])) number = number * base + BigInt(digits.indexOf(digit))
  return number
}

function toRank(number: bigint, length: number): string {
  let rank = ''
  for (let quotient = number; rank.length < length; quotient /= base)
    rank = digits[Number(quotient % base)] + rank
  return rank.replace(/0+$/, '')
}

const keyPattern = '^[A-Za-z][A-Za-z0-9]{1,7}-[1-9][0-9]{0,9}$'
const keyRegExp = new RegExp(keyPattern)

/** Finds an assignment by the key that users see: the key of its project and its number. */
export function assignmentKeyRoute(): Route {
  const extended = extensionForm(assignment)
  return {
    id: 'GetAssignmentByKey',
    tag: extended.pluralTitle,
    summary: 'Shows the assignment with a key such as MBA-12.',
    description:
      'For members of its project. An assignment is also found by the keys that it had before it moved to another project, or before the key of its project changed.',
    method: 'GET',
    path: '/ext/assignment/by-key',
    parameters: [
      {
        name: 'key',
        description:
          'The key of the project, a hyphen and the number of the assignment, in upper or lower case.',
        required: true,
        schema: { type: 'string', minLength: 4, pattern: keyPattern, examples: ['MBA-12'] },
      },
    ],
    response: recordResponseSchema(extended),
    errors: [400, 403, 404],
    isConditional: true,
    async handle({ context, caller, request }) {
      requireAccess(extended, caller, 'read')
      const { key } = request.query as Readonly<Record<string, unknown>>
      if (typeof key !== 'string' || !keyRegExp.test(key.trim()))
        throw invalid({ key: ['Key must be that of an assignment, such as MBA-12.'] })
      const [projectKey = '', number] = key.trim().toUpperCase().split('-')
      const id = await findByKey(context.database, projectKey, Number(number))
      if (id === undefined) throw notFound(extended.title)
      const { row, lastChange } = await get(context, extended, caller, { id })
      return { body: recordBody(extended, row), ...lastChange }
    },
  }
}

/** Sends one statement per table, because a sharded store has the tables on different nodes. */
async function findByKey(database: Queries, key: string, number: number): Promise<string | undefined> {
  const [project] = await database.query<{ id: string }>(sql`
    select id from projects where key = ${key}
    union all select project_id from former_project_keys where key = ${key}`)
  if (!project) return undefined
  const [numbered] = await database.query<{ id: string }>(
    sql`select id from assignments where project_id = ${project.id} and number = ${number}::bigint`,
  )
  if (numbered) return numbered.id
  const [moved] = await database.query<{ id: string }>(
    sql`select assignment_id as id from assignment_addresses where project_id = ${project.id} and number = ${number}::bigint`,
  )
  return moved?.id
}

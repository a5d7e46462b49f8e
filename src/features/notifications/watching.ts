import { sql } from '../../db/sql.ts'
import type { Schema } from '../../http/openapi.ts'
import type { Caller } from '../../model/caller.ts'
import { uuid } from '../../model/field-kinds.ts'
import { collectViolations, invalid, notFound, parseObject } from '../../model/problem.ts'
import type { Context } from '../../records/context.ts'
import { visibleRows } from '../../records/visible-rows.ts'
import { assignment } from '../../resources/assignment.ts'
import type { Route } from '../../routes/route.ts'
import { ref } from '../../routes/schemas.ts'
import { readInvolved } from './involved.ts'

/** The most assignments for which an account can choose whether to be notified. */
export const watchesMax = 1000

interface Watch {
  readonly assignmentId: string
  readonly isWatching: boolean
  readonly isChosen: boolean
}

async function requireVisible({ database }: Context, caller: Caller, assignmentId: string): Promise<void> {
  const [seen] = await database.query(sql`
    select 1 from assignments as row where row.id = ${assignmentId} and row.active and ${visibleRows(assignment, caller)}`)
  if (!seen) throw notFound(assignment.title)
}

async function readWatch({ database }: Context, caller: Caller, assignmentId: string): Promise<Watch> {
  const [chosen] = await database.query<{ isWatching: boolean }>(sql`
    select is_watching as "isWatching" from watches where user_id = ${caller.id} and assignment_id = ${assignmentId}`)
  const involved = await readInvolved(database, [assignmentId])
  return {
    assignmentId,
    isWatching: involved.get(assignmentId)?.accounts.has(caller.id) === true,
    isChosen: chosen !== undefined,
  }
}

/**
 * An advisory lock per account keeps the limit of its choices exact if several devices send one at the same
 * time.
 */
async function changeWatch(context: Context, caller: Caller, body: unknown): Promise<Watch> {
  const { assignmentId, isWatching } = parseChoice(body)
  await requireVisible(context, caller, assignmentId)
  await context.database.transaction(async (transaction) => {
    if (isWatching === null) {
      await transaction.query(
        sql`delete from watches where user_id = ${caller.id} and assignment_id = ${assignmentId}`,
      )
      return
    }
    await transaction.query(
      sql`select pg_advisory_xact_lock(hashtextextended(${`watches of ${caller.id}`}, 0))`,
    )
    await transaction.query(sql`
      insert into watches (user_id, assignment_id, is_watching) values (${caller.id}, ${assignmentId}, ${isWatching}::boolean)
      on conflict (user_id, assignment_id) do update set is_watching = excluded.is_watching`)
    const [{ count = 0 } = {}] = await transaction.query<{ count: number }>(
      sql`select count(*)::int as count from watches where user_id = ${caller.id}`,
    )
    if (count > watchesMax)
      throw invalid({ generalErrors: [`An account may choose for at most ${watchesMax} assignments.`] })
  })
  return readWatch(context, caller, assignmentId)
}

function parseChoice(body: unknown): { readonly assignmentId: string; readonly isWatching: boolean | null } {
  const { assignmentId, isWatching } = parseObject(body)
  const violations = collectViolations()
  const parsed = uuid.parse(assignmentId, 'AssignmentId')
  if (!('value' in parsed)) violations.add('assignmentId', ...parsed.problems)
  if (typeof isWatching !== 'boolean' && isWatching !== null)
    violations.add('isWatching', 'IsWatching must be true, false or null.')
  violations.throwIfAny()
  return {
    // `throwIfAny` has thrown if there is no value.
    assignmentId: 'value' in parsed ? parsed.value : '',
    isWatching: typeof isWatching === 'boolean' ? isWatching : null,
  }
}

const assignmentId = { ...uuid.schema, description: 'The assignment.' }

export const watchSchemas: Readonly<Record<string, Schema>> = {
  Watch: {
    type: 'object',
    required: ['assignmentId', 'isWatching', 'isChosen'],
    properties: {
      assignmentId,
      isWatching: { type: 'boolean', description: 'Whether the caller is notified of its changes.' },
      isChosen: {
        type: 'boolean',
        description:
          'Whether the caller has chosen that. By default, an account is notified if it created the assignment, is responsible for it, takes part, has commented, or is mentioned.',
      },
    },
  },
  WatchAnswer: { type: 'object', required: ['watch'], properties: { watch: ref('Watch') } },
  WatchChoice: {
    type: 'object',
    required: ['assignmentId', 'isWatching'],
    properties: {
      assignmentId,
      isWatching: {
        type: ['boolean', 'null'],
        description:
          'True to be notified, false not to be notified, null to be notified as long as the caller is involved.',
      },
    },
  },
}

const tag = 'Notifications'
const path = '/ext/watch'

export const watchRoutes: readonly Route[] = [
  {
    id: 'GetWatch',
    tag,
    summary: 'Shows whether the caller is notified of the changes of an assignment.',
    description: 'For members of its project.',
    method: 'GET',
    path,
    parameters: [
      { name: 'assignmentId', description: 'The assignment.', required: true, schema: uuid.schema },
    ],
    response: ref('WatchAnswer'),
    errors: [400, 404],
    async handle({ context, caller, request }) {
      const { assignmentId } = request.query as Readonly<Record<string, unknown>>
      const parsed = uuid.parse(assignmentId, 'AssignmentId')
      if (!('value' in parsed)) throw invalid({ assignmentId: parsed.problems })
      await requireVisible(context, caller, parsed.value)
      return { body: { watch: await readWatch(context, caller, parsed.value) } }
    },
  },
  {
    id: 'ChangeWatch',
    tag,
    summary: 'Watches an assignment, or stops its notifications.',
    description: `By default, an account is notified if it created the assignment, is responsible for it, takes part, has commented, or is mentioned. Mentions and new assignments always notify. An account may choose for at most ${watchesMax} assignments.`,
    method: 'PATCH',
    path,
    body: ref('WatchChoice'),
    response: ref('WatchAnswer'),
    errors: [400, 404],
    async handle({ context, caller, request }) {
      return { body: { watch: await changeWatch(context, caller, request.body) } }
    },
  },
]

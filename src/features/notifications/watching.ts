import type { Queries } from '../../db/database.ts'
import { type Sql, sql } from '../../db/sql.ts'
import type { Schema } from '../../http/openapi.ts'
import type { Caller } from '../../model/caller.ts'
import { uuid } from '../../model/field-kinds.ts'
import { collectViolations, invalid, notFound, parseObject } from '../../model/problem.ts'
import type { Context } from '../../records/context.ts'
import { visibleRows } from '../../records/visible-rows.ts'
import { assignment } from '../../resources/assignment.ts'
import type { Route } from '../../routes/route.ts'
import { ref } from '../../routes/schemas.ts'

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
 * An advisory lock per account keeps the limit of its choices exact if several devices choose at the same
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
    id: 'UpdateWatch',
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

export interface Involved {
  readonly projectId: string
  /** Undefined while the assignment is unassigned, because its account is a placeholder then. */
  readonly responsible: string | undefined
  /**
   * The accounts that created the assignment, are responsible, take part, have commented, are mentioned or
   * watch, except those that have chosen not to be notified.
   */
  readonly accounts: Set<string>
  /** The accounts that are responsible, take part or watch. Only they are reminded of due dates. */
  readonly reminded: Set<string>
}

/** Connects an account to an assignment. */
interface Link {
  readonly id: string
  readonly userId: string
}

interface TextLink extends Link {
  /** An account that the text mentions. There is one row for each. */
  readonly mentioned: string | null
}

interface AssignmentLink extends TextLink {
  readonly projectId: string
  readonly isUnassigned: boolean
}

/**
 * Finds the accounts that changes of these assignments notify. Sends one statement per table, because tables
 * may be on different nodes.
 */
export async function readInvolved(
  queries: Queries,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Involved>> {
  const rows = await queries.query<AssignmentLink>(sql`
    select row.id, row.project_id as "projectId", row.user_id as "userId", row.is_unassigned as "isUnassigned",
      mentions.ids[1] as mentioned
    from assignments as row ${mentionsOf(sql`row.description`)} where row.active and row.id = any(${ids}::uuid[])`)
  const involved = new Map(
    rows.map(({ id, projectId, userId, isUnassigned }): [string, Involved] => {
      const responsible = isUnassigned ? [] : [userId]
      return [
        id,
        {
          projectId,
          responsible: responsible[0],
          accounts: new Set(responsible),
          reminded: new Set(responsible),
        },
      ]
    }),
  )
  // The first entry in the history of an assignment names its creator, unless it has been purged.
  const creators = await queries.query<Link>(sql`
    select assignment.id, first.caller as "userId" from unnest(${ids}::uuid[]) as assignment (id)
    cross join lateral (
      select action, caller from history where row_id = assignment.id and resource = 'assignment' order by sequence limit 1
    ) as first where first.action = 'create' and first.caller is not null`)
  const links = await queries.query<Link>(sql`
    select assignment_id as id, user_id as "userId" from user_assignments
    where active and assignment_id = any(${ids}::uuid[])`)
  const comments = await queries.query<TextLink>(sql`
    select distinct row.assignment_id as id, row.user_id as "userId", mentions.ids[1] as mentioned
    from comments as row ${mentionsOf(sql`row.text`)} where row.active and row.assignment_id = any(${ids}::uuid[])`)
  const mentions = [...rows, ...comments].flatMap(({ id, mentioned }) => {
    const projectId = involved.get(id)?.projectId
    return mentioned && projectId ? [{ id, projectId, userId: mentioned.toLowerCase() }] : []
  })
  const members = await readMembers(queries, mentions)
  const mentionedMembers = mentions.filter(({ projectId, userId }) => members.has(`${projectId} ${userId}`))
  for (const { id, userId } of [...creators, ...links, ...comments, ...mentionedMembers])
    involved.get(id)?.accounts.add(userId)
  for (const { id, userId } of links) involved.get(id)?.reminded.add(userId)
  const watches = await queries.query<Link & { isWatching: boolean }>(sql`
    select assignment_id as id, user_id as "userId", is_watching as "isWatching" from watches
    where assignment_id = any(${ids}::uuid[])`)
  for (const { id, userId, isWatching } of watches) {
    const { accounts, reminded } = involved.get(id) ?? {}
    for (const notified of [accounts, reminded]) {
      if (isWatching) notified?.add(userId)
      else notified?.delete(userId)
    }
  }
  return involved
}

/** Limits how many accounts one text can notify. */
export const mentionsMax = 20

const mentionPattern = '@\\[user:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\\]'

/** Finds the ids in the mentions of a text: `@[user:<id>]`. */
export function mentionsIn(text: unknown): readonly string[] {
  if (typeof text !== 'string') return []
  const ids = new Set<string>()
  for (const [, id = ''] of text.matchAll(new RegExp(mentionPattern, 'gi'))) {
    ids.add(id.toLowerCase())
    if (ids.size === mentionsMax) break
  }
  return [...ids]
}

/** Finds the mentions in SQL, so that long texts stay in the database. */
const mentionsOf = (column: Sql) => sql`
  left join lateral regexp_matches(${column}, ${mentionPattern}, 'gi') with ordinality as mentions (ids, place)
    on mentions.place <= ${mentionsMax}::int`

/**
 * Finds which accounts are members of which of the projects, each as `<project> <account>`. Only members can
 * be mentioned, because others cannot read the assignment.
 */
export async function readMembers(
  queries: Queries,
  mentioned: readonly { readonly projectId: string; readonly userId: string }[],
): Promise<ReadonlySet<string>> {
  if (mentioned.length === 0) return new Set()
  const rows = await queries.query<{ pair: string }>(sql`
    select project_id || ' ' || user_id as pair from user_projects
    where active and user_id = any(${[...new Set(mentioned.map(({ userId }) => userId))]}::uuid[])
      and project_id = any(${[...new Set(mentioned.map(({ projectId }) => projectId))]}::uuid[])`)
  return new Set(rows.map(({ pair }) => pair))
}

import type { Queries } from '../../db/database.ts'
import { type Sql, sql } from '../../db/sql.ts'

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

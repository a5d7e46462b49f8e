import { column, tableOf } from '../db/columns.ts'
import type { ReadableRows } from '../db/named-statements.ts'
import { allOf, join, raw, type Sql, sql } from '../db/sql.ts'
import { type AccessRule, ownerColumnOf, type ProjectPath } from '../model/access-rule.ts'
import type { Caller } from '../model/caller.ts'
import { resourceNamed, resources } from '../resources/all.ts'
import type { Listed } from '../resources/define-resource.ts'
import { goesAlong } from '../resources/derived.ts'
import { isCovered } from './token-rights.ts'

/** Whose memberships count: a project that was removed keeps its members for the day somebody restores it. */
export type Memberships = 'active' | 'activeOrRemovedWithProject'

/** Active rows are there to be read, removed ones to be restored. */
export type RowState = 'active' | 'removed'

/** Whether all rows are asked for one caller, or each for its own, whose id is then SQL. */
export type Callers = 'one' | 'each'

/** The condition a row called `row` must meet for the caller to see it: every verb but create uses it. */
export function visibleRows(
  listed: Listed,
  caller: Caller,
  memberships: Memberships = 'active',
  callers: Callers = 'one',
): Sql {
  if (!isCovered(caller, listed, 'read')) return raw('false')
  const { access } = listed
  if (caller.isAdministrator) return raw('true')
  switch (access.kind) {
    case 'catalog':
      return raw('true')
    case 'administrators':
      return raw('false')
    case 'colleagues':
      return isColleague(caller)
    case 'owner':
      return sql`row.${column(access.ownerColumn)} = ${caller.id}`
    case 'projectMembers':
      return inProjects(access.projectPath, caller, memberships, callers)
  }
}

/** Whether there is nothing that the caller may not see: then visibility makes a search no shorter. */
export const seesEveryRow = ({ access }: Listed, { isAdministrator }: Caller): boolean =>
  isAdministrator || access.kind === 'catalog'

/** A text that is equal for callers who see the same rows: live listings with equal views share a snapshot. */
export function viewOf({ access }: Listed, caller: Caller): string {
  const { id, isAdministrator, token } = caller
  // What it sees follows from the token too, and from what its account was when the listing began.
  if (token) return JSON.stringify(['token', token.id, isAdministrator, token.isOfAdministrator])
  if (access.kind === 'catalog') return 'everybody'
  return isAdministrator ? 'administrators' : id
}

/** The resources whose changes can change what this caller sees of this one. */
export function changesThatMatter(
  { name, access }: Listed,
  caller: Caller,
  state: RowState = 'active',
): string[] {
  if (access.kind === 'colleagues') return caller.isAdministrator ? ['user'] : ['user', 'userProject']
  if (access.kind !== 'projectMembers' || caller.isAdministrator) return [name]
  const path = access.projectPath.length === 2 ? ['userProject', 'assignment'] : ['userProject']
  // Restoring one of them may pass a removed membership on to the other, with no line of its own in the change log.
  const isOfRemoved = state === 'removed'
  const projects = isOfRemoved || caller.token?.isOfAdministrator ? ['project'] : []
  return [name, ...path, ...(isOfRemoved ? ['user'] : []), ...projects]
}

/** The condition under which a row of `user_projects` makes its user a member. */
const isMembership = (memberships: Memberships): Sql =>
  memberships === 'active' ? raw('active') : raw('(active or removed_with = project_id)')

/** The one place that says in which projects a caller is a member; those of a token are never more. */
export function projectsOf({ id, token }: Caller, memberships: Memberships): Sql {
  const limit = token?.projectIds
  if (limit && token.isOfAdministrator) {
    const active = raw(memberships === 'active' ? 'and active' : '')
    return sql`(select id as project_id from projects where id = any(${limit}::uuid[]) ${active})`
  }
  const isWithin = limit ? sql`and project_id = any(${limit}::uuid[])` : raw('')
  return sql`(select project_id from user_projects where user_id = ${id} and ${isMembership(memberships)} ${isWithin})`
}

/** No removed project has an active membership: they go with it, and come back with it. */
const isColleague = (caller: Caller): Sql => sql`row.id in (
  select ${caller.id}::uuid
  union all
  select user_id from user_projects where active and project_id in ${projectsOf(caller, 'active')}
)`

/**
 * Active rows have an active assignment; with this condition, which is always true, the store can use its index of those. One
 * caller's assignments are found once for all rows; of a caller of its own, a row would have all of them found again.
 */
function inProjects(path: ProjectPath, caller: Caller, memberships: Memberships, callers: Callers): Sql {
  const projects = projectsOf(caller, memberships)
  if (path.length === 1) return sql`row.${column(path[0])} in ${projects}`
  const assignments = raw(memberships === 'active' ? 'active and' : '')
  const its = raw(callers === 'each' ? 'id = row.assignment_id and' : '')
  return sql`row.assignment_id in (select id from assignments where ${its} ${assignments} project_id in ${projects})`
}

/** The condition a row called `row` must meet to be listed: active and visible, or removed and the caller's to restore. */
export const listedRows = (listed: Listed, caller: Caller, state: RowState): Sql =>
  state === 'active'
    ? sql`row.active and ${visibleRows(listed, caller)}`
    : sql`not row.active and ${restorableRows(listed, caller)}`

/** A member whose membership was removed together with the project may bring both back. */
export const restorersMemberships: Memberships = 'activeOrRemovedWithProject'

/** What restoring asks of the caller. Whether the row's parents are there is not asked: they may be restored before it. */
function restorableRows(listed: Listed, caller: Caller): Sql {
  const { access } = listed
  const ownerColumn = ownerColumnOf(access)
  return allOf([
    visibleRows(listed, caller, restorersMemberships),
    ...(ownerColumn && !caller.isAdministrator ? [sql`row.${column(ownerColumn)} = ${caller.id}`] : []),
    // A link that went along with a parent comes back with it, and cannot before.
    ...(goesAlong(listed) ? [raw('row.removed_with is null')] : []),
  ])
}

/** Rows called `row`, and what they must fulfil to be shown. */
export interface ShownRows {
  readonly from: Sql
  readonly wanted: Sql
}

/** The active rows that the caller may see, now or as they were at a moment. `which` narrows them down by their ids. */
export const shownRows = (listed: Listed, caller: Caller, at: string | undefined, which?: Sql): ShownRows =>
  at === undefined
    ? {
        from: sql`${tableOf(listed)} as row`,
        wanted: which
          ? sql`row.id = ${which} and ${listedRows(listed, caller, 'active')}`
          : listedRows(listed, caller, 'active'),
      }
    : { from: sql`(${rowsAt(listed, caller, at, which)}) as row`, wanted: raw('row.active') }

/**
 * The table as it was: every change after the moment is taken back, each column by the oldest of them. Access is asked of the
 * rows as they are now. A transaction belongs to the moment of its last write, so that it is taken back as a whole or not at all.
 */
function rowsAt(listed: Listed, caller: Caller, at: string, which: Sql | undefined): Sql {
  const name = resources.find(({ table }) => table === listed.table)?.name ?? listed.name
  const table = tableOf(listed)
  const readable =
    listed.access.kind === 'colleagues' ? visibleRows(listed, caller) : rememberedRow(listed, caller)
  const one = which ? sql`and row.id = ${which}` : raw('')
  return sql`
    with later as materialized (
      select entry.row_id, entry.sequence, entry.action, entry.fields from history as entry
      where entry.resource = ${name} and ${isLater(at)} ${which ? sql`and entry.row_id = ${which}` : raw('')}
    ), past as materialized (
      select row_id, jsonb_object_agg(name, pair -> 0) as fields from (
        select distinct on (row_id, name) row_id, name, pair
        from later cross join lateral jsonb_each(fields) as field (name, pair)
        where action <> 'create' order by row_id, name, sequence
      ) as oldest
      group by row_id
    )
    select row.* from ${table} as row
    where row.id not in (select row_id from later) and ${readable} ${one}
    union all
    select was.* from ${table} as row join past on past.row_id = row.id
      cross join lateral jsonb_populate_record(row.*, past.fields) as was
    where row.id not in (select row_id from later where action = 'create') and ${readable} ${one}`
}

/** Longer than any transaction of ours takes. Transactions that wrote both before and after a moment are searched within it. */
const transactionMinutesMax = 10

/** Whether the transaction of an entry called `entry` wrote anything after the moment. */
export const isLater = (at: string): Sql => sql`(entry.at > ${at}::timestamptz or (
  entry.at > ${at}::timestamptz - interval '${raw(String(transactionMinutesMax))} minutes'
  and entry.transaction is distinct from (select restored_in from history_begin)
  and entry.transaction in (
    select transaction from history
    where at > ${at}::timestamptz and at <= ${at}::timestamptz + interval '${raw(String(transactionMinutesMax))} minutes')))`

/**
 * The condition a row called `row` must meet for the caller to see what became of it. It asks the row as it is today, in
 * either state: a former member sees nothing of before, a member sees all of it, removed rows too.
 */
export const rememberedRow = (listed: Listed, caller: Caller): Sql =>
  isCovered(caller, listed, 'read') ? remembered(listed, caller) : raw('false')

function remembered({ access }: Listed, caller: Caller): Sql {
  if (caller.isAdministrator || access.kind === 'catalog') return raw('true')
  if (access.kind === 'owner') return sql`row.${column(access.ownerColumn)} = ${caller.id}`
  if (access.kind !== 'projectMembers') return raw('false')
  const projects = projectsOf(caller, 'activeOrRemovedWithProject')
  const { projectPath } = access
  return projectPath.length === 1
    ? sql`row.${column(projectPath[0])} in ${projects}`
    : sql`exists (select 1 from assignments where id = row.assignment_id and project_id in ${projects})`
}

/** The kinds that ask the row itself. */
const isOfRows: readonly AccessRule['kind'][] = ['owner', 'projectMembers']

/** The same for an entry of the history called `entry`, whatever resource it is about. */
export function readableEntries(caller: Caller): Sql {
  if (!caller.token) return seenEntries(caller)
  // A value rather than a text of its own for each choice of scopes, so that statements stay few.
  const covered = resources.filter((resource) => isCovered(caller, resource, 'read')).map(({ name }) => name)
  return sql`entry.resource = any(${covered}::text[]) and ${seenEntries(caller)}`
}

/** The same by the rows themselves, of one resource after the other. */
export const readableRows =
  (caller: Caller): ReadableRows =>
  (name) => {
    const resource = resourceNamed(name)
    if (!isCovered(caller, resource, 'read')) return 'none'
    if (caller.isAdministrator || resource.access.kind === 'catalog') return 'all'
    if (!isOfRows.includes(resource.access.kind)) return 'none'
    return { table: tableOf(resource), condition: remembered(resource, caller) }
  }

function seenEntries(caller: Caller): Sql {
  if (caller.isAdministrator) return raw('true')
  const kinds = resources.map((resource) => {
    const isOfIt = raw(`entry.resource = '${resource.name}'`)
    if (resource.access.kind === 'catalog') return isOfIt
    if (!isOfRows.includes(resource.access.kind)) return raw('false')
    return sql`${isOfIt} and exists (
      select 1 from ${tableOf(resource)} as row where row.id = entry.row_id and ${remembered(resource, caller)})`
  })
  return sql`(${join(kinds, ' or ')})`
}

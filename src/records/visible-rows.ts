import { column, tableOf } from '../db/columns.ts'
import type { ReadableRows } from '../db/named-statements.ts'
import { allOf, join, raw, type Sql, sql } from '../db/sql.ts'
import type { AccessRule, ProjectPath } from '../model/access-rule.ts'
import type { Caller } from '../model/caller.ts'
import { resourceNamed, resources } from '../resources/all.ts'
import type { Listed } from '../resources/define-resource.ts'
import { isRemovedWithParent } from '../resources/derived.ts'
import { type Asker, isCovered } from './rights.ts'

/** The memberships that count: a removed project keeps its members, in case it is restored. */
export type Memberships = 'active' | 'activeOrRemovedWithProject'

/** Active rows can be read, removed ones restored. */
export type RowState = 'active' | 'removed'

/** The condition a row called `row` must meet for the caller to see it: every verb but create uses it. */
export function visibleRows(listed: Listed, caller: Asker, memberships: Memberships = 'active'): Sql {
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
      return inProjects(access.projectPath, caller, memberships)
  }
}

/** Whether the caller may see everything, so that visibility does not narrow a search. */
export const seesEveryRow = ({ access }: Listed, { isAdministrator }: Caller): boolean =>
  isAdministrator || access.kind === 'catalog'

/**
 * A text that is equal for callers who see the same rows: live listings with equal views share a snapshot.
 */
export function viewOf({ access }: Listed, caller: Caller): string {
  const { id, isAdministrator, token } = caller
  // A token's view also depends on the token itself, and on the role of its account when the listing began.
  if (token) return JSON.stringify(['token', token.id, isAdministrator, token.isOfAdministrator])
  if (access.kind === 'catalog') return 'everybody'
  return isAdministrator ? 'administrators' : id
}

/** The resources whose changes can affect which rows of this one the caller sees. */
export function changesThatMatter(
  { name, access }: Listed,
  caller: Caller,
  state: RowState = 'active',
): string[] {
  if (access.kind === 'colleagues') return caller.isAdministrator ? ['user'] : ['user', 'userProject']
  if (access.kind !== 'projectMembers' || caller.isAdministrator) return [name]
  const path = access.projectPath.length === 2 ? ['userProject', 'assignment'] : ['userProject']
  // Restoring a parent may pass a removed membership on to the other parent, without a line of its own in the
  // change log.
  const isOfRemoved = state === 'removed'
  const projects = isOfRemoved || caller.token?.isOfAdministrator ? ['project'] : []
  return [name, ...path, ...(isOfRemoved ? ['user'] : []), ...projects]
}

/** The condition under which a row of `user_projects` makes its user a member. */
const isMembership = (memberships: Memberships): Sql =>
  memberships === 'active' ? raw('active') : raw('(active or removed_with = project_id)')

/**
 * The single definition of the projects in which a caller is a member; a token has no more than its account.
 */
export function projectsOf({ id, token }: Asker, memberships: Memberships): Sql {
  const limit = token?.projectIds
  if (limit && token.isOfAdministrator) {
    const active = raw(memberships === 'active' ? 'and active' : '')
    return sql`(select id as project_id from projects where id = any(${limit}::uuid[]) ${active})`
  }
  const isWithin = limit ? sql`and project_id = any(${limit}::uuid[])` : raw('')
  return sql`(select project_id from user_projects where user_id = ${id} and ${isMembership(memberships)} ${isWithin})`
}

/** A removed project has no active memberships, because they are removed and restored with it. */
const isColleague = (caller: Asker): Sql => sql`row.id in (
  select ${caller.id}::uuid
  union all
  select user_id from user_projects where active and project_id in ${projectsOf(caller, 'active')}
)`

/**
 * Active rows have an active assignment; this condition, which is always true, lets the database use its
 * index of active assignments. For one caller, the assignments are looked up once for all rows; for a caller
 * per row they would be looked up for each row.
 */
function inProjects(path: ProjectPath, caller: Asker, memberships: Memberships): Sql {
  const projects = projectsOf(caller, memberships)
  if (path.length === 1) return sql`row.${column(path[0])} in ${projects}`
  const assignments = raw(memberships === 'active' ? 'active and' : '')
  const its = raw(typeof caller.id === 'string' ? '' : 'id = row.assignment_id and')
  return sql`row.assignment_id in (select id from assignments where ${its} ${assignments} project_id in ${projects})`
}

/** The condition a row called `row` must meet to be listed: active and visible, or removed and restorable. */
export const listedRows = (listed: Listed, caller: Caller, state: RowState): Sql =>
  state === 'active'
    ? sql`row.active and ${visibleRows(listed, caller)}`
    : sql`not row.active and ${restorableRows(listed, caller)}`

/** A member whose membership was removed together with the project may restore both. */
export const restorersMemberships: Memberships = 'activeOrRemovedWithProject'

/**
 * The conditions on the caller for restoring a row. The row's parents are not checked, because they may be
 * restored before it.
 */
function restorableRows(listed: Listed, caller: Caller): Sql {
  const { access } = listed
  const { ownerColumn } = access
  return allOf([
    visibleRows(listed, caller, restorersMemberships),
    ...(ownerColumn && !caller.isAdministrator ? [sql`row.${column(ownerColumn)} = ${caller.id}`] : []),
    // A link that was removed along with a parent is restored with it, and cannot be restored before.
    ...(isRemovedWithParent(listed) ? [raw('row.removed_with is null')] : []),
  ])
}

/** Rows called `row`, and the condition for showing them. */
export interface SelectedRows {
  readonly from: Sql
  readonly wanted: Sql
}

/** The active rows that the caller may see, now or at an earlier instant. `which` restricts them to ids. */
export const selectRows = (
  listed: Listed,
  caller: Caller,
  at: string | undefined,
  which?: Sql,
): SelectedRows =>
  at === undefined
    ? {
        from: sql`${tableOf(listed)} as row`,
        wanted: which
          ? sql`row.id = ${which} and ${listedRows(listed, caller, 'active')}`
          : listedRows(listed, caller, 'active'),
      }
    : { from: sql`(${rowsAt(listed, caller, at, which)}) as row`, wanted: raw('row.active') }

/**
 * The table as it was: every later change is reverted, each column to the oldest of its previous values.
 * Access is checked against the rows as they are now. A transaction belongs to the instant of its last write,
 * so that it is reverted as a whole or not at all.
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

/**
 * Longer than any transaction of ours takes. Transactions that wrote both before and after an instant are
 * searched within it.
 */
const transactionMinutesMax = 10

/** Whether the transaction of an entry called `entry` wrote anything after the instant. */
export const isLater = (at: string): Sql => sql`(entry.at > ${at}::timestamptz or (
  entry.at > ${at}::timestamptz - interval '${raw(String(transactionMinutesMax))} minutes'
  and entry.transaction is distinct from (select restored_in from history_begin)
  and entry.transaction in (
    select transaction from history
    where at > ${at}::timestamptz and at <= ${at}::timestamptz + interval '${raw(String(transactionMinutesMax))} minutes')))`

/**
 * The condition a row called `row` must meet for the caller to see its history. It checks the row as it is
 * today, active or removed: a former member sees nothing, not even of the time before, and a member sees
 * everything, including removed rows.
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

/** The kinds of access that depend on the row itself. */
const isOfRows: readonly AccessRule['kind'][] = ['owner', 'projectMembers']

/** The same condition for an entry of the history called `entry`, whatever its resource. */
export function readableEntries(caller: Caller): Sql {
  if (!caller.token) return seenEntries(caller)
  // A parameter rather than different SQL for each choice of scopes keeps the number of statements small.
  const covered = resources.filter((resource) => isCovered(caller, resource, 'read')).map(({ name }) => name)
  return sql`entry.resource = any(${covered}::text[]) and ${seenEntries(caller)}`
}

/** The same condition on the rows themselves, for one resource at a time. */
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

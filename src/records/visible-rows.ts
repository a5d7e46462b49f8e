import { column, tableOf } from '../db/columns.ts'
import { allOf, join, raw, type Sql, sql } from '../db/sql.ts'
import type { ReadAccessOf } from '../db/stepwise-statements.ts'
import type { AccessRule, ProjectPath } from '../model/access-rule.ts'
import type { Caller } from '../model/caller.ts'
import { resourceNamed, resources } from '../resources/all.ts'
import type { ListedResource } from '../resources/define-resource.ts'
import { hasCascadeParent, referencesFrom } from '../resources/derived.ts'
import { type CallerInSql, isCovered } from './rights.ts'

/** The memberships that count. A removed project keeps its memberships in case it is restored. */
export type Memberships = 'active' | 'activeOrRemovedWithProject'

/** Active rows can be read, and removed rows can be restored. */
export type RowState = 'active' | 'removed'

/** Returns the condition under which the caller sees a row called `row`. */
export function visibleRows(
  resource: ListedResource,
  caller: CallerInSql,
  memberships: Memberships = 'active',
): Sql {
  if (!isCovered(caller, resource, 'read')) return raw('false')
  const { access } = resource
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

export const seesEveryRow = ({ access }: ListedResource, { isAdministrator }: Caller): boolean =>
  isAdministrator || access.kind === 'catalog'

/**
 * Returns equal texts for callers who see the same rows. Live listings with equal keys share a snapshot.
 */
export function visibilityKeyOf({ access }: ListedResource, caller: Caller): string {
  const { id, isAdministrator, token } = caller
  // A token has its own limits. The role of its account may change while the listing is open.
  if (token) return JSON.stringify(['token', token.id, isAdministrator, token.isOfAdministrator])
  if (access.kind === 'catalog') return 'everyone'
  return isAdministrator ? 'administrators' : id
}

/** Returns the resources that determine which rows of this resource the caller sees. */
export function resourcesAffecting(
  resource: ListedResource,
  caller: Caller,
  state: RowState = 'active',
): string[] {
  const { name, access } = resource
  if (access.kind === 'colleagues') return caller.isAdministrator ? ['user'] : ['user', 'userProject']
  // When a parent changes, a row that was removed with another parent may become restorable. The change log
  // has no entry about that.
  const parents = state === 'removed' ? parentsOfRemoved(resource) : []
  if (access.kind !== 'projectMembers' || caller.isAdministrator) return [name, ...parents]
  const path = access.projectPath.length === 2 ? ['userProject', 'assignment'] : ['userProject']
  // When a parent is restored, a removed membership may pass to its other parent. The change log has no entry
  // about that.
  const isOfRemoved = state === 'removed'
  const users = isOfRemoved ? ['user'] : []
  const projects = isOfRemoved || caller.token?.isOfAdministrator ? ['project'] : []
  return [...new Set([name, ...path, ...users, ...projects, ...parents])]
}

const parentsOfRemoved = (resource: ListedResource): string[] =>
  referencesFrom(resource).flatMap(({ parent, onRemove }) => (onRemove === 'cascade' ? [parent.name] : []))

/** Returns the condition under which a row of `user_projects` makes its user a member. */
const isMembership = (memberships: Memberships): Sql =>
  memberships === 'active' ? raw('active') : raw('(active or removed_with = project_id)')

/**
 * Selects the projects of which a caller is a member. A token never covers more projects than its account.
 */
export function projectsOf({ id, token }: CallerInSql, memberships: Memberships): Sql {
  const projectLimit = token?.projectIds
  if (projectLimit && token.isOfAdministrator) {
    const activeOnly = raw(memberships === 'active' ? 'and active' : '')
    return sql`(select id as project_id from projects where id = any(${projectLimit}::uuid[]) ${activeOnly})`
  }
  const isWithin = projectLimit ? sql`and project_id = any(${projectLimit}::uuid[])` : raw('')
  return sql`(select project_id from user_projects where user_id = ${id} and ${isMembership(memberships)} ${isWithin})`
}

/** A project with an active membership is active, because memberships are removed with their project. */
const isColleague = (caller: CallerInSql): Sql => sql`row.id in (
  select ${caller.id}::uuid
  union all
  select user_id from user_projects where active and project_id in ${projectsOf(caller, 'active')}
)`

/**
 * The assignment of an active row is always active. Nevertheless the condition says so, because it lets
 * PostgreSQL use the index of active assignments. For a single caller, the assignments are found once. With a
 * different caller per row, the condition names the assignment of the row, so that they are not found again
 * for each row.
 */
function inProjects(path: ProjectPath, caller: CallerInSql, memberships: Memberships): Sql {
  const projects = projectsOf(caller, memberships)
  if (path.length === 1) return sql`row.${column(path[0])} in ${projects}`
  const activeOnly = raw(memberships === 'active' ? 'active and' : '')
  const sameAssignment = raw(typeof caller.id === 'string' ? '' : 'id = row.assignment_id and')
  return sql`row.assignment_id in (select id from assignments where ${sameAssignment} ${activeOnly} project_id in ${projects})`
}

/** Returns the condition for a list of active or removed rows. */
export const listedRows = (resource: ListedResource, caller: Caller, state: RowState): Sql =>
  state === 'active'
    ? sql`row.active and ${visibleRows(resource, caller)}`
    : sql`not row.active and ${restorableRows(resource, caller)}`

/**
 * Returns conditions that exclude rows with a placeholder in one of these columns. v1 has no flags that
 * distinguish placeholders from values.
 */
export const withoutPlaceholders = (
  { fields, placeholders = {} }: ListedResource,
  usedColumns: readonly string[],
): Sql[] =>
  Object.entries(placeholders).flatMap(([flag, columns = []]) =>
    flag in fields && columns.some((name) => usedColumns.includes(name))
      ? [sql`not row.${column(flag)}`]
      : [],
  )

/** A user whose membership was removed together with the project may restore both. */
export const restorersMemberships: Memberships = 'activeOrRemovedWithProject'

/**
 * Returns the condition under which the caller may restore a row. The parents of the row may be restored
 * before it, so they are not checked.
 */
function restorableRows(resource: ListedResource, caller: Caller): Sql {
  const { access } = resource
  const { ownerColumn } = access
  return allOf([
    visibleRows(resource, caller, restorersMemberships),
    ...(ownerColumn && !caller.isAdministrator ? [sql`row.${column(ownerColumn)} = ${caller.id}`] : []),
    // A row that was removed with its parent is restored with its parent.
    ...(hasCascadeParent(resource) ? [raw('row.removed_with is null')] : []),
  ])
}

/** SQL for rows called `row`. */
export interface SelectedRows {
  readonly from: Sql
  readonly where: Sql
}

/** Selects the active rows that the caller may see, now or at an earlier instant. */
export const selectRows = (
  resource: ListedResource,
  caller: Caller,
  at: string | undefined,
  ids?: Sql,
): SelectedRows =>
  at === undefined
    ? {
        from: sql`${tableOf(resource)} as row`,
        where: ids
          ? sql`row.id = ${ids} and ${listedRows(resource, caller, 'active')}`
          : listedRows(resource, caller, 'active'),
      }
    : { from: sql`(${rowsAt(resource, caller, at, ids)}) as row`, where: raw('row.active') }

/**
 * Reconstructs the table at an instant by reverting all later changes. Access is checked against the current
 * rows. A transaction is reverted as a whole or not at all.
 */
function rowsAt(resource: ListedResource, caller: Caller, at: string, ids: Sql | undefined): Sql {
  const name = resources.find(({ table }) => table === resource.table)?.name ?? resource.name
  const table = tableOf(resource)
  const readable =
    resource.access.kind === 'colleagues'
      ? visibleRows(resource, caller)
      : historyVisibleRow(resource, caller)
  const andIds = ids ? sql`and row.id = ${ids}` : raw('')
  return sql`
    with later as materialized (
      select entry.row_id, entry.sequence, entry.action, entry.fields from history as entry
      where entry.resource = ${name} and ${isChangedAfter(at)} ${ids ? sql`and entry.row_id = ${ids}` : raw('')}
    ), past as materialized (
      select row_id, jsonb_object_agg(name, pair -> 0) as fields from (
        select distinct on (row_id, name) row_id, name, pair
        from later cross join lateral jsonb_each(fields) as field (name, pair)
        where action <> 'create' order by row_id, name, sequence
      ) as oldest
      group by row_id
    )
    select row.* from ${table} as row
    where row.id not in (select row_id from later) and ${readable} ${andIds}
    union all
    select was.* from ${table} as row join past on past.row_id = row.id
      cross join lateral jsonb_populate_record(row.*, past.fields) as was
    where row.id not in (select row_id from later where action = 'create') and ${readable} ${andIds}`
}

/** No transaction that writes takes this long, so all of its entries are within this time. */
const transactionMinutesMax = 10

/** Returns whether the transaction of an entry called `entry` wrote anything after the instant. */
export const isChangedAfter = (at: string): Sql => sql`(entry.at > ${at}::timestamptz or (
  entry.at > ${at}::timestamptz - interval '${raw(String(transactionMinutesMax))} minutes'
  and entry.transaction is distinct from (select restored_in from history_begin)
  and entry.transaction in (
    select transaction from history
    where at > ${at}::timestamptz and at <= ${at}::timestamptz + interval '${raw(String(transactionMinutesMax))} minutes')))`

/**
 * Returns the condition under which the caller sees the history of a row called `row`. It depends on the
 * current row, so a former member sees none of the history.
 */
export const historyVisibleRow = (resource: ListedResource, caller: Caller): Sql =>
  isCovered(caller, resource, 'read') ? historyCondition(resource, caller) : raw('false')

function historyCondition({ access }: ListedResource, caller: Caller): Sql {
  if (caller.isAdministrator || access.kind === 'catalog') return raw('true')
  if (access.kind === 'owner') return sql`row.${column(access.ownerColumn)} = ${caller.id}`
  if (access.kind !== 'projectMembers') return raw('false')
  const projects = projectsOf(caller, 'activeOrRemovedWithProject')
  const { projectPath } = access
  return projectPath.length === 1
    ? sql`row.${column(projectPath[0])} in ${projects}`
    : sql`exists (select 1 from assignments where id = row.assignment_id and project_id in ${projects})`
}

const rowBasedKinds: readonly AccessRule['kind'][] = ['owner', 'projectMembers']

/** Returns the condition for reading an entry of the history, called `entry`, of any resource. */
export function readableEntries(caller: Caller): Sql {
  if (!caller.token) return visibleEntries(caller)
  // The resources are a parameter, so that all scopes share one prepared statement.
  const covered = resources.filter((resource) => isCovered(caller, resource, 'read')).map(({ name }) => name)
  return sql`entry.resource = any(${covered}::text[]) and ${visibleEntries(caller)}`
}

/**
 * Returns which rows of each resource the caller may read. A sharded store reads entries and rows separately.
 */
export const readAccessOf =
  (caller: Caller): ReadAccessOf =>
  (name) => {
    const resource = resourceNamed(name)
    if (!isCovered(caller, resource, 'read')) return 'none'
    if (caller.isAdministrator || resource.access.kind === 'catalog') return 'all'
    if (!rowBasedKinds.includes(resource.access.kind)) return 'none'
    return { table: tableOf(resource), condition: historyCondition(resource, caller) }
  }

function visibleEntries(caller: Caller): Sql {
  if (caller.isAdministrator) return raw('true')
  const kinds = resources.map((resource) => {
    // Names of resources are camelCase and need no escaping.
    const isOfResource = raw(`entry.resource = '${resource.name}'`)
    if (resource.access.kind === 'catalog') return isOfResource
    if (!rowBasedKinds.includes(resource.access.kind)) return raw('false')
    return sql`${isOfResource} and exists (
      select 1 from ${tableOf(resource)} as row where row.id = entry.row_id and ${historyCondition(resource, caller)})`
  })
  return sql`(${join(kinds, ' or ')})`
}

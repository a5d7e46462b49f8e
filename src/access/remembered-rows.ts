import type { AccessRule } from '../model/access-rule.ts'
import type { Caller } from '../model/caller.ts'
import { resourceNamed, resources } from '../resources/all.ts'
import type { Listed } from '../resources/define-resource.ts'
import { column, tableOf } from '../store/columns.ts'
import type { Queries } from '../store/database.ts'
import { join, raw, type Sql, sql } from '../store/sql.ts'
import { isCovered } from './token-rights.ts'
import { projectsOf } from './visible-rows.ts'

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

interface Entry {
  readonly resource: string
  readonly rowId: string
}

/** The same of entries that were read: where rows are spread over nodes, no statement asks them beside the history. */
export async function readableAmong<Found extends Entry>(
  queries: Queries,
  caller: Caller,
  entries: readonly Found[],
): Promise<readonly Found[]> {
  const seen = new Set<string>()
  for (const [name, ofResource] of Map.groupBy(entries, ({ resource }) => resource)) {
    const resource = resourceNamed(name)
    if (!isCovered(caller, resource, 'read')) continue
    const ids = [...new Set(ofResource.map(({ rowId }) => rowId))]
    const isAsked = !caller.isAdministrator && isOfRows.includes(resource.access.kind)
    const rows = isAsked
      ? await queries.query<{ id: string }>(sql`
          select row.id from ${tableOf(resource)} as row
          where row.id = any(${ids}::uuid[]) and ${remembered(resource, caller)}`)
      : caller.isAdministrator || resource.access.kind === 'catalog'
        ? ids.map((id) => ({ id }))
        : []
    for (const { id } of rows) seen.add(`${name} ${id}`)
  }
  return entries.filter(({ resource, rowId }) => seen.has(`${resource} ${rowId}`))
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

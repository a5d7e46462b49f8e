import { column, selectColumns, tableOf } from '../db/columns.ts'
import type { Condition } from '../db/conditional-write.ts'
import type { Queries } from '../db/database.ts'
import { type Row, removeRows, updateRows, type Values } from '../db/rows.ts'
import { sql } from '../db/sql.ts'
import type { Caller } from '../model/caller.ts'
import { capitalize } from '../model/field.ts'
import { contended, invalid } from '../model/problem.ts'
import type { Resource } from '../resources/define-resource.ts'
import { linksWithinProjectOf, referencesFrom } from '../resources/derived.ts'

/** Returns whether a write of these values has to check the rules of the project in a transaction. */
export const needsProjectRules = ({ projectRules }: Resource, values: Values): boolean =>
  projectRules !== undefined &&
  (projectRules.onlyWith === undefined || typeof values[projectRules.onlyWith] === 'string')

/**
 * Checks the rules of the projects of the written rows. It must be called after the write, so that it sees
 * the rows and everything that was committed while the transaction waited for the lock.
 */
export async function requireProjectRules(
  transaction: Queries,
  resource: Resource,
  ids: readonly string[],
): Promise<void> {
  const { projectRules } = resource
  if (!projectRules || ids.length === 0) return
  const rows = await lockProjectsOf(transaction, resource, ids)
  requireOneProject(resource, rows)
  const { per, max, message } = projectRules.rowsMax
  const [full] = await transaction.query(sql`
    select 1 from ${tableOf(resource)} where active and ${column(per)} = any(${distinct(rows.map(({ row }) => row[per]))}::uuid[])
    group by ${column(per)} having count(*) > ${max}::int limit 1`)
  if (full) throw invalid({ generalErrors: [message] })
  await projectRules.check?.(transaction, ids)
}

function requireOneProject({ projectRules }: Resource, rows: readonly RowInProjects[]): void {
  if (rows.every(({ projects }) => new Set(projects).size === 1)) return
  // `sameProject` names one or two references. A single reference must lead to the project of the row.
  const [first = '', second] = projectRules?.sameProject ?? []
  const [expected, wrong] = second === undefined ? ['projectId', first] : [first, second]
  throw invalid({
    [wrong]: [`${capitalize(wrong)} must belong to the same project as ${capitalize(expected)}.`],
  })
}

interface RowInProjects {
  readonly row: Row
  /** The projects of the row and of the rows in `sameProject`. They must be equal. */
  readonly projects: readonly unknown[]
}

/** After each wait for a lock, the rows are read again, because they may have moved to another project. */
async function lockProjectsOf(
  transaction: Queries,
  resource: Resource,
  ids: readonly string[],
): Promise<readonly RowInProjects[]> {
  const locked = new Set<unknown>()
  for (;;) {
    const rows = await readProjectsOf(transaction, resource, ids)
    const unlocked = distinct(rows.flatMap(({ projects }) => projects)).filter((id) => !locked.has(id))
    if (unlocked.length === 0) return rows
    await lockProjects(transaction, unlocked)
    for (const id of unlocked) locked.add(id)
  }
}

/** A sharded store may have the referenced rows on other nodes, so there is one statement per table. */
async function readProjectsOf(
  transaction: Queries,
  resource: Resource,
  ids: readonly string[],
): Promise<readonly RowInProjects[]> {
  const { sameProject = [] } = resource.projectRules ?? {}
  const rows = await transaction.query<Row>(
    sql`select ${selectColumns(resource)} from ${tableOf(resource)} as row where id = any(${ids}::uuid[])`,
  )
  const projectOf = new Map<unknown, unknown>()
  for (const { column: name, parent } of referencesFrom(resource)) {
    if (!sameProject.includes(name)) continue
    const parents = await transaction.query<{ id: string; project: string }>(sql`
      select id, project_id as project from ${tableOf(parent)} where id = any(${distinct(rows.map((row) => row[name]))}::uuid[])`)
    for (const { id, project } of parents) projectOf.set(id, project)
  }
  const ownProjectOf = ({ projectId }: Row) => (projectId === undefined ? [] : [projectId])
  return rows.map((row) => ({
    row,
    projects: [...ownProjectOf(row), ...sameProject.map((name) => projectOf.get(row[name]))],
  }))
}

const distinct = (values: readonly unknown[]): readonly unknown[] => [...new Set(values)]

/** Locks the projects until the commit, without blocking updates of the projects. */
async function lockProjects(transaction: Queries, ids: readonly unknown[]): Promise<void> {
  const names = ids.map((id) => `project ${id}`).sort()
  await transaction.query(
    sql`select pg_advisory_xact_lock(hashtextextended(name, 0)) from unnest(${names}::text[]) as name`,
  )
}

/**
 * The problem if a single statement would move a row, which may have links, to another project. The caller then
 * repeats the update in a transaction that removes the links.
 */
export const leavesProjectProblem = contended()

/** A single statement cannot see links that were committed while it waited, so it must not move the row. */
export function leavesProjectConditions(resource: Resource, { projectId }: Values): Condition[] {
  if (projectId === undefined || linksWithinProjectOf(resource).length === 0) return []
  return [{ rejectIf: sql`before.project_id <> ${projectId}`, problem: () => leavesProjectProblem }]
}

/**
 * Removes the links of a locked row that will move to another project. A link with an optional reference
 * loses only the reference. Returns the references of the row itself that become null.
 */
export async function removeLinksOfMovedRow(
  transaction: Queries,
  resource: Resource,
  caller: Caller,
  before: Row,
  { projectId }: Values,
): Promise<Values> {
  const links = linksWithinProjectOf(resource)
  if (links.length === 0 || projectId === undefined || projectId === before.projectId) return {}
  await lockProjects(transaction, [before.projectId, projectId])
  const clearedReferences: Record<string, null> = {}
  for (const { link, column: parentId } of links) {
    const refersToRow = sql`${column(parentId)} = ${before.id}`
    if (link.fields[parentId]?.presence === 'optional') {
      const values = { [parentId]: null }
      await updateRows(transaction, link, caller, values, sql`${refersToRow} and active`)
      await transaction.query(
        sql`update ${tableOf(link)} set ${column(parentId)} = null where ${refersToRow}`,
      )
      if (link.name === resource.name) Object.assign(clearedReferences, values)
      continue
    }
    // A link that was removed with its other parent must not be restored with that parent.
    await transaction.query(
      sql`update ${tableOf(link)} set removed_with = null where ${refersToRow} and not active and removed_with is not null`,
    )
    await removeRows(transaction, link, caller, sql`${refersToRow} and active`)
  }
  return clearedReferences
}

import type { Snapshot } from '../../db/change-log.ts'
import { columnName } from '../../db/columns.ts'
import type { LimitedReads } from '../../db/limited-reads.ts'
import { raw, type Sql, sql, unprepared } from '../../db/sql.ts'
import { changedRows } from '../../db/stepwise-statements.ts'
import type { Caller } from '../../model/caller.ts'
import { resources } from '../../resources/all.ts'
import type { ListedResource, Resource } from '../../resources/define-resource.ts'
import { isOfAssignment, referencesFrom } from '../../resources/derived.ts'

/** The rows that a view can contain. Changes of other rows cannot change its response. */
export interface Scope {
  readonly resource: string
  /** The values that a row may have, by column. */
  readonly allowedValues: Readonly<Record<string, readonly unknown[]>>
  /** The account, if it sees only the rows of its own projects. */
  readonly member?: string
}

/** Returns undefined if the visible rows depend on more than their own project. */
export function scopeOf(
  { name, access }: ListedResource,
  { id, isAdministrator, token }: Caller,
  allowedValues: Scope['allowedValues'],
  { ofRemoved = false } = {},
): Scope | undefined {
  if (access.kind === 'colleagues') return undefined
  // The view of a personal access token also depends on the token's limits, so it is not narrowed here.
  const isLimited = !isAdministrator && !token
  const ofOwner = access.kind === 'owner' && isLimited ? { [access.ownerColumn]: [id] } : {}
  const isOfMember = access.kind === 'projectMembers' && isLimited && !ofRemoved
  return {
    resource: name,
    allowedValues: { ...allowedValues, ...ofOwner },
    ...(isOfMember && { member: id }),
  }
}

/** `yes` includes unknown cases. A set of projects means `yes` for members of these projects. */
export type Verdict = 'yes' | 'no' | ReadonlySet<unknown>

/** The properties of a view by which a change can be excluded. */
export interface ScopedListing {
  readonly resources: readonly string[]
  readonly scope?: Scope | undefined
}

/** Returns whether a view has to be read again. It never returns `no` for a change that could be visible. */
export function mayAffect({ resources, scope }: ScopedListing, changes: ChangedRows): Verdict {
  const changed = [...new Set(resources)].filter((resource) => changes.resources.has(resource))
  return combine(
    changed.map((resource) => {
      const rows = scope && changes.rowsOf(resource)
      return rows ? combine(rows.map((row) => mayRowAffect(scope, resource, row))) : 'yes'
    }),
  )
}

function combine(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes('yes')) return 'yes'
  const projects = verdicts.flatMap((verdict) => (typeof verdict === 'string' ? [] : [...verdict]))
  return projects.length > 0 ? new Set(projects) : 'no'
}

function mayRowAffect(scope: Scope, resource: string, row: ChangedRow): Verdict {
  const { member } = scope
  // Joining or leaving a project changes the visible rows, whatever the filters are.
  if (member !== undefined && resource === 'userProject' && mayHave(row, 'userId', [member])) return 'yes'
  // Without a member, any change of another resource may change the visible rows, except that an assignment
  // matters only if it moves.
  if (resource !== scope.resource)
    return member === undefined && resource !== 'assignment' ? 'yes' : mayConnectingRowAffect(resource, row)
  if (Object.entries(scope.allowedValues).some(([column, values]) => !mayHave(row, column, values)))
    return 'no'
  return member === undefined ? 'yes' : (row.projects ?? 'yes')
}

/** Judges a change of a row through which listed rows are connected to their project. */
function mayConnectingRowAffect(resource: string, row: ChangedRow): Verdict {
  if (resource === 'userProject') return 'no'
  if (resource === 'assignment') return row.hasMoved('projectId', 'active') ? 'yes' : 'no'
  return 'yes'
}

function mayHave(row: ChangedRow, column: string, wanted: readonly unknown[]): boolean {
  const values = row.valuesOf(column)
  return values === undefined || wanted.some((value) => values.has(value))
}

/** A row that was written, with all values that its references have had since the previous check. */
interface ChangedRow {
  readonly id: string
  /**
   * Returns the values that a column has had since the previous check, or undefined if they are not known.
   */
  valuesOf(column: string): ReadonlySet<unknown> | undefined
  /** Returns whether any of these columns has changed. */
  hasMoved(...columns: readonly string[]): boolean
  /** The projects to which the row may have belonged, or undefined if they are not known. */
  readonly projects: ReadonlySet<unknown> | undefined
}

export interface ChangedRows {
  readonly resources: ReadonlySet<string>
  /** Returns undefined if any row of the resource may have changed. */
  rowsOf(resource: string): readonly ChangedRow[] | undefined
}

/** If there are more changes, almost every listing is affected. */
const changesMax = 200

interface FoundChange {
  readonly resource: string
  readonly id: string
  /**
   * The values of a new row, or `[before, after]` of each changed column. Null if the history has no entry.
   */
  readonly fields: Readonly<Record<string, unknown>> | null
  /** The current row, or null if it no longer exists. */
  readonly current: Readonly<Record<string, unknown>> | null
}

/** All live listings count as one account in the queue of statements. */
const queueAccount = 'live listings'

/** If the rows could not be read, any row of these resources may have changed. */
export const unknownRows = (resources: ReadonlySet<string>): ChangedRows => ({
  resources,
  rowsOf: () => undefined,
})

/**
 * Reads the rows of these resources that have changed since a snapshot. The states of a row since then are
 * its current state and its states in the history. The statement queues with the lists, because it reads the
 * same tables.
 */
export async function changedRowsSince(
  reads: LimitedReads,
  since: Snapshot,
  resources: ReadonlySet<string>,
): Promise<ChangedRows> {
  const found = await reads.query<FoundChange>(changesStatement(since, [...resources].sort()), queueAccount)
  const rows = found.length > changesMax ? undefined : groupByResource(found)
  return { resources, rowsOf: (resource) => rows?.get(resource) }
}

function changesStatement(since: Snapshot, names: readonly string[]): Sql {
  // Other tables may be locked for a long time, so only the tables of the requested resources are read.
  const declared = resources.filter(({ name }) => names.includes(name))
  const whens = declared.map(
    (resource) => `when '${resource.name}' then (${currentRowsSql(resource)} where row.id = logged.row_id)`,
  )
  const current = raw(declared.length > 0 ? `case logged.resource ${whens.join(' ')} end` : 'null::jsonb')
  const changes = changesSql(since, names)
  const statement = changedRows.attach(
    {
      changes,
      fields: fieldsBefore,
      countMax: changesMax,
      tables: () =>
        declared.map((resource) => ({
          resource: resource.name,
          table: resource.table,
          rows: raw(currentRowsSql(resource, 'row.id')),
        })),
    },
    sql`select logged.resource, logged.row_id as id, ${fieldsBefore}, ${current} as current ${changes}`,
  )
  // There are too many combinations of several resources to prepare a statement for each.
  return names.length === 1 ? statement : unprepared(statement)
}

const changesSql = (since: Snapshot, names: readonly string[]): Sql => sql`
  from (
    select * from changes where transaction >= pg_snapshot_xmin(${since}::pg_snapshot)
      and not pg_visible_in_snapshot(transaction, ${since}::pg_snapshot) and resource = any(${names}::text[])
    limit ${changesMax + 1}::int
  ) as logged
  left join history as entry on entry.at = logged.at and entry.sequence = logged.sequence`

const referencesOf = (resource: Resource): string[] => referencesFrom(resource).map(({ column }) => column)

const watchedNames = [...new Set(resources.flatMap(referencesOf)), 'active'].map(columnName)

const fieldsBefore = sql`case when entry.fields is not null then (
    select coalesce(jsonb_object_agg(key, value), '{}'::jsonb) from jsonb_each(entry.fields)
    where key = any(${watchedNames}::text[])
  ) end as fields`

/** The JSON key for the project of the assignment to which a row belongs. No column has this name. */
const projectKey = 'project of its assignment'

/** Selects the current rows of a resource without a condition. All names come from declarations. */
function currentRowsSql(resource: Resource, ...columnsBefore: readonly string[]): string {
  const columns = referencesOf(resource).map((name) => `'${columnName(name)}', row."${columnName(name)}"`)
  const belongsToAssignment = isOfAssignment(resource)
  const project = belongsToAssignment ? [`'${projectKey}', parent.project_id`] : []
  const parent = belongsToAssignment
    ? ' left join assignments as parent on parent.id = row.assignment_id'
    : ''
  const current = `jsonb_build_object(${[...columns, ...project].join(', ')}) as current`
  return `select ${[...columnsBefore, current].join(', ')} from "${resource.table}" as row${parent}`
}

/**
 * Groups the changes by resource and row. The rows of a resource are undefined if one of its rows is unknown.
 */
function groupByResource(found: readonly FoundChange[]): Map<string, readonly ChangedRow[] | undefined> {
  const rowsOf = new Map<string, readonly ChangedRow[] | undefined>()
  for (const resource of resources) {
    const ofResource = found.filter((change) => change.resource === resource.name)
    if (ofResource.length === 0) continue
    const areKnown = ofResource.every(({ fields, current }) => fields !== null && current !== null)
    const rows = [...Map.groupBy(ofResource, ({ id }) => id).values()].map((changes) =>
      changedRow(resource, changes),
    )
    rowsOf.set(resource.name, areKnown ? rows : undefined)
  }
  for (const { resource, id } of found)
    if (!isDeclared(resource)) rowsOf.set(resource, [...(rowsOf.get(resource) ?? []), rowWithId(id)])
  return rowsOf
}

const declaredNames: ReadonlySet<string> = new Set(resources.map(({ name }) => name))
const isDeclared = (name: string): boolean => declaredNames.has(name)

/** Rows without a declaration, such as notifications, are known only by their id. */
const rowWithId = (id: string): ChangedRow => ({
  id,
  valuesOf: (column) => (column === 'id' ? new Set([id]) : undefined),
  hasMoved: () => false,
  projects: undefined,
})

function changedRow(resource: Resource, changes: readonly FoundChange[]): ChangedRow {
  const id = changes[0]?.id ?? ''
  const columns = new Set(referencesOf(resource))
  const pairs = (column: string) => changes.map(({ fields }) => fields?.[columnName(column)])
  const valuesOf = (column: string): ReadonlySet<unknown> | undefined => {
    if (column === 'id') return new Set([id])
    if (column === 'projectId' && isOfAssignment(resource)) return projectsOfAssignments()
    if (!columns.has(column)) return undefined
    return new Set([
      ...changes.map(({ current }) => current?.[columnName(column)]),
      ...pairs(column)
        .filter((pair) => pair !== undefined)
        .flat(),
    ])
  }
  // The history has a pair of values for an update, but a single value for a new row.
  const hasMoved = (...names: readonly string[]) => names.some((name) => pairs(name).some(Array.isArray))
  const projectsOfAssignments = () =>
    hasMoved('assignmentId') ? undefined : new Set(changes.map(({ current }) => current?.[projectKey]))
  const { access } = resource
  const projectColumn = access.kind === 'projectMembers' ? access.projectPath.at(-1) : undefined
  return { id, valuesOf, hasMoved, projects: projectColumn && valuesOf(projectColumn) }
}

/** If projects have more members, almost every listing is affected. */
const membersMax = 5000

/**
 * Returns a check whether an account is a member of one of these projects, or undefined if there are too many
 * members.
 */
export async function membersOf(
  reads: LimitedReads,
  projects: readonly unknown[],
): Promise<((account: string, projects: ReadonlySet<unknown>) => boolean) | undefined> {
  const found = await reads.query<{ account: string; project: string }>(
    sql`
    select user_id as account, project_id as project from user_projects
    where active and project_id = any(${projects}::uuid[]) limit ${membersMax + 1}::int`,
    queueAccount,
  )
  if (found.length > membersMax) return undefined
  const projectsOf = Map.groupBy(found, ({ account }) => account)
  return (account, projectIds) =>
    projectsOf.get(account)?.some(({ project }) => projectIds.has(project)) ?? false
}

import type { Caller } from '../../model/caller.ts'
import type { ListedResource } from '../../resources/define-resource.ts'
import type { ChangedRow, ChangedRows } from './changed-rows.ts'

/** The rows that a view can contain. Changes of other rows cannot change its response. */
export interface Scope {
  readonly resource: string
  /** The values that a row may have, by column. */
  readonly allowedValues: Readonly<Record<string, readonly unknown[]>>
  /** The account, if it sees the rows of its own projects. */
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
  // The view of a personal access token also depends on its own limits, so it is not narrowed here.
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

/** A row through which listed rows are connected to their project. */
function mayConnectingRowAffect(resource: string, row: ChangedRow): Verdict {
  if (resource === 'userProject') return 'no'
  if (resource === 'assignment') return row.hasMoved('projectId', 'active') ? 'yes' : 'no'
  return 'yes'
}

function mayHave(row: ChangedRow, column: string, wanted: readonly unknown[]): boolean {
  const values = row.valuesOf(column)
  return values === undefined || wanted.some((value) => values.has(value))
}

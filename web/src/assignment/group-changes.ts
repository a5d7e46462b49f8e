import type { Change } from '#tracker-client'

/**
 * Changes that belong together, such as a new stage and a new responsible person, or three labels chosen at
 * once.
 */
export type ChangeGroup = readonly [Change, ...Change[]]

/** Changes that are further apart belong to different groups. */
const secondsMax = 60

/** Groups changes that are sorted from newest to oldest. */
export function groupChanges(changes: readonly Change[]): readonly ChangeGroup[] {
  const groups: [Change, ...Change[]][] = []
  for (const change of changes) {
    const group = groups.at(-1)
    if (group && belongsTo(group, change)) group.push(change)
    else groups.push([change])
  }
  return groups
}

/**
 * Updates of one row belong together, and links of one kind that are added to or removed from one assignment.
 * Comments are never grouped.
 */
function belongsTo([newest]: ChangeGroup, change: Change): boolean {
  const { callerId, resource, action, rowId, at, after } = change
  const isSameKind = newest.callerId === callerId && newest.resource === resource && newest.action === action
  const isTogether =
    action === 'update'
      ? newest.rowId === rowId
      : isLink(resource) && newest.after?.assignmentId === after?.assignmentId
  return isSameKind && isTogether && Date.parse(newest.at) - Date.parse(at) <= secondsMax * 1000
}

const links: ReadonlySet<string> = new Set([
  'userAssignment',
  'userProject',
  'assignmentImpediment',
  'assignmentLabel',
  'assignmentDependency',
])

const isLink = (resource: string): boolean => links.has(resource)

/**
 * Combines several updates of a row into one, from the values before the first to those after the last,
 * without unchanged fields.
 */
export function combineUpdates([newest, ...older]: ChangeGroup): Change {
  if (older.length === 0) return newest
  const before = Object.assign({}, newest.before, ...older.map((change) => change.before))
  const after = Object.assign({}, ...[newest, ...older].toReversed().map((change) => change.after))
  const changed = Object.keys(after).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  )
  const pick = (values: Record<string, unknown>) =>
    Object.fromEntries(changed.map((name) => [name, values[name]]))
  return { ...newest, before: pick(before), after: pick(after) }
}

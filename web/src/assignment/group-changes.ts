import type { Change } from '#tracker-client'

/**
 * Changes that belong together, the newest first: those that one user has made to one assignment, such as a
 * new stage, a new responsible person and two labels.
 */
export type ChangeGroup = readonly [Change, ...Change[]]

/** Changes that are further apart belong to different groups. */
const secondsMax = 300

/**
 * Groups changes that are sorted from newest to oldest. Changes to other records may lie between those of a
 * group, and any other event of the same assignment ends it, so that each keeps its place.
 */
export function groupChanges(changes: readonly Change[]): readonly ChangeGroup[] {
  const created = valuesOfCreated(changes)
  const groups: [Change, ...Change[]][] = []
  const lastGroups = new Map<string, [Change, ...Change[]]>()
  for (const change of changes) {
    const subject = subjectOf(change, created)
    const group = lastGroups.get(subject)
    if (group && belongsTo(group, change)) group.push(change)
    else {
      const next: [Change] = [change]
      groups.push(next)
      lastGroups.set(subject, next)
    }
  }
  return groups
}

/**
 * Returns the values of the records whose creation is among the changes, by their ids. Later changes do not
 * repeat all of them.
 */
export const valuesOfCreated = (changes: readonly Change[]): ReadonlyMap<string, Change['after']> =>
  new Map(changes.flatMap(({ rowId, action, after }) => (action === 'create' ? [[rowId, after]] : [])))

function belongsTo([newest]: ChangeGroup, change: Change): boolean {
  const isTogether =
    (isPart(newest) && isPart(change)) ||
    (isRecording(newest) && isRecording(change)) ||
    (newest.rowId === change.rowId && isUpdate(newest) && isUpdate(change))
  const milliseconds = Date.parse(newest.at) - Date.parse(change.at)
  return isTogether && newest.callerId === change.callerId && milliseconds <= secondsMax * 1000
}

const links: ReadonlySet<string> = new Set([
  'userAssignment',
  'userProject',
  'assignmentImpediment',
  'assignmentLabel',
  'assignmentDependency',
])

const linkActions: readonly Change['action'][] = ['create', 'remove']
const assignmentActions: readonly Change['action'][] = ['create', 'update']

/** Returns whether the change sets a property of an assignment. Its removal stays a line of its own. */
const isPart = ({ resource, action }: Change): boolean =>
  links.has(resource)
    ? linkActions.includes(action)
    : resource === 'assignment' && assignmentActions.includes(action)

/** Hours of several days are often recorded at once. */
const isRecording = ({ resource, action }: Change): boolean =>
  resource === 'appointment' && action === 'create'

/** Each change of a comment is shown itself. */
const isUpdate = ({ resource, action }: Change): boolean => action === 'update' && resource !== 'comment'

/**
 * Returns what a change is about: the assignment that it belongs to, or else its own record. The assignment
 * of a removed link is unknown if its creation is not among the changes.
 */
function subjectOf(
  { resource, action, rowId, after }: Change,
  created: ReadonlyMap<string, Change['after']>,
): string {
  const assignmentId = after?.assignmentId ?? created.get(rowId)?.assignmentId
  if (typeof assignmentId === 'string') return assignmentId
  return links.has(resource) ? `${resource} ${action}` : rowId
}

/** Leaves out links that were added and removed again within the group, as if they had never been there. */
export const withoutCancelled = (group: ChangeGroup): readonly Change[] =>
  group.filter(
    ({ resource, rowId }) =>
      !links.has(resource) || group.filter((change) => change.rowId === rowId).length === 1,
  )

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

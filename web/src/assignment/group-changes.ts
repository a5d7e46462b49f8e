import type { Change } from '#tracker-client'

/**
 * Changes that one user has made within five minutes to one assignment, to another record, or to the members of
 * a project. The newest comes first.
 */
export type ChangeGroup = readonly [Change, ...Change[]]

/** Changes that are further apart are not grouped. */
const secondsMax = 300

/**
 * Groups changes that are sorted from newest to oldest. A group may skip changes to other assignments. Any
 * other event of its assignment ends the group, so that each event keeps its place.
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
 * Returns the values of records that were created by one of the changes, by their ids. Later changes do not
 * repeat all values.
 */
export const valuesOfCreated = (changes: readonly Change[]): ReadonlyMap<string, Change['after']> =>
  new Map(changes.flatMap(({ rowId, action, after }) => (action === 'create' ? [[rowId, after]] : [])))

/**
 * Returns the names in the changes, by the ids of the records. A record that was renamed has its newest name.
 * The name of a removed record is found only in its history.
 */
export const namesInChanges = (changes: readonly Change[]): ReadonlyMap<string, string> =>
  new Map(
    changes.toReversed().flatMap(({ rowId, before, after }) => {
      const name = after?.name ?? before?.name
      return typeof name === 'string' ? [[rowId, name]] : []
    }),
  )

function belongsTo(group: ChangeGroup, change: Change): boolean {
  const [newest] = group
  // A link that was removed twice was restored in between, which ends the group.
  const isRepeated =
    change.action !== 'update' &&
    group.some(({ rowId, action }) => rowId === change.rowId && action === change.action)
  const isSameThing =
    (isAssignmentEdit(newest) && isAssignmentEdit(change)) ||
    (isRecording(newest) && isRecording(change)) ||
    (newest.rowId === change.rowId && isUpdate(newest) && isUpdate(change))
  return isSameThing && !isRepeated && isTogether(newest, change)
}

/** Resources that link two records. */
export const linkResources: ReadonlySet<string> = new Set([
  'userAssignment',
  'userProject',
  'assignmentImpediment',
  'assignmentLabel',
  'assignmentDependency',
])

const linkActions: readonly Change['action'][] = ['create', 'remove']
const assignmentActions: readonly Change['action'][] = ['create', 'update']

/** Returns whether the change creates or updates an assignment, or adds or removes a link. */
const isAssignmentEdit = ({ resource, action }: Change): boolean =>
  linkResources.has(resource)
    ? linkActions.includes(action)
    : resource === 'assignment' && assignmentActions.includes(action)

/** Returns whether the change records hours. Hours of several days are often recorded together. */
const isRecording = ({ resource, action }: Change): boolean =>
  resource === 'appointment' && action === 'create'

/** Returns whether the change is an update that can be grouped. Updates of comments are shown separately. */
const isUpdate = ({ resource, action }: Change): boolean => action === 'update' && resource !== 'comment'

/**
 * Returns the id of the assignment to which the change belongs, or else of the record itself. The assignment of
 * a link is unknown if its creation is not among the changes, and a membership has none. Such changes share a
 * subject for each resource and action.
 */
function subjectOf(
  { resource, action, rowId, before, after }: Change,
  created: ReadonlyMap<string, Change['after']>,
): string {
  const assignmentId = { ...created.get(rowId), ...before, ...after }.assignmentId
  if (typeof assignmentId === 'string') return assignmentId
  return linkResources.has(resource) ? `${resource} ${action}` : rowId
}

/** Groups in which one user made the same change to several records within five minutes, the newest first. */
export type ChangeRun = readonly [ChangeGroup, ...ChangeGroup[]]

/** Fewer groups are shown as separate lines. */
const runLinesMin = 3

/**
 * Joins at least three groups of the same kind into a run. Groups of other kinds may be between them. New
 * assignments are joined only if they follow each other directly, because their names are useful.
 */
export function joinRuns(
  groups: readonly ChangeGroup[],
  canJoin: (kind: string) => boolean,
): readonly ChangeRun[] {
  const runs = new Map<ChangeGroup, [ChangeGroup, ...ChangeGroup[]]>()
  const lastRuns = new Map<string, [ChangeGroup, ...ChangeGroup[]]>()
  for (const [index, group] of groups.entries()) {
    const kind = kindOf(group)
    const key = `${group[0].callerId} ${kind}`
    const last = lastRuns.get(key)
    const isNext = kind !== 'assignment.create' || last?.at(-1) === groups[index - 1]
    const run = last && isNext && canJoin(kind) && isTogether(last[0][0], group[0]) ? last : undefined
    if (run) run.push(group)
    const joined = run ?? [group]
    runs.set(group, joined)
    lastRuns.set(key, joined)
  }
  return groups.flatMap((group): ChangeRun[] => {
    const run = runs.get(group) ?? [group]
    if (run.length < runLinesMin) return [[group]]
    return run[0] === group ? [run] : []
  })
}

/** Returns whether one user has made both changes within five minutes. */
const isTogether = (newer: Change, older: Change): boolean =>
  newer.callerId === older.callerId && Date.parse(newer.at) - Date.parse(older.at) <= secondsMax * 1000

/** Every update changes these columns. */
const writtenAlways: ReadonlySet<string> = new Set(['updatedAt'])

/**
 * Returns the kind of a group, such as `label.create`. The kind of an update includes its fields. A group of
 * different changes has an empty kind, unless it creates an assignment.
 */
export function kindOf(group: ChangeGroup): string {
  const changes = withoutCancelled(group)
  const kinds = new Set(changes.map(({ resource, action }) => `${resource}.${action}`))
  if (kinds.has('assignment.create')) return 'assignment.create'
  const [kind = ''] = kinds
  if (kinds.size !== 1 || !kind.endsWith('.update')) return kinds.size === 1 ? kind : ''
  const fields = Object.keys(combineUpdates(group).after ?? {}).filter((name) => !writtenAlways.has(name))
  return [kind, ...fields.sort()].join(' ')
}

/** Removes links that were added and removed again within the group. */
export function withoutCancelled(group: ChangeGroup): readonly Change[] {
  const isIn = (rowId: string, action: Change['action']) =>
    group.some((change) => change.rowId === rowId && change.action === action)
  return group.filter(
    ({ resource, rowId }) =>
      !linkResources.has(resource) || !linkActions.every((action) => isIn(rowId, action)),
  )
}

/** Combines several updates of a row into one update, without fields that are unchanged in the end. */
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

/** A task of a text that was ticked, or cleared. */
interface Tick {
  readonly text: string
  readonly isDone: boolean
}

const taskPattern = /^([\s>]*(?:[-*+]|\d{1,4}[.)]) +\[)([ xX])(\] +)(.*)$/

/** Returns the tasks that an update of a text has ticked or cleared. Returns none if it has changed anything else. */
export function ticksIn(before: unknown, after: unknown): readonly Tick[] {
  const [old, lines] = [String(before).split('\n'), String(after).split('\n')]
  const changed = lines.flatMap((line, index) =>
    line === old[index] ? [] : [{ line, old: old[index] ?? '' }],
  )
  const isTicked = ({ line, old }: (typeof changed)[number]) =>
    taskPattern.test(line) && line.replace(taskPattern, '$1$3$4') === old.replace(taskPattern, '$1$3$4')
  if (old.length !== lines.length || !changed.every(isTicked)) return []
  return changed.map(({ line }) => {
    const [, , mark, , text = ''] = taskPattern.exec(line) ?? []
    return { text, isDone: mark !== ' ' }
  })
}

import type { NotificationKind } from '../../accounts/notification-mails.ts'
import { tableOf } from '../../db/columns.ts'
import type { Queries } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { userAssignment } from '../../resources/assignment.ts'
import { assignmentImpediment, comment } from '../../resources/assignment-records.ts'
import type { StoredChange } from '../changes/serialize-change.ts'
import type { NewNotification } from './notifications.ts'
import { type Involved, mentionsIn, readInvolved, readMembers } from './watching.ts'

/** Changes of these resources can create notifications. */
export const notifyingResources = ['assignment', 'userAssignment', 'comment', 'assignmentImpediment'] as const

/**
 * A reason to notify the accounts in `accounts`, or all accounts that are involved in the assignment. If
 * `isForResponsible` is set, only the account that is responsible now is notified.
 */
interface Occasion {
  readonly kind: NotificationKind
  readonly assignmentId: string
  readonly change: StoredChange
  readonly accounts?: readonly string[]
  readonly isForResponsible?: true
  readonly workflowId?: string
}

/** Derives notifications from changes and the current rows. */
export async function notificationsOf(
  queries: Queries,
  changes: readonly StoredChange[],
): Promise<readonly NewNotification[]> {
  const assignmentOf = await readAssignments(queries, changes)
  const moves = changes.flatMap(movesIn)
  const occasions = [
    ...changes.flatMap((change) => occasionsOf(change, assignmentOf)),
    ...moves.map(({ change, to }): Occasion => {
      return { kind: 'stageChanged', assignmentId: change.rowId, change, workflowId: to }
    }),
    ...(await dependencyDoneOccasions(queries, moves)),
  ]
  if (occasions.length === 0) return []
  const ids = [...new Set(occasions.map(({ assignmentId }) => assignmentId))]
  const involved = await readInvolved(queries, ids)
  const mentioned = occasions.flatMap(({ kind, assignmentId, accounts = [] }) => {
    const projectId = involved.get(assignmentId)?.projectId
    return kind === 'mentioned' && projectId ? accounts.map((userId) => ({ projectId, userId })) : []
  })
  const members = await readMembers(queries, mentioned)
  const created = new Map<string, NewNotification>()
  for (const occasion of occasions)
    for (const notification of notificationsFor(occasion, involved.get(occasion.assignmentId), members)) {
      // The first occasion of a change is the most specific. An account that is mentioned gets no second
      // notification about the comment.
      const key = `${notification.userId} ${notification.assignmentId} ${occasion.change.sequence}`
      if (!created.has(key)) created.set(key, notification)
    }
  // Several moves of an assignment become one notification about the last move.
  const unique = new Map<string, NewNotification>()
  for (const notification of created.values()) {
    const { userId, assignmentId, kind, cause } = notification
    unique.set(`${userId} ${assignmentId} ${kind} ${cause}`, notification)
  }
  return [...unique.values()]
}

/**
 * All moves of an assignment have the same cause, so an account has one notification of them, with the newest
 * stage.
 */
const causeOfMoves = 'stage'

function notificationsFor(
  occasion: Occasion,
  involved: Involved | undefined,
  members: ReadonlySet<string>,
): NewNotification[] {
  if (!involved) return []
  const { kind, assignmentId, change, workflowId } = occasion
  const { callerId: actorId, at, sequence } = change
  const commentId = change.resource === 'comment' ? change.rowId : undefined
  const cause = kind === 'stageChanged' ? causeOfMoves : String(sequence)
  return recipientsOf(occasion, involved)
    .filter((account) => account !== actorId)
    .filter((account) => kind !== 'mentioned' || members.has(`${involved.projectId} ${account}`))
    .map((userId) => ({ userId, kind, assignmentId, commentId, workflowId, actorId, at, cause }))
}

function recipientsOf({ accounts, isForResponsible }: Occasion, involved: Involved): readonly string[] {
  if (!isForResponsible) return accounts ?? [...involved.accounts]
  const { responsible } = involved
  if (responsible === undefined) return []
  return accounts === undefined || accounts.includes(responsible) ? [responsible] : []
}

function occasionsOf(change: StoredChange, assignmentOf: ReadonlyMap<string, string>): Occasion[] {
  const assignmentId = change.resource === 'assignment' ? change.rowId : assignmentOf.get(change.rowId)
  if (assignmentId === undefined) return []
  const occasion = (kind: NotificationKind, accounts?: readonly string[]): Occasion[] =>
    accounts?.length === 0 ? [] : [{ kind, assignmentId, change, ...(accounts && { accounts }) }]
  const isAdded = change.action === 'create' || change.action === 'restore'
  switch (change.resource) {
    case 'assignment':
      return [
        ...assignedOccasions(change, assignmentId),
        ...occasion('mentioned', newMentions(change, 'description')),
      ]
    case 'userAssignment':
      return occasion('assigned', newAccountIn(change))
    case 'comment':
      return [
        ...occasion('mentioned', newMentions(change, 'text')),
        ...(change.action === 'create' ? occasion('commented') : []),
      ]
    case 'assignmentImpediment':
      if (change.action === 'remove') return occasion('unblocked')
      return isAdded ? occasion('blocked') : []
    default:
      return []
  }
}

/**
 * An unassigned assignment has an account as a placeholder. When it becomes assigned, its account is
 * notified, even if the account has not changed. A change between placeholders does not record the flag, so
 * the current row decides.
 */
function assignedOccasions(change: StoredChange, assignmentId: string): Occasion[] {
  const [wasUnassigned, isUnassigned] = sidesOf(change, 'is_unassigned')
  const accounts = newAccountIn(change)
  const becomesAssigned = wasUnassigned === true && isUnassigned === false
  if (isUnassigned === true || (accounts.length === 0 && !becomesAssigned)) return []
  return [
    {
      kind: 'assigned',
      assignmentId,
      change,
      isForResponsible: true,
      ...(!becomesAssigned && { accounts }),
    },
  ]
}

/** Returns the value before a change and after it; both are undefined if the column did not change. */
function sidesOf({ action, fields }: StoredChange, name: string): readonly [unknown, unknown] {
  const value = fields[name]
  if (action === 'create') return [undefined, value]
  return Array.isArray(value) ? [value[0], value[1]] : [undefined, undefined]
}

function newAccountIn(change: StoredChange): string[] {
  const [, after] = sidesOf(change, 'user_id')
  return typeof after === 'string' ? [after] : []
}

function newMentions(change: StoredChange, name: string): string[] {
  const [before, after] = sidesOf(change, name)
  const earlier = new Set(mentionsIn(before))
  return mentionsIn(after).filter((id) => !earlier.has(id))
}

/**
 * Rows of these resources refer to an assignment. They are read, because the history of a removal does not
 * contain their columns.
 */
const resourcesOfAssignments = [userAssignment, comment, assignmentImpediment]

async function readAssignments(
  queries: Queries,
  changes: readonly StoredChange[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  for (const resource of resourcesOfAssignments) {
    const ids = changes.filter((change) => change.resource === resource.name).map(({ rowId }) => rowId)
    if (ids.length === 0) continue
    const rows = await queries.query<{ id: string; assignmentId: string }>(
      sql`select id, assignment_id as "assignmentId" from ${tableOf(resource)} where id = any(${ids}::uuid[])`,
    )
    for (const { id, assignmentId } of rows) found.set(id, assignmentId)
  }
  return found
}

/** A change of the stage of an assignment. */
interface Move {
  readonly change: StoredChange
  readonly from: string
  readonly to: string
}

function movesIn(change: StoredChange): Move[] {
  const [from, to] = change.resource === 'assignment' ? sidesOf(change, 'workflow_id') : []
  return typeof from === 'string' && typeof to === 'string' ? [{ change, from, to }] : []
}

/** Finds the assignments that depend on an assignment that has moved to a done stage. */
async function dependencyDoneOccasions(queries: Queries, moves: readonly Move[]): Promise<Occasion[]> {
  if (moves.length === 0) return []
  const stages = await queries.query<{ id: string }>(sql`select id from workflows where is_done`)
  const isDone = new Set(stages.map(({ id }) => id))
  const done = moves.filter(({ from, to }) => isDone.has(to) && !isDone.has(from))
  if (done.length === 0) return []
  const waiting = await queries.query<{ id: string; blockedById: string }>(sql`
    select assignment_id as id, blocked_by_id as "blockedById" from assignment_dependencies
    where active and blocked_by_id = any(${done.map(({ change }) => change.rowId)}::uuid[])`)
  return done.flatMap(({ change }) =>
    waiting
      .filter(({ blockedById }) => blockedById === change.rowId)
      .map(({ id }): Occasion => ({ kind: 'dependencyDone', assignmentId: id, change })),
  )
}

import { tableOf } from '../../db/columns.ts'
import type { Queries } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { NotificationKind } from '../../model/notifications.ts'
import { userAssignment } from '../../resources/assignment.ts'
import { comment } from '../../resources/comment.ts'
import { assignmentImpediment } from '../../resources/impediment.ts'
import type { StoredChange } from '../changes/serialize-change.ts'
import { type Involved, mentionsIn, readInvolved, readMembers } from './involved.ts'
import type { NewNotification } from './notifications.ts'

/** The resources whose changes notify. */
export const notifyingResources = ['assignment', 'userAssignment', 'comment', 'assignmentImpediment'] as const

/** An occasion to notify: the named accounts, the responsible one, or else everyone who is involved in the assignment. */
interface Occasion {
  readonly kind: NotificationKind
  readonly assignmentId: string
  readonly change: StoredChange
  readonly accounts?: readonly string[]
  readonly isForResponsible?: true
  readonly workflowId?: string
}

/** Derives notifications from changes and from the rows as they are now. */
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
    ...(await doneDependencies(queries, moves)),
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
    for (const one of notificationsFor(occasion, involved.get(occasion.assignmentId), members)) {
      // The first occasion of a change is the most specific one: an account that is mentioned is not notified
      // of the comment, too.
      const key = `${one.userId} ${one.assignmentId} ${occasion.change.sequence}`
      if (!created.has(key)) created.set(key, one)
    }
  // Several moves of an assignment become one notification, that of the last.
  const unique = [...created.values()].map((one): [string, NewNotification] => [
    `${one.userId} ${one.assignmentId} ${one.kind} ${one.cause}`,
    one,
  ])
  return [...new Map(unique).values()]
}

/** The one notification of an account about the stage of an assignment names the newest stage. */
const causeOfMoves = 'stage'

function notificationsFor(
  { kind, assignmentId, change, accounts, isForResponsible, workflowId }: Occasion,
  involved: Involved | undefined,
  members: ReadonlySet<string>,
): NewNotification[] {
  if (!involved) return []
  const responsible = involved.responsible === undefined ? [] : [involved.responsible]
  const { callerId: actorId, at, sequence } = change
  const commentId = change.resource === 'comment' ? change.rowId : undefined
  const cause = kind === 'stageChanged' ? causeOfMoves : String(sequence)
  return (accounts ?? (isForResponsible ? responsible : [...involved.accounts]))
    .filter((account) => account !== actorId)
    .filter((account) => kind !== 'mentioned' || members.has(`${involved.projectId} ${account}`))
    .map((userId) => ({ userId, kind, assignmentId, commentId, workflowId, actorId, at, cause }))
}

function occasionsOf(change: StoredChange, assignmentOf: ReadonlyMap<string, string>): Occasion[] {
  const assignmentId = change.resource === 'assignment' ? change.rowId : assignmentOf.get(change.rowId)
  if (assignmentId === undefined) return []
  const occasion = (kind: NotificationKind, accounts?: readonly string[]): Occasion[] =>
    accounts?.length === 0 ? [] : [{ kind, assignmentId, change, ...(accounts && { accounts }) }]
  const begins = change.action === 'create' || change.action === 'restore'
  switch (change.resource) {
    case 'assignment':
      return [
        ...assignedOccasions(change, assignmentId),
        ...occasion('mentioned', newMentions(change, 'description')),
      ]
    case 'userAssignment':
      return occasion('assigned', accountsIn(change, 'user_id'))
    case 'comment':
      return [
        ...occasion('mentioned', newMentions(change, 'text')),
        ...(change.action === 'create' ? occasion('commented') : []),
      ]
    case 'assignmentImpediment':
      if (change.action === 'remove') return occasion('unblocked')
      return begins ? occasion('blocked') : []
    default:
      return []
  }
}

/**
 * While an assignment is unassigned, its account is a placeholder. Once it no longer is, that account is
 * notified even if it stays the same.
 */
function assignedOccasions(change: StoredChange, assignmentId: string): Occasion[] {
  const [wasUnassigned, isUnassigned] = sidesOf(change, 'is_unassigned')
  const accounts = accountsIn(change, 'user_id')
  const isPlanned = wasUnassigned === true && isUnassigned === false
  if (isUnassigned === true || (accounts.length === 0 && !isPlanned)) return []
  return [
    { kind: 'assigned', assignmentId, change, ...(isPlanned ? { isForResponsible: true } : { accounts }) },
  ]
}

/** Returns the value before a change and after it; both are undefined where the column did not change. */
function sidesOf({ action, fields }: StoredChange, name: string): readonly [unknown, unknown] {
  const value = fields[name]
  if (action === 'create') return [undefined, value]
  return Array.isArray(value) ? [value[0], value[1]] : [undefined, undefined]
}

function accountsIn(change: StoredChange, name: string): string[] {
  const [, after] = sidesOf(change, name)
  return typeof after === 'string' ? [after] : []
}

function newMentions(change: StoredChange, name: string): string[] {
  const [before, after] = sidesOf(change, name)
  const earlier = new Set(mentionsIn(before))
  return mentionsIn(after).filter((id) => !earlier.has(id))
}

/**
 * The resources whose rows name their assignment. The rows are read, because the history of a removal or a
 * restore has no columns.
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

/** Finds the assignments that waited for one that has moved to a done stage. */
async function doneDependencies(queries: Queries, moves: readonly Move[]): Promise<Occasion[]> {
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

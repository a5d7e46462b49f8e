import type { NotificationKind } from '../../accounts/notification-mails.ts'
import type { Database, Queries } from '../../db/database.ts'
import type { LimitedReads } from '../../db/limited-reads.ts'
import { deleteInBatches } from '../../db/purge.ts'
import { raw, sql } from '../../db/sql.ts'
import type { Caller } from '../../model/caller.ts'
import { visibleRows } from '../../records/visible-rows.ts'
import { assignment } from '../../resources/assignment.ts'

export interface NewNotification {
  readonly userId: string
  readonly kind: NotificationKind
  readonly assignmentId: string
  readonly commentId?: string | undefined
  /** The stage that the assignment was moved to. */
  readonly workflowId?: string | undefined
  /** The account that caused it. Absent for reminders and for work without a caller. */
  readonly actorId?: string | null
  /** Distinguishes notifications of the same kind to the same account about the same assignment. */
  readonly cause: string
  readonly at: string
}

/**
 * The most notifications that an account has. Each page of the list reads all of them. The oldest are deleted
 * first.
 */
export const notificationsMax = 500
/** Older notifications are deleted. */
export const notificationDays = 60

/**
 * The resource of notifications in the change log, which live listings follow. The row id is the id of
 * the account.
 */
export const notificationResource = 'notification'

/**
 * Stores notifications in the transaction that moves the progress. The lock on the progress row lets one
 * instance write at a time, so the limit of each account is exact.
 */
export async function storeNotifications(
  transaction: Queries,
  created: readonly NewNotification[],
): Promise<void> {
  if (created.length === 0) return
  const columnOf = <Key extends keyof NewNotification>(key: Key) =>
    created.map((notification) => notification[key] ?? null)
  const [{ batch } = { batch: '0' }] = await transaction.query<{ batch: string }>(
    sql`update notification_progress set batch = batch + 1 returning batch::text as batch`,
  )
  const stored = await transaction.query<{ userId: string }>(sql`
    insert into notifications as stored (user_id, kind, assignment_id, comment_id, workflow_id, actor_id, cause, at, batch)
    select created.*, ${batch}::bigint from unnest(${columnOf('userId')}::uuid[], ${columnOf('kind')}::text[], ${columnOf('assignmentId')}::uuid[],
      ${columnOf('commentId')}::uuid[], ${columnOf('workflowId')}::uuid[], ${columnOf('actorId')}::uuid[], ${columnOf('cause')}::text[],
      ${columnOf('at')}::timestamptz[]) as created (user_id, kind, assignment_id, comment_id, workflow_id, actor_id, cause, at)
    where exists (select from users where id = created.user_id)
    on conflict on constraint notifications_once do update
      set workflow_id = excluded.workflow_id, actor_id = excluded.actor_id, at = excluded.at, batch = excluded.batch, read_at = null
      where stored.kind = 'stageChanged'
    returning user_id as "userId"`)
  const accounts = [...new Set(stored.map(({ userId }) => userId))]
  if (accounts.length === 0) return
  // An existing row is updated only to lock it, so that a mail covers either all of these notifications or
  // none.
  await transaction.query(sql`
    insert into notification_mails as pending (user_id, first_batch)
    select account, ${batch}::bigint from unnest(${accounts}::uuid[]) as account
    on conflict (user_id) do update set first_batch = pending.first_batch returning 1`)
  await transaction.query(sql`
    delete from notifications where id in (
      select id from (
        select id, row_number() over (partition by user_id order by at desc, id desc) as place
        from notifications where user_id = any(${accounts}::uuid[])
      ) as placed where place > ${notificationsMax}::int)
    returning 1`)
  await transaction.query(sql`
    insert into changes (resource, row_id, action, caller)
    select ${notificationResource}::text, account, 'create', null from unnest(${accounts}::uuid[]) as account returning 1`)
}

export interface NotificationQuery {
  readonly pageNumber: number
  readonly pageSize: number
  readonly isUnreadOnly: boolean
  readonly kinds: readonly string[] | undefined
}

interface StoredNotification {
  readonly id: string
  readonly kind: NotificationKind
  readonly assignmentId: string
  readonly commentId: string | null
  readonly workflowId: string | null
  readonly actorId: string | null
  readonly at: string
  readonly readAt: string | null
}

export interface ListedNotification extends StoredNotification {
  readonly assignmentName: string
  readonly projectId: string
}

export interface NotificationPage {
  readonly data: readonly ListedNotification[]
  readonly totalCount: number
  readonly pageNumber: number
  readonly pageSize: number
  readonly totalPages: number
  /** The number of unread notifications of all kinds, on all pages. */
  readonly unreadCount: number
}

/**
 * Reads the notifications about assignments that the caller can see. A sharded store may have the assignments
 * on other nodes, so there are two statements and no join.
 */
export async function listNotifications(
  reads: LimitedReads,
  caller: Caller,
  { pageNumber, pageSize, isUnreadOnly, kinds }: NotificationQuery,
): Promise<NotificationPage> {
  const stored = await reads.query<StoredNotification>(
    sql`select id, kind, assignment_id as "assignmentId", comment_id as "commentId", workflow_id as "workflowId",
        actor_id as "actorId", at, read_at as "readAt"
      from notifications where user_id = ${caller.id} order by at desc, id desc limit ${notificationsMax}::int`,
    caller.id,
  )
  const assignmentIds = [...new Set(stored.map(({ assignmentId }) => assignmentId))]
  const assignments = await readVisibleAssignments(reads, caller, assignmentIds)
  const visible = stored.flatMap((notification): ListedNotification[] => {
    const about = assignments.get(notification.assignmentId)
    return about ? [{ ...notification, assignmentName: about.name, projectId: about.projectId }] : []
  })
  const selected = visible.filter(
    ({ kind, readAt }) => (!isUnreadOnly || readAt === null) && (kinds === undefined || kinds.includes(kind)),
  )
  return {
    data: selected.slice((pageNumber - 1) * pageSize, pageNumber * pageSize),
    totalCount: selected.length,
    pageNumber,
    pageSize,
    totalPages: Math.ceil(selected.length / pageSize),
    unreadCount: visible.filter(({ readAt }) => readAt === null).length,
  }
}

interface VisibleAssignment {
  readonly id: string
  readonly name: string
  readonly projectId: string
}

async function readVisibleAssignments(
  reads: LimitedReads,
  caller: Caller,
  ids: readonly string[],
): Promise<ReadonlyMap<string, VisibleAssignment>> {
  if (ids.length === 0) return new Map()
  const rows = await reads.query<VisibleAssignment>(
    sql`select row.id, row.name, row.project_id as "projectId" from assignments as row
      where row.id = any(${ids}::uuid[]) and row.active and ${visibleRows(assignment, caller)}`,
    caller.id,
  )
  return new Map(rows.map((row) => [row.id, row]))
}

export interface Marking {
  readonly isRead: boolean
  /** Undefined for all notifications of the caller. */
  readonly ids: readonly string[] | undefined
  /** Undefined for all kinds. */
  readonly kinds: readonly string[] | undefined
}

/**
 * Marks notifications of the caller, and returns how many changed. Ids of other accounts' notifications are
 * ignored.
 */
export async function markNotifications(
  { singleWrites }: Pick<Database, 'singleWrites'>,
  caller: Caller,
  { isRead, ids, kinds }: Marking,
): Promise<number> {
  const marked = await singleWrites.query<{ id: string }>(sql`
    with marked as (
      update notifications set read_at = ${raw(isRead ? "date_trunc('milliseconds', now())" : 'null')}
      where user_id = ${caller.id} and (read_at is null) = ${isRead}::boolean
        and (${ids ?? null}::uuid[] is null or id = any(${ids ?? null}::uuid[]))
        and (${kinds ?? null}::text[] is null or kind = any(${kinds ?? null}::text[]))
      returning id
    ), logged as (
      insert into changes (resource, row_id, action, caller)
      select ${notificationResource}::text, ${caller.id}::uuid, 'update', ${caller.id}::uuid
      where exists (select from marked)
    )
    select id from marked`)
  return marked.length
}

export const purgeNotifications = (database: Pick<Database, 'transaction'>): Promise<void> =>
  deleteInBatches(
    database,
    { table: 'notifications' },
    sql`at < now() - make_interval(days => ${notificationDays}::int)`,
  )

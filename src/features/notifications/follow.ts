import type { Database, Queries } from '../../db/database.ts'
import { maintenanceLimits } from '../../db/failures.ts'
import { sql } from '../../db/sql.ts'
import type { Caller } from '../../model/caller.ts'
import { Problem } from '../../model/problem.ts'
import { type RepeatedWork, repeat } from '../../model/repeat.ts'
import {
  type FeedPosition,
  formatPosition,
  newestPosition,
  parsePosition,
  readFeed,
} from '../changes/read-feed.ts'
import { notificationsOf, notifyingResources } from './causes.ts'
import { queueNotificationMails } from './mails.ts'
import { type NewNotification, purgeNotifications, storeNotifications } from './notifications.ts'
import { readInvolved } from './watching.ts'

export interface FollowOptions {
  readonly database: Database
  /** True if this host sends mails. */
  readonly hasMail: boolean
  readonly onFailure: (error: unknown) => void
}

/** Writes of this process are followed within this time. */
const pollAfterWriteMilliseconds = 250
/** Writes of other processes are followed within this time. */
const pollMilliseconds = 1000
const reminderMilliseconds = 60_000
const mailMilliseconds = 10_000
const purgeMilliseconds = 60 * 60_000

/** Creates notifications soon after each write. Only one instance handles each change. */
export function startNotifications({ database, hasMail, onFailure }: FollowOptions): RepeatedWork {
  let isPollWanted = true
  let nextPollAt = 0
  database.onCommit(() => {
    isPollWanted = true
  })
  const repetitions: readonly RepeatedWork[] = [
    repeat({ everyMilliseconds: pollAfterWriteMilliseconds, onFailure }, async () => {
      if (!isPollWanted && performance.now() < nextPollAt) return
      isPollWanted = false
      nextPollAt = performance.now() + pollMilliseconds
      await followChanges(database)
    }),
    repeat({ everyMilliseconds: reminderMilliseconds, onFailure }, () => remind(database)),
    repeat({ everyMilliseconds: purgeMilliseconds, onFailure }, () => purgeNotifications(database)),
    ...(hasMail
      ? [repeat({ everyMilliseconds: mailMilliseconds, onFailure }, () => queueNotificationMails(database))]
      : []),
  ]
  return {
    async stop() {
      await Promise.all(repetitions.map((repetition) => repetition.stop()))
    },
  }
}

/**
 * The caller who follows the changes is an administrator, and so reads all changes. The access of each
 * account is checked when it reads its notifications.
 */
const follower: Caller = { id: 'notifications', isAdministrator: true }
const pageSize = 100

/** Creates the notifications of all changes up to now, with one transaction for each page of changes. */
export async function followChanges(database: Database): Promise<void> {
  for (let isMore = true; isMore; ) {
    const progress = await findProgress(database)
    if (!progress) return startProgress(database)
    if (!progress.isBehind) return
    isMore = await followPage(database, progress.position)
  }
}

interface Progress {
  readonly position: string
  readonly isBehind: boolean
}

/**
 * After a restore from a backup, the stored position may be newer than the database. `isBehind` is true then
 * as well, so that the position is replaced.
 */
async function findProgress(database: Queries): Promise<Progress | undefined> {
  const [progress] = await database.query<Progress>(sql`
    select position, exists (
      select from changes where transaction >= pg_snapshot_xmin(since::pg_snapshot)
        and not pg_visible_in_snapshot(transaction, since::pg_snapshot) and resource = any(${notifyingResources}::text[])
    ) or pg_snapshot_xmax(since::pg_snapshot) > pg_snapshot_xmax(pg_current_snapshot()) as "isBehind"
    from notification_progress`)
  return progress
}

/**
 * Starts at the newest change and today's date, so that an existing database creates no notifications of the
 * past.
 */
async function startProgress(database: Database): Promise<void> {
  const position = await newestPosition(database.liveListReads, follower)
  await database.singleWrites.query(sql`
    insert into notification_progress (position, since, reminded_on)
    values (${formatPosition(position)}, ${position.since}, (now() at time zone 'UTC')::date)
    on conflict do nothing returning 1`)
}

/** Returns true if another page may follow at once. */
async function followPage(database: Database, stored: string): Promise<boolean> {
  const position = parsePosition(stored)
  const filter = { resources: notifyingResources }
  try {
    const page = await readFeed({ caller: follower, filter, position, pageSize }, database.liveListReads)
    const isMoved = await database.transaction(async (transaction) => {
      if (!(await moveProgress(transaction, stored, page.position))) return false
      const created = await notificationsOf(
        transaction,
        page.changes.map(({ change }) => change),
      )
      await storeNotifications(transaction, created)
      return true
    }, maintenanceLimits)
    // If another instance was faster, its page may have ended earlier.
    return !isMoved || !page.isCurrent
  } catch (error) {
    if (!(error instanceof Problem && error.kind === 'gone')) throw error
    // The next changes are purged, or the database was restored to another state. The newest position skips
    // them.
    const newest = await newestPosition(database.liveListReads, follower)
    await moveProgress(database.singleWrites, stored, newest)
    return false
  }
}

/**
 * Moves the progress from the position that was read. Because of the row lock, only one instance succeeds.
 * Its transaction also stores the notifications.
 */
async function moveProgress(queries: Queries, from: string, to: FeedPosition): Promise<boolean> {
  const moved = await queries.query(sql`
    update notification_progress set position = ${formatPosition(to)}, since = ${to.since}
    where position = ${from} returning 1`)
  return moved.length > 0
}

/** If no host was running for more than this number of days, the reminders of earlier days are skipped. */
const missedDaysMax = 7
const remindersPageSize = 500

/**
 * Creates the reminders of a new day (UTC). The first instance moves the date in the same transaction, so
 * reminders are created only once.
 */
export function remind(database: Database): Promise<boolean> {
  return database.transaction(async (transaction) => {
    const [days] = await transaction.query<{ from: string; today: string }>(sql`
      update notification_progress as row set reminded_on = (now() at time zone 'UTC')::date
      from (select reminded_on from notification_progress for update) as earlier
      where row.reminded_on < (now() at time zone 'UTC')::date
      returning greatest(earlier.reminded_on, row.reminded_on - ${missedDaysMax}::int)::text as "from", row.reminded_on::text as today`)
    if (!days) return false
    for (let after: string | undefined = firstId; after; ) after = await remindPage(transaction, days, after)
    return true
  }, maintenanceLimits)
}

const firstId = '00000000-0000-0000-0000-000000000000'

interface Due {
  readonly id: string
  readonly day: string
  readonly isOverdue: boolean
  readonly at: string
}

/**
 * Reminds of assignments that are due tomorrow, and of assignments that have become overdue since the last
 * reminders. Returns the id after which the next page begins, or undefined after the last page.
 */
async function remindPage(
  transaction: Queries,
  { from, today }: { readonly from: string; readonly today: string },
  after: string,
): Promise<string | undefined> {
  const due = await transaction.query<Due>(sql`
    select row.id, (row.end_date at time zone 'UTC')::date::text as day,
      row.end_date < (${today}::date)::timestamp at time zone 'UTC' as "isOverdue", now() as at
    from assignments as row join workflows as stage on stage.id = row.workflow_id
    where row.active and not row.is_unscheduled and not stage.is_done and row.id > ${after}::uuid and (
      row.end_date >= (${from}::date)::timestamp at time zone 'UTC' and row.end_date < (${today}::date)::timestamp at time zone 'UTC'
      or row.end_date >= (${today}::date + 1)::timestamp at time zone 'UTC' and row.end_date < (${today}::date + 2)::timestamp at time zone 'UTC')
    order by row.id limit ${remindersPageSize}::int`)
  const involved = await readInvolved(
    transaction,
    due.map(({ id }) => id),
  )
  const created = due.flatMap(({ id, day, isOverdue, at }) => {
    const { reminded = [] } = involved.get(id) ?? {}
    return [...reminded].map(
      (account): NewNotification => ({
        userId: account,
        kind: isOverdue ? 'overdue' : 'dueTomorrow',
        assignmentId: id,
        cause: day,
        at,
      }),
    )
  })
  await storeNotifications(transaction, created)
  return due.length === remindersPageSize ? due.at(-1)?.id : undefined
}

import {
  type Administrators,
  administratorColumns,
  type PossibleAdministrator,
} from '../../accounts/administrators.ts'
import { isMailAddress, type QueuedMail, queueMail } from '../../accounts/mail-queue.ts'
import {
  createUnsubscribeToken,
  type MailFrequency,
  mailDefaults,
  type NotificationGroup,
  type NotificationsToSend,
  notificationKinds,
} from '../../accounts/notification-mails.ts'
import { findLanguage, isAccountDeactivatedSql } from '../../accounts/sign-in.ts'
import { timestamp } from '../../db/columns.ts'
import type { Database, Queries } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import { isTimeZone } from '../../model/field-kinds.ts'
import { type ListedNotification, listNotifications, notificationsMax } from './notifications.ts'

/**
 * Notifications are collected for this long. With the time in the queue, a mail is sent within five minutes.
 */
const bundleMilliseconds = 4 * 60_000
/**
 * Bounds the duration of a run: queuing a mail takes a few milliseconds. Further accounts wait for the next
 * run.
 */
const accountsPerRunMax = 500

/** Queues the mails that are due. Tests pass `now`. */
export async function queueNotificationMails(
  database: Pick<Database, 'transaction'>,
  now = new Date(),
): Promise<void> {
  for (let count = 0; count < accountsPerRunMax; count += 1)
    if (!(await database.transaction((transaction) => queueNextMail(transaction, now)))) return
}

/** A row of `notification_mails`: the account has notifications that are not mailed yet. */
interface PendingMail {
  readonly userId: string
  readonly firstBatch: string
  readonly since: string
  /** True if the row has a due time. A change of the account's settings clears it. */
  readonly hasDueTime: boolean
}

/** The account's settings. Null stands for the default. */
interface MailSettings {
  readonly frequency: MailFrequency | null
  readonly hour: number | null
  readonly timeZone: string | null
  readonly mutedKinds: readonly string[] | null
}

/**
 * Queues the mail of one account, or calculates when it is due. The lock on the row excludes other instances,
 * and new notifications wait for the next mail. Row and mail change in one transaction, so no batch is mailed
 * twice. Returns false if no row is left.
 */
async function queueNextMail(transaction: Queries, now: Date): Promise<boolean> {
  const [pending] = await transaction.query<PendingMail>(sql`
    select user_id as "userId", first_batch::text as "firstBatch", since, due_at is not null as "hasDueTime"
    from notification_mails where due_at is null or due_at <= ${timestamp(now.getTime())}::timestamptz
    order by due_at nulls first limit 1 for update skip locked`)
  if (!pending) return false
  const { userId, hasDueTime, firstBatch } = pending
  const postpone = (dueAt: Date) =>
    transaction.query(
      sql`update notification_mails set due_at = ${timestamp(dueAt.getTime())}::timestamptz where user_id = ${userId} returning 1`,
    )
  const deleteRow = () =>
    transaction.query(sql`delete from notification_mails where user_id = ${userId} returning 1`)
  // Read under the lock, because a change of the settings updates the same row.
  const settings = await readMailSettings(transaction, userId)
  const dueAt = dueAtOf(new Date(pending.since), settings)
  const lastBatch = dueAt && (await findLastBatch(transaction, pending, settings))
  if (!dueAt || !lastBatch) await deleteRow()
  else if (!hasDueTime && dueAt > now) await postpone(dueAt)
  else {
    const waitSeconds = await queueMail(transaction, {
      purpose: 'notifications',
      creatorId: userId,
      firstBatch,
      lastBatch,
    })
    if (waitSeconds === undefined) await deleteRow()
    else await postpone(new Date(now.getTime() + waitSeconds * 1000))
  }
  return true
}

async function readMailSettings(queries: Queries, userId: string): Promise<MailSettings> {
  const [settings] = await queries.query<MailSettings>(sql`
    select notification_mails as frequency, notification_hour as hour, time_zone as "timeZone", muted_kinds as "mutedKinds"
    from account_settings where user_id = ${userId}`)
  return settings ?? { frequency: null, hour: null, timeZone: null, mutedKinds: null }
}

/** Returns when the mail is due, or undefined if the account wants no mails. */
function dueAtOf(since: Date, { frequency, hour, timeZone }: MailSettings): Date | undefined {
  switch (frequency ?? mailDefaults.frequency) {
    case 'soon':
      return new Date(since.getTime() + bundleMilliseconds)
    case 'daily':
      return nextDigest(since, hour ?? mailDefaults.hour, timeZone ?? mailDefaults.timeZone)
    case 'none':
      return undefined
  }
}

/**
 * Returns the newest batch with an unread notification that is not muted, or undefined if there is none to
 * mail.
 */
async function findLastBatch(
  queries: Queries,
  { userId, firstBatch }: PendingMail,
  { mutedKinds }: MailSettings,
): Promise<string | undefined> {
  const [last] = await queries.query<{ batch: string | null }>(sql`
    select max(batch)::text as batch from notifications
    where user_id = ${userId} and batch >= ${firstBatch}::bigint and read_at is null
      and kind <> all(${mutedKinds ?? []}::text[])`)
  return last?.batch ?? undefined
}

/** Offsets of time zones are multiples of a quarter of an hour, so each local hour begins at such a step. */
const stepMilliseconds = 15 * 60_000
/** The search covers more than two days, because a zone can skip a day, as Samoa did in 2011. */
const stepsMax = 4 * 50

/**
 * Returns the first instant after `since` at which clocks in the time zone show the hour. If daylight saving
 * time skips the hour, returns the end of the gap. If the hour occurs twice, returns the first.
 */
export function nextDigest(since: Date, hour: number, timeZone: string): Date {
  // A zone that a later version of Node no longer has must not stop the mails of other accounts.
  const clock = new Intl.DateTimeFormat('en-CA', {
    timeZone: isTimeZone(timeZone) ? timeZone : mailDefaults.timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
  })
  /** Returns the local day, or undefined if clocks have not reached the hour on that day. */
  const digestDay = (instant: number): string | undefined => {
    const [day, localHour] = clock.format(instant).split(', ')
    return Number(localHour) >= hour ? day : undefined
  }
  const first = Math.floor(since.getTime() / stepMilliseconds) * stepMilliseconds
  for (let step = 1; step <= stepsMax; step += 1) {
    const instant = first + step * stepMilliseconds
    const day = digestDay(instant)
    if (day !== undefined && day !== digestDay(instant - stepMilliseconds)) return new Date(instant)
  }
  return new Date(first + stepsMax * stepMilliseconds)
}

/** Users do not read longer mails. The inbox has all notifications. */
export const mailedNotificationsMax = 20
/** Older notifications are not mailed, for example after a time without a mail server. */
const mailedDaysMax = 3

/**
 * Composes a mail when it is sent. It contains the notifications that are unread and concern assignments that
 * the account can still see. Returns undefined if there are none or if the account cannot get mails.
 */
export async function composeNotifications(
  { database, administrators }: { readonly database: Database; readonly administrators: Administrators },
  { creatorId, firstBatch, lastBatch }: Pick<QueuedMail, 'creatorId' | 'firstBatch' | 'lastBatch'>,
): Promise<NotificationsToSend | undefined> {
  const [account] = await database.query<PossibleAdministrator & { readonly id: string }>(sql`
    select account.id, ${administratorColumns} from users as account
    where account.id = ${creatorId} and account.active and not ${isAccountDeactivatedSql}`)
  if (!account || !isMailAddress(account.login.trim())) return undefined
  const { frequency, mutedKinds } = await readMailSettings(database, account.id)
  if (frequency === 'none') return undefined
  const covered = await database.query<{ id: string }>(sql`
    select id from notifications where user_id = ${account.id}
      and batch between ${firstBatch}::bigint and ${lastBatch}::bigint
      and at > now() - make_interval(days => ${mailedDaysMax}::int)`)
  const ids = new Set(covered.map(({ id }) => id))
  const caller = { id: account.id, isAdministrator: administrators.isAdministrator(account) }
  const { data } = await listNotifications(database.liveListReads, caller, {
    pageNumber: 1,
    pageSize: notificationsMax,
    isUnreadOnly: true,
    kinds: notificationKinds.filter((kind) => !mutedKinds?.includes(kind)),
  })
  const mailed = data.filter(({ id }) => ids.has(id))
  if (mailed.length === 0) return undefined
  return {
    to: account.login.trim(),
    accountId: account.id,
    language: await findLanguage(database, account.id),
    unsubscribeToken: await createUnsubscribeToken(database.singleWrites, account.id),
    groups: await groupsOf(database, mailed.slice(0, mailedNotificationsMax)),
    count: mailed.length,
    moreCount: Math.max(0, mailed.length - mailedNotificationsMax),
  }
}

async function groupsOf(
  queries: Queries,
  notifications: readonly ListedNotification[],
): Promise<readonly NotificationGroup[]> {
  const names = await queries.query<{ id: string; name: string }>(sql`
    select id, name from users where id = any(${notifications.map(({ actorId }) => actorId)}::uuid[])
    union all
    select id, name from projects where id = any(${notifications.map(({ projectId }) => projectId)}::uuid[])
    union all
    select id, name from workflows where id = any(${notifications.map(({ workflowId }) => workflowId)}::uuid[])`)
  const nameOf = new Map(names.map(({ id, name }) => [id, name]))
  const byAssignment = Map.groupBy(notifications, ({ assignmentId }) => assignmentId)
  return [...byAssignment.values()].flatMap((ofAssignment): NotificationGroup[] => {
    const [first] = ofAssignment
    if (!first) return []
    const { assignmentId, assignmentName, projectId } = first
    return [
      {
        assignment: assignmentName,
        project: nameOf.get(projectId) ?? '',
        path: `/projects/${projectId}/assignments/${assignmentId}`,
        lines: ofAssignment.map(({ kind, actorId, workflowId }) => ({
          kind,
          actor: nameOf.get(actorId ?? ''),
          stage: nameOf.get(workflowId ?? ''),
        })),
      },
    ]
  })
}

import { randomUUID } from 'node:crypto'
import { administratorColumns, type PossibleAdministrator } from '../../accounts/administrators.ts'
import { isAccountDeactivatedSql } from '../../accounts/sign-in.ts'
import type { Database, Queries } from '../../db/database.ts'
import { deleteInBatches } from '../../db/purge.ts'
import { raw, type Sql, sql } from '../../db/sql.ts'
import { messagesAbout } from '../../db/stepwise-statements.ts'
import type { Caller } from '../../model/caller.ts'
import { readAccessOf, readableEntries } from '../../records/visible-rows.ts'
import {
  type FeedPage,
  formatPosition,
  newestPosition,
  parsePosition,
  readFeed,
} from '../changes/read-feed.ts'
import { serializeChange } from '../changes/serialize-change.ts'

/** The account that a webhook belongs to. */
interface Owner extends PossibleAdministrator {
  readonly isOwnerActive: boolean
}

/** A webhook that this process serves as long as its claim is valid. */
export interface ClaimedWebhook {
  readonly id: string
  readonly claim: string
  readonly userId: string
  readonly projectId: string | null
  readonly url: string
  readonly resources: readonly string[] | null
  readonly actions: readonly string[] | null
  readonly secret: string
  readonly previousSecret: string | null
  readonly position: string
}

/**
 * A message belongs to an account that could read its contents. Whenever it is shown or sent, the access of
 * the account to the row is checked again. This check holds no lock, so when a membership ends, messages that
 * have just passed it may still arrive.
 */
export interface KeptMessage {
  /** A text such as `assignment.update`, or `test` for a message about no row. */
  readonly type: string
  readonly rowId: string
}

/** The condition under which the caller may read the message of a row called `delivery`. */
export const isReadable = (caller: Caller): Sql =>
  caller.isAdministrator
    ? raw('true')
    : sql`(delivery.type = 'test' or exists (
        select 1 from (select split_part(delivery.type, '.', 1) as resource, delivery.row_id) as entry
        where ${readableEntries(caller)}))`

/**
 * Removes what this reader may not see. The message was created for the owner, who may have been an
 * administrator then. A reader who is not an administrator sees the session and the request only of their own changes.
 */
export function bodyFor(reader: Caller, body: string): string {
  if (reader.isAdministrator) return body
  const { data, ...message } = JSON.parse(body) as { data: Record<string, unknown> }
  if (data.callerId === reader.id || !('sessionId' in data)) return body
  return JSON.stringify({ ...message, data: { ...data, sessionId: null, requestId: null } })
}

export interface Delivery extends KeptMessage {
  readonly id: number
  readonly message: string
  readonly body: string
  readonly attempts: number
  readonly firstAt: string | null
  /** A replay changes it. An attempt updates the delivery only if this value is unchanged. */
  readonly nextAt: string
}

export interface Attempt {
  readonly at: number
  readonly milliseconds: number
  readonly headers: Readonly<Record<string, string>>
  readonly status?: number
  readonly answer?: string
  readonly error?: string
}

/** The number of webhooks that one instance claims at once. Other instances claim the rest. */
export const claimedAtOnceMax = 8
/** A claim expires after this time, so that others serve the webhooks of a process that was killed. */
export const claimSeconds = 6

const toTimestamp = (milliseconds: number) => sql`to_timestamp(${milliseconds / 1000}::float8)`

/** Lets instances skip every other query while there is no active webhook. */
export async function hasWebhooks(database: Queries): Promise<boolean> {
  const [active] = await database.query(sql`select 1 from webhooks where active limit 1`)
  return active !== undefined
}

export interface ClaimOptions {
  readonly max?: number
  /** The ids of webhooks not to claim, because this process serves them or has just served them. */
  readonly except?: readonly string[]
}

/**
 * Claims webhooks that have a due delivery, or changes since their last check. The webhooks that have waited
 * longest come first. Locked rows are skipped, because another instance is claiming them.
 */
export function claimWebhooks(
  database: Database,
  now: number,
  { max = claimedAtOnceMax, except = [] }: ClaimOptions = {},
): Promise<ClaimedWebhook[]> {
  const claim = randomUUID()
  return database.singleWrites.query<ClaimedWebhook>(sql`
    with free as (
      select id from webhooks as hook
      where active and (claim is null or claimed_until < ${toTimestamp(now)})
        and id <> all(${except}::uuid[]) and (
        exists (select 1 from webhook_deliveries where webhook_id = hook.id and next_at <= ${toTimestamp(now)})
        or exists (
          select 1 from changes where transaction >= pg_snapshot_xmin(hook.since::pg_snapshot)
            and not pg_visible_in_snapshot(transaction, hook.since::pg_snapshot)))
      order by claimed_until nulls first limit ${max}::int for update skip locked
    )
    update webhooks as hook set claim = ${claim}::uuid, claimed_until = ${toTimestamp(now + claimSeconds * 1000)}
    from free where hook.id = free.id
    returning hook.id, hook.claim, hook.user_id as "userId",
      hook.project_id as "projectId", hook.url, hook.resources, hook.actions, hook.secret, hook.position,
      case when hook.previous_until > ${toTimestamp(now)} then hook.previous_secret end as "previousSecret"`)
}

export async function readOwner(database: Queries, { userId }: ClaimedWebhook): Promise<Owner> {
  const [owner] = await database.query<Owner>(sql`
    select ${administratorColumns}, account.active and not ${isAccountDeactivatedSql} as "isOwnerActive"
    from users as account where account.id = ${userId}`)
  if (!owner) throw new Error('A webhook has no account.')
  return owner
}

/**
 * Returns false if the claim was lost, because the webhook was changed or paused, or another instance has
 * claimed it.
 */
export async function renewClaim(
  { singleWrites }: Database,
  { id, claim }: ClaimedWebhook,
  now: number,
): Promise<boolean> {
  const renewed = await singleWrites.query(sql`
    update webhooks set claimed_until = ${toTimestamp(now + claimSeconds * 1000)}
    where id = ${id} and claim = ${claim} and active returning true`)
  return renewed.length > 0
}

/**
 * Ends a claim. `claimed_until` contains the time of the release, so webhooks that have waited longer are
 * claimed first.
 */
export async function releaseClaim(
  { singleWrites }: Database,
  { id, claim }: ClaimedWebhook,
  now: number,
): Promise<void> {
  await singleWrites.query(sql`
    update webhooks set claim = null, claimed_until = ${toTimestamp(now)} where id = ${id} and claim = ${claim} returning true`)
}

/** Further changes stay in the history until the queue has room, because a queued message is a copy. */
const waitingMax = 500
const pageSize = 100

/**
 * Creates deliveries for newer changes that the owner of the webhook sees, and moves the position with them.
 * Returns the position after them.
 */
export async function fillQueue(
  database: Database,
  hook: ClaimedWebhook,
  caller: Caller,
  now: number,
): Promise<string> {
  let position = parsePosition(hook.position)
  for (let isMore = true; isMore && (await countWaiting(database, hook)) < waitingMax; ) {
    const filter = {
      resources: hook.resources ?? undefined,
      actions: hook.actions ?? undefined,
      projectId: hook.projectId ?? undefined,
    }
    const page = await readFeed({ caller, filter, position, pageSize }, database.liveListReads)
    isMore =
      (await database.transaction((transaction) => queuePage(transaction, hook, caller, page, now))) &&
      !page.isCurrent
    position = page.position
  }
  return position ? formatPosition(position) : hook.position
}

/** Purged changes cannot be delivered, so the webhook continues with new changes. */
export async function skipPurged(database: Database, { id }: ClaimedWebhook, caller: Caller): Promise<void> {
  const position = await newestPosition(database.liveListReads, caller)
  await database.singleWrites.query(sql`
    update webhooks set position = ${formatPosition(position)}, since = ${position.since} where id = ${id} returning true`)
}

async function countWaiting(database: Queries, { id }: ClaimedWebhook): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    sql`select count(*) as count from webhook_deliveries where webhook_id = ${id} and next_at is not null`,
  )
  return row?.count ?? 0
}

/**
 * Writes deliveries and position in one transaction, so that a process that dies leaves all or none of them.
 */
async function queuePage(
  transaction: Queries,
  { id, claim }: ClaimedWebhook,
  caller: Caller,
  { changes, position }: FeedPage,
  now: number,
): Promise<boolean> {
  const moved = await transaction.query(sql`
    update webhooks set position = ${formatPosition(position)}, since = ${position.since}
    where id = ${id} and claim = ${claim} returning true`)
  if (moved.length === 0) return false
  const messages = changes.map(({ change }) => {
    const data = serializeChange(change, caller)
    const type = `${change.resource}.${change.action}`
    return {
      message: `${data.id}.${id}`,
      type,
      rowId: change.rowId,
      body: messageBody(type, change.at, data),
    }
  })
  await queueMessages(transaction, id, messages, now)
  return true
}

export const messageBody = (type: string, timestamp: string, data: object): string =>
  JSON.stringify({ type, timestamp, data })

export interface QueuedMessage {
  readonly message: string
  readonly type: string
  readonly rowId: string
  readonly body: string
}

export async function queueMessages(
  queries: Queries,
  webhookId: string,
  messages: readonly QueuedMessage[],
  now: number,
): Promise<void> {
  if (messages.length === 0) return
  await queries.query(sql`
    insert into webhook_deliveries (webhook_id, message, type, row_id, body, created_at, next_at)
    select ${webhookId}, message, type, row_id, body, ${toTimestamp(now)}, ${toTimestamp(now)}
    from unnest(${messages.map(({ message }) => message)}::text[], ${messages.map(({ type }) => type)}::text[],
      ${messages.map(({ rowId }) => rowId)}::uuid[], ${messages.map(({ body }) => body)}::text[])
      with ordinality as queued (message, type, row_id, body, place) order by place`)
}

export interface Due {
  /** The messages that the owner may read. */
  readonly readable: readonly Delivery[]
  readonly unreadable: readonly Delivery[]
}

/**
 * Finds the oldest pending delivery of each row, if it is due. Later deliveries of the row wait for it.
 */
export async function findDueDeliveries(
  database: Database,
  { id }: ClaimedWebhook,
  reader: Caller,
  now: number,
  max: number,
): Promise<Due> {
  type Found = Delivery & { readonly isReadable: boolean }
  const due = (condition: Sql) => sql`
    select id, message, type, row_id as "rowId", body, attempts, first_at as "firstAt", next_at::text as "nextAt", ${condition} as "isReadable" from (
      select distinct on (row_id) * from webhook_deliveries
      where webhook_id = ${id} and next_at is not null order by row_id, id
    ) as delivery
    where next_at <= ${toTimestamp(now)} order by id limit ${max}`
  const found = await database.query<Found>(
    messagesAbout.attach(
      { accessOf: readAccessOf(reader), messages: () => due(raw('true')) },
      due(isReadable(reader)),
    ),
  )
  const readable = found.filter((delivery) => delivery.isReadable)
  return {
    readable: readable.map((delivery) => ({ ...delivery, body: bodyFor(reader, delivery.body) })),
    unreadable: found.filter((delivery) => !delivery.isReadable),
  }
}

/** Withdrawn deliveries are no longer sent. They can be replayed once the account can read them again. */
export async function withdrawDeliveries(
  { singleWrites }: Database,
  deliveries: readonly Delivery[],
): Promise<void> {
  if (deliveries.length === 0) return
  await singleWrites.query(sql`
    update webhook_deliveries as delivery set next_at = null
    from unnest(${deliveries.map(({ id }) => id)}::bigint[], ${deliveries.map(({ nextAt }) => nextAt)}::timestamptz[])
      as unreadable (id, next_at)
    where delivery.id = unreadable.id and delivery.next_at = unreadable.next_at returning true`)
}

/**
 * Records an attempt. `nextAt` is the time of the next attempt, or undefined if the receiver accepted the
 * message. If the delivery was replayed during the attempt, its `next_at` has changed, and it stays due.
 */
export async function recordAttempt(
  { singleWrites }: Database,
  delivery: Delivery,
  { at, milliseconds, headers, status, answer, error }: Attempt,
  nextAt: number | undefined,
): Promise<void> {
  await singleWrites.query(sql`
    with tried as (
      select id, next_at = ${delivery.nextAt}::timestamptz as "isCurrent" from webhook_deliveries
      where id = ${delivery.id} for no key update
    ), settled as (
      update webhook_deliveries as delivery set attempts = attempts + 1, first_at = coalesce(first_at, ${toTimestamp(at)}),
        next_at = ${nextAt === undefined ? raw('null') : toTimestamp(nextAt)},
        delivered_at = ${nextAt === undefined ? toTimestamp(at + milliseconds) : raw('delivered_at')}
      from tried where delivery.id = tried.id and tried."isCurrent"
    )
    insert into webhook_attempts (delivery_id, at, milliseconds, headers, status, answer, error)
    select id, ${toTimestamp(at)}, ${Math.round(milliseconds)}::int, ${JSON.stringify(headers)}::jsonb, ${status ?? null}::int,
      ${answer ?? null}::text, ${error ?? null}::text from tried returning true`)
}

export async function pauseWebhook(
  { singleWrites }: Writes,
  id: string,
  reason: string,
  now: number,
): Promise<void> {
  await singleWrites.query(sql`
    update webhooks set active = false, paused_at = ${toTimestamp(now)}, paused_because = ${reason}, claim = null, claimed_until = null
    where id = ${id} and active returning true`)
}

type Writes = Pick<Database, 'singleWrites'>

/** Delivered and withdrawn messages are purged after this time. Pending messages are kept. */
const logDays = 30

export const purgeDeliveries = (database: Pick<Database, 'transaction'>): Promise<void> =>
  deleteInBatches(
    database,
    { table: 'webhook_deliveries' },
    sql`next_at is null and created_at < now() - make_interval(days => ${logDays}::int)`,
  )

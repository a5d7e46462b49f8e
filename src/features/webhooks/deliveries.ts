import { raw, type Sql, sql } from '../../db/sql.ts'
import { changeMessages, messagesAbout } from '../../db/stepwise-statements.ts'
import type { Caller } from '../../model/caller.ts'
import { capitalize } from '../../model/field.ts'
import { isEarlier, isNullOrBlank, timestamp } from '../../model/field-kinds.ts'
import { collectViolations, notFound, parseObject, type Violations } from '../../model/problem.ts'
import type { Context } from '../../records/context.ts'
import { pageSizeDefault, pageSizeMax, parseNumber, valueUnlessBlank } from '../../records/list-query.ts'
import { readAccessOf } from '../../records/visible-rows.ts'
import { bodyFor, isReadable, type KeptMessage } from './queue.ts'
import { parseWebhookId, requireReadableProject, requireVisibleWebhook } from './webhooks.ts'

export interface LoggedDelivery {
  readonly id: string
  readonly messageId: string
  readonly type: string
  readonly createdAt: string
  readonly deliveredAt: string | null
  /** The time of the next attempt. */
  readonly nextAt: string | null
  readonly body: string
  /** The newest first. */
  readonly attempts: readonly unknown[]
}

export interface DeliveryPage {
  readonly data: readonly LoggedDelivery[]
  readonly next: string | null
}

/** The newest attempts of a delivery show what is wrong. */
export const attemptsListedMax = 5

/** Returns the deliveries to a webhook that the caller may read today, with the responses, newest first. */
export async function listDeliveries(
  { database }: Context,
  caller: Caller,
  query: Readonly<Record<string, unknown>>,
): Promise<DeliveryPage> {
  const violations = collectViolations()
  const queryValue = (key: string) => valueUnlessBlank(query, key)
  const id = parseWebhookId(queryValue('id'), violations) ?? ''
  const before = parseNumber('before', queryValue('before'), Number.MAX_SAFE_INTEGER, violations)
  const pageSize = parseNumber('pageSize', queryValue('pageSize'), pageSizeMax, violations) ?? pageSizeDefault
  violations.throwIfAny()
  await requireVisibleWebhook(database, caller, id)
  const page = (condition: Sql) => sql`
    select delivery.id::text, delivery.message as "messageId", delivery.type, delivery.row_id as "rowId",
      delivery.created_at as "createdAt", delivery.delivered_at as "deliveredAt", delivery.next_at as "nextAt", delivery.body,
      coalesce((
        select jsonb_agg(jsonb_build_object('at', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
          'milliseconds', milliseconds, 'status', status, 'answer', answer, 'error', error, 'headers', headers) order by at desc)
        from (select * from webhook_attempts where delivery_id = delivery.id order by at desc limit ${attemptsListedMax}::int) as attempt
      ), '[]') as attempts, true as "isReadable"
    from webhook_deliveries as delivery
    where delivery.webhook_id = ${id} and delivery.id < ${before ?? Number.MAX_SAFE_INTEGER} and ${condition}
    order by delivery.id desc limit ${pageSize + 1}`
  type Found = LoggedDelivery & KeptMessage & { readonly isReadable: boolean }
  const found = await database.listReads.query<Found>(
    messagesAbout.attach(
      { accessOf: readAccessOf(caller), messages: () => page(raw('true')) },
      page(isReadable(caller)),
    ),
    caller.id,
  )
  const listed = found.slice(0, pageSize)
  return {
    data: listed
      .filter((delivery) => delivery.isReadable)
      .map(({ rowId, isReadable, ...delivery }) => ({
        ...delivery,
        body: bodyFor(caller, delivery.body),
      })),
    next: found.length > pageSize ? (listed.at(-1)?.id ?? null) : null,
  }
}

/**
 * Sends one delivery again, or all deliveries of a period, with the same ids. Returns their number. A paused
 * webhook resumes.
 */
export async function replayDeliveries(
  { database }: Context,
  caller: Caller,
  body: unknown,
): Promise<number> {
  const fields = parseObject(body)
  const violations = collectViolations()
  const id = parseWebhookId(fields.id, violations) ?? ''
  const deliveryId = parseNumber(
    'deliveryId',
    fields.deliveryId ?? undefined,
    Number.MAX_SAFE_INTEGER,
    violations,
  )
  const from = parseOptionalTimestamp('from', fields.from, violations)
  const to = parseOptionalTimestamp('to', fields.to, violations)
  // An invalid DeliveryId has been reported already.
  if (deliveryId === undefined && fields.deliveryId == null && (from === undefined || to === undefined))
    violations.add('deliveryId', 'DeliveryId is required, or From and To.')
  if (from && to && isEarlier(to, from)) violations.add('to', 'To must be on or after From.')
  violations.throwIfAny()
  await requireReadableProject(database, caller, id)
  const selection =
    deliveryId === undefined ? sql`created_at >= ${from} and created_at < ${to}` : sql`id = ${deliveryId}`
  const resend = (condition: Sql) => sql`
    update webhook_deliveries as delivery set next_at = now(), first_at = null, attempts = 0, delivered_at = null
    where webhook_id = ${id} and ${selection} and ${condition} returning id`
  const resent = await database.singleWrites.query(
    changeMessages.attach(
      {
        accessOf: readAccessOf(caller),
        messages: () =>
          sql`select id, type, row_id as "rowId" from webhook_deliveries where webhook_id = ${id} and ${selection}`,
        change: (ids) => resend(sql`id = any(${ids}::bigint[])`),
      },
      resend(isReadable(caller)),
    ),
  )
  if (resent.length === 0 && deliveryId !== undefined) throw notFound('Delivery')
  if (resent.length > 0)
    await database.singleWrites.query(sql`
      update webhooks set active = true, paused_at = null, paused_because = null where id = ${id} and not active returning true`)
  return resent.length
}

function parseOptionalTimestamp(key: string, input: unknown, violations: Violations): string | undefined {
  if (isNullOrBlank(input)) return undefined
  const parsed = timestamp.parse(input, capitalize(key))
  if ('value' in parsed) return parsed.value
  violations.add(key, ...parsed.problems)
  return undefined
}

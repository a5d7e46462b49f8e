import type { Database, Queries } from '../../db/database.ts'
import { maintenanceLimits } from '../../db/deadline.ts'
import { sql } from '../../db/sql.ts'
import { readInvolved } from './involved.ts'
import { keepNotifications, type NewNotification } from './notifications.ts'

/** After a longer stop, older days are not caught up with. */
const missedDaysMax = 7
const pageSize = 500

/**
 * Creates the reminders of a new day (UTC), once for all instances: the first one moves the day, under the lock of its row, in the
 * transaction that creates them.
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

/** Overdue are the assignments whose due day has ended since the earlier reminders. Returns the id after which the next page begins. */
async function remindPage(
  transaction: Queries,
  { from, today }: { readonly from: string; readonly today: string },
  after: string,
): Promise<string | undefined> {
  const due = await transaction.query<Due>(sql`
    select row.id, (row.end_date at time zone 'UTC')::date::text as day,
      row.end_date < (${today}::date)::timestamp at time zone 'UTC' as "isOverdue", now() as at
    from assignments as row join workflows as stage on stage.id = row.workflow_id
    where row.active and not stage.is_done and row.id > ${after}::uuid and (
      row.end_date >= (${from}::date)::timestamp at time zone 'UTC' and row.end_date < (${today}::date)::timestamp at time zone 'UTC'
      or row.end_date >= (${today}::date + 1)::timestamp at time zone 'UTC' and row.end_date < (${today}::date + 2)::timestamp at time zone 'UTC')
    order by row.id limit ${pageSize}::int`)
  const involved = await readInvolved(
    transaction,
    due.map(({ id }) => id),
  )
  const created = due.flatMap(({ id, day, isOverdue, at }) => {
    const { accounts = [] } = involved.get(id) ?? {}
    return [...accounts].map(
      (account): NewNotification => ({
        userId: account,
        kind: isOverdue ? 'overdue' : 'dueTomorrow',
        assignmentId: id,
        cause: day,
        at,
      }),
    )
  })
  await keepNotifications(transaction, created)
  return due.length === pageSize ? due.at(-1)?.id : undefined
}

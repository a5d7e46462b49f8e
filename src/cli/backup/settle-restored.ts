import type pg from 'pg'

/**
 * Makes a restored store usable, within one transaction. Three things are not what they were: another server counts transactions
 * from its own number, and rows of numbers to come would be news to every live listing, over and over; cursors of the feed may name
 * changes that never happened here; and sessions that ended after the backup, or tokens that were used up, would be good again.
 */
export async function settleRestored(client: pg.Client): Promise<void> {
  await client.query(
    `update changes set transaction = pg_current_xact_id() where transaction > pg_current_xact_id()`,
  )
  await client.query(
    `update history set transaction = pg_current_xact_id() where transaction > pg_current_xact_id()`,
  )
  // As a value: an update of several nodes asks for no moment itself.
  const { rows } = await client.query<{ moment: string }>('select clock_timestamp()::text as moment')
  const moment = [rows[0]?.moment]
  await client.query('update history_begin set restored_at = $1, restored_in = pg_current_xact_id()', moment)
  // They look at once, and go on from what comes now: their position is as old as any other cursor.
  await client.query(`update webhooks set since = '1:1:'`)
  await client.query('update signin_sessions set ended_at = $1 where ended_at is null', moment)
}

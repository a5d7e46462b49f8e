import assert from 'node:assert/strict'
import pg from 'pg'

export interface Entry {
  readonly description: string
  /** The account's balance after this entry. */
  readonly balance: number
}

/**
 * Fails unless every account's balance equals the sum of its ledger, its numbering has no gaps, and no entry
 * left the balance below the limit. Returns the ledger.
 */
export async function auditLedger(url: string): Promise<Entry[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query(`
      select a.id, a.balance = coalesce(sum(l.amount), 0) as balance_is_sum,
        a.seq = count(l.seq) and count(l.seq) = coalesce(max(l.seq), 0) and coalesce(min(l.seq), 1) = 1 as is_gapless,
        coalesce(min(l.running), 0) >= -a.credit_limit as was_within_limit
      from bank.account as a
      left join (
        select *, sum(amount) over (partition by account_id order by seq) as running from bank.ledger
      ) as l on l.account_id = a.id
      group by a.id order by a.id`)
    const sound = { balance_is_sum: true, is_gapless: true, was_within_limit: true }
    assert.deepEqual(
      rows,
      [1, 2, 3, 4, 5].map((id) => ({ id, ...sound })),
    )
    const ledger = await client.query<Entry>(`
      select description, (sum(amount) over (partition by account_id order by seq))::float8 as balance
      from bank.ledger order by account_id, seq`)
    return ledger.rows
  } finally {
    await client.end()
  }
}

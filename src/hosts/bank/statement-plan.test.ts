import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshDatabase } from '../../../test/support/fresh-database.ts'
import { raw } from '../../db/sql.ts'
import { createStatementReader } from './accounts.ts'
import { openConnection } from './connection.ts'

/** The rows of a statement, plus some overhead of the plan. */
const rowsReadMax = 20

for (const namedStatements of [true, false]) {
  test(`a statement reads few rows of a large ledger (named: ${namedStatements})`, async (t) => {
    const { url, database, drop } = await freshDatabase()
    t.after(drop)
    // Autovacuum would gather statistics at some point and repair a bad plan. Until then every request would
    // suffer.
    await database.query(raw('alter table bank.ledger set (autovacuum_enabled = off)'))
    const connection = openConnection({ url, namedStatements })
    t.after(connection.close)
    const readStatement = createStatementReader(connection)
    const countRowsRead = async () => {
      await connection.query({ name: 'flush', text: 'select pg_stat_force_next_flush()', values: [] })
      const [row] = await database.query<{ rows: string }>(
        raw(
          `select seq_tup_read + idx_tup_fetch as rows from pg_stat_user_tables where relid = 'bank.ledger'::regclass`,
        ),
      )
      return Number(row?.rows)
    }
    // The plans are made now, while the ledger is empty, and are kept.
    for (let count = 0; count < 10; count++) await readStatement(1)
    await database.query(
      raw(`insert into bank.ledger (account_id, seq, amount, description)
        select account, seq, 1, 'grown' from generate_series(1, 5) as account, generate_series(1, 10000) as seq`),
    )
    const before = await countRowsRead()
    const { ultimas_transacoes } = JSON.parse(await readStatement(1))
    assert.equal(ultimas_transacoes.length, 10)
    const rowsRead = (await countRowsRead()) - before
    assert.ok(rowsRead <= rowsReadMax, `${rowsRead} rows were read`)
  })
}

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { type FreshDatabase, freshDatabase } from '../../test/support/fresh-database.ts'
import { NothingAppliedError, openConnection } from '../hosts/bank/connection.ts'
import { batchTransactions } from '../hosts/bank/transactions.ts'
import { openDatabase } from './database.ts'
import { raw, sql } from './sql.ts'

const demote = 'set default_transaction_read_only = on'

describe('a server that has become read-only', () => {
  let fresh: FreshDatabase
  before(async () => {
    fresh = await freshDatabase()
    await fresh.database.query(raw('create table entries (id int generated always as identity)'))
  })
  after(() => fresh.drop())

  const write = sql`insert into entries default values returning id`
  const setReadOnlyForNewSessions = async (readOnly: 'on' | 'off') => {
    const client = new pg.Client({ connectionString: fresh.url })
    await client.connect()
    await client.query('set default_transaction_read_only = off')
    await client.query(`alter database ${client.database} set default_transaction_read_only = ${readOnly}`)
    await client.end()
  }

  it('is abandoned immediately: the write runs once, on the next connection', async () => {
    const database = openDatabase({ url: fresh.url, applicationName: 'test', poolSize: 1 })
    const [{ count: before } = { count: 0 }] = await database.query<{ count: number }>(
      sql`select count(*) as count from entries`,
    )
    await database.transaction((transaction) => transaction.query(raw(demote)))
    await database.singleWrites.query(write)
    await database.transaction((transaction) => transaction.query(raw(demote)))
    await database.transaction((transaction) => transaction.query(write))
    assert.deepEqual(await database.query(sql`select count(*) as count from entries`), [
      { count: before + 2 },
    ])
    await database.close()
  })

  it('is not connected to, and waiting writes run when another server takes its place', async () => {
    await setReadOnlyForNewSessions('on')
    const database = openDatabase({ url: fresh.url, applicationName: 'test', poolSize: 1 })
    await assert.rejects(database.query(sql`select 1`), ({ cause }) =>
      /The store takes no writes\./.test(cause.message),
    )
    const waiting = database.singleWrites.query(write)
    await setReadOnlyForNewSessions('off')
    assert.equal((await waiting).length, 1)
    await database.close()
  })

  it('is abandoned by the bank', async () => {
    const connection = openConnection({ url: fresh.url, namedStatements: true })
    const apply = batchTransactions(connection)
    const transaction = { account: 1, amount: 5, description: 'once' }
    await connection.query({ name: '', text: demote, values: [] })
    await assert.rejects(apply(transaction), NothingAppliedError)
    assert.deepEqual(await apply(transaction), { balance: '5', isApplied: true })
    await connection.close()
  })
})

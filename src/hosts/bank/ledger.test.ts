import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import pg from 'pg'
import { type FreshDatabase, freshDatabase } from '../../../test/support/fresh-database.ts'
import { anyCharacter } from '../../../test/support/fuzz.ts'
import { migrate } from '../../db/migrate.ts'
import { raw, sql } from '../../db/sql.ts'
import { openAccounts } from './accounts.ts'
import { openConnection } from './connection.ts'
import { auditLedger } from './testing/audit.ts'
import { batchTransactions, type Outcome, type Transaction } from './transactions.ts'

describe('the ledger', () => {
  let store: FreshDatabase
  before(async () => {
    store = await freshDatabase()
  })
  after(() => store.drop())

  const clearLedger = () =>
    store.database.query(
      raw('with emptied as (delete from bank.ledger) update bank.account set balance = 0, seq = 0'),
    )
  const readRows = () =>
    store.database.query(
      sql`select account_id, seq, amount, description from bank.ledger order by account_id, seq`,
    )

  const transactions = fc.array(
    fc.record<Transaction>({
      account: fc.integer({ min: 1, max: 5 }),
      amount: fc
        .oneof(fc.integer({ min: -60_000, max: 30_000 }), fc.constantFrom(-2_147_483_647, 2_147_483_647))
        .filter((amount) => amount !== 0),
      description: fc
        .string({ unit: anyCharacter, minLength: 1, maxLength: 10 })
        .filter((text) => !text.includes('\0')),
    }),
    { minLength: 2, maxLength: 60 },
  )

  test('equals the calculated one, whether transactions are applied one by one or in one call', async (t) => {
    const connection = openConnection({ url: store.url })
    t.after(connection.close)
    await fc.assert(
      fc.asyncProperty(transactions, async (list) => {
        const apply = batchTransactions(connection)
        await clearLedger()
        const alone: Outcome[] = []
        for (const transaction of list) alone.push(await apply(transaction))
        const rowsAlone = await readRows()
        await clearLedger()
        const together = await Promise.all(list.map(apply))
        assert.deepEqual(together, alone)
        assert.deepEqual(together, expectedOutcomes(list))
        assert.deepEqual(await readRows(), rowsAlone)
        await auditLedger(store.url)
      }),
      { numRuns: 40 },
    )
  })

  test('stays consistent when five instances write to the same rows at once', async (t) => {
    await clearLedger()
    const instances = await Promise.all(Array.from({ length: 5 }, () => openAccounts({ url: store.url })))
    t.after(() => Promise.all(instances.map(({ close }) => close())))
    const written: Promise<Outcome>[] = []
    for (let count = 0; count < 500; count++) {
      const amount = count % 3 === 0 ? 9000 : -9000
      const { apply } = instances[count % 5] ?? assert.fail()
      written.push(apply({ account: 1 + (Math.floor(count / 5) % 5), amount, description: `${count}` }))
      // The load is throttled so that calls of all sizes occur.
      if (count % 60 === 59) await Promise.race(written.slice(-20))
    }
    const applied = (await Promise.all(written)).filter(({ isApplied }) => isApplied)
    assert.equal((await auditLedger(store.url)).length, applied.length)
    assert.ok(applied.length < written.length, 'some were over the limit')
  })

  test('gives every statement a balance that is the sum of the transactions up to it', async (t) => {
    await clearLedger()
    const writer = await openAccounts({ url: store.url })
    const reader = await openAccounts({ url: store.url })
    t.after(() => Promise.all([writer.close(), reader.close()]))
    let isWriting = true
    const write = async () => {
      // Each balance identifies which transactions it includes: their running sum is known.
      for (let n = 1; n <= 300; n++) await writer.apply({ account: 3, amount: n, description: `${n}` })
      isWriting = false
    }
    const read = async () => {
      let count = 0
      while (isWriting) {
        const { saldo, ultimas_transacoes } = JSON.parse(await reader.readStatement(3))
        const newest = ultimas_transacoes[0]?.valor ?? 0
        assert.equal(saldo.total, (newest * (newest + 1)) / 2)
        count++
      }
      return count
    }
    const [, count] = await Promise.all([write(), read()])
    assert.ok(count > 10)
  })

  test('immediately shows each instance the transactions that another instance has confirmed', async (t) => {
    await clearLedger()
    const first = await openAccounts({ url: store.url })
    const second = await openAccounts({ url: store.url })
    t.after(() => Promise.all([first.close(), second.close()]))
    for (let n = 1; n <= 100; n++) {
      const [writer, reader] = n % 2 === 0 ? [first, second] : [second, first]
      const { balance } = await writer.apply({ account: 1, amount: 1, description: 'danada' })
      const statements = await Promise.all([1, 2, 3, 4].map(() => reader.readStatement(1)))
      for (const statement of statements) assert.equal(JSON.parse(statement).saldo.total, Number(balance))
    }
  })

  test('orders the entries of a statement by their sequence, not by their timestamps', async (t) => {
    await clearLedger()
    const { apply, readStatement, close } = await openAccounts({ url: store.url })
    t.after(close)
    for (const description of ['first', 'second']) await apply({ account: 2, amount: 1, description })
    await store.database.query(
      raw(`update bank.ledger set applied_at = '2020-01-01T00:00Z' where description = 'second'`),
    )
    const { ultimas_transacoes } = JSON.parse(await readStatement(2))
    assert.deepEqual(
      ultimas_transacoes.map(({ descricao }: { descricao: string }) => descricao),
      ['second', 'first'],
    )
    assert.equal(ultimas_transacoes[0].realizada_em, '2020-01-01T00:00:00.000000')
  })

  test('rejects rows that no function would write, as a second line of defence', async () => {
    const invalidChanges = [
      'update bank.account set balance = -credit_limit - 1 where id = 1',
      `insert into bank.ledger values (1, 999, 0, 'x')`,
      `insert into bank.ledger values (1, 999, 1, '')`,
      `insert into bank.ledger values (1, 999, 1, 'elevenchars')`,
    ]
    for (const text of invalidChanges)
      await assert.rejects(store.database.query(raw(text)), { code: '23514' }, text)
  })

  test('applies the other transactions of a call when one description cannot be stored', async (t) => {
    // A database of its own, because the trigger must not affect the other tests.
    const url = store.url.replace(/\/test_\w+/, '$&_strict')
    const name = /\/(test_\w+)\?/.exec(url)?.[1] ?? assert.fail()
    await execute(store.url, `create database ${name}`)
    t.after(() => execute(store.url, `drop database ${name} with (force)`))
    await migrate(url)
    await execute(url, rejectDescription)
    const { apply, close } = await openAccounts({ url })
    t.after(close)
    const descriptions = ['plain', '日本', 'ação']
    const outcomes = await Promise.allSettled(
      descriptions.map((description) => apply({ account: 1, amount: 1, description })),
    )
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    assert.deepEqual(
      (await auditLedger(url)).map(({ description }) => description),
      ['plain', 'ação'],
    )
  })

  test('is written durably regardless of the defaults of the server', async (t) => {
    await execute(
      store.url,
      `do $$ begin execute format('alter database %I set synchronous_commit = off', current_database()); end $$`,
    )
    const connection = openConnection({ url: store.url })
    t.after(connection.close)
    const row = await connection.query({ name: 'show', text: 'show synchronous_commit', values: [] })
    assert.deepEqual(row, ['on'])
  })
})

/** Stands in for a value that the database cannot store: errors of class 22 are data exceptions. */
const rejectDescription = `
  create function bank.reject_description() returns trigger language plpgsql as $$
  begin
    if new.description = '日本' then raise exception using errcode = '22021'; end if;
    return new;
  end $$;
  create trigger reject_description before insert on bank.ledger
    for each row execute function bank.reject_description()`

async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}

/** An independent second implementation of the rules. */
function expectedOutcomes(list: readonly Transaction[]): Outcome[] {
  const limits = [0, 100_000, 80_000, 1_000_000, 10_000_000, 500_000]
  const balances = limits.map(() => 0)
  return list.map(({ account, amount }) => {
    const balance = (balances[account] ?? 0) + amount
    const isApplied = amount > 0 || balance >= -(limits[account] ?? 0)
    if (isApplied) balances[account] = balance
    return { balance: String(balances[account]), isApplied }
  })
}

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { rejectedAs } from '../../test/support/fresh-context.ts'
import { freshDatabase } from '../../test/support/fresh-database.ts'
import { Problem } from '../model/problem.ts'
import { openDatabase } from './database.ts'
import { raw } from './sql.ts'
import { startWork } from './work.ts'

const isUnavailable = (error: unknown) =>
  error instanceof Problem &&
  error.kind === 'overloaded' &&
  error.retryAfterSeconds === 5 &&
  error.cause !== undefined &&
  error.message === 'The store is not available, and nothing was done. Please try again later.'

/** The error of PostgreSQL when it cannot extend a file; test/operations/full-disk fills a real disk. */
const diskFull = raw(`do $$ begin
  raise exception 'could not extend file' using errcode = 'disk_full';
end $$`)

describe('A store', () => {
  it('whose disk is full rejects writes and reads as unavailable', async (t) => {
    const { database, drop } = await freshDatabase()
    t.after(drop)
    await assert.rejects(database.singleWrites.query(diskFull), isUnavailable)
    await assert.rejects(
      database.transaction((transaction) => transaction.query(diskFull)),
      isUnavailable,
    )
    await assert.rejects(database.query(diskFull), isUnavailable)
    await assert.rejects(database.listReads.query(diskFull, 'account'), isUnavailable)
    assert.equal((await database.query(raw('select 1'))).length, 1)
  })

  it('that stops a statement at its time limit is unavailable', async (t) => {
    const { database, drop } = await freshDatabase()
    t.after(drop)
    const late = raw(`do $$ begin
      raise exception 'canceling statement due to statement timeout' using errcode = 'query_canceled';
    end $$`)
    await assert.rejects(database.singleWrites.query(late), isUnavailable)
    await assert.rejects(
      database.transaction((transaction) => transaction.query(late)),
      isUnavailable,
    )
    await assert.rejects(database.query(late), isUnavailable)
  })

  it('that cannot be reached is unavailable, too', async (t) => {
    const database = openDatabase({ url: 'postgresql://nobody@127.0.0.1:1/none', applicationName: 'test' })
    t.after(() => database.close())
    await assert.rejects(database.query(raw('select 1')), isUnavailable)
  })

  it('that fails after a request has written something reports an unknown outcome', async (t) => {
    const { database, drop } = await freshDatabase()
    t.after(drop)
    const selectOne = raw('select 1')
    const writes = [
      () => database.singleWrites.query(selectOne),
      () => database.transaction((transaction) => transaction.query(selectOne)),
    ]
    for (const write of writes) {
      const request = database.complete(startWork('Write', 'test'), async () => {
        await write()
        await database.query(diskFull)
      })
      await assert.rejects(request, rejectedAs('uncertain'))
    }
    const another = database.complete(startWork('Read', 'test'), () => database.query(diskFull))
    await assert.rejects(another, isUnavailable)
  })

  it('that fails for another reason rejects with the original error', async (t) => {
    const { database, drop } = await freshDatabase()
    t.after(drop)
    await assert.rejects(database.singleWrites.query(raw('select none')), { code: '42703' })
  })
})

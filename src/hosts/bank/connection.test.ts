import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import { type FreshDatabase, freshDatabase } from '../../../test/support/fresh-database.ts'
import { NothingAppliedError, openConnection } from './connection.ts'

const show = (text: string, ...values: string[]) => ({ name: text, text, values })

for (const pipeline of [false, true]) {
  describe(`a connection (${pipeline ? 'in a pipeline' : 'one at a time'})`, () => {
    let store: FreshDatabase
    before(async () => {
      store = await freshDatabase()
    })
    after(() => store.drop())
    const open = (t: TestContext) => {
      const options = {
        url: store.url,
        namedStatements: true,
        pipeline,
        silenceMilliseconds: 400,
      }
      const connection = openConnection(options)
      t.after(connection.close)
      return connection
    }

    test('answers the columns of a row as text, none for no row, and the same statement again', async (t) => {
      const { query } = open(t)
      const text = 'select $1::text, null, $2::bigint + 1'
      for (const given of ['', 'ação 日本', '"\\\\,{}']) {
        assert.deepEqual(await query(show(text, given, '9223372036854775806')), [
          given,
          null,
          '9223372036854775807',
        ])
      }
      assert.equal(await query(show('select 1 where false')), undefined)
    })

    test('reports that nothing was applied when the database rejects a statement, and continues', async (t) => {
      const { query } = open(t)
      for (let count = 0; count < 3; count++) {
        await assert.rejects(query(show('select 1 / $1::integer', '0')), (error) => {
          assert.ok(error instanceof NothingAppliedError)
          assert.equal(error.code, '22012')
          return true
        })
        await assert.rejects(query(show('select nonsense')), NothingAppliedError)
        assert.deepEqual(await query(show('select 1 / $1::integer', '1')), ['1'])
      }
    })

    test('gives up on a silent database, leaves the outcome open, and reconnects', async (t) => {
      const { query } = open(t)
      await query(show('select 1'))
      await assert.rejects(query(show('select pg_sleep(2)')), (error) => {
        assert.ok(!(error instanceof NothingAppliedError), 'the outcome is unknown')
        return true
      })
      assert.deepEqual(await query(show('select 2')), ['2'])
    })
  })
}

import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import pg from 'pg'
import { type FreshDatabase, freshDatabase } from '../../test/support/fresh-database.ts'
import { pgTypeParsers } from './columns.ts'
import { queryRows } from './query-rows.ts'

let fresh: FreshDatabase
let client: pg.Client
/** How often the server has sent column metadata. */
let metadataCount: number

before(async () => {
  fresh = await freshDatabase()
  const config = { connectionString: fresh.url, types: pgTypeParsers, pipeline: true }
  client = new pg.Client(config)
  await client.connect()
  connectionOf(client).on('rowDescription', () => {
    metadataCount += 1
  })
})
after(async () => {
  await client?.end()
  await fresh?.drop()
})
beforeEach(() => {
  metadataCount = 0
})

const connectionOf = (pgClient: pg.Client) =>
  (pgClient as pg.Client & { readonly connection: pg.Connection }).connection

const everyKind = `select $1::int as one, 2.50::numeric as price, 'text' as text, null::text as nothing, true as yes,
  now() as instant, array['a', null] as list, '{"a": [1]}'::jsonb as document, 9007199254740991 as count
  from generate_series(1, 3) union all select null, 0, '', '', null, null, null, null, 0`

test('rows equal the rows of the driver', async () => {
  await client.query('begin')
  const { rows } = await client.query(everyKind, [1])
  const statement = { name: 'each kind', text: everyKind, values: [1] }
  for (let time = 0; time < 3; time += 1) assert.deepEqual(await queryRows(client, statement), rows)
  await client.query('commit')
})

test('a connection receives the columns of a named statement only once', async () => {
  const text = 'select $1::int as number'
  for (const number of [1, 2, 3])
    assert.deepEqual(await queryRows(client, { name: 'number', text, values: [number] }), [{ number }])
  assert.equal(metadataCount, 1)
  for (const number of [1, 2, 3])
    assert.deepEqual(await queryRows(client, { text, values: [number] }), [{ number }])
  assert.equal(metadataCount, 4)
})

test('statements that are sent together each get their own rows', async () => {
  const oneColumn = { name: 'one', text: 'select $1::int as a' }
  const twoColumns = { name: 'two', text: "select 'b' || $1 as b, $1 as c" }
  const results = Array.from({ length: 40 }, (_, index) =>
    queryRows(client, { ...(index % 2 ? oneColumn : twoColumns), values: [index] }),
  )
  const rows = (await Promise.all(results)).flat()
  assert.deepEqual(
    rows,
    rows.map((_, index) => (index % 2 ? { a: index } : { b: `b${index}`, c: String(index) })),
  )
})

test('a named statement is rejected after its columns have changed', async () => {
  await client.query('create table changing (a int); insert into changing values (1)')
  const statement = { name: 'changing', text: 'select * from changing', values: [] }
  assert.deepEqual(await queryRows(client, statement), [{ a: 1 }])
  await client.query("alter table changing rename a to b; alter table changing add a text default 'x'")
  await assert.rejects(queryRows(client, statement), /cached plan must not change result type/)
})

test('a value that cannot be parsed fails only its own statement', async () => {
  const unparsable = {
    name: 'unparsable',
    text: "select '0044-03-15 BC'::timestamptz as instant",
    values: [],
  }
  const quick = { name: 'quick', text: 'select 1 as one', values: [] }
  for (let time = 0; time < 2; time += 1) {
    const [failed, answered] = await Promise.allSettled([
      queryRows(client, unparsable),
      queryRows(client, quick),
    ])
    assert.equal(failed.status, 'rejected')
    assert.deepEqual(answered, { status: 'fulfilled', value: [{ one: 1 }] })
  }
})

test('the stack of a rejected statement names its caller', async () => {
  const failing = { name: 'failing', text: 'select 1 / $1::int as quotient', values: [0] }
  async function callingFunction() {
    await queryRows(client, failing)
  }
  for (let time = 0; time < 2; time += 1)
    await assert.rejects(
      callingFunction(),
      (error: Error) => /division by zero/.test(error.message) && /callingFunction/.test(error.stack ?? ''),
    )
})

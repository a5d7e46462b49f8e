import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { openBudgets } from '../../src/config/budgets.ts'
import { sql } from '../../src/db/sql.ts'
import { purgeKeys } from '../../src/records/idempotency.ts'
import { assertEnvelope, valuesOf } from '../support/assertions.ts'
import { fixture } from '../support/fixture.ts'
import { type Person, send, startRestUnderTest } from '../support/rest-host.ts'

describe('A POST with an Idempotency-Key', () => {
  const rest = fixture(startRestUnderTest)
  const other = fixture(() => rest.startAnother())

  const path = '/api/organization'
  const post = (
    key: string,
    body: unknown,
    { at = path, by = rest.administrator, address = rest.address } = {},
  ) => send(address, 'POST', at, { token: by.token, body, headers: { 'idempotency-key': key } })
  const isReplay = ({ headers }: { headers: Headers }) => headers.get('idempotency-replayed') === 'true'
  async function countOf(name: string) {
    const { body } = await rest.administrator.call('GET', `/api/organizations?search=${name}`)
    return body.result.totalCount as number
  }
  const makeKeyAndName = () => ({ key: randomUUID(), name: `Works ${randomUUID()}` })

  test('is executed once, and repeats its response, whatever the order of the properties is', async () => {
    const { key, name } = makeKeyAndName()
    const first = await post(key, { name, description: 'one' })
    assert.equal(first.status, 200)
    assert.equal(isReplay(first), false)
    const again = await post(key, { description: 'one', name })
    assert.deepEqual([again.status, again.body, isReplay(again)], [200, first.body, true])
    assert.equal(again.headers.get('content-type'), first.headers.get('content-type'))
    assert.equal(await countOf(name), 1)
  })

  test('is rejected with 422 if its key was used with another body or path', async () => {
    const { key, name } = makeKeyAndName()
    await post(key, { name })
    const answer = await post(key, { name, description: 'another' })
    assertEnvelope(answer, 422)
    assert.ok(answer.body.errors.idempotencyKey)
    assertEnvelope(await post(key, { name }, { at: '/api/impediment' }), 422)
    assert.equal(await countOf(name), 1)
  })

  test('shares no keys with other accounts', async () => {
    const { key } = makeKeyAndName()
    const [ann, bob] = [await rest.signUp(), await rest.signUp()]
    const { body } = await rest.administrator.call('POST', path, { name: 'Shared' })
    const make = (by: Person) =>
      post(key, { name: 'Mine', organizationId: body.organization.id }, { at: '/api/project', by })
    const [first, second] = [await make(ann), await make(bob)]
    assert.deepEqual([first.status, second.status, isReplay(second)], [200, 200, false])
    assert.notEqual(first.body.project.id, second.body.project.id)
  })

  test('can be corrected under the same key after an error', async () => {
    const { key, name } = makeKeyAndName()
    assertEnvelope(await post(key, {}), 400)
    assertEnvelope(
      await post(key, { name: 'Project', organizationId: randomUUID() }, { at: '/api/project' }),
      400,
    )
    const created = await post(key, { name })
    assert.deepEqual([created.status, isReplay(created)], [200, false])
    const duplicate = await post(randomUUID(), { id: created.body.organization.id, name })
    assertEnvelope(duplicate, 409)
  })

  for (const { description, key } of [
    { description: 'empty', key: '' },
    { description: 'with a space', key: 'two words' },
    { description: 'longer than 255 characters', key: 'k'.repeat(256) },
    { description: 'not ASCII', key: 'schl\u00fcssel' },
  ])
    test(`is rejected with 400 if the key is ${description}`, async () => {
      const answer = await post(key, { name: 'Never' })
      assertEnvelope(answer, 400)
      assert.deepEqual(Object.keys(answer.body.errors), ['idempotencyKey'])
    })

  test('is executed once among concurrent requests on two instances', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { key, name } = makeKeyAndName()
      const answers = await Promise.all(
        Array.from({ length: 16 }, (_, index) =>
          post(key, { name }, { address: index % 2 === 0 ? rest.address : other.address }),
        ),
      )
      assert.deepEqual(
        valuesOf(answers, 'status'),
        answers.map(() => 200),
      )
      assert.equal(answers.filter((answer) => !isReplay(answer)).length, 1)
      assert.equal(new Set(answers.map(({ body }) => body.organization.id)).size, 1)
      assert.equal(await countOf(name), 1)
    }
  })

  test('is executed for one of two concurrent bodies', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { key, name } = makeKeyAndName()
      const answers = await Promise.all([
        post(key, { name: `${name} A` }),
        post(key, { name: `${name} B` }, { address: other.address }),
      ])
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 422])
      assert.equal(await countOf(name), 1)
    }
  })

  test('restores rows once', async () => {
    const { key, name } = makeKeyAndName()
    const { organization } = (await post(randomUUID(), { name })).body
    const { token } = rest.administrator
    const ids = [organization.id]
    await rest.call('DELETE', path, { token, body: { ids } })
    const restore = () => post(key, { ids }, { at: `${path}/restore` })
    assert.equal((await restore()).status, 200)
    await rest.call('DELETE', path, { token, body: { ids } })
    const again = await restore()
    assert.deepEqual([again.status, isReplay(again)], [200, true])
    assert.equal(await countOf(name), 0)
  })

  test('creates an account once', async () => {
    const key = randomUUID()
    const body = { name: 'Ann', login: `${key}@example.com`, password: 'Secret-1234-x' }
    const at = '/api/user'
    const first = await post(key, body, { at })
    const again = await post(key, { ...body, password: 'Other-1234-x' }, { at })
    assert.deepEqual([again.status, isReplay(again), again.body], [200, true, first.body])
    assertEnvelope(await post(key, { ...body, name: 'Bob' }, { at }), 422)
    await rest.identity.signIn(body.login, { password: body.password })
  })

  test('that changes a password counts wrong passwords as usual', async () => {
    const person = await rest.signUp()
    const change = (currentPassword: string) =>
      post(
        randomUUID(),
        { currentPassword, newPassword: 'Quite-another-1' },
        { at: '/api/me/password', by: person },
      )
    for (let count = 0; count < 5; count += 1) assertEnvelope(await change('Wrong-1234-x'), 400)
    assertEnvelope(await change('Wrong-1234-x'), 429)
  })

  test('is also accepted under /ext/', async () => {
    const person = await rest.signUp()
    const answer = await post(randomUUID(), {}, { at: '/ext/sessions/end-all', by: person })
    assert.deepEqual(answer.body, { success: true })
  })

  test('can reuse a key after a day', async () => {
    const { key, name } = makeKeyAndName()
    await post(key, { name })
    const makeKeysOld = (hours: number) =>
      rest.database.singleWrites.query(
        sql`update idempotency_keys set created_at = statement_timestamp() - make_interval(hours => ${hours}::int)`,
      )
    await makeKeysOld(23)
    assert.equal(isReplay(await post(key, { name })), true)
    await purgeKeys(rest.database)
    assert.equal(isReplay(await post(key, { name })), true)
    await makeKeysOld(24)
    assert.equal(isReplay(await post(key, { name: `${name} again` })), false)
    assert.equal(await countOf(name), 2)
    await makeKeysOld(24)
    await purgeKeys(rest.database)
    assert.deepEqual(await rest.database.query(sql`select key from idempotency_keys`), [])
  })

  test('stores neither its key nor its body nor its response in plain text', async () => {
    const { key, name } = makeKeyAndName()
    await post(key, { name })
    const [stored] = await rest.database.query<{ text: string; answer: Buffer }>(sql`
      select idempotency_keys::text as text, answer from idempotency_keys order by created_at desc limit 1`)
    const [id] = await rest.database.query<{ id: string }>(
      sql`select id from organizations where name = ${name}`,
    )
    for (const plainText of [key, name, id?.id ?? ''])
      for (const form of [plainText, Buffer.from(plainText).toString('hex')]) {
        assert.ok(!stored?.text.includes(form), plainText)
        assert.ok(!stored?.answer.toString('latin1').includes(form), plainText)
      }
  })

  /** Makes the database fail when a response is stored. */
  const failToStoreResponses = async (work: () => Promise<void>) => {
    await rest.database.singleWrites.query(sql`
      create function break_off() returns trigger language plpgsql as $$ begin raise 'broken off'; end $$`)
    await rest.database.singleWrites.query(sql`
      create trigger break_off before update on idempotency_keys for each row execute function break_off()`)
    await work().finally(() => rest.database.singleWrites.query(sql`drop function break_off() cascade`))
  }

  test('creates a token once, and returns its secret again for the same key', async () => {
    const person = await rest.signUp()
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
    const make = (key: string) =>
      post(key, { name: 'Robot', scopes: ['*:read'], expiresAt }, { at: '/ext/tokens', by: person })
    const key = randomUUID()
    await failToStoreResponses(async () => assert.equal((await make(key)).status, 500))
    const first = await make(key)
    assert.deepEqual([first.status, isReplay(first)], [200, false])
    const again = await make(key)
    assert.deepEqual([again.body, isReplay(again)], [first.body, true])
    assert.equal(again.headers.get('cache-control'), 'no-store')
    const { tokens } = (await person.call('GET', '/ext/tokens')).body
    assert.equal(tokens.length, 1)
  })

  test('leaves no trace of a write that the database rolled back', async () => {
    const { key, name } = makeKeyAndName()
    await failToStoreResponses(async () => assert.equal((await post(key, { name })).status, 500))
    assert.equal(await countOf(name), 0)
    assert.equal(isReplay(await post(key, { name })), false)
    assert.equal(await countOf(name), 1)
  })
})

test('An account with too many idempotency keys is rejected with 429, others are not', async () => {
  await using rest = await startRestUnderTest({}, { budgets: openBudgets({ keysOfAccount: 2 }) })
  const post = (name: string, by: Person) =>
    by.call('POST', '/api/organization', { name }, { 'idempotency-key': randomUUID() })
  const { administrator } = rest
  const statuses: number[] = []
  for (const name of ['A', 'B', 'C']) statuses.push((await post(name, administrator)).status)
  assert.deepEqual(statuses, [200, 200, 429])
  assertEnvelope(await post('D', await rest.signUp()), 403)
  const unkeyed = await administrator.call('POST', '/api/organization', { name: 'E' })
  assert.equal(unkeyed.status, 200)
})

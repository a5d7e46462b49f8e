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
  const fresh = () => ({ key: randomUUID(), name: `Works ${randomUUID()}` })

  test('is done once, and answers the same again, whatever the order and spacing of the body', async () => {
    const { key, name } = fresh()
    const first = await post(key, { name, description: 'one' })
    assert.equal(first.status, 200)
    assert.equal(isReplay(first), false)
    const again = await post(key, { description: 'one', name })
    assert.deepEqual([again.status, again.body, isReplay(again)], [200, first.body, true])
    assert.equal(again.headers.get('content-type'), first.headers.get('content-type'))
    assert.equal(await countOf(name), 1)
  })

  test('is rejected with 422 when the key came with another body or to another path', async () => {
    const { key, name } = fresh()
    await post(key, { name })
    const answer = await post(key, { name, description: 'another' })
    assertEnvelope(answer, 422)
    assert.ok(answer.body.errors.idempotencyKey)
    assertEnvelope(await post(key, { name }, { at: '/api/impediment' }), 422)
    assert.equal(await countOf(name), 1)
  })

  test('has keys of its own in each account', async () => {
    const { key } = fresh()
    const [ann, bob] = [await rest.signUp(), await rest.signUp()]
    const { body } = await rest.administrator.call('POST', path, { name: 'Shared' })
    const make = (by: Person) =>
      post(key, { name: 'Mine', organizationId: body.organization.id }, { at: '/api/project', by })
    const [one, another] = [await make(ann), await make(bob)]
    assert.deepEqual([one.status, another.status, isReplay(another)], [200, 200, false])
    assert.notEqual(one.body.project.id, another.body.project.id)
  })

  test('may be corrected under the same key after an error, which changed nothing', async () => {
    const { key, name } = fresh()
    assertEnvelope(await post(key, {}), 400)
    assertEnvelope(
      await post(key, { name: 'Project', organizationId: randomUUID() }, { at: '/api/project' }),
      400,
    )
    const made = await post(key, { name })
    assert.deepEqual([made.status, isReplay(made)], [200, false])
    const taken = await post(randomUUID(), { id: made.body.organization.id, name })
    assertEnvelope(taken, 409)
  })

  for (const [what, key] of [
    ['empty', ''],
    ['with a space', 'two words'],
    ['longer than 255 characters', 'k'.repeat(256)],
    ['in no ASCII', 'schl\u00fcssel'],
  ] as const)
    test(`is rejected with 400 when the key is ${what}`, async () => {
      const answer = await post(key, { name: 'Never' })
      assertEnvelope(answer, 400)
      assert.deepEqual(Object.keys(answer.body.errors), ['idempotencyKey'])
    })

  test('is done once by one of many who race on two instances, and all have its answer', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { key, name } = fresh()
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

  test('with two bodies in a race is done for one of them, and rejected with 422 for the other', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { key, name } = fresh()
      const answers = await Promise.all([
        post(key, { name: `${name} A` }),
        post(key, { name: `${name} B` }, { address: other.address }),
      ])
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 422])
      assert.equal(await countOf(name), 1)
    }
  })

  test('restores rows once', async () => {
    const { key, name } = fresh()
    const { organization } = (await post(randomUUID(), { name })).body
    const { token } = rest.administrator
    const ids = [organization.id]
    await rest.call('DELETE', path, { token, body: { ids } })
    assert.equal((await rest.call('POST', `${path}/restore`, { token, body: {} })).status, 400)
    const restore = () => post(key, { ids }, { at: `${path}/restore` })
    assert.equal((await restore()).status, 200)
    await rest.call('DELETE', path, { token, body: { ids } })
    const again = await restore()
    assert.deepEqual([again.status, isReplay(again)], [200, true])
    assert.equal(await countOf(name), 0)
  })

  test('makes an account once, and neither compares nor keeps its password', async () => {
    const key = randomUUID()
    const body = { name: 'Ann', login: `${key}@example.com`, password: 'Secret-1234-x' }
    const at = '/api/user'
    const first = await post(key, body, { at })
    const again = await post(key, { ...body, password: 'Other-1234-x' }, { at })
    assert.deepEqual([again.status, isReplay(again), again.body], [200, true, first.body])
    assertEnvelope(await post(key, { ...body, name: 'Bob' }, { at }), 422)
    await rest.identity.signIn(body.login, { password: body.password })
  })

  test('changes the own password, and counts a wrong one as ever', async () => {
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

  test('under /ext/ is done once too', async () => {
    const person = await rest.signUp()
    const answer = await post(randomUUID(), {}, { at: '/ext/sessions/end-all', by: person })
    assert.deepEqual(answer.body, { success: true })
  })

  test('may use a key again after a day, and old keys are deleted', async () => {
    const { key, name } = fresh()
    await post(key, { name })
    const age = (hours: number) =>
      rest.database.singleWrites.query(
        sql`update idempotency_keys set created_at = statement_timestamp() - make_interval(hours => ${hours}::int)`,
      )
    await age(23)
    assert.equal(isReplay(await post(key, { name })), true)
    await purgeKeys(rest.database)
    assert.equal(isReplay(await post(key, { name })), true)
    await age(24)
    assert.equal(isReplay(await post(key, { name: `${name} again` })), false)
    assert.equal(await countOf(name), 2)
    await age(24)
    await purgeKeys(rest.database)
    assert.deepEqual(await rest.database.query(sql`select key from idempotency_keys`), [])
  })

  test('keeps nothing that the store could read: neither key nor body nor answer', async () => {
    const { key, name } = fresh()
    await post(key, { name })
    const [kept] = await rest.database.query<{ text: string; answer: Buffer }>(sql`
      select idempotency_keys::text as text, answer from idempotency_keys order by created_at desc limit 1`)
    const [id] = await rest.database.query<{ id: string }>(
      sql`select id from organizations where name = ${name}`,
    )
    for (const reported of [key, name, id?.id ?? ''])
      for (const form of [reported, Buffer.from(reported).toString('hex')]) {
        assert.ok(!kept?.text.includes(form), reported)
        assert.ok(!kept?.answer.toString('latin1').includes(form), reported)
      }
  })

  const breakOffAnswers = async (work: () => Promise<void>) => {
    await rest.database.singleWrites.query(sql`
      create function break_off() returns trigger language plpgsql as $$ begin raise 'broken off'; end $$`)
    await rest.database.singleWrites.query(sql`
      create trigger break_off before update on idempotency_keys for each row execute function break_off()`)
    await work().finally(() => rest.database.singleWrites.query(sql`drop function break_off() cascade`))
  }

  test('makes a token once, and answers with its secret again to the holder of the key alone', async () => {
    const person = await rest.signUp()
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
    const make = (key: string) =>
      post(key, { name: 'Robot', scopes: ['*:read'], expiresAt }, { at: '/ext/tokens', by: person })
    const key = randomUUID()
    await breakOffAnswers(async () => assert.equal((await make(key)).status, 500))
    const first = await make(key)
    assert.deepEqual([first.status, isReplay(first)], [200, false])
    const again = await make(key)
    assert.deepEqual([again.body, isReplay(again)], [first.body, true])
    assert.equal(again.headers.get('cache-control'), 'no-store')
    const { tokens } = (await person.call('GET', '/ext/tokens')).body
    assert.equal(tokens.length, 1)
  })

  test('leaves nothing behind of a write that the store broke off', async () => {
    const { key, name } = fresh()
    await breakOffAnswers(async () => assert.equal((await post(key, { name })).status, 500))
    assert.equal(await countOf(name), 0)
    assert.equal(isReplay(await post(key, { name })), false)
    assert.equal(await countOf(name), 1)
  })
})

test('Only an account that keeps too many keys is rejected with 429', async () => {
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

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeToken } from '../support/api-tokens.ts'
import { assertEnvelope } from '../support/assert-envelope.ts'
import { type Person, type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'

describe('Administrators by a role in the store', () => {
  let rest: RestUnderTest
  const written: string[] = []
  before(async () => {
    const destination = { write: (line: string) => void written.push(line) }
    const environment = { Auth__SessionValidationCacheSeconds: '0', LOG_LEVEL: 'info' }
    rest = await startRestUnderTest(environment, { destination })
  })
  after(() => rest.stop())

  const ask = (method: string, token: string, userId?: string) =>
    rest.call(method, '/ext/administrators', { token, ...(userId && { body: { userId } }) })
  const give = (by: string, userId: string) => ask('POST', by, userId)
  const take = (by: string, userId: string) => ask('DELETE', by, userId)
  const listed = async (): Promise<string[]> =>
    (await ask('GET', rest.administrator.token)).body.administrators.map(
      ({ userId }: { userId: string }) => userId,
    )
  const mayReadUsers = async (token: string) => (await rest.call('GET', '/api/users', { token })).status
  const tokenOf = async ({ login }: Person) => (await rest.identity.signIn(login)).access_token
  const made = async () => {
    const person = await rest.signUp({ name: 'Mara' })
    assert.equal((await give(rest.administrator.token, person.id)).status, 200)
    return { ...person, token: await tokenOf(person) }
  }

  test('are made by others, work from their next token on, and lose it with every token they have', async () => {
    const person = await rest.signUp({ name: 'Mara' })
    const { secret } = await makeToken(rest, person.token, { scopes: ['*:read'] })
    assert.equal(await mayReadUsers(person.token), 403)
    assert.equal((await give(rest.administrator.token, person.id)).status, 200)
    assert.equal(await mayReadUsers(person.token), 403)
    const token = await tokenOf(person)
    assert.equal(await mayReadUsers(token), 200)
    assert.equal(await mayReadUsers(secret), 200)
    assert.ok((await listed()).includes(person.id))
    assert.equal((await take(rest.administrator.token, person.id)).status, 200)
    assert.equal(await mayReadUsers(token), 401)
    assert.equal(await mayReadUsers(secret), 403)
    assert.equal(await mayReadUsers(await tokenOf(person)), 403)
    assert.ok(!(await listed()).includes(person.id))
  })

  test('lose the role with their account, and come back without it', async () => {
    const person = await made()
    const { token } = rest.administrator
    for (const [method, path] of [
      ['DELETE', '/api/user'],
      ['POST', '/api/user/restore'],
    ] as const)
      assert.equal((await rest.call(method, path, { token, body: { ids: [person.id] } })).status, 200)
    assert.ok(!(await listed()).includes(person.id))
    assert.equal(await mayReadUsers(await tokenOf(person)), 403)
  })

  test('are seen and chosen by administrators only, and by no token', async () => {
    const person = await rest.signUp()
    for (const method of ['GET', 'POST', 'DELETE'])
      assertEnvelope(await ask(method, person.token, method === 'GET' ? undefined : person.id), 403)
    const { secret } = await makeToken(rest, rest.administrator.token)
    assertEnvelope(await give(secret, person.id), 403)
  })

  test("keep at least one administrator: they cannot revoke their own role, nor two each other's", async () => {
    const [one, other] = [await made(), await made()]
    assertEnvelope(await take(one.token, one.id), 400)
    const answers = await Promise.all([take(one.token, other.id), take(other.token, one.id)])
    const statuses = answers.map(({ status }) => status).sort()
    // The later one is rejected by its token or by the lock, whichever comes first.
    assert.equal(statuses[0], 200)
    assert.ok(statuses[1] === 401 || statuses[1] === 403, String(statuses[1]))
    assert.equal((await listed()).filter((id) => id === one.id || id === other.id).length, 1)
  })

  test('are given once however often they are asked for, and rejected for accounts that are not there', async () => {
    const person = await rest.signUp()
    const root = rest.administrator.token
    const answers = await Promise.all(Array.from({ length: 4 }, () => give(root, person.id)))
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200],
    )
    assert.equal((await listed()).filter((id) => id === person.id).length, 1)
    assertEnvelope(await give(root, '00000000-0000-4000-8000-000000000001'), 404)
    assertEnvelope(await give(root, 'x'), 400)
    assertEnvelope(await take(root, rest.administrator.id), 400)
    assertEnvelope(await take(root, (await rest.signUp()).id), 404)
  })

  test('are written into the security log, given and taken', async () => {
    const from = written.length
    const { id } = await made()
    await take(rest.administrator.token, id)
    const events = written
      .slice(from)
      .map((line) => JSON.parse(line))
      .filter(({ security }) => security === 'administrator-changed')
    assert.deepEqual(
      events.map(({ outcome, account, by }) => [outcome, account, by]),
      [
        ['given', id, rest.administrator.id],
        ['taken', id, rest.administrator.id],
      ],
    )
  })
})

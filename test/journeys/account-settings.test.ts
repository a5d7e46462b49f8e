import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { makeToken } from '../support/api-tokens.ts'
import { fixture } from '../support/fixture.ts'
import { type Person, startRestUnderTest } from '../support/rest-host.ts'

const none = {
  ...{ theme: null, density: null, language: null },
  ...{ notificationMails: null, notificationHour: null, timeZone: null, mutedKinds: null },
}

describe('The settings of an account', () => {
  const rest = fixture(startRestUnderTest)
  let ann: Person
  beforeEach(async () => {
    ann = await rest.signUp({ name: 'Ann' })
  })

  const read = async (token = ann.token) => (await rest.call('GET', '/ext/settings', { token })).body.settings
  const change = (body: unknown, token = ann.token) => rest.call('PATCH', '/ext/settings', { token, body })

  test('follow the device until they are chosen, one by one', async () => {
    assert.deepEqual(await read(), none)
    assert.deepEqual((await change({ theme: 'dark' })).body.settings, { ...none, theme: 'dark' })
    await change({ density: 'compact', language: 'pt-BR' })
    assert.deepEqual(await read(), { ...none, theme: 'dark', density: 'compact', language: 'pt-BR' })
    await change({ theme: null })
    assert.deepEqual(await read(), { ...none, density: 'compact', language: 'pt-BR' })
    assert.deepEqual((await change({})).body.settings, await read())
  })

  test('are those of one account', async () => {
    const bob = await rest.signUp({ name: 'Bob' })
    await change({ theme: 'dark' })
    assert.equal((await read(bob.token)).theme, null)
  })

  test('that two devices change at the same time are both kept', async () => {
    await Promise.all([change({ theme: 'dark' }), change({ density: 'compact' }), change({ language: 'en' })])
    assert.deepEqual(await read(), { ...none, theme: 'dark', density: 'compact', language: 'en' })
  })

  test('are rejected where they are not known, all at once', async () => {
    const rejected = await change({ theme: 'pink', density: 3, language: 'tlh', other: 1 })
    assert.equal(rejected.status, 400)
    assert.deepEqual(Object.keys(rejected.body.errors).sort(), ['density', 'language', 'theme'])
    assert.deepEqual(await read(), none)
    assert.equal((await change('dark')).status, 400)
  })

  test('choose when notifications are mailed', async () => {
    const choices = {
      ...{ notificationMails: 'daily', notificationHour: 7, timeZone: 'America/Sao_Paulo' },
      mutedKinds: ['commented', 'overdue'],
    }
    assert.deepEqual((await change(choices)).body.settings, { ...none, ...choices })
    await change({ notificationHour: null, mutedKinds: [] })
    assert.deepEqual(await read(), { ...none, ...choices, notificationHour: null, mutedKinds: [] })
  })

  for (const [name, value] of [
    ['notificationMails', 'hourly'],
    ['notificationHour', 24],
    ['notificationHour', '7'],
    ['timeZone', '+03:00'],
    ['timeZone', 'Mars/Olympus'],
    ['mutedKinds', 'commented'],
    ['mutedKinds', ['commented', 'thanked']],
  ] as const)
    test(`are not ${JSON.stringify(value)} for ${name}`, async () => {
      const { status, body } = await change({ [name]: value })
      assert.deepEqual([status, Object.keys(body.errors)], [400, [name]])
    })

  test('belong to sessions, not to tokens for programs', async () => {
    const { secret } = await makeToken(rest, ann.token)
    assert.equal((await rest.call('GET', '/ext/settings', { token: secret })).status, 403)
    assert.equal((await change({ theme: 'dark' }, secret)).status, 403)
    assert.equal((await rest.call('GET', '/ext/settings')).status, 401)
  })
})

import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { makeToken } from '../support/api-tokens.ts'
import { fixture } from '../support/fixture.ts'
import { type Person, startRestUnderTest } from '../support/rest-host.ts'

const defaults = {
  theme: null,
  density: null,
  language: null,
  notificationMails: null,
  notificationHour: null,
  timeZone: null,
  mutedKinds: null,
}

describe('The settings of an account', () => {
  const rest = fixture(startRestUnderTest)
  let ann: Person
  beforeEach(async () => {
    ann = await rest.signUp({ name: 'Ann' })
  })

  const read = async (token = ann.token) => (await rest.call('GET', '/ext/settings', { token })).body.settings
  const change = (body: unknown, token = ann.token) => rest.call('PATCH', '/ext/settings', { token, body })

  test('are null until they are chosen', async () => {
    assert.deepEqual(await read(), defaults)
    assert.deepEqual((await change({ theme: 'dark' })).body.settings, { ...defaults, theme: 'dark' })
    await change({ density: 'compact', language: 'pt-BR' })
    assert.deepEqual(await read(), { ...defaults, theme: 'dark', density: 'compact', language: 'pt-BR' })
    await change({ theme: null })
    assert.deepEqual(await read(), { ...defaults, density: 'compact', language: 'pt-BR' })
    assert.deepEqual((await change({})).body.settings, await read())
  })

  test('apply to one account only', async () => {
    const bob = await rest.signUp({ name: 'Bob' })
    await change({ theme: 'dark' })
    assert.equal((await read(bob.token)).theme, null)
  })

  test('are all kept if several devices change different ones at the same time', async () => {
    await Promise.all([change({ theme: 'dark' }), change({ density: 'compact' }), change({ language: 'en' })])
    assert.deepEqual(await read(), { ...defaults, theme: 'dark', density: 'compact', language: 'en' })
  })

  test('are rejected together if their values are invalid', async () => {
    const rejected = await change({ theme: 'pink', density: 3, language: 'tlh', other: 1 })
    assert.equal(rejected.status, 400)
    assert.deepEqual(Object.keys(rejected.body.errors).sort(), ['density', 'language', 'theme'])
    assert.deepEqual(await read(), defaults)
    assert.equal((await change('dark')).status, 400)
  })

  test('include when notifications are mailed', async () => {
    const choices = {
      notificationMails: 'daily',
      notificationHour: 7,
      timeZone: 'America/Sao_Paulo',
      mutedKinds: ['commented', 'overdue'],
    }
    assert.deepEqual((await change(choices)).body.settings, { ...defaults, ...choices })
    await change({ notificationHour: null, mutedKinds: [] })
    assert.deepEqual(await read(), { ...defaults, ...choices, notificationHour: null, mutedKinds: [] })
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
    test(`do not accept ${JSON.stringify(value)} for ${name}`, async () => {
      const { status, body } = await change({ [name]: value })
      assert.deepEqual([status, Object.keys(body.errors)], [400, [name]])
    })

  test('require a session, not a personal access token', async () => {
    const { secret } = await makeToken(rest, ann.token)
    assert.equal((await rest.call('GET', '/ext/settings', { token: secret })).status, 403)
    assert.equal((await change({ theme: 'dark' }, secret)).status, 403)
    assert.equal((await rest.call('GET', '/ext/settings')).status, 401)
  })
})

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { onEveryHost } from './every-host.ts'
import { done, invalid, invalidWith, pageIn, recordIn, rejected } from './outcomes.ts'

const rejectedPasswords = [
  { violation: 'shorter than 8 characters', password: 'Abc-123' },
  { violation: 'longer than 128 characters', password: `Ab-1${'x'.repeat(125)}` },
  { violation: 'without a lower-case letter', password: 'SECRET-123' },
  { violation: 'without an upper-case letter', password: 'secret-123' },
  { violation: 'without a digit', password: 'Secret-abc' },
  { violation: 'without any other character', password: 'Secret0123' },
]

const acceptedPasswords = [
  'Secret-1',
  `Ab-1${'x'.repeat(124)}`,
  'ÄpfelKüche-9 und Öl',
  'Secret 123',
  'pAss1😀😀😀',
]

onEveryHost('Users', (tracker) => {
  const newLogin = () => `${randomUUID()}@example.com`
  const create = async (values: object) =>
    tracker.create('user', await tracker.valid('user', { ...values }), tracker.administrator)

  for (const { violation, password } of rejectedPasswords)
    test(`a password ${violation} is rejected under password`, async () => {
      await invalid(create({ password }), 'password')
      const user = await tracker.make('user')
      const change = tracker.change('user', user, { password })
      await invalid(tracker.update('user', change, tracker.administrator), 'password')
    })

  for (const password of acceptedPasswords)
    test(`${password.slice(0, 20)} is accepted as a password of ${[...password].length} characters`, async () => {
      await done(create({ password }))
    })

  test('a common password and the login as password are rejected with their own messages', async () => {
    const login = `Guess-1-${newLogin()}`
    const common = { password: 'P@ssw0rd', message: 'Password is one of the most common passwords.' }
    const same = { password: login, message: 'Password must not be the login.' }
    for (const { password, message } of [common, same]) {
      await invalidWith(create({ login, password }), { password: [message] })
      const user = await tracker.make('user')
      const change = tracker.change('user', user, { login, password })
      await invalidWith(tracker.update('user', change, tracker.administrator), { password: [message] })
    }
    // A change without a login is compared with the stored login.
    const user = await recordIn(create({ login }))
    const { login: _login, ...change } = tracker.change('user', user, { password: login })
    await invalidWith(tracker.update('user', change, tracker.administrator), { password: [same.message] })
  })

  test('violations of other fields are reported together with those of the password', async () => {
    await invalid(create({ name: ' ', login: 'x'.repeat(257), password: 'a' }), 'name', 'login', 'password')
  })

  test('no answer contains a password or anything derived from it', async () => {
    const password = 'Unheard-of-9'
    const user = await recordIn(create({ password }))
    const change = tracker.change('user', user, { password: `${password}9` })
    const answers = [
      user,
      await recordIn(tracker.get('user', user.id, tracker.administrator)),
      await pageIn(tracker.list('user', { ids: user.id }, tracker.administrator)),
      await done(tracker.update('user', change, tracker.administrator)),
      await recordIn(tracker.get('user', user.id, tracker.administrator)),
      await create({ login: user.login }),
    ]
    for (const answer of answers)
      assert.doesNotMatch(JSON.stringify(answer), /Unheard|argon|hash|salt|stamp/i)
  })

  test('a login is unique, regardless of capitals and surrounding blanks', async () => {
    const login = `Mixed.${newLogin()}`
    assert.equal((await recordIn(create({ login }))).login, login)
    for (const other of [login, login.toUpperCase(), login.toLowerCase(), `  ${login} `])
      await rejected(create({ login: other }), 'duplicate')
  })

  test('capitals beyond ASCII do not make a login different', async () => {
    const login = `ÄÖÜ-${newLogin()}`
    await done(create({ login }))
    await rejected(create({ login: login.toLowerCase() }), 'duplicate')
  })

  test('the login of a removed account is free again', async () => {
    const login = newLogin()
    const { id } = await recordIn(create({ login }))
    await done(tracker.remove('user', [id], tracker.administrator))
    await done(create({ login }))
  })

  test('an update to the login of another account is rejected', async () => {
    const [ann, bob] = await Promise.all([tracker.make('user'), tracker.make('user')])
    const clash = tracker.change('user', bob, { login: String(ann.login).toUpperCase() })
    await rejected(tracker.update('user', clash, tracker.administrator), 'duplicate')
  })

  test('an update may change only the capitals of a login', async () => {
    const bob = await tracker.make('user')
    const login = `  ${String(bob.login).toUpperCase()} `
    await done(tracker.update('user', tracker.change('user', bob, { login }), tracker.administrator))
    const stored = await recordIn(tracker.get('user', bob.id, tracker.administrator))
    assert.equal(stored.login, login.trim())
  })

  test('when several users are created with the same login at once, one succeeds', async () => {
    const body = await tracker.valid('user', { login: newLogin() })
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => tracker.create('user', body, tracker.administrator)),
    )
    assert.equal(answers.filter(({ kinds }) => kinds.includes('ok')).length, 1)
    assert.equal(answers.filter(({ kinds }) => kinds.includes('duplicate')).length, 3)
  })

  test('an update without a login does not change the login', async () => {
    const user = await tracker.make('user')
    await done(tracker.update('user', { id: user.id, name: 'Renamed' }, tracker.administrator))
    const { name, login } = await recordIn(tracker.get('user', user.id, tracker.administrator))
    assert.deepEqual([name, login], ['Renamed', user.login])
  })

  for (const blank of [null, '', '  '])
    test(`an update with null as login and ${JSON.stringify(blank)} as password clears neither`, async () => {
      const ann = await tracker.signUp()
      const change = { id: ann.id, name: ann.name, login: null, password: blank }
      await done(tracker.update('user', change, tracker.administrator))
      const stored = await recordIn(tracker.get('user', ann.id, tracker.administrator))
      assert.equal(stored.login, ann.login)
      await done(tracker.list('organization', {}, ann))
    })

  for (const blank of ['', '  ', '\t\n'])
    test(`an update with ${JSON.stringify(blank)} as login is rejected under its key`, async () => {
      const ann = await tracker.signUp()
      const change = { id: ann.id, name: 'Renamed', login: blank }
      await invalidWith(tracker.update('user', change, tracker.administrator), {
        login: ['Login must not be empty.'],
      })
      const stored = await recordIn(tracker.get('user', ann.id, tracker.administrator))
      assert.deepEqual([stored.name, stored.login], [ann.name, ann.login])
    })

  test('a new name does not end the sessions of the account', async () => {
    const ann = await tracker.signUp()
    await done(tracker.update('user', { id: ann.id, name: 'Ann' }, tracker.administrator))
    await done(tracker.list('organization', {}, ann))
  })

  for (const [field, value] of Object.entries({ password: 'Changed-123', login: newLogin() }))
    test(`a new ${field} ends the sessions of the account`, async () => {
      const ann = await tracker.signUp()
      const change = { id: ann.id, name: ann.name, [field]: value }
      await done(tracker.update('user', change, tracker.administrator))
      await rejected(tracker.list('organization', {}, ann), 'unauthenticated')
    })
})

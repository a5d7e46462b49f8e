import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { cheapPasswords } from '../../test/support/cheap-passwords.ts'
import { type FreshDatabase, freshDatabase } from '../../test/support/fresh-database.ts'
import { insertAccount } from '../../test/support/insert-account.ts'
import { administratorsOf } from '../accounts/administrators.ts'
import { openBudgets } from '../config/budgets.ts'
import { readSettings } from '../config/settings.ts'
import { readStoreSettings } from '../config/store-settings.ts'
import { newId } from '../db/rows.ts'
import { sql } from '../db/sql.ts'
import { create } from '../records/create.ts'
import { user } from '../resources/user.ts'
import { seedStore } from './seed-store.ts'

describe('The first account', () => {
  let store: FreshDatabase
  let folder: string
  before(async () => {
    store = await freshDatabase()
    folder = mkdtempSync(join(tmpdir(), 'first-account-'))
  })
  beforeEach(() => store.database.transaction((transaction) => transaction.query(sql`delete from users`)))
  after(async () => {
    await store.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  const createContext = () => ({
    database: store.database,
    passwords: cheapPasswords(),
    budgets: openBudgets(),
  })
  const start = async (name: string, variables = {}) => {
    const environment = { DATA_DIR: join(folder, name), SVC_DEMO_DATA: 'false', ...variables }
    return seedStore(createContext(), readSettings(environment, readStoreSettings))
  }
  const isAccepted = async (password: string) => {
    const [account] = await store.database.query<{ hash: string }>(
      sql`select password_hash as hash from users where login = 'demo@example.com'`,
    )
    return cheapPasswords().verify(account?.hash ?? '', password)
  }

  test('is created by only one of several concurrent first starts', async () => {
    const reports = await Promise.all(['a', 'b', 'c', 'd'].map((name) => start(name)))
    const passwords = reports.flatMap(({ generatedPassword }) => generatedPassword ?? [])
    assert.equal(passwords.length, 1)
    assert.ok(await isAccepted(passwords[0] ?? ''))
    assert.equal(reports.filter(({ passwordFile }) => passwordFile !== undefined).length, 1)
    // A start that already sees the account does not create its directory.
    const folders = ['a', 'b', 'c', 'd'].map((name) => join(folder, name)).filter((path) => existsSync(path))
    const files = folders.flatMap((path) => readdirSync(path))
    assert.deepEqual(files, ['demo-password'])
  })

  test('is created at DATABASE_URL only if the settings ask for it', async () => {
    const url = { DATABASE_URL: store.url }
    const unseeded = await start('url', url)
    assert.match(unseeded.hint ?? '', /account create LOGIN --administrator/)
    assert.deepEqual(await store.database.query(sql`select from users`), [])
    const seeded = await start('url', { ...url, SVC_DEMO_PASSWORD: 'Correct-Horse-1' })
    assert.deepEqual([seeded.login, seeded.hint], ['demo@example.com', undefined])
    assert.ok(await isAccepted('Correct-Horse-1'))
  })

  test('has the password in the file, even if concurrent first starts share the directory', async () => {
    const reports = await Promise.all([1, 2, 3, 4].map(() => start('shared')))
    assert.equal(reports.filter(({ generatedPassword }) => generatedPassword !== undefined).length, 1)
    assert.ok(await isAccepted(readFileSync(join(folder, 'shared', 'demo-password'), 'utf8').trim()))
    assert.deepEqual(readdirSync(join(folder, 'shared')), ['demo-password'])
  })

  test('must not have a login of the demo data', async () => {
    const variables = { SVC_DEMO_DATA: 'true', SVC_DEMO_LOGIN: 'mara@example.com' }
    await assert.rejects(
      start('taken', variables),
      /^Error: The demo data, which SVC_DEMO_DATA adds: .*already used/,
    )
    assert.deepEqual(await store.database.query(sql`select from users`), [])
  })

  test('gets its password file from the next start if a start was interrupted', async () => {
    const first = await start('e')
    const file = first.passwordFile ?? assert.fail()
    const password = readFileSync(file, 'utf8')
    rmSync(file)
    writeFileSync(`${file}.pending`, password)
    assert.equal((await start('e')).passwordFile, file)
    assert.ok(await isAccepted(readFileSync(file, 'utf8').trim()))
    // Here, another instance has created the account, with a different password.
    const unusedFile = join(folder, 'f', 'demo-password.pending')
    mkdirSync(join(folder, 'f'))
    writeFileSync(unusedFile, 'Unused-Password-1\n')
    assert.equal((await start('f')).passwordFile, undefined)
    assert.equal(existsSync(unusedFile), false)
  })

  const seededLogins = () =>
    store.database.query<{ login: string | null }>(
      sql`select login from seeded_account left join users on id = user_id and active`,
    )
  const rename = (login: string) =>
    store.database.query(sql`update users set login = ${login} where login = 'demo@example.com'`)

  test('is not created again after its login or SVC_DEMO_LOGIN has changed', async () => {
    await start('g')
    await rename('renamed@example.com')
    await insertAccount(store.database, { login: 'demo@example.com' })
    await insertAccount(store.database, { login: 'other@example.com' })
    for (const variables of [{}, { SVC_DEMO_LOGIN: 'other@example.com' }])
      assert.equal((await start('g', variables)).login, 'renamed@example.com')
    assert.deepEqual(await seededLogins(), [{ login: 'renamed@example.com' }])
  })

  test('is created once, even if concurrent first starts have different logins for it', async () => {
    const starts = ['a', 'b', 'c', 'd'].map((name) => start(name, { SVC_DEMO_LOGIN: `${name}@example.com` }))
    const logins = new Set((await Promise.all(starts)).map(({ login }) => login))
    const accounts = await store.database.query<{ login: string }>(sql`select login from users`)
    assert.deepEqual(
      [...logins],
      accounts.map(({ login }) => login),
    )
    assert.equal(accounts.length, 1)
  })

  describe('of a store that was seeded before the account was recorded', () => {
    const deleteSeeded = () => store.database.query(sql`delete from seeded_account`)

    test('is the account with the demo login', async () => {
      await start('h')
      await insertAccount(store.database)
      await deleteSeeded()
      assert.equal((await start('h')).login, 'demo@example.com')
    })

    test('is otherwise the oldest account, if it created itself', async () => {
      await start('i')
      await rename('renamed@example.com')
      await insertAccount(store.database)
      await deleteSeeded()
      assert.equal((await start('i')).login, 'renamed@example.com')
    })

    test('is otherwise unknown, even if a user takes the demo login later', async () => {
      const creator = { id: newId(), isAdministrator: true }
      const account = { name: 'Ann', login: 'ann@example.com', password: 'Correct-Horse-1' }
      const administrators = administratorsOf({ adminLogins: [] })
      await create({ ...createContext(), administrators }, user, creator, account)
      await deleteSeeded()
      await Promise.all([start('j'), start('j')])
      await insertAccount(store.database, { login: 'demo@example.com' })
      assert.equal((await start('j')).login, undefined)
      assert.deepEqual(await seededLogins(), [{ login: null }])
    })
  })
})

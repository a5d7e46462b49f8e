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

describe('the first account', () => {
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

  const parts = () => ({ database: store.database, passwords: cheapPasswords(), budgets: openBudgets() })
  const start = async (name: string, variables = {}) => {
    const environment = {
      ...{ DATA_DIR: join(folder, name), SVC_DEMO_DATA: 'false' },
      ...variables,
    }
    return seedStore(parts(), readSettings(environment, readStoreSettings))
  }
  const isRight = async (password: string) => {
    const [account] = await store.database.query<{ hash: string }>(
      sql`select password_hash as hash from users where login = 'demo@example.com'`,
    )
    return cheapPasswords().verify(account?.hash ?? '', password)
  }

  test('of many first starts with folders of their own, one shows its password and it is right, the others show none', async () => {
    const shown = await Promise.all(['a', 'b', 'c', 'd'].map(start))
    const passwords = shown.flatMap(({ generatedPassword }) => generatedPassword ?? [])
    assert.equal(passwords.length, 1)
    assert.ok(await isRight(passwords[0] ?? ''))
    assert.equal(shown.filter(({ passwordFile }) => passwordFile !== undefined).length, 1)
    // A start that came late enough to see the account has not even created its folder.
    const folders = ['a', 'b', 'c', 'd'].map((name) => join(folder, name)).filter((path) => existsSync(path))
    const left = folders.flatMap((path) => readdirSync(path))
    assert.deepEqual(left, ['demo-password'])
  })

  test('is made at DATABASE_URL only if the settings ask for it; without it, the way to the first one is shown', async () => {
    const url = { DATABASE_URL: store.url }
    const without = await start('url', url)
    assert.match(without.hint ?? '', /account create LOGIN --administrator/)
    assert.deepEqual(await store.database.query(sql`select from users`), [])
    const asked = await start('url', { ...url, SVC_DEMO_PASSWORD: 'Correct-Horse-1' })
    assert.deepEqual([asked.login, asked.hint], ['demo@example.com', undefined])
    assert.ok(await isRight('Correct-Horse-1'))
  })

  test('of many first starts that share a folder, none spoils the password that is kept', async () => {
    const shown = await Promise.all([1, 2, 3, 4].map(() => start('shared')))
    assert.equal(shown.filter(({ generatedPassword }) => generatedPassword !== undefined).length, 1)
    assert.ok(await isRight(readFileSync(join(folder, 'shared', 'demo-password'), 'utf8').trim()))
    assert.deepEqual(readdirSync(join(folder, 'shared')), ['demo-password'])
  })

  test('that takes a login of the demo data fails with the reason, and leaves the store empty', async () => {
    const variables = { SVC_DEMO_DATA: 'true', SVC_DEMO_LOGIN: 'mara@example.com' }
    await assert.rejects(
      start('taken', variables),
      /^Error: The demo data, which SVC_DEMO_DATA adds: .*already used/,
    )
    assert.deepEqual(await store.database.query(sql`select from users`), [])
  })

  test('a start that was cut short is finished by the next one, no matter who made the account meanwhile', async () => {
    const first = await start('e')
    const file = first.passwordFile ?? assert.fail()
    const password = readFileSync(file, 'utf8')
    rmSync(file)
    writeFileSync(`${file}.pending`, password)
    assert.equal((await start('e')).passwordFile, file)
    assert.ok(await isRight(readFileSync(file, 'utf8').trim()))
    const other = join(folder, 'f', 'demo-password.pending')
    mkdirSync(join(folder, 'f'))
    writeFileSync(other, 'Nobody-s-password-1\n')
    assert.equal((await start('f')).passwordFile, undefined)
    assert.equal(existsSync(other), false)
  })

  const seededLogins = () =>
    store.database.query<{ login: string | null }>(
      sql`select login from seeded_account left join users on id = user_id and active`,
    )
  const rename = (login: string) =>
    store.database.query(sql`update users set login = ${login} where login = 'demo@example.com'`)

  test('is kept by its id, so neither a new login nor another SVC_DEMO_LOGIN makes another one', async () => {
    await start('g')
    await rename('renamed@example.com')
    await insertAccount(store.database, { login: 'demo@example.com' })
    await insertAccount(store.database, { login: 'other@example.com' })
    for (const variables of [{}, { SVC_DEMO_LOGIN: 'other@example.com' }])
      assert.equal((await start('g', variables)).login, 'renamed@example.com')
    assert.deepEqual(await seededLogins(), [{ login: 'renamed@example.com' }])
  })

  test('is one, also of first starts at once that would name it differently', async () => {
    const starts = ['a', 'b', 'c', 'd'].map((name) => start(name, { SVC_DEMO_LOGIN: `${name}@example.com` }))
    const logins = new Set((await Promise.all(starts)).map(({ login }) => login))
    const accounts = await store.database.query<{ login: string }>(sql`select login from users`)
    assert.deepEqual(
      [...logins],
      accounts.map(({ login }) => login),
    )
    assert.equal(accounts.length, 1)
  })

  describe('of a store from before it was kept', () => {
    const deleteSeeded = () => store.database.query(sql`delete from seeded_account`)

    test('is the one that has its login', async () => {
      await start('h')
      await insertAccount(store.database)
      await deleteSeeded()
      assert.equal((await start('h')).login, 'demo@example.com')
    })

    test('is the oldest one that created itself, once no account has the login any more', async () => {
      await start('i')
      await rename('renamed@example.com')
      await insertAccount(store.database)
      await deleteSeeded()
      assert.equal((await start('i')).login, 'renamed@example.com')
    })

    test('is none where that cannot be determined, also for users who take the login later', async () => {
      const maker = { id: newId(), isAdministrator: true }
      const account = { name: 'Ann', login: 'ann@example.com', password: 'Correct-Horse-1' }
      const administrators = administratorsOf({ adminLogins: [] })
      await create({ ...parts(), administrators }, user, maker, account)
      await deleteSeeded()
      await Promise.all([start('j'), start('j')])
      await insertAccount(store.database, { login: 'demo@example.com' })
      assert.equal((await start('j')).login, undefined)
      assert.deepEqual(await seededLogins(), [{ login: null }])
    })
  })
})

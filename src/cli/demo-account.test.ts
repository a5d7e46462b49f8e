import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { cheapPasswords } from '../../test/support/cheap-passwords.ts'
import { type FreshDatabase, freshDatabase } from '../../test/support/fresh-database.ts'
import { openBudgets } from '../configuration/budgets.ts'
import { readSettings } from '../configuration/settings.ts'
import { readStoreSettings } from '../configuration/store-settings.ts'
import { sql } from '../store/sql.ts'
import { seedDemoAccount } from './demo-account.ts'

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

  const start = async (name: string) => {
    const tracker = { database: store.database, passwords: cheapPasswords(), budgets: openBudgets() }
    const environment = { DATABASE_URL: store.url, DATA_DIR: join(folder, name), SVC_DEMO_DATA: 'false' }
    return seedDemoAccount(tracker, readSettings(environment, readStoreSettings))
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
    // A start that came late enough to see the account has not even made its folder.
    const folders = ['a', 'b', 'c', 'd'].map((name) => join(folder, name)).filter((path) => existsSync(path))
    const left = folders.flatMap((path) => readdirSync(path))
    assert.deepEqual(left, ['demo-password'])
  })

  test('of many first starts that share a folder, none spoils the password that is kept', async () => {
    const shown = await Promise.all([1, 2, 3, 4].map(() => start('shared')))
    assert.equal(shown.filter(({ generatedPassword }) => generatedPassword !== undefined).length, 1)
    assert.ok(await isRight(readFileSync(join(folder, 'shared', 'demo-password'), 'utf8').trim()))
    assert.deepEqual(readdirSync(join(folder, 'shared')), ['demo-password'])
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
})

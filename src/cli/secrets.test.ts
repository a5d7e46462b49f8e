import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { headerOf, openBrowser, refresh } from '../../test/support/browser.ts'
import { runCli } from '../../test/support/child-host.ts'
import { fixture } from '../../test/support/fixture.ts'
import { addressOf, urlUnderRoleOf } from '../../test/support/fresh-database.ts'
import { startIdentityUnderTest } from '../../test/support/identity-host.ts'
import { redirectUri } from '../../test/support/known-clients.ts'
import { atSecondStep, setUpApp, type TestApp } from '../../test/support/second-factors.ts'
import { sql } from '../db/sql.ts'
import { createKeyBox } from '../hosts/identity/keys/secret-box.ts'
import { sealedColumns } from './secrets.ts'

const [oldSecret, newSecret] = [randomBytes(24).toString('hex'), randomBytes(24).toString('hex')]

/** Starts an identity host with its keys in the store. `run` runs commands under the role of the host. */
function useHost() {
  const host = fixture(startIdentityUnderTest, {
    environment: { Jwt__SigningPrivateKey: '', Jwt__SigningKey: oldSecret },
  })
  const run = (args: readonly string[], settings: Readonly<Record<string, string>>) =>
    runCli({ DATABASE_URL: urlUnderRoleOf('identity', addressOf(host.database)), ...settings }, args)
  const keysOf = (address = host.address) =>
    openBrowser(address)
      .get('/.well-known/openid-configuration/jwks')
      .then(({ json }) => (json.keys as { kid: string }[]).map(({ kid }) => kid))
  const storedKeys = () =>
    host.database.query<{
      id: string
      purpose: string
      sealed: Buffer
      startsAt: number
      endsAt: number
    }>(sql`
      select id, purpose, sealed, extract(epoch from starts_at)::float8 as "startsAt",
        extract(epoch from ends_at)::float8 as "endsAt" from identity_keys order by purpose, starts_at`)
  const countSessions = async () =>
    (await host.database.query(sql`select from signin_sessions where ended_at is null`)).length
  return { host, run, keysOf, storedKeys, countSessions }
}

describe('The keys in the store', () => {
  const { host, run, keysOf, storedKeys, countSessions } = useHost()
  const current = { Identity__KeyEncryptionSecret: oldSecret }

  test('are rotated once: the successor is published a day before it signs', async () => {
    const [before] = await keysOf()
    const { access_token: token } = await host.signIn('ada@example.com')
    const rotated = await run(['keys', 'rotate'], current)
    assert.equal(rotated.code, 0, rotated.stderr)
    assert.match(rotated.stderr, /"security":"keys-changed","outcome":"rotated"/)
    assert.equal((await run(['keys', 'rotate'], current)).stdout, rotated.stdout)
    const [protecting, , signing, successor] = await storedKeys()
    assert.deepEqual(
      [protecting?.purpose, signing?.id, signing?.endsAt],
      ['protection', before, successor?.startsAt],
    )
    const another = await host.startAnother()
    assert.deepEqual(await keysOf(another.address), [before, successor?.id])
    assert.equal(headerOf(token ?? '').kid, before)
    host.clock.advance(25 * 60 * 60_000)
    const { access_token: next } = await host.signIn('ada@example.com', { address: another.address })
    assert.equal(headerOf(next ?? '').kid, successor?.id)
  })

  test('are not changed if the secret is wrong', async () => {
    const before = await storedKeys()
    for (const [args, message] of [
      [['keys', 'rotate'], /encrypted with another secret/],
      [['keys', 'revoke', '--yes'], /encrypted with another secret, and nothing was changed/],
    ] as const) {
      const { code, stderr } = await run(args, { Identity__KeyEncryptionSecret: newSecret })
      assert.deepEqual([code, message.test(stderr)], [1, true], stderr)
    }
    const { code, stderr } = await run(['keys', 'revoke'], current)
    assert.deepEqual([code, /ends every session.*--yes is required/.test(stderr)], [2, true])
    assert.deepEqual(await storedKeys(), before)
  })

  test('are revoked together with all sessions', async () => {
    const stolen = await host.signIn('ada@example.com')
    const before = await keysOf()
    assert.ok((await countSessions()) > 0)
    const revoked = await run(['keys', 'revoke', '--yes'], current)
    assert.equal(revoked.code, 0, revoked.stderr)
    assert.match(revoked.stderr, /"security":"keys-changed","outcome":"revoked"/)
    assert.equal(await countSessions(), 0)
    const { address } = await host.startAnother()
    const after = await keysOf(address)
    assert.deepEqual([after.length, before.includes(after[0] ?? '')], [1, false])
    const browser = openBrowser(address)
    assert.equal((await refresh(browser, stolen.refresh_token ?? '')).status, 400)
    const userInfo = await browser.get(
      '/connect/userinfo',
      {},
      { authorization: `Bearer ${stolen.access_token}` },
    )
    assert.equal(userInfo.status, 401)
    assert.ok(await host.signIn('ada@example.com', { address }))
  })

  test('are replaced with --lost-secret if their secret is lost', async () => {
    const lost = { Identity__KeyEncryptionSecret: newSecret }
    await assert.rejects(host.startAnother(lost), /docs\/runbooks\.md/)
    const revoked = await run(['keys', 'revoke', '--lost-secret', '--yes'], lost)
    assert.equal(revoked.code, 0, revoked.stderr)
    const { address } = await host.startAnother(lost)
    assert.ok(await host.signIn('ada@example.com', { address }))
  })
})

describe('The encryption secret', () => {
  const { host, run, storedKeys } = useHost()
  const both = { Identity__KeyEncryptionSecret: newSecret, Identity__PreviousKeyEncryptionSecret: oldSecret }
  const rotate = (settings: Readonly<Record<string, string>>, ...options: string[]) =>
    run(['secret', 'rotate', ...options], settings)
  let app: TestApp
  before(async () => {
    app = await setUpApp(host, 'ada@example.com')
  })
  const acceptsCode = async (address: string) => {
    host.clock.advance(30_000)
    const { answer } = await atSecondStep(host, 'ada@example.com', { browser: openBrowser(address) })
    return (await answer(app.code())).location.startsWith(`${redirectUri}?code=`)
  }
  const countDecryptable = async (secret: string) =>
    (await storedKeys()).filter(({ id, purpose, sealed }) => createKeyBox(secret, purpose).open(sealed, id))
      .length

  test('encrypts only the columns that are re-encrypted when it is rotated', async () => {
    const columns = await host.database.query<{ name: string }>(sql`
      select table_name || '.' || column_name as name from information_schema.columns
      where table_schema = 'public' and column_name like '%sealed%' and data_type = 'bytea' order by 1`)
    assert.deepEqual(
      columns.map(({ name }) => name),
      sealedColumns.map(({ table, column }) => `${table}.${column}`).sort(),
    )
  })

  test('can be rotated while hosts that know both secrets are running', async () => {
    const { address } = await host.startAnother(both)
    assert.ok(await acceptsCode(address))
    // Simulates an earlier rotation that was interrupted after it had re-encrypted one key.
    const [first] = await storedKeys()
    const { id = '', purpose = '', sealed = Buffer.alloc(0) } = first ?? {}
    const plain = createKeyBox(oldSecret, purpose).open(sealed, id) ?? assert.fail()
    await host.database.singleWrites.query(
      sql`update identity_keys set sealed = ${createKeyBox(newSecret, purpose).seal(plain, id)} where id = ${id}`,
    )
    const { code, stdout, stderr } = await rotate(both)
    assert.equal(code, 0, stderr)
    assert.match(stdout, /^identity_keys: 1 re-encrypted, 1 already were, 0 cannot be decrypted/m)
    assert.match(stdout, /^authenticator_apps: 1 re-encrypted, 0 already were/m)
    assert.match(stderr, /"security":"keys-changed","outcome":"sealed again"/)
    assert.ok(![oldSecret, newSecret].some((secret) => (stdout + stderr).includes(secret)))
    assert.deepEqual([await countDecryptable(oldSecret), await countDecryptable(newSecret)], [0, 2])
    assert.ok(await acceptsCode(address))
    const alone = await host.startAnother({ Identity__KeyEncryptionSecret: newSecret })
    assert.ok(await acceptsCode(alone.address))
    const again = await rotate(both)
    assert.match(again.stdout, /^authenticator_apps: 0 re-encrypted, 1 already were/m)
    assert.equal(again.code, 0)
  })

  test('can be read from files', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'cli-secrets-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const write = (name: string, text: string) => {
      writeFileSync(join(folder, name), `${text}\n`)
      return join(folder, name)
    }
    const [third, second] = [write('third', 'x'.repeat(40)), write('second', newSecret)]
    const withoutSecrets = { DATA_DIR: folder }
    assert.equal(await countDecryptable(newSecret), 2)
    for (const [settings, options, exitCode, message] of [
      [withoutSecrets, [], 2, /KeyEncryptionSecret to the new secret/],
      [withoutSecrets, ['--new-file', third], 2, /PreviousKeyEncryptionSecret to the old secret/],
      [withoutSecrets, ['--new-file', third, '--old-file', third], 2, /is the old one/],
      [
        withoutSecrets,
        ['--new-file', write('short', 'short'), '--old-file', second],
        2,
        /at least 32 characters/,
      ],
      [withoutSecrets, ['--new-file', third, '--old-file', write('empty', '')], 2, /is empty/],
      [
        withoutSecrets,
        ['--new-file', third, '--old-file', write('wrong', oldSecret)],
        1,
        /nothing was changed/,
      ],
    ] as const) {
      const { code, stderr } = await rotate(settings, ...options)
      assert.deepEqual([code, message.test(stderr)], [exitCode, true], stderr)
    }
    assert.equal(await countDecryptable(newSecret), 2)
    const rotated = await rotate(withoutSecrets, '--new-file', third, '--old-file', second)
    assert.equal(rotated.code, 0, rotated.stderr)
    assert.equal(await countDecryptable('x'.repeat(40)), 2)
    // If no old secret is given, the secret in the data directory is used.
    write('identity-secret', 'x'.repeat(40))
    const back = await rotate({ ...withoutSecrets, Identity__KeyEncryptionSecret: newSecret })
    assert.equal(back.code, 0, back.stderr)
    assert.equal(await countDecryptable(newSecret), 2)
  })

  test('is rotated even if some values cannot be decrypted', async () => {
    await host.database.singleWrites.query(
      sql`update authenticator_apps set sealed_secret = ${Buffer.alloc(60)}`,
    )
    const { code, stdout, stderr } = await rotate(both)
    assert.deepEqual([code, /lost.*remove-factors/.test(stderr)], [1, true], stderr)
    assert.match(stdout, /^authenticator_apps: 0 re-encrypted, 0 already were, 1 cannot be decrypted/m)
  })
})

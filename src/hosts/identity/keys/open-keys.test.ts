import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { readOrCreateKeySecret } from './open-keys.ts'
import { parsePinnedKey, pinnedKeyRing } from './signing-keys.ts'

describe('the secret in the data directory', () => {
  it('is created once by concurrent processes', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'identity-secret-'))
    t.after(() => rm(folder, { recursive: true }))
    const data = join(folder, 'data')
    const secrets = await Promise.all(Array.from({ length: 8 }, () => readOrCreateKeySecret(data)))
    assert.equal(new Set(secrets).size, 1)
    assert.ok((secrets[0] ?? '').length >= 43)
    const file = join(data, 'identity-secret')
    if (process.platform !== 'win32') assert.equal((await stat(file)).mode & 0o777, 0o600)
    assert.equal((await readFile(file, 'utf8')).trim(), secrets[0])
    assert.equal(await readOrCreateKeySecret(data), secrets[0])
  })

  it('is rejected if it is empty', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'identity-secret-'))
    t.after(() => rm(folder, { recursive: true }))
    await writeFile(join(folder, 'identity-secret'), '\n')
    await assert.rejects(readOrCreateKeySecret(folder), /is empty/)
  })
})

describe('a pinned key', () => {
  it('is the only signing key', async () => {
    const pem = pemOf(2048)
    const [first, second] = [pem, pem.replaceAll('\n', '\\n')].map((text) => {
      const key = parsePinnedKey(text)
      assert.ok(key)
      return pinnedKeyRing(key)
    })
    assert.ok(first && second)
    assert.equal(first.current().id, second.current().id)
    assert.equal(first.all().length, 1)
    assert.equal((await first.find(first.current().id))?.id, first.current().id)
    assert.equal(await first.find('another'), undefined)
  })

  it('has to be an RSA key of at least 2048 bits', () => {
    assert.equal(parsePinnedKey('nonsense'), undefined)
    assert.equal(parsePinnedKey(pemOf(1024)), undefined)
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    assert.equal(parsePinnedKey(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()), undefined)
  })
})

const pemOf = (modulusLength: number): string =>
  generateKeyPairSync('rsa', { modulusLength }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { type FreshDatabase, freshDatabase } from '../../../../test/support/fresh-database.ts'
import { sql } from '../../../db/sql.ts'
import { type KeyKind, type KeyRing, openKeyRing, WrongKeySecretError } from './key-ring.ts'
import { protectionKeyKind } from './seals.ts'
import { createKeyBox } from './secret-box.ts'
import { type SigningKey, signingKeyKinds, signToken } from './signing-keys.ts'

const hourMilliseconds = 60 * 60_000
const dayMilliseconds = 24 * hourMilliseconds
const instances = 4

describe('the key ring', () => {
  let fresh: FreshDatabase
  let today = 0
  const now = () => today
  before(async () => {
    fresh = await freshDatabase()
  })
  after(() => fresh.drop())
  beforeEach(async () => {
    today = Date.parse('2026-01-01T00:00:00Z')
    await fresh.database.transaction((transaction) => transaction.query(sql`delete from identity_keys`))
  })

  const openRing = <Key>(kind: KeyKind<Key>, secret = 'the secret') =>
    openKeyRing(kind, { database: fresh.database, box: createKeyBox(secret, kind.purpose), now })
  // Protection keys have the same schedule and are cheap to generate.
  const open = (secret?: string) => openRing(protectionKeyKind, secret)
  const countKeys = async () =>
    (await fresh.database.query<{ count: number }>(sql`select count(*) as count from identity_keys`))[0]
      ?.count

  it('creates a single first key if several instances start at once', async () => {
    const rings = await Promise.all(Array.from({ length: instances }, () => open()))
    assert.equal(new Set(rings.map((ring) => ring.current().id)).size, 1)
    assert.equal(await countKeys(), 1)
  })

  it('signs with each key for 90 days', async () => {
    const rings = await Promise.all(Array.from({ length: instances }, () => openRing(signingKeyKinds.RS256)))
    const firstDay = today
    const seen = new Map<string, Life>()
    const dayNow = () => (today - firstDay) / dayMilliseconds
    for (let hour = 1; hour <= 300 * 24; hour += 1) {
      today += hourMilliseconds
      const ring = hour % 3 === 0 ? rings[(hour / 3) % instances] : undefined
      // Every three hours, the next instance refreshes. The others use cached keys.
      if (ring) await ring.refresh()
      if (hour % 6 === 0) recordLives(seen, rings, dayNow())
    }
    const lives = [...seen.values()].sort((first, second) => first.published - second.published)
    // Days 0 to 300 have the keys of days 0, 90, 180 and 270.
    assert.equal(lives.length, 4)
    lives.forEach(({ published, signs, signsUntil, gone }, index) => {
      assert.ok(published <= Math.max(0, 90 * index - 1) + 0.75, `published on day ${published}`)
      assert.ok(Math.abs(signs - 90 * index) <= 0.25, `signs from day ${signs}`)
      // On day 300, the last key still signs, and the one before it may still be published.
      if (index === 3) return
      assert.ok(Math.abs(signsUntil - 90 * (index + 1)) <= 0.25, `signs until day ${signsUntil}`)
      if (index === 2) return
      assert.ok(Math.abs(gone - (90 * (index + 1) + 7)) <= 1, `gone on day ${gone}`)
    })
  })

  it('continues at once after a pause of months', async () => {
    const previousId = (await open()).current().id
    today += 200 * dayMilliseconds
    const ring = await open()
    assert.notEqual(ring.current().id, previousId)
    assert.deepEqual(
      ring.all().map(({ id }) => id),
      [ring.current().id],
    )
  })

  it('loads a key that another instance has added as soon as a token names it', async () => {
    const ring = await open()
    const other = await open()
    today += 89 * dayMilliseconds
    await other.refresh()
    const successor = other.all().find(({ id }) => id !== other.current().id)
    assert.ok(successor)
    assert.equal((await ring.find(successor.id))?.id, successor.id)
    assert.equal(await ring.find('unknown'), undefined)
  })

  it('rejects a wrong secret with a clear message', async () => {
    const { id } = (await open()).current()
    today += 200 * dayMilliseconds
    await assert.rejects(open('another secret'), (error) => {
      assert.ok(error instanceof WrongKeySecretError)
      assert.match(error.message, /another secret\. Set Identity__KeyEncryptionSecret or Jwt__SigningKey/)
      return true
    })
    assert.equal(await countKeys(), 1)
    today -= 200 * dayMilliseconds
    assert.equal((await open()).current().id, id)
  })

  it('rejects a key that was moved to another row', async () => {
    await open()
    await fresh.database.transaction((transaction) =>
      transaction.query(sql`update identity_keys set id = 'moved'`),
    )
    await assert.rejects(open(), WrongKeySecretError)
  })

  it('stores no private key unencrypted', async () => {
    const { privateKey } = (await openRing(signingKeyKinds.RS256)).current()
    const [row] = await fresh.database.query<{ sealed: Buffer }>(sql`select sealed from identity_keys`)
    const der = privateKey.export({ type: 'pkcs8', format: 'der' })
    assert.ok(row && !row.sealed.includes(der.subarray(100, 132)))
  })

  it('keeps protection keys apart from signing keys', async () => {
    const signing = await openRing(signingKeyKinds.RS256)
    const ring = await open()
    const { id } = ring.current()
    today += 90 * dayMilliseconds
    await ring.refresh()
    assert.notEqual(ring.current().id, id)
    assert.equal((await ring.find(id))?.id, id)
    assert.equal(await ring.find(signing.current().id), undefined)
  })
})

/** The days on which a key is published, signs, stops signing, and is last published. */
interface Life {
  readonly published: number
  signs: number
  signsUntil: number
  gone: number
}

/** Records the keys of this day, and asserts that all instances sign with the same one. */
function recordLives(seen: Map<string, Life>, rings: readonly KeyRing<SigningKey>[], day: number): void {
  const current = rings[0]?.current().id ?? ''
  for (const ring of rings) {
    assert.equal(ring.current().id, current, `The instances disagree on day ${day}`)
    for (const { id } of ring.all()) {
      const life = seen.get(id) ?? { published: day, signs: Number.NaN, signsUntil: 0, gone: 0 }
      seen.set(id, life)
      life.gone = day
      if (id !== current) continue
      if (Number.isNaN(life.signs)) life.signs = day
      life.signsUntil = day
    }
  }
}

describe('a signed token', () => {
  it('names its type and its key', async () => {
    const key = signingKeyKinds.RS256.load('kid-1', await signingKeyKinds.RS256.generate())
    const [header = ''] = (await signToken(key, 'at+jwt', { sub: 'x' })).split('.')
    assert.deepEqual(JSON.parse(Buffer.from(header, 'base64url').toString()), {
      alg: 'RS256',
      typ: 'at+jwt',
      kid: 'kid-1',
    })
  })
})

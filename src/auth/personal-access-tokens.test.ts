import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { type FreshDatabase, freshDatabase } from '../../test/support/fresh-database.ts'
import { insertAccount } from '../../test/support/insert-account.ts'
import { administratorsOf } from '../accounts/administrators.ts'
import { generateToken, hashOfToken, personalTokenPrefix } from '../accounts/token-text.ts'
import { sql } from '../db/sql.ts'
import { createPersonalAccessTokens } from './personal-access-tokens.ts'

let fresh: FreshDatabase

before(async () => {
  fresh = await freshDatabase()
})
after(() => fresh?.drop())

const finderWith = (sessionCacheSeconds: number) =>
  createPersonalAccessTokens({
    database: fresh.database,
    administrators: administratorsOf({ adminLogins: [] }),
    sessionCacheSeconds,
    cachedTokensMax: 2,
    log: { warn: (_, message) => assert.fail(message) },
    now: () => 0,
  }).find

async function insertToken() {
  const { id } = await insertAccount(fresh.database)
  const text = generateToken(personalTokenPrefix)
  await fresh.database.query(sql`
    insert into api_tokens (id, user_id, hash, security_stamp, name, scopes, expires_at)
    select ${randomUUID()}, id, ${hashOfToken(text, personalTokenPrefix)}, security_stamp, 'script', array['*:read'],
      now() + interval '1 day' from users where id = ${id}`)
  return { id, text }
}

const endTokens = () => fresh.database.query(sql`update api_tokens set ended_at = now()`)

test('invalid tokens do not evict a valid token from the cache', async () => {
  const findToken = finderWith(30)
  const { id, text } = await insertToken()
  assert.equal((await findToken(text, undefined))?.accountId, id)
  await endTokens()
  const invalid = Array.from({ length: 5 }, () => findToken(generateToken(personalTokenPrefix), undefined))
  // The token has ended, so only the cache still has it.
  assert.equal((await findToken(text, undefined))?.accountId, id)
  assert.deepEqual(await Promise.all(invalid), Array(5).fill(undefined))
  assert.equal((await findToken(text, undefined))?.accountId, id)
})

test('without a cache, an ended token is rejected at once', async () => {
  const findToken = finderWith(0)
  const { id, text } = await insertToken()
  assert.equal((await findToken(text, undefined))?.accountId, id)
  await endTokens()
  assert.equal(await findToken(text, undefined), undefined)
})

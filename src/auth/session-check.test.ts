import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, test } from 'node:test'
import { decodeJwt } from 'jose'
import { type FreshDatabase, freshDatabase } from '../../test/support/fresh-database.ts'
import { type Account, insertAccount } from '../../test/support/insert-account.ts'
import { startTestIssuer, type TestIssuer } from '../../test/support/test-issuer.ts'
import { administratorsOf } from '../accounts/administrators.ts'
import { generateToken, hashOfToken, personalTokenPrefix } from '../accounts/token-text.ts'
import type { Database } from '../db/database.ts'
import { maintenanceLimits } from '../db/failures.ts'
import { type Sql, sql } from '../db/sql.ts'
import { type Authenticated, createAuthentication, requireActiveSession } from './authenticate.ts'

let fresh: FreshDatabase
let provider: TestIssuer
let ada: Account
let clock: number
let queries: number
let adminLogins: string[]

before(async () => {
  ;[fresh, provider] = await Promise.all([freshDatabase(), startTestIssuer()])
  await insertAccount(fresh.database)
})
after(async () => {
  await provider?.stop()
  await fresh?.drop()
})
beforeEach(async () => {
  clock = Date.now()
  queries = 0
  ada = await insertAccount(fresh.database)
  adminLogins = [ada.login]
})

/** The changes after which a token is rejected, as the contract lists them. */
const endings: Readonly<Record<string, (token: string) => Promise<void> | Sql>> = {
  'its account was removed': () => sql`update users set active = false where id = ${ada.id}`,
  'its account got a new security stamp': () =>
    sql`update users set security_stamp = ${randomUUID()} where id = ${ada.id}`,
  'its user signed out': (token) =>
    sql`update signin_sessions set ended_at = now() where id = ${sidOf(token)}`,
  'its session was deleted': (token) => sql`delete from signin_sessions where id = ${sidOf(token)}`,
  'its session expired': (token) =>
    sql`update signin_sessions set expires_at = now() where id = ${sidOf(token)}`,
  'its session became that of another user': (token) => sql`
    update signin_sessions set user_id = (select id from users where id <> ${ada.id} limit 1)
    where id = ${sidOf(token)}`,
  'its session got another stamp than its account': (token) =>
    sql`update signin_sessions set security_stamp = ${randomUUID()} where id = ${sidOf(token)}`,
  'the login of its account was taken off the list of administrators': async () => {
    adminLogins = ['other@example.com']
  },
  'its account got a login that is not on the list of administrators': () =>
    sql`update users set login = ${`new-${ada.login}`} where id = ${ada.id}`,
}

for (const [ending, end] of Object.entries(endings)) {
  test(`a token is rejected 30 seconds after ${ending}`, async () => {
    const authenticate = createTestAuthentication()
    const token = await provider.signIn(fresh.database, ada.id, { admin: true })
    const { recheck } = await authenticate(token)
    await apply(end(token))
    // A stream uses a cached result only if it stays valid for ten more seconds.
    clock += 19_999
    assert.equal(await recheck(), true)
    clock += 10_000
    await authenticate(token)
    clock += 1
    await rejects(authenticate(token))
    assert.equal(await recheck(), false)
  })

  test(`without a cache, a token is rejected at once after ${ending}`, async () => {
    const authenticate = createTestAuthentication(0)
    const token = await provider.signIn(fresh.database, ada.id, { admin: true })
    const { recheck } = await authenticate(token)
    await apply(end(token))
    assert.equal(await recheck(), false)
    await rejects(authenticate(token))
  })
}

test('requests with one token, even concurrent ones, query the store once in 30 seconds', async () => {
  const authenticate = createTestAuthentication()
  const token = await provider.signIn(fresh.database, ada.id)
  await Promise.all(Array.from({ length: 20 }, () => authenticate(token)))
  clock += 29_999
  await authenticate(token)
  assert.equal(queries, 1)
  clock += 1
  await Promise.all(Array.from({ length: 20 }, () => authenticate(token)))
  assert.equal(queries, 2)
})

test('a stream uses no cached result of 20 seconds ago or earlier', async () => {
  const authenticate = createTestAuthentication()
  const token = await provider.signIn(fresh.database, ada.id)
  const { recheck } = await authenticate(token)
  await apply(sql`update signin_sessions set ended_at = now() where id = ${sidOf(token)}`)
  clock += 20_000
  assert.equal(await recheck(), false)
  // The new result applies to requests, too.
  await rejects(authenticate(token))
  assert.equal(queries, 2)
})

test('another token of the same session is checked separately', async () => {
  const authenticate = createTestAuthentication()
  const token = await provider.signIn(fresh.database, ada.id)
  await authenticate(token)
  const otherToken = await provider.token({ account: ada, sid: sidOf(token) })
  await authenticate(otherToken)
  assert.equal(queries, 2)
  await apply(sql`
    insert into revoked_tokens (id, expires_at) values (${decodeJwt(otherToken).jti ?? ''}, now() + interval '1 hour')`)
  clock += 30_000
  await authenticate(token)
  await rejects(authenticate(otherToken))
})

test('a rejection is cached, too', async () => {
  const authenticate = createTestAuthentication()
  const token = await provider.signIn(fresh.database, ada.id)
  await apply(sql`update signin_sessions set ended_at = now() where id = ${sidOf(token)}`)
  await rejects(authenticate(token))
  await rejects(authenticate(token))
  assert.equal(queries, 1)
  await authenticate(await provider.signIn(fresh.database, ada.id))
})

test('a query that failed is not cached', async () => {
  let isAway = true
  const { database } = fresh
  const query: Database['query'] = (statement) =>
    isAway ? Promise.reject(new Error('The store is away.')) : database.query(statement)
  const authenticate = createTestAuthentication(30, { ...database, query })
  const token = await provider.signIn(database, ada.id)
  await assert.rejects(authenticate(token), { message: 'The store is away.' })
  isAway = false
  await authenticate(token)
})

test("a service client's token is valid as long as its account and stamp", async () => {
  const authenticate = createTestAuthentication(0)
  const token = await provider.token({ account: ada })
  await authenticate(token)
  await apply(sql`update users set security_stamp = ${randomUUID()} where id = ${ada.id}`)
  await rejects(authenticate(token))
})

test('the scopes of a token, as a text or a list, must not exceed those of the client', async () => {
  const authenticate = createTestAuthentication(0)
  const clientId = `client-${randomUUID().replaceAll('-', '').slice(0, 16)}`
  await apply(sql`
    insert into registered_clients
      (id, name, redirect_uris, post_logout_redirect_uris, scopes, is_first_party, requires_pkce, made_by)
    values (${clientId}, 'Wiki', '{https://wiki.example.com/callback}', '{}', '{openid,svc.api}', true, true, ${ada.id})`)
  for (const scope of ['openid svc.api', ['openid', 'svc.api']]) {
    await apply(sql`update registered_clients set scopes = '{openid,svc.api}' where id = ${clientId}`)
    const token = await provider.token({ account: ada, claims: { client_id: clientId, scope } })
    await authenticate(token)
    await apply(sql`update registered_clients set scopes = '{openid}' where id = ${clientId}`)
    await rejects(authenticate(token))
  }
})

test('a transaction that checks the session keeps its time limits', async () => {
  const authenticate = createTestAuthentication()
  const session = await authenticate(await provider.signIn(fresh.database, ada.id))
  const [row] = await requireActiveSession(fresh.database, session).transaction(
    (transaction) =>
      transaction.query<{ limit: string }>(sql`select current_setting('statement_timeout') as limit`),
    { ...maintenanceLimits, statementMilliseconds: 23_456 },
  )
  assert.equal(row?.limit, '23456ms')
})

test('isActiveNow detects a revoked personal access token', async () => {
  const authenticate = createTestAuthentication()
  const text = generateToken(personalTokenPrefix)
  await apply(sql`
    insert into api_tokens (id, user_id, hash, security_stamp, name, scopes, expires_at)
    select ${randomUUID()}, id, ${hashOfToken(text, personalTokenPrefix)}, security_stamp, 'script', array['*:write'],
      now() + interval '1 day' from users where id = ${ada.id}`)
  const session = await authenticate(text)
  assert.equal(await session.isActiveNow(), true)
  // The check runs in the transaction of the change, so it sees uncommitted changes.
  const rollback = new Error('rollback')
  const revocation = fresh.database.transaction(async (transaction) => {
    await transaction.query(sql`update api_tokens set ended_at = now()`)
    assert.equal(await session.isActiveNow(transaction), false)
    assert.equal(await session.isActiveNow(), true)
    throw rollback
  })
  await assert.rejects(revocation, rollback)
  await apply(sql`update api_tokens set ended_at = now()`)
  await authenticate(text)
  assert.equal(await session.isActiveNow(), false)
})

function createTestAuthentication(sessionCacheSeconds = 30, database = fresh.database) {
  const { authenticate } = createAuthentication({
    database: {
      ...database,
      query(statement) {
        queries += 1
        return database.query(statement)
      },
    },
    issuer: provider.issuer,
    audience: 'svc-api',
    scope: 'svc.api',
    metadataAddress: provider.metadataAddress,
    administrators: {
      isAdministrator: (account) => administratorsOf({ adminLogins }).isAdministrator(account),
      isReserved: () => false,
    },
    sessionCacheSeconds,
    log: { warn: (_, message) => assert.fail(message) },
    now: () => clock,
  })
  return (token: string): Promise<Authenticated> => authenticate(`Bearer ${token}`)
}

const sidOf = (token: string) => String(decodeJwt(token).sid)

async function apply(change: Promise<void> | Sql) {
  if (change instanceof Promise) await change
  else await fresh.database.query(change)
}

const rejects = (attempt: Promise<unknown>) => assert.rejects(attempt, { kind: 'unauthenticated' })

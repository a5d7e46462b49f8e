import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { accessTokenSeconds } from '../../src/auth/access-token.ts'
import { sql } from '../../src/db/sql.ts'
import { claimsOf } from '../support/browser.ts'
import type { Workspace } from '../support/furnish.ts'
import { type LiveReader, listen } from '../support/live-events.ts'
import { connectOutside } from '../support/outside-connection.ts'
import { type Person, type RestUnderTest, startRestUnderTest } from '../support/rest-host.ts'

/** How a stream ends, and what it does for a slow reader. They wait for seconds, so they run concurrently with others. */
export function testStreamEnds(host: () => RestUnderTest, furnished: () => Workspace) {
  const open = (token: string, path = '/api/workflows') => listen(host().address, path, { token })

  /** Seconds until the stream ends, or infinity. */
  async function secondsToEnd(live: LiveReader, secondsMax: number): Promise<number> {
    const startedAt = Date.now()
    await Promise.race([live.ended, sleep(secondsMax * 1000)])
    return live.isEnded ? (Date.now() - startedAt) / 1000 : Number.POSITIVE_INFINITY
  }

  // Three of them, so that no check that comes by every few seconds is in time for all.
  for (const seconds of [8, 9, 10]) {
    test(`ends when its token expires, ${seconds} s from now`, async () => {
      const rest = host()
      const person = await rest.signUp()
      const older = () => Date.now() - (accessTokenSeconds - seconds) * 1000
      const { address } = await rest.identity.startAnother({}, older)
      const { access_token: token } = await rest.identity.signIn(person.login, { address })
      const { exp } = claimsOf(token)
      const live = await open(token)
      await live.next()
      await secondsToEnd(live, 12)
      const secondsLate = Date.now() / 1000 - exp
      assert.ok(secondsLate > -0.5 && secondsLate < 1.8, `It ended ${secondsLate} s after its token.`)
    })
  }

  const endings: readonly (readonly [string, (person: Person) => Promise<unknown>])[] = [
    [
      'its sign-in session',
      ({ id }) =>
        host().database.transaction((store) =>
          store.query(sql`update signin_sessions set ended_at = now() where user_id = ${id}`),
        ),
    ],
    ['its account', ({ id }) => furnished().write('DELETE', '/api/user', { ids: [id] })],
    [
      'its security stamp',
      ({ id, name }) =>
        furnished().write('PATCH', '/api/user', { id, name, login: `changed-${id}@example.com` }),
    ],
  ]
  for (const [what, end] of endings) {
    test(`ends without another snapshot when ${what} is gone`, async () => {
      const rest = host()
      const person = await rest.signUp()
      const path = `/api/organizations?search=${person.id}`
      const live = await open(person.token, path)
      await live.next()
      await end(person)
      await furnished().make('organization', { name: `Secret ${person.id}` })
      const seconds = await secondsToEnd(live, 8)
      assert.ok(seconds < 3, `It ended after ${seconds} s.`)
      assert.equal(live.events.length, 1)
      assert.equal((await rest.call('GET', path, { token: person.token })).status, 401)
    })
  }

  test('of a session that has ended closes although nothing changes', async () => {
    const rest = host()
    const person = await rest.signUp()
    const live = await open(person.token, `/api/organizations?search=${person.id}`)
    await live.next()
    await rest.database.transaction((store) =>
      store.query(sql`update signin_sessions set ended_at = now() where user_id = ${person.id}`),
    )
    const seconds = await secondsToEnd(live, 12)
    assert.ok(seconds < 12, 'It was still open after 12 s.')
    assert.equal(live.events.length, 1)
  })

  test('is ended by a host that shuts down, rather than cut when its time has passed', async () => {
    const own = await startRestUnderTest()
    const { token } = own.administrator
    const lives = await Promise.all(
      ['users', 'workflows', 'workflows'].map((name) => listen(own.address, `/api/${name}`, { token })),
    )
    for (const live of lives) await live.next()
    await own.stop()
    for (const live of lives) {
      await live.ended
      assert.match(live.comments.join(), /The host stops\./)
    }
  })

  test('leaves nothing behind when its readers leave: a host without any no longer looks for changes', async () => {
    const own = await startRestUnderTest()
    const outside = await connectOutside(own.database)
    /** How many statements of live listings about changes are seen in one and a half seconds; webhooks have their own. */
    async function looksForChanges(): Promise<number> {
      const seen = new Set<string>()
      for (let looks = 0; looks < 30; looks += 1) {
        const { rows } =
          await outside.query(`select pid || query_start::text as statement from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid() and query like '%distinct resource from changes%'`)
        for (const { statement } of rows) seen.add(statement)
        await sleep(50)
      }
      return seen.size
    }
    const { token } = own.administrator
    const lives = await Promise.all(
      Array.from({ length: 20 }, () => listen(own.address, '/api/users', { token })),
    )
    for (const live of lives) await live.next()
    assert.ok((await looksForChanges()) > 1, 'While somebody listens, the store is asked for changes.')
    for (const live of lives) live.close()
    await sleep(1000)
    // The last one may still be what its connection did last.
    assert.ok((await looksForChanges()) <= 1, 'Nobody listens, and the store is still asked.')
    await outside.end()
    await own.stop()
  })

  test('gives a reader who stopped reading the newest snapshot, not those in between', async () => {
    // More than a megabyte in JSON: it fills what the operating system keeps for a connection within seconds.
    const description = '\u0001'.repeat(2000)
    const ids: string[] = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const row = await furnished().make('organization', { name: `Big ${index}`, description })
        return row.id
      }),
    )
    const [id] = ids
    assert.ok(id)
    const names = (live: LiveReader, at: number): string[] =>
      live.events.at(at)?.data.result.data.map((row: { name: string }) => row.name) ?? []
    const live = await open(
      host().administrator.token,
      `/api/organizations?pageSize=100&ids=${ids.join(',')}`,
    )
    await live.next()
    live.pause()
    const rounds = 10
    for (let round = 1; round <= rounds; round += 1) {
      await furnished().write('PATCH', '/api/organization', { id, name: `Version ${round}` })
      await sleep(1100)
    }
    live.resume()
    await live.nextWhere(() => names(live, -1).includes(`Version ${rounds}`))
    assert.ok(
      live.events.length <= rounds - 1,
      `${live.events.length} events were kept for ${rounds} changes.`,
    )
    assert.deepEqual(
      live.events.map((event) => event.id),
      live.events.map((_, index) => String(index + 1)),
    )
    live.close()
  })
}

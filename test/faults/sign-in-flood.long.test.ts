import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createPkce, openBrowser, queryOf, requestOf } from '../support/browser.ts'
import { type ChildHost, freePort, startChild } from '../support/child-host.ts'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'
import { origin, robot } from '../support/known-clients.ts'

/** Each hash takes 64 MiB while it is computed. */
const hashMebibytes = 64
const hashesAtOnce = 4
/** The memory that an attack may take in addition to its hashes. */
const otherMebibytesMax = 64
/** A read may take this long on a busy machine. */
const noiseMilliseconds = 1000

describe('During hundreds of sign-ins and searches', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tracker-flood-'))
  let store: FreshDatabase
  let host: ChildHost
  let identity: string
  let token: string

  before(async () => {
    store = await freshDatabase()
    const port = await freePort()
    identity = `http://127.0.0.1:${port}`
    host = await startChild({
      DATABASE_URL: store.url,
      DATA_DIR: folder,
      IDENTITY_PORT: String(port),
      Jwt__Issuer: identity,
      Cors__AllowedOrigins__0: origin,
      // The rate limiter alone would stop a single address, but this test is about the limits behind it.
      RateLimit__Identity__PermitLimit: '0',
      SVC_DEMO_LOGIN: robot.login,
      SVC_DEMO_PASSWORD: 'Correct-Horse-1',
      [`Identity__ServiceClients__${robot.id}__Secret`]: robot.secret,
      [`Identity__ServiceClients__${robot.id}__Login`]: robot.login,
    })
    const granted = await openBrowser(identity).post('/connect/token', {
      grant_type: 'client_credentials',
      client_id: robot.id,
      client_secret: robot.secret,
    })
    token = granted.json.access_token
  })
  after(async () => {
    await host.end('SIGKILL')
    await store.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  const read = (path: string) =>
    fetch(`${host.address}${path}`, { headers: { authorization: `Bearer ${token}` } })

  async function medianRead(reads: number): Promise<number> {
    const times: number[] = []
    for (let count = 0; count < reads; count += 1) {
      const startedAt = performance.now()
      assert.equal((await read('/api/me')).status, 200)
      times.push(performance.now() - startedAt)
    }
    return times.sort((first, second) => first - second)[Math.floor(reads / 2)] ?? 0
  }

  const residentMebibytes = () => {
    const status = readFileSync(`/proc/${host.process.pid}/status`, 'utf8')
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024
  }

  test('sign-ins above the limit are rejected with 429, and reads are served', async (t) => {
    const browser = openBrowser(identity)
    const page = await browser.follow(await browser.get('/connect/authorize', requestOf(createPkce())))
    const authRequest = queryOf(page).authRequest ?? ''
    const signIn = async (login: string) => {
      const { status } = await openBrowser(identity).post(
        '/api/account/login',
        { login, password: 'wrong-Password-1', authRequest },
        { origin },
      )
      return status
    }
    await signIn('warm-up@example.com')
    const quiet = await medianRead(20)
    const quietMebibytes = residentMebibytes()
    let most = 0
    let isDone = false
    const watching = (async () => {
      while (!isDone) {
        most = Math.max(most, residentMebibytes())
        await sleep(20)
      }
    })()
    const flood = Array.from({ length: 200 }, (_, count) => signIn(`nobody-${count}@example.com`))
    const searches = Array.from({ length: 120 }, (_, count) => read(`/api/users?search=s${count}`))
    const busy = await medianRead(20)
    const statuses = await Promise.all(flood)
    await Promise.all(searches)
    isDone = true
    await watching
    const rejected = statuses.filter((status) => status === 429).length
    const grown = Math.round(most - quietMebibytes)
    t.diagnostic(JSON.stringify({ quiet, busy, grown, rejected }))
    assert.equal(statuses.filter((status) => status === 303).length + rejected, statuses.length)
    assert.ok(rejected > 0, 'No attempt was rejected.')
    assert.ok(grown <= hashesAtOnce * hashMebibytes + otherMebibytesMax, `It grew by ${grown} MB.`)
    assert.ok(busy <= Math.max(5 * quiet, noiseMilliseconds), `A read took ${busy} ms, and ${quiet} before.`)
  })
})

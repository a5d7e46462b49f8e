import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { administratorsOf } from '../../src/accounts/administrators.ts'
import { createAuthentication } from '../../src/auth/authenticate.ts'
import { type Environment, readSettings } from '../../src/config/settings.ts'
import type { Database } from '../../src/db/database.ts'
import { openInstances } from '../../src/db/instances.ts'
import { raw, sql } from '../../src/db/sql.ts'
import { readIdentitySettings } from '../../src/hosts/identity/configuration.ts'
import { openClients } from '../../src/hosts/identity/open-clients.ts'
import { openBrowser } from '../support/browser.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { startIdentityUnderTest } from '../support/identity-host.ts'
import { robot } from '../support/known-clients.ts'
import { serviceClientSettings } from '../support/service-clients.ts'
import { until } from '../support/until.ts'
import { assertRejected } from './support/assertions.ts'

describe('a service client that is removed from the settings', () => {
  it('keeps its tokens while any instance has it in its settings', async () => {
    await using host = await startIdentityUnderTest()
    const rest = createAuthentication({
      database: host.database,
      issuer: host.address,
      audience: 'svc-api',
      scope: 'svc.api',
      metadataAddress: `${host.address}/.well-known/openid-configuration`,
      administrators: administratorsOf({ adminLogins: [] }),
      // Every request reads the store.
      sessionCacheSeconds: 0,
      log: { warn: () => undefined },
      now: host.clock.now,
    })
    const isAccepted = (token: string) =>
      rest.authenticate(`Bearer ${token}`).then(
        () => true,
        () => false,
      )
    const asRobot = { grant_type: 'client_credentials', client_id: robot.id, client_secret: robot.secret }
    const grantFrom = (address: string) => openBrowser(address).post('/connect/token', asRobot)
    const startWithout = () =>
      host.startAnother({
        [`Identity__ServiceClients__${robot.id}__Secret`]: undefined,
        [`Identity__ServiceClients__${robot.id}__Login`]: undefined,
      })
    const old = (await grantFrom(host.address)).json.access_token
    const without = await startWithout()
    assertRejected(await grantFrom(without.address), 'invalid_client', 401)
    assert.equal(await isAccepted(old), true, 'the first instance still knows it')
    await host.host.stop()
    // An instance counts as running for 60 seconds after its last report.
    host.clock.advance(30_000)
    await startWithout()
    assert.equal(await isAccepted(old), true, 'the first instance may be restarting')
    host.clock.advance(31_000)
    const last = await startWithout()
    assert.equal(await isAccepted(old), false)
    const { json } = await openBrowser(last.address).post('/connect/introspect', {
      client_id: robot.id,
      client_secret: robot.secret,
      token: old,
    })
    assert.notEqual(json.active, true)
    host.clock.advance(1000)
    const again = await host.startAnother()
    assert.equal(await isAccepted(old), false)
    assert.equal(await isAccepted((await grantFrom(again.address)).json.access_token), true)
  })

  it('is restored by a slow instance that still has it in its settings', async (t) => {
    const { database, drop } = await freshDatabase()
    t.after(drop)
    let now = Date.now()
    const isValid = () => isRobotValid(database)
    const slow = await instanceWith(database, serviceClientSettings(robot), { now: () => now })
    await slow.refresh()
    now += 61_000
    const other = await instanceWith(database, {}, { now: () => now })
    await other.refresh()
    assert.equal(await isValid(), false)
    await slow.refresh()
    assert.equal(await isValid(), true)
    await other.refresh()
    assert.equal(await isValid(), true)
    // A client that the operator has ended is not restored by a running instance.
    await database.transaction((transaction) =>
      transaction.query(sql`update service_clients set valid_since = null, retired_at = null`),
    )
    await slow.refresh()
    assert.equal(await isValid(), false)
  })

  it('stays valid if instances with and without it start at the same time', async (t) => {
    const { database, drop } = await freshDatabase()
    t.after(drop)
    let now = Date.now()
    await (await instanceWith(database, serviceClientSettings(robot), { now: () => now })).refresh()
    now += 61_000
    const [recorded, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const withClient = await instanceWith(database, serviceClientSettings(robot), {
      now: () => now,
      async afterRecord() {
        recorded.resolve()
        await release.promise
      },
    })
    const withoutClient = await instanceWith(database, {}, { now: () => now })
    const first = withClient.refresh()
    await recorded.promise
    const second = withoutClient.refresh()
    await until(async () => {
      const [row] = await database.query<{ waiting: number }>(
        raw(`select count(*)::int as waiting from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`),
      )
      return row?.waiting === 1
    }, 'the instance without the client to wait')
    release.resolve()
    await Promise.all([first, second])
    assert.equal(await isRobotValid(database), true)
  })

  it('is treated the same by instances that start at the same time', async () => {
    await using host = await startIdentityUnderTest()
    await Promise.all([1, 2, 3, 4].map(() => host.startAnother()))
    assert.equal(await isRobotValid(host.database), true)
  })
})

interface InstanceParts {
  readonly now: () => number
  /** Awaited in the transaction that records the clients. */
  readonly afterRecord?: () => Promise<void>
}

/** Starts the part of an identity instance that records the clients of its settings. */
async function instanceWith(
  database: Database,
  environment: Environment,
  { now, afterRecord }: InstanceParts,
) {
  const log = { info: () => undefined, warn: () => undefined }
  const settings = readSettings(environment, readIdentitySettings)
  const { knownClients } = await openClients(database, settings, now, log)
  const clients: typeof knownClients = {
    ...knownClients,
    async record(transaction, seen) {
      await knownClients.record(transaction, seen)
      await afterRecord?.()
    },
  }
  return openInstances({ database, host: 'identity', settings: {}, log, clients, now })
}

async function isRobotValid(database: Database): Promise<boolean | undefined> {
  const [row] = await database.query<{ valid: boolean }>(
    sql`select valid_since is not null as valid from service_clients where id = ${robot.id}`,
  )
  return row?.valid
}

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { freshDatabase } from '../support/fresh-database.ts'
import { startIdentityHost } from '../support/identity-host.ts'
import { send, startRestUnderTest } from '../support/rest-host.ts'

const environmentFor = (proxies: number) => ({
  ASPNETCORE_FORWARDEDHEADERS_ENABLED: 'true',
  TRUSTED_PROXIES: String(proxies),
})

/** Each proxy appends the address of its caller to X-Forwarded-For. */
const addedByProxies: Readonly<Record<number, string>> = { 1: '10.0.0.9', 2: '10.0.0.9, 10.0.1.1' }

for (const proxies of [1, 2]) {
  describe(`Behind ${proxies === 1 ? 'one trusted proxy' : 'two trusted proxies'}, a client with a forged address does not get past the rate limiter`, () => {
    const statusFrom = async (address: string, path: string, forged: string) => {
      const headers = { 'x-forwarded-for': `${forged}, ${addedByProxies[proxies]}` }
      const { status } = await send(address, 'GET', path, { headers })
      return status
    }

    test('of REST', async () => {
      const environment = {
        ...environmentFor(proxies),
        RateLimit__Rest__PermitLimit: '1',
        RateLimit__Rest__QueueLimit: '0',
      }
      await using rest = await startRestUnderTest(environment)
      assert.equal(await statusFrom(rest.address, '/api/projects', '10.0.0.1'), 401)
      assert.equal(await statusFrom(rest.address, '/api/projects', '10.0.0.2'), 429)
    })

    test('of the identity host', async (t) => {
      const { database, drop } = await freshDatabase()
      const identity = await startIdentityHost(database, {
        environment: {
          ...environmentFor(proxies),
          RateLimit__Identity__PermitLimit: '1',
          RateLimit__Identity__QueueLimit: '0',
        },
      })
      t.after(async () => {
        await identity.stop()
        await drop()
      })
      const path = '/.well-known/openid-configuration'
      assert.equal(await statusFrom(identity.address, path, '10.0.0.1'), 200)
      assert.equal(await statusFrom(identity.address, path, '10.0.0.2'), 429)
    })
  })
}

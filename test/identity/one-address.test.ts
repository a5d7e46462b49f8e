import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { administratorsOf } from '../../src/accounts/administrators.ts'
import { createAuthentication } from '../../src/auth/authenticate.ts'
import { openBudgets } from '../../src/config/budgets.ts'
import { readSettings } from '../../src/config/settings.ts'
import { readRestSettings } from '../../src/hosts/rest/configuration.ts'
import { startRest } from '../../src/hosts/rest/main.ts'
import { createLog } from '../../src/http/log.ts'
import { refresh, signedIn } from '../support/browser.ts'
import { cheapPasswords } from '../support/cheap-passwords.ts'
import { startIdentityUnderTest } from '../support/identity-host.ts'
import { origin } from '../support/known-clients.ts'
import { startRoundRobin } from '../support/round-robin.ts'

describe('two identity instances behind one address', () => {
  it('walk the whole flow of the contract together, and the REST host accepts their tokens', async (t) => {
    const entry = await startRoundRobin()
    // No pinned key: both instances sign with the ring they share.
    const environment = { Jwt__Issuer: entry.address, Jwt__SigningPrivateKey: '' }
    const host = await startIdentityUnderTest({ environment })
    const second = await host.startAnother()
    entry.targets.push(host.address, second.address)
    const rest = await startRestOn(host.database, entry.address)
    t.after(async () => {
      await Promise.all([rest.stop(), entry.stop()])
      await host.stop()
    })
    const readMe = (token: string) =>
      fetch(`${rest.address}/api/me`, { headers: { authorization: `Bearer ${token}` } })

    const { browser, tokens, answer } = await signedIn(entry.address)
    assert.equal(answer.status, 200)
    const me = await readMe(tokens.access_token)
    assert.equal(me.status, 200)
    assert.equal(((await me.json()) as { login: string }).login, host.person.login)
    let current = tokens
    for (let count = 0; count < 4; count += 1) current = (await refresh(browser, current.refresh_token)).json
    assert.equal((await readMe(current.access_token)).status, 200)
    const left = await browser.follow(
      await browser.get('/connect/endsession', {
        id_token_hint: current.id_token,
        post_logout_redirect_uri: `${origin}/login/`,
      }),
    )
    assert.equal(left.location, `${origin}/login/`)
    assert.equal((await readMe(current.access_token)).status, 401)
    assert.equal((await refresh(browser, current.refresh_token)).json.error, 'invalid_grant')
    assert.ok(
      entry.counts().every((count) => count >= 5),
      `Both were asked: ${entry.counts()}`,
    )
  })
})

async function startRestOn(database: Parameters<typeof createAuthentication>[0]['database'], issuer: string) {
  const log = createLog({ level: 'fatal' })
  const settings = readSettings(
    { REST_PORT: '0', Jwt__Issuer: issuer, RateLimit__Rest__PermitLimit: '0' },
    readRestSettings,
  )
  const authentication = createAuthentication({
    database,
    issuer,
    audience: settings.audience,
    scope: 'svc.api',
    metadataAddress: settings.metadataAddress,
    administrators: administratorsOf(settings),
    sessionCacheSeconds: 0,
    log,
  })
  const { app, stop } = await startRest(
    { database, passwords: cheapPasswords(), budgets: openBudgets() },
    authentication,
    settings,
    log,
  )
  return { address: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`, stop }
}

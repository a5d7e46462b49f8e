import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, test } from 'node:test'
import { administratorsOf } from '../../src/accounts/administrators.ts'
import { createAuthentication } from '../../src/auth/authenticate.ts'
import { openBudgets } from '../../src/config/budgets.ts'
import { readSettings } from '../../src/config/settings.ts'
import { readRestSettings } from '../../src/hosts/rest/configuration.ts'
import { startRest } from '../../src/hosts/rest/main.ts'
import { createLog } from '../../src/http/log.ts'
import { openBrowser, refresh, signedIn } from '../support/browser.ts'
import { cheapPasswords, password } from '../support/cheap-passwords.ts'
import { freePort } from '../support/child-host.ts'
import { startIdentityUnderTest } from '../support/identity-host.ts'
import { origin } from '../support/known-clients.ts'
import { submit } from '../support/registered-clients.ts'
import { startRoundRobin } from '../support/round-robin.ts'

describe('two identity instances behind one address', () => {
  it('serve the whole flow of the contract together', async (t) => {
    const entry = await startRoundRobin()
    // Without a pinned key, both instances sign with their shared key ring.
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
    const signedOut = await browser.follow(
      await browser.get('/connect/endsession', {
        id_token_hint: current.id_token,
        post_logout_redirect_uri: `${origin}/login/`,
      }),
    )
    assert.equal(signedOut.location, `${origin}/login/`)
    assert.equal((await readMe(current.access_token)).status, 401)
    assert.equal((await refresh(browser, current.refresh_token)).json.error, 'invalid_grant')
    assert.ok(
      entry.counts().every((count) => count >= 5),
      `Both instances get requests: ${entry.counts()}`,
    )
  })
})

async function startRestOn(database: Parameters<typeof createAuthentication>[0]['database'], issuer: string) {
  const log = createLog({ level: 'fatal' })
  const settings = readSettings(
    { REST_PORT: '0', Jwt__Issuer: issuer, RateLimit__Rest__PermitLimit: '0', EXTENSIONS: 'off' },
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

const root = join(import.meta.dirname, '..', '..')

test('the example program of docs/identity.md greets the user who signs in', async (t) => {
  const page = readFileSync(join(root, 'docs', 'identity.md'), 'utf8')
  const [, settings = ''] = /```sh\n(.*?)```/s.exec(page) ?? []
  const [, program = ''] = /```ts\n(.*?)```/s.exec(page) ?? []
  const clientAddress = `http://localhost:${await freePort()}`
  const environment = Object.fromEntries(
    [...settings.matchAll(/^export (\w+)='?(.*?)'?$/gm)].map(([, name = '', value = '']) => [
      name,
      value.replace('http://localhost:3000', clientAddress),
    ]),
  )
  assert.equal(Object.keys(environment).length, 3)
  const host = await startIdentityUnderTest({ environment })
  const folder = mkdtempSync(join(tmpdir(), 'own-client-'))
  t.after(async () => {
    rmSync(folder, { recursive: true, force: true })
    await host.stop()
  })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'greet.mjs'), program)
  const greeter = spawn(process.execPath, [join(folder, 'greet.mjs')], {
    env: { ...process.env, ISSUER: host.address, CALLBACK: `${clientAddress}/callback` },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => greeter.kill())
  let printed = ''
  const ended = new Promise<void>((resolve) => greeter.on('close', () => resolve()))
  const browser = openBrowser(host.address)
  for await (const part of greeter.stdout) {
    printed += part
    const [, address] = /^Open (\S+)\n$/.exec(printed) ?? []
    if (address === undefined) continue
    const signInPage = await browser.follow(await browser.get(address))
    const consentPage = await submit(browser, signInPage, { login: host.person.login, password })
    const callback = await submit(browser, consentPage, { answer: 'allow' })
    assert.equal((await fetch(callback.location, { headers: { connection: 'close' } })).status, 200)
  }
  await ended
  assert.match(printed, new RegExp(`\nHello ${host.person.name} \\(${host.person.login}\\)\n$`))
  assert.equal(greeter.exitCode, 0)
})

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { issuer, login, openPerson, secret, server } from './person.mjs'

const { SERVER_PORT, KEYCLOAK_PORT, PROXY } = process.env
const folder = import.meta.dirname
const python = join(folder, 'venv', 'bin', 'python')
const pkceMissing = 'rejected: code_challenge is required'
const works = 'works'

/** The apps run first with their defaults, then with the change that docs/identity.md names. */
const inPython = (name, title, change) => ({
  ...{ title, change, tool: python, needs: 'Python' },
  command: () => [python, join(folder, 'apps', 'python_apps.py'), name],
})
const spring = (boot, title, rest) => ({
  ...{ title, tool: join(folder, `spring-${boot}`), needs: 'Maven', start: '/', ...rest },
  command: () => [
    'java',
    '-cp',
    `${join(folder, 'spring', boot)}:${readFileSync(join(folder, `spring-${boot}`), 'utf8').trim()}`,
    'app.App',
  ],
})
const clients = [
  {
    title: 'oauth2-proxy',
    change: '--code-challenge-method=S256',
    tool: PROXY,
    needs: 'oauth2-proxy',
    start: '/oauth2/start',
    ends: '/oauth2/userinfo',
    command: (isOn) => [
      PROXY,
      ...['--provider=oidc', `--oidc-issuer-url=${issuer}`, '--client-id=server', `--client-secret=${secret}`],
      ...[`--redirect-url=${server}/oauth2/callback`, `--http-address=127.0.0.1:${SERVER_PORT}`],
      ...['--upstream=static://200', '--email-domain=*', '--cookie-secure=false'],
      ...[`--cookie-secret=${secret.slice(0, 32)}`, '--insecure-oidc-allow-unverified-email'],
      ...(isOn ? ['--code-challenge-method=S256'] : []),
    ],
  },
  spring('3.5.7', 'Spring Security 6.5', { change: 'OAuth2AuthorizationRequestCustomizers.withPkce()' }),
  spring('4.0.0', 'Spring Security 7', { byDefault: works }),
  inPython('authlib', 'Authlib, Flask', "code_challenge_method='S256'"),
  inPython('authlib-session', 'Authlib, OAuth2Session', "code_challenge_method='S256', code_verifier"),
  inPython('requests-oauthlib', 'requests-oauthlib', "pkce='S256'"),
  { ...inPython('mozilla-django-oidc', 'mozilla-django-oidc', 'OIDC_USE_PKCE = True'), start: '/oidc/authenticate/' },
  {
    ...{ title: 'passport-oauth2', change: 'pkce: true, state: true', tool: process.execPath, start: '/login' },
    command: () => [process.execPath, join(folder, 'apps', 'passport.mjs'), 'oauth2'],
  },
  {
    ...{ title: 'passport-openidconnect', change: 'RequirePkce=false', tool: process.execPath, start: '/login' },
    command: () => [process.execPath, join(folder, 'apps', 'passport.mjs'), 'openidconnect'],
    switchedClient: 'passport',
  },
]

const rows = []
after(() => {
  console.log(['client', 'default', 'switch', 'with the switch'].join(' | '))
  for (const row of rows) console.log(row.join(' | '))
})

for (const client of clients)
  test(`${client.title} signs in`, async (t) => {
    if (!client.tool || !existsSync(client.tool)) {
      rows.push([client.title, 'not tried', client.change ?? '', `needs ${client.needs}`])
      return t.skip(`needs ${client.needs}`)
    }
    const { change, byDefault = pkceMissing } = client
    const first = await signInTo(client, false)
    const second = change === undefined ? '' : await signInTo(client, true)
    rows.push([client.title, first, change ?? 'none', second])
    assert.deepEqual([first, second], [byDefault, change === undefined ? '' : works])
  })

async function signInTo(client, isOn) {
  const id = (isOn && client.switchedClient) || 'server'
  return withProgram(client.command(isOn), server, {
    ...{ ISSUER: issuer, PORT: SERVER_PORT, CLIENT_ID: id, CLIENT_SECRET: secret },
    ...{ SWITCH: isOn ? 'on' : '', DATABASE: join(folder, `${client.title}-${isOn}.sqlite`) },
  }, () => visit(`${server}${client.start ?? '/'}`, client.ends))
}

/** Returns a function that checks whether the browser has seen the provider's error about PKCE. */
function watchForPkce(browser) {
  const addresses = []
  const { get } = browser
  browser.get = (path, ...rest) => {
    addresses.push(decodeURIComponent(path).replaceAll('+', ' '))
    return get(path, ...rest)
  }
  return () => addresses.some((address) => address.includes('code_challenge is required'))
}

/** Signs a user in at the app, and returns the result for the table. */
async function visit(address, ends) {
  const person = openPerson()
  person.browser.visitsCallbacks = true
  const wasPkceMissing = watchForPkce(person.browser)
  let page = await person.signIn(address)
  if (ends) page = await person.browser.get(`${server}${ends}`)
  if (page.text?.includes(login)) return works
  if (wasPkceMissing()) return pkceMissing
  return `fails: ${page.status} ${page.text?.slice(0, 300)}`
}

async function withProgram([command, ...parameters], address, environment, use) {
  const child = spawn(command, parameters, {
    ...{ cwd: folder, detached: true, env: { ...process.env, ...environment } },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output = `${output}${text}`.slice(-4000)))
  const ended = new Promise((resolve) => child.once('exit', resolve))
  try {
    await untilItAnswers(address, () => child.exitCode !== null)
    const result = await use()
    if (result.startsWith('fails')) console.error(output)
    return result
  } catch (error) {
    return `fails: ${error.message} ${output}`
  } finally {
    if (child.exitCode === null) process.kill(-child.pid, 'SIGKILL')
    await ended
  }
}

async function untilItAnswers(address, hasEnded) {
  for (let tries = 0; tries < 3000 && !hasEnded(); tries += 1) {
    if (await fetch(address, { redirect: 'manual' }).then(() => true, () => false)) return
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  throw new Error(`${address} does not answer.`)
}

test('Spring Security 6.5 and 7 accept access tokens', async (t) => {
  const form = new URLSearchParams({ grant_type: 'client_credentials' })
  const authorization = `Basic ${Buffer.from(`robot:${secret}`).toString('base64')}`
  const granted = await fetch(`${issuer}/connect/token`, { method: 'POST', body: form, headers: { authorization } })
  const { access_token: token } = await granted.json()
  for (const client of clients.filter(({ title }) => title.startsWith('Spring'))) {
    if (!existsSync(client.tool)) return t.skip('needs Maven')
    const statuses = []
    for (const SWITCH of ['', 'on']) {
      const environment = { ISSUER: issuer, PORT: SERVER_PORT, CLIENT_ID: 'server', CLIENT_SECRET: secret, SWITCH }
      const call = async () =>
        `${(await fetch(`${server}/api`, { headers: { authorization: `Bearer ${token}` } })).status}`
      statuses.push(await withProgram(client.command(), server, environment, call))
    }
    rows.push([`${client.title}, resource server`, statuses[0], 'the decoder of docs/identity.md', statuses[1]])
    assert.deepEqual(statuses, ['401', '200'])
  }
})

test('Keycloak signs in as a broker', async (t) => {
  const home = join(folder, 'keycloak')
  if (!existsSync(home)) {
    rows.push(['Keycloak 26, as a broker', 'not tried', 'Use PKCE, S256', 'needs Maven'])
    return t.skip('needs Maven')
  }
  const keycloak = `http://localhost:${KEYCLOAK_PORT}`
  const program = [join(home, 'bin', 'kc.sh'), 'start-dev', '--import-realm', '--http-host=127.0.0.1', `--http-port=${KEYCLOAK_PORT}`]
  const heap = { JAVA_OPTS_KC_HEAP: '-Xms128m -Xmx768m', QUARKUS_DATASOURCE_JDBC_ACQUISITION_TIMEOUT: '300' }
  const results = []
  const realm = `${keycloak}/realms/apps`
  await withProgram(program, `${realm}/.well-known/openid-configuration`, heap, async () => {
    for (const hint of ['default', 'switched']) {
      const query = { client_id: 'app', response_type: 'code', scope: 'openid', redirect_uri: `${server}/callback`, kc_idp_hint: hint }
      results.push(await visitBroker(`${realm}/protocol/openid-connect/auth?${new URLSearchParams(query)}`))
    }
    return works
  })
  rows.push(['Keycloak 26, as a broker', results[0], 'Use PKCE, S256', results[1]])
  assert.deepEqual(results, [pkceMissing, works])
})

/** At their first sign-in, users confirm their data at the broker. */
async function visitBroker(address) {
  const person = openPerson()
  const wasPkceMissing = watchForPkce(person.browser)
  let page = await person.signIn(address)
  if (wasPkceMissing()) return pkceMissing
  if (page.callback === undefined) {
    const [, action] = /<form[^>]* action="([^"]+)"/.exec(page.text) ?? []
    if (!action) return `fails: ${page.text}`
    const data = { username: login, email: login, firstName: 'Ada', lastName: 'Lovelace' }
    page = await person.follow(await person.browser.post(action.replaceAll('&amp;', '&'), data))
  }
  return page.callback?.searchParams.has('code') ? works : `fails: ${page.text}`
}

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import type { Page } from 'playwright-core'
import { createPasswords } from '../../src/accounts/passwords.ts'
import { openBrowser, queryOf } from '../support/browser.ts'
import { password } from '../support/cheap-passwords.ts'
import { type ChildHost, freePort, startChild } from '../support/child-host.ts'
import { chromiumPath, launchChromium } from '../support/chromium.ts'
import { fixture } from '../support/fixture.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { type Account, insertAccount } from '../support/insert-account.ts'
import { robot } from '../support/known-clients.ts'
import { send } from '../support/rest-host.ts'
import { type RoundRobin, startRoundRobin } from '../support/round-robin.ts'

const insecure = { execute: [openid.allowInsecureRequests] }

describe('The flow of the contract on two instances of each host', () => {
  const deployment = fixture(startDeployment)

  const readMe = (token: string) => send(deployment.rest.address, 'GET', '/api/me', { token })
  const discoverAs = (clientId: string, authentication: openid.ClientAuth) =>
    openid.discovery(new URL(deployment.identity.address), clientId, undefined, authentication, insecure)

  test('works with openid-client and oauth4webapi', async () => {
    const { person, origin } = deployment
    const config = await discoverAs('svc-webclient', openid.None())
    const pkceCodeVerifier = openid.randomPKCECodeVerifier()
    const [expectedState, expectedNonce] = [openid.randomState(), openid.randomNonce()]
    const start = openid.buildAuthorizationUrl(config, {
      redirect_uri: `${origin}/signin-callback/`,
      scope: 'openid profile svc.api offline_access',
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: expectedState,
      nonce: expectedNonce,
    })
    const browser = openBrowser(deployment.identity.address)
    const { authRequest = '' } = queryOf(await browser.follow(await browser.get(start.href)))
    const form = { login: person.login, password, authRequest }
    const callback = await browser.follow(await browser.post('/api/account/login', form, { origin }))
    const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true, maxAge: 60 }
    const first = await openid.authorizationCodeGrant(config, new URL(callback.location), checks)
    assert.equal(first.claims()?.sub, person.id)
    assert.equal((await readMe(first.access_token)).body.id, person.id)
    const claims = await validate(first.access_token)
    assert.deepEqual([claims.sub, claims['svc:login']], [person.id, person.login])
    const second = await openid.refreshTokenGrant(config, first.refresh_token ?? '')
    const third = await openid.refreshTokenGrant(config, second.refresh_token ?? '')
    assert.deepEqual(await openid.fetchUserInfo(config, third.access_token, person.id), {
      sub: person.id,
      name: person.name,
    })
    await openid.tokenRevocation(config, third.refresh_token ?? '')
    const end = openid.buildEndSessionUrl(config, {
      id_token_hint: third.id_token ?? '',
      post_logout_redirect_uri: `${origin}/login/`,
    })
    assert.equal((await browser.follow(await browser.get(end.href))).location, `${origin}/login/`)
    assert.equal((await readMe(third.access_token)).status, 401)
    await assert.rejects(openid.refreshTokenGrant(config, third.refresh_token ?? ''), {
      error: 'invalid_grant',
    })
    for (const { counts } of [deployment.identity, deployment.rest])
      assert.ok(counts().every((count) => count >= 1))
  })

  test('works for a service client', async () => {
    const config = await discoverAs(robot.id, openid.ClientSecretBasic(robot.secret))
    for (let count = 0; count < 4; count += 1) {
      const { access_token: token } = await openid.clientCredentialsGrant(config)
      assert.equal((await readMe(token)).body.login, robot.login)
      assert.equal((await openid.tokenIntrospection(config, token)).active, true)
    }
  })

  /** Validates an access token like another resource server (RFC 9068), and returns its claims. */
  async function validate(token: string) {
    const options = { [oauth.allowInsecureRequests]: true }
    const issuer = new URL(deployment.identity.address)
    const answer = await oauth.discoveryRequest(issuer, options)
    const server = await oauth.processDiscoveryResponse(issuer, answer)
    const headers = { authorization: `Bearer ${token}` }
    const request = new Request('http://api.example.test', { headers })
    return oauth.validateJwtAccessToken(server, request, 'svc-api', options)
  }

  testFlowInBrowser(() => deployment)
})

/** A page of two lines takes milliseconds, except on a busy machine. */
const browserMillisecondsMax = 30_000

/** Tests the flow of a browser client, with the cookies, redirects and CORS of a browser. */
function testFlowInBrowser(deployment: () => Deployment) {
  describe('In a browser', { skip: chromiumPath === undefined && 'No Chromium is installed.' }, () => {
    const browser = fixture(launchChromium)

    const openPage = async () => {
      const page = await (await browser.newContext()).newPage()
      page.setDefaultTimeout(browserMillisecondsMax)
      return page
    }

    test('a user signs in, calls REST, stays signed in, and signs out', async () => {
      const page = await openPage()
      await goToSignIn(page)
      await submitSignIn(page, deployment().person.login, 'Wrong-Horse-1')
      await page.waitForURL(/error=invalid/)
      await submitSignIn(page, deployment().person.login, password)
      const first = await redeem(page)
      assert.deepEqual(Object.keys(first).sort(), [
        'access_token',
        'expires_in',
        'id_token',
        'refresh_token',
        'scope',
        'token_type',
      ])
      assert.equal((await readMeFrom(page, first.access_token)).login, deployment().person.login)
      const second = await post(page, 'token', {
        grant_type: 'refresh_token',
        refresh_token: first.refresh_token,
      })
      assert.equal((await readMeFrom(page, second.access_token)).login, deployment().person.login)
      // The cookie alone is enough for a second code.
      await startFlow(page)
      assert.ok((await redeem(page)).access_token)
      const query = new URLSearchParams({
        id_token_hint: second.id_token,
        post_logout_redirect_uri: `${deployment().origin}/login/`,
      })
      await page.goto(`${deployment().identity.address}/connect/endsession?${query}`)
      assert.equal(page.url(), `${deployment().origin}/login/`)
      assert.equal((await readMeFrom(page, second.access_token)).statusCode, 401)
      assert.deepEqual(await page.context().cookies(deployment().identity.address), [])
      await goToSignIn(page)
    })

    test('a second use of a refresh token ends the session', async () => {
      const page = await openPage()
      await goToSignIn(page)
      await submitSignIn(page, deployment().person.login, password)
      const { refresh_token } = await redeem(page)
      const use = () => post(page, 'token', { grant_type: 'refresh_token', refresh_token })
      const successor = await use()
      assert.equal((await use()).error, 'invalid_grant')
      assert.equal((await readMeFrom(page, successor.access_token)).statusCode, 401)
      await goToSignIn(page)
      assert.deepEqual(await page.context().cookies(deployment().identity.address), [])
    })

    test('the identity cookie is HttpOnly and SameSite=Lax', async () => {
      const page = await openPage()
      await goToSignIn(page)
      await submitSignIn(page, deployment().person.login, password)
      await redeem(page)
      const [cookie] = await page.context().cookies(deployment().identity.address)
      assert.deepEqual([cookie?.httpOnly, cookie?.sameSite, cookie?.path], [true, 'Lax', '/'])
      const hours = ((cookie?.expires ?? 0) - Date.now() / 1000) / 3600
      assert.ok(hours > 7.9 && hours <= 8.01, `${hours} hours`)
    })

    /** Starts the flow on the page of the client, like its script. */
    async function startFlow(page: Page) {
      await page.goto(`${deployment().origin}/`)
      const address = await page.evaluate(
        async ([issuer, origin]) => {
          const encode = (bytes: Uint8Array) =>
            btoa(String.fromCharCode(...bytes)).replace(
              /[+/=]/g,
              (character) => ({ '+': '-', '/': '_' })[character] ?? '',
            )
          const verifier = encode(crypto.getRandomValues(new Uint8Array(32)))
          sessionStorage.setItem('verifier', verifier)
          const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
          const query = new URLSearchParams({
            client_id: 'svc-webclient',
            redirect_uri: `${origin}/signin-callback/`,
            response_type: 'code',
            scope: 'openid profile svc.api offline_access',
            code_challenge: encode(new Uint8Array(digest)),
            code_challenge_method: 'S256',
            state: 'from the browser',
          })
          return `${issuer}/connect/authorize?${query}`
        },
        [deployment().identity.address, deployment().origin] as const,
      )
      await page.goto(address)
    }

    async function goToSignIn(page: Page) {
      await startFlow(page)
      assert.match(page.url(), new RegExp(`^${deployment().origin}/login/\\?authRequest=`))
    }

    async function submitSignIn(page: Page, login: string, given: string) {
      await page.fill('[name=login]', login)
      await page.fill('[name=password]', given)
      await page.click('button')
    }

    async function redeem(page: Page) {
      await page.waitForURL(/\/signin-callback\/\?code=/)
      const { searchParams } = new URL(page.url())
      assert.deepEqual(
        [searchParams.get('state'), searchParams.get('iss')],
        ['from the browser', deployment().identity.address],
      )
      return post(page, 'token', {
        grant_type: 'authorization_code',
        code: searchParams.get('code') ?? '',
        redirect_uri: `${deployment().origin}/signin-callback/`,
        code_verifier: await page.evaluate(() => sessionStorage.getItem('verifier') ?? ''),
      })
    }

    /** Sends a request from a script of the page, so that the browser applies CORS. */
    // biome-ignore lint/suspicious/noExplicitAny: a response was received over the network
    const post = (page: Page, endpoint: string, form: Readonly<Record<string, string>>): Promise<any> =>
      page.evaluate(
        async ([address, fields]) => {
          const body = new URLSearchParams({ client_id: 'svc-webclient', ...fields })
          return (await fetch(address, { method: 'POST', body })).json()
        },
        [`${deployment().identity.address}/connect/${endpoint}`, form] as const,
      )

    // biome-ignore lint/suspicious/noExplicitAny: a response was received over the network
    const readMeFrom = (page: Page, token: string): Promise<any> =>
      page.evaluate(
        async ([address, authorization]) => (await fetch(address, { headers: { authorization } })).json(),
        [`${deployment().rest.address}/api/me`, `Bearer ${token}`] as const,
      )
  })
}

interface Deployment {
  readonly identity: RoundRobin
  readonly rest: RoundRobin
  /** The origin of the browser client. */
  readonly origin: string
  /** Signs in with `password`. */
  readonly person: Account
  stop(): Promise<void>
}

/**
 * Starts two instances of both hosts on one database, behind proxies that alternate between the instances.
 */
async function startDeployment(): Promise<Deployment> {
  const [store, identity, rest] = await Promise.all([freshDatabase(), startRoundRobin(), startRoundRobin()])
  const { origin, stop: stopPages } = await startClientPages(identity.address)
  const passwordHash = await createPasswords().hash(password)
  const [person] = await Promise.all([
    insertAccount(store.database, { login: 'ada@example.com', passwordHash }),
    insertAccount(store.database, { login: robot.login }),
  ])
  const instances = await Promise.all(
    [1, 2].map(() => startInstance({ DATABASE_URL: store.url, Jwt__Issuer: identity.address, origin })),
  )
  for (const instance of instances) {
    rest.targets.push(instance.child.address)
    identity.targets.push(instance.identityAddress)
  }
  return {
    identity,
    rest,
    origin,
    person,
    async stop() {
      await Promise.all(instances.map((instance) => instance.stop()))
      await Promise.all([identity.stop(), rest.stop(), stopPages()])
      await store.drop()
    },
  }
}

interface Instance {
  readonly child: ChildHost
  readonly identityAddress: string
  stop(): Promise<void>
}

async function startInstance({ origin, ...common }: Readonly<Record<string, string>>): Promise<Instance> {
  const directory = mkdtempSync(join(tmpdir(), 'tracker-flow-'))
  const identityPort = String(await freePort())
  const identityAddress = `http://127.0.0.1:${identityPort}`
  const child = await startChild({
    ...common,
    DATA_DIR: directory,
    IDENTITY_PORT: identityPort,
    // The load balancer has no instances yet, and an instance may read its own metadata.
    Jwt__MetadataAddress: `${identityAddress}/.well-known/openid-configuration`,
    Jwt__SigningKey: 'the secret that both instances share',
    Auth__SessionValidationCacheSeconds: '0',
    Cors__AllowedOrigins__0: origin ?? '',
    RateLimit__Identity__PermitLimit: '0',
    [`Identity__ServiceClients__${robot.id}__Secret`]: robot.secret,
    [`Identity__ServiceClients__${robot.id}__Login`]: robot.login,
  })
  return {
    child,
    identityAddress,
    async stop() {
      await child.end('SIGTERM')
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

interface ClientPages {
  readonly origin: string
  stop(): Promise<void>
}

/** Serves a minimal browser client: a page with an origin, a sign-in form, and a callback. */
async function startClientPages(issuer: string): Promise<ClientPages> {
  const server = createServer((request, response) => {
    const isLogin = request.url?.startsWith('/login/') ?? false
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    response.end(page(isLogin ? signInForm(issuer) : ''))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    // `localhost` and the identity host at 127.0.0.1 are different sites. This is the harder case for its
    // cookie.
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const page = (content: string) => `<!doctype html><html lang="en"><title>Client</title>${content}</html>`

const signInForm = (issuer: string) => `
  <form method="post" action="${issuer}/api/account/login">
    <input name="login"><input name="password" type="password"><input name="authRequest" type="hidden">
    <button>Sign in</button>
  </form>
  <script>
    document.forms[0].authRequest.value = new URLSearchParams(location.search).get('authRequest') ?? ''
  </script>`

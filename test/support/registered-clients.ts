import type { Environment } from '../../src/config/settings.ts'
import { type Browser, createPkce, type Fields, type Page, type Pkce, queryOf } from './browser.ts'
import { password as rightPassword } from './cheap-passwords.ts'

export interface TestClient {
  readonly id: string
  readonly secret?: string
  readonly redirectUri: string
  readonly postLogoutRedirectUri: string
  readonly others?: Fields
}

/** A third-party client, in browsers. */
export const wiki: TestClient = {
  id: 'wiki',
  redirectUri: 'https://wiki.example.test/callback?of=tracker',
  postLogoutRedirectUri: 'https://wiki.example.test/',
  others: { Name: 'The <b>wiki</b> & more' },
}

/** One's own client, on a server, which knows no PKCE. */
export const portal: TestClient = {
  id: 'portal',
  secret: 'a-secret-of-the-portal-of-32-characters',
  redirectUri: 'https://portal.example.test/callback',
  postLogoutRedirectUri: 'https://portal.example.test/',
  others: { FirstParty: 'true', RequirePkce: 'false', Scopes__0: 'openid', Scopes__1: 'svc.api' },
}

export function registrationOf({ id, secret, redirectUri, postLogoutRedirectUri, others }: TestClient) {
  const settings: Record<string, string | undefined> = {
    RedirectUris__0: redirectUri,
    PostLogoutRedirectUris__0: postLogoutRedirectUri,
    ...(secret !== undefined && { Secret: secret }),
    ...others,
  }
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [`Identity__Clients__${id}__${name}`, value]),
  ) as Environment
}

export interface SignInAtOptions {
  readonly login?: string
  readonly password?: string
  readonly request?: Fields
  /** To the question whether the client may. */
  readonly answer?: string
  readonly pkce?: Pkce
}

export const requestAt = (client: TestClient, pkce: Pkce | undefined, others: Fields = {}): Fields => ({
  client_id: client.id,
  redirect_uri: client.redirectUri,
  response_type: 'code',
  scope: 'openid profile email offline_access',
  ...(pkce && { code_challenge: pkce.challenge, code_challenge_method: 'S256' }),
  state: 'state-1',
  nonce: 'nonce-1',
  ...others,
})

/** What the form of a hosted page would send, with the user's input. */
export async function submit(
  browser: Browser,
  page: Page,
  typed: Fields,
  origin = page.address.origin,
): Promise<Page> {
  const [, action = ''] = /<form method="post" action="([^"]+)"/.exec(page.text) ?? []
  const hidden = [...page.text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)]
  const fields = Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, value]))
  return browser.follow(
    await browser.post(new URL(action, page.address).href, { ...fields, ...typed }, { origin }),
  )
}

/** Walks the flow through the pages of the host, as far as they come, up to the client's callback. */
export async function signInAt(
  browser: Browser,
  client: TestClient,
  {
    login = 'ada@example.com',
    password = rightPassword,
    request = {},
    answer = 'allow',
    pkce = createPkce(),
  }: SignInAtOptions = {},
): Promise<Page> {
  let page = await browser.follow(await browser.get('/connect/authorize', requestAt(client, pkce, request)))
  if (page.text.includes('name="password"')) page = await submit(browser, page, { login, password })
  if (page.text.includes('name="answer"')) page = await submit(browser, page, { answer })
  return page
}

export async function tokensAt(browser: Browser, client: TestClient, options: SignInAtOptions = {}) {
  const pkce = createPkce()
  const callback = await signInAt(browser, client, { ...options, pkce })
  return browser.post('/connect/token', {
    grant_type: 'authorization_code',
    client_id: client.id,
    ...(client.secret !== undefined && { client_secret: client.secret }),
    code: queryOf(callback).code ?? '',
    redirect_uri: client.redirectUri,
    code_verifier: pkce.verifier,
  })
}

import type { Environment } from '../../src/config/settings.ts'
import { type Browser, createPkce, type Fields, type Page, type Pkce, queryOf } from './browser.ts'
import { password as rightPassword } from './cheap-passwords.ts'

export interface TestClient {
  readonly id: string
  readonly secret?: string
  readonly redirectUri: string
  readonly postLogoutRedirectUri: string
  /** Further settings of the registration, such as `{ Name: 'The wiki' }`. */
  readonly extraSettings?: Fields
}

/** A public third-party client. */
export const wiki: TestClient = {
  id: 'wiki',
  redirectUri: 'https://wiki.example.test/callback?of=tracker',
  postLogoutRedirectUri: 'https://wiki.example.test/',
  extraSettings: { Name: 'The <b>wiki</b> & more' },
}

/** A confidential first-party client that may omit PKCE. */
export const portal: TestClient = {
  id: 'portal',
  secret: 'a-secret-of-the-portal-of-32-characters',
  redirectUri: 'https://portal.example.test/callback',
  postLogoutRedirectUri: 'https://portal.example.test/',
  extraSettings: { FirstParty: 'true', RequirePkce: 'false', Scopes__0: 'openid', Scopes__1: 'svc.api' },
}

/** Returns the environment variables that register the client. */
export function registrationOf({
  id,
  secret,
  redirectUri,
  postLogoutRedirectUri,
  extraSettings,
}: TestClient) {
  const settings: Record<string, string | undefined> = {
    RedirectUris__0: redirectUri,
    PostLogoutRedirectUris__0: postLogoutRedirectUri,
    ...(secret !== undefined && { Secret: secret }),
    ...extraSettings,
  }
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [`Identity__Clients__${id}__${name}`, value]),
  ) as Environment
}

export interface SignInOptions {
  readonly login?: string
  readonly password?: string
  /** Overrides of the authorization request. */
  readonly request?: Fields
  /** The user's answer on the consent page. */
  readonly answer?: string
  readonly pkce?: Pkce
}

export const authorizationRequestOf = (
  client: TestClient,
  pkce: Pkce | undefined,
  overrides: Fields = {},
): Fields => ({
  client_id: client.id,
  redirect_uri: client.redirectUri,
  response_type: 'code',
  scope: 'openid profile email offline_access',
  ...(pkce && { code_challenge: pkce.challenge, code_challenge_method: 'S256' }),
  state: 'state-1',
  nonce: 'nonce-1',
  ...overrides,
})

/** Submits the form of a hosted page with the user's input, and follows redirects. */
export async function submit(
  browser: Browser,
  page: Page,
  input: Fields,
  origin = page.address.origin,
): Promise<Page> {
  const [, action = ''] = /<form method="post" action="([^"]+)"/.exec(page.text) ?? []
  const hidden = [...page.text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)]
  const fields = Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, value]))
  return browser.follow(
    await browser.post(new URL(action, page.address).href, { ...fields, ...input }, { origin }),
  )
}

/** Signs in through the pages of the identity host. Returns the redirect to the client's callback. */
export async function signInTo(
  browser: Browser,
  client: TestClient,
  {
    login = 'ada@example.com',
    password = rightPassword,
    request = {},
    answer = 'allow',
    pkce = createPkce(),
  }: SignInOptions = {},
): Promise<Page> {
  let page = await browser.follow(
    await browser.get('/connect/authorize', authorizationRequestOf(client, pkce, request)),
  )
  if (page.text.includes('name="password"')) page = await submit(browser, page, { login, password })
  if (page.text.includes('name="answer"')) page = await submit(browser, page, { answer })
  return page
}

/** Signs in, and exchanges the code for tokens. Returns the response of the token endpoint. */
export async function requestTokens(browser: Browser, client: TestClient, options: SignInOptions = {}) {
  const pkce = createPkce()
  const callback = await signInTo(browser, client, { ...options, pkce })
  return browser.post('/connect/token', {
    grant_type: 'authorization_code',
    client_id: client.id,
    ...(client.secret !== undefined && { client_secret: client.secret }),
    code: queryOf(callback).code ?? '',
    redirect_uri: client.redirectUri,
    code_verifier: pkce.verifier,
  })
}

import { createHash, randomBytes } from 'node:crypto'
import { password as rightPassword } from './cheap-passwords.ts'
import { origin, redirectUri } from './known-clients.ts'

export type Fields = Readonly<Record<string, string>>

export interface Page {
  readonly status: number
  readonly headers: Headers
  /** The unparsed `Location` header. Empty without a redirect. */
  readonly location: string
  readonly text: string
  readonly address: URL
  // biome-ignore lint/suspicious/noExplicitAny: an answer is what came over the network
  readonly json: any
}

/** A browser as the host sees it. It stores cookies, but does not follow redirects by itself. */
export interface Browser {
  readonly cookies: Map<string, string>
  get(path: string, query?: Fields, headers?: Fields): Promise<Page>
  post(path: string, form: Fields | string, headers?: Fields): Promise<Page>
  /** Follows redirects until one leads to another host. Each request has the headers. */
  follow(page: Page, headers?: Fields): Promise<Page>
}

export function openBrowser(address: string): Browser {
  const cookies = new Map<string, string>()
  const send = async (url: URL, init: RequestInit, headers: Fields = {}): Promise<Page> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { ...(cookie && { cookie }), ...headers },
    })
    storeCookies(cookies, response)
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    return {
      status: response.status,
      headers: response.headers,
      location: response.headers.get('location') ?? '',
      text,
      address: url,
      json: isJson ? JSON.parse(text) : undefined,
    }
  }
  const get: Browser['get'] = (path, query, headers) => {
    const url = new URL(path, address)
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.append(name, value)
    return send(url, {}, headers)
  }
  return {
    cookies,
    get,
    post: (path, form, headers) =>
      send(
        new URL(path, address),
        { method: 'POST', body: typeof form === 'string' ? form : new URLSearchParams(form) },
        {
          ...(typeof form === 'string' && { 'content-type': 'application/x-www-form-urlencoded' }),
          ...headers,
        },
      ),
    async follow(page, headers) {
      let current = page
      for (let hops = 0; hops < 10 && current.location !== ''; hops += 1) {
        const url = new URL(current.location, address)
        if (url.origin !== new URL(address).origin) return current
        current = await get(url.href, {}, headers)
      }
      return current
    },
  }
}

function storeCookies(cookies: Map<string, string>, response: Response): void {
  for (const line of response.headers.getSetCookie()) {
    const [pair = '', ...attributes] = line.split('; ')
    // A value may contain `=`, such as the padding of base64.
    const [name = '', ...valueParts] = pair.split('=')
    if (attributes.includes('Max-Age=0')) cookies.delete(name)
    else cookies.set(name, valueParts.join('='))
  }
}

export interface Pkce {
  readonly verifier: string
  readonly challenge: string
}

export function createPkce(): Pkce {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** Returns the authorization request of the web client. */
export const requestOf = ({ challenge }: Pkce, changes: Fields = {}): Fields => ({
  client_id: 'svc-webclient',
  redirect_uri: redirectUri,
  response_type: 'code',
  scope: 'openid profile svc.api offline_access',
  code_challenge: challenge,
  code_challenge_method: 'S256',
  state: 'state-1',
  nonce: 'nonce-1',
  ...changes,
})

/** Returns the query parameters of a redirect. */
export const queryOf = ({ location }: Page): Fields =>
  Object.fromEntries(new URL(location, 'http://relative.test').searchParams)

export interface SignInOptions {
  readonly login?: string
  readonly password?: string
  readonly request?: Fields
  readonly headers?: Fields
}

/** Posts the form of the sign-in page, and returns the response without following its redirect. */
export async function postSignIn(browser: Browser, pkce: Pkce, options: SignInOptions = {}): Promise<Page> {
  const page = await browser.follow(await browser.get('/connect/authorize', requestOf(pkce, options.request)))
  return browser.post(
    '/api/account/login',
    {
      login: options.login ?? 'ada@example.com',
      password: options.password ?? rightPassword,
      authRequest: queryOf(page).authRequest ?? '',
    },
    { origin, ...options.headers },
  )
}

/** Signs in, and returns the redirect to the client's callback. */
export async function signIn(browser: Browser, pkce: Pkce, options: SignInOptions = {}): Promise<Page> {
  return browser.follow(await postSignIn(browser, pkce, options))
}

export const redeem = (browser: Browser, pkce: Pkce, callback: Page, changes: Fields = {}): Promise<Page> =>
  browser.post('/connect/token', {
    grant_type: 'authorization_code',
    client_id: 'svc-webclient',
    code: queryOf(callback).code ?? '',
    redirect_uri: redirectUri,
    code_verifier: pkce.verifier,
    ...changes,
  })

export const refresh = (browser: Browser, refreshToken: string, changes: Fields = {}): Promise<Page> =>
  browser.post('/connect/token', {
    grant_type: 'refresh_token',
    client_id: 'svc-webclient',
    refresh_token: refreshToken,
    ...changes,
  })

/** Signs out, and follows the redirects of the host. */
export const signOut = async (browser: Browser, query: Fields = {}, headers: Fields = {}): Promise<Page> =>
  browser.follow(await browser.get('/connect/endsession', query, headers), headers)

/** The headers of a request that a page of another site has caused. */
export const fromOtherSite: Fields = { 'sec-fetch-site': 'cross-site' }

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly id_token: string
}

/** Signs in with a new browser, and returns the tokens. */
export async function signedIn(address: string, options: SignInOptions = {}) {
  const browser = openBrowser(address)
  const pkce = createPkce()
  const callback = await signIn(browser, pkce, options)
  const answer = await redeem(browser, pkce, callback)
  return { browser, tokens: answer.json as Tokens, answer }
}

/** Returns the claims of a token without verifying it. */
export const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

export const headerOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString())

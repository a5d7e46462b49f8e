import { createPkce, type Fields, openBrowser, queryOf, requestOf, signedIn } from './browser.ts'
import { password } from './cheap-passwords.ts'
import { origin, redirectUri, robot } from './known-clients.ts'

export interface Asked {
  readonly what: string
  readonly answer: Promise<{ readonly status: number; readonly headers: Headers }>
}

/** Prepares whatever the endpoints want to see, and returns how to ask each of them once. */
export async function identityRequests(
  address: string,
  { login }: { readonly login: string },
): Promise<() => Asked[]> {
  const { browser, tokens } = await signedIn(address, { login })
  const pkce = createPkce()
  const callback = await browser.follow(await browser.get('/connect/authorize', requestOf(pkce)))
  const stranger = openBrowser(address)
  const page = await stranger.follow(await stranger.get('/connect/authorize', requestOf(createPkce())))
  const authRequest = queryOf(page).authRequest ?? ''
  const client = { client_id: robot.id, client_secret: robot.secret }
  const bearer = { authorization: `Bearer ${tokens.access_token}` }
  const webclient = { client_id: 'svc-webclient' }
  const { access_token, refresh_token, id_token } = tokens
  const got = (path: string, query?: Fields, headers?: Fields, by = browser): Asked => ({
    what: `GET ${path}`,
    answer: by.get(path, query, headers),
  })
  const posted = (path: string, form: Fields, headers?: Fields, by = browser): Asked => ({
    what: `POST ${path} ${form.grant_type ?? ''}`,
    answer: by.post(path, form, headers),
  })
  return () => [
    got('/connect/authorize', requestOf(createPkce())),
    posted('/connect/authorize', requestOf(createPkce())),
    posted('/connect/token', {
      ...webclient,
      grant_type: 'authorization_code',
      code: queryOf(callback).code ?? '',
      redirect_uri: redirectUri,
      code_verifier: pkce.verifier,
    }),
    posted('/connect/token', { ...webclient, grant_type: 'refresh_token', refresh_token }),
    posted('/connect/token', { ...client, grant_type: 'client_credentials' }),
    posted('/connect/revocation', { ...webclient, token: refresh_token }),
    posted('/connect/introspect', { ...client, token: access_token }),
    got('/connect/userinfo', {}, bearer),
    posted('/connect/userinfo', {}, bearer),
    {
      what: 'GET /connect/endsession',
      answer: browser.get('/connect/endsession', { id_token_hint: id_token }).then(browser.follow),
    },
    posted('/api/account/login', { login, password, authRequest }, { origin }, stranger),
    got('/ext/factors', {}, bearer),
    posted('/ext/sign-in', { login, password, authRequest }, { origin: address }, stranger),
  ]
}

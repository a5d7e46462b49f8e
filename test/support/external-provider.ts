import type { Environment } from '../../src/config/settings.ts'
import type { Queries } from '../../src/db/database.ts'
import { newId } from '../../src/db/rows.ts'
import { sql } from '../../src/db/sql.ts'
import {
  type Browser,
  createPkce,
  type Fields,
  openBrowser,
  type Page,
  type Pkce,
  queryOf,
  requestOf,
} from './browser.ts'
import { type ProviderRecords, startCertifiedProvider } from './certified-provider.ts'

/** A user with an account at the provider. */
export interface ExternalAccount {
  readonly sub: string
  readonly email?: string
  readonly email_verified?: boolean
  readonly name?: string
}

/** A certified external provider. It signs in everyone as `person`, without interaction. */
export interface ExternalProviderUnderTest {
  readonly issuer: string
  person: ExternalAccount
  settings(id: string, extraSettings?: Environment): Environment
  /** Registers the identity host at the provider. */
  register(identityAddress: string, id: string): void
  stop(): Promise<void>
}

export const externalClient = { id: 'tracker', secret: 'a secret that the provider has given' }

const account = (accountId: string, person: ExternalAccount) => ({ accountId, claims: () => ({ ...person }) })

export async function startExternalProvider(): Promise<ExternalProviderUnderTest> {
  const people = new Map<string, ExternalAccount>()
  const records: ProviderRecords = new Map()
  const { issuer, stop } = await startCertifiedProvider({
    scopes: ['openid', 'profile', 'email'],
    models: ['AccessToken', 'AuthorizationCode', 'Grant', 'IdToken', 'Interaction', 'Session'],
    records,
    configuration: {
      clients: [],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      features: { devInteractions: { enabled: false } },
      findAccount: (_context: unknown, sub: string) => account(sub, people.get(sub) ?? { sub }),
    },
    signInAs() {
      people.set(external.person.sub, external.person)
      return external.person.sub
    },
  })
  const external: ExternalProviderUnderTest = {
    issuer,
    person: { sub: 'ada-at-corp' },
    settings: (id, extraSettings = {}) => ({
      [`Identity__Providers__${id}__Issuer`]: issuer,
      [`Identity__Providers__${id}__ClientId`]: externalClient.id,
      [`Identity__Providers__${id}__ClientSecret`]: externalClient.secret,
      ...Object.fromEntries(
        Object.entries(extraSettings).map(([name, value]) => [`Identity__Providers__${id}__${name}`, value]),
      ),
    }),
    register(identityAddress, id) {
      records.set(`Client:${externalClient.id}`, {
        client_id: externalClient.id,
        client_secret: externalClient.secret,
        redirect_uris: [`${identityAddress}/ext/sign-in/from/${id}`],
        post_logout_redirect_uris: [`${identityAddress}/ext/signed-out/return`],
        response_types: ['code'],
        grant_types: ['authorization_code'],
      })
    },
    stop,
  }
  return external
}

/** Completes the provider's part of a sign-in or sign-out, and returns the redirect back to the host. */
export async function passThrough(page: Page, providerBrowser = openBrowser(page.location)): Promise<Page> {
  const first = await providerBrowser.follow(await providerBrowser.get(page.location))
  const asksToConfirmSignOut = first.text.includes('op.logoutForm')
  if (!asksToConfirmSignOut) return first
  const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(first.text) ?? []
  return providerBrowser.follow(await providerBrowser.post('/session/end/confirm', { xsrf, logout: 'yes' }))
}

export interface ArriveOptions {
  readonly browser?: Browser
  readonly pkce?: Pkce
  /** Additional parameters of the authorization request. */
  readonly request?: Fields
  /** The browser with the provider's cookies. */
  readonly providerBrowser?: Browser
}

interface Arrival extends ArriveOptions {
  readonly provider: string
  readonly person: ExternalAccount
}

/**
 * Signs a user in at the provider, for the web client. Returns the redirect to the web client, or the page of
 * the identity host that needs the user, such as that of the second step.
 */
export async function arriveFrom(
  external: ExternalProviderUnderTest,
  address: string,
  {
    provider,
    person,
    browser = openBrowser(address),
    pkce = createPkce(),
    request,
    providerBrowser,
  }: Arrival,
): Promise<Page> {
  external.register(address, provider)
  external.person = person
  const page = await browser.follow(await browser.get('/connect/authorize', requestOf(pkce, request)))
  const query = { provider, authRequest: queryOf(page).authRequest ?? '' }
  return browser.follow(await passThrough(await browser.get('/ext/sign-in/with', query), providerBrowser))
}

/** Connects an external account to an account directly in the database. */
export const insertIdentity = (
  database: Queries,
  issuer: string,
  { userId, subject }: { readonly userId: string; readonly subject: string },
) =>
  database.query(sql`
    insert into outside_identities (id, issuer, subject, user_id, provider, label)
    values (${newId()}, ${issuer}, ${subject}, ${userId}, 'plain', 'x')`)

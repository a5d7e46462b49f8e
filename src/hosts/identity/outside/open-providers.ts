import * as client from 'openid-client'
import { clockSkewSeconds } from '../../../authentication/access-token.ts'
import { type Budgets, budgetLimits } from '../../../configuration/budgets.ts'
import { openOutsideFetch } from './outside-fetch.ts'
import type { ProviderSettings } from './read-providers.ts'

export interface OutsideProvider extends ProviderSettings {
  /** What its discovery document says; throws while it cannot be asked. */
  configure(): Promise<client.Configuration>
}

export type OutsideProviders = ReadonlyMap<string, OutsideProvider>

/** Nobody waits longer for a page. */
const answerSecondsMax = 5
/** A provider changes its addresses seldom, and announces it. */
const knownMilliseconds = 10 * 60_000
/** One that is down is asked again soon, but not by everybody at once. */
const failedMilliseconds = 5000

/** Nothing is asked of a provider until somebody signs in by it, so that none holds up the start. */
export const openProviders = (
  settings: readonly ProviderSettings[],
  budgets: Budgets,
  now: () => number,
): OutsideProviders =>
  new Map(
    settings.map((provider) => {
      const fetch = openOutsideFetch({
        hosts: [new URL(provider.issuer).host, ...provider.hosts],
        underWay: budgets.budget('outsideRequests'),
        answerBytesMax: budgetLimits.outsideAnswerBytes.max,
      })
      const configure = kept(now, () => discover(provider, fetch, now))
      return [provider.id, { ...provider, configure }]
    }),
  )

async function discover(
  { issuer, clientId, clientSecret }: ProviderSettings,
  fetch: client.CustomFetch,
  now: () => number,
): Promise<client.Configuration> {
  const isInsecure = issuer.startsWith('http:')
  const metadata = {
    ...(clientSecret !== undefined && { client_secret: clientSecret }),
    [client.clockTolerance]: clockSkewSeconds,
    // None, unless a test moves the clock.
    [client.clockSkew]: Math.round((now() - Date.now()) / 1000),
  }
  const configuration = await client.discovery(
    new URL(issuer),
    clientId,
    metadata,
    authenticate(clientSecret),
    {
      timeout: answerSecondsMax,
      [client.customFetch]: fetch,
      // Signatures are verified although the tokens come from the provider itself.
      execute: [client.enableNonRepudiationChecks, ...(isInsecure ? [client.allowInsecureRequests] : [])],
    },
  )
  // The package lets some issuers call themselves otherwise, and one for all customers would let any of them in.
  if (new URL(configuration.serverMetadata().issuer).href !== new URL(issuer).href)
    throw new Error('The provider calls itself another issuer.')
  return configuration
}

/** As the provider likes it: by Basic, unless it takes the secret in the form only (OpenID Connect Discovery 1.0, 3). */
const authenticate = (secret: string | undefined): client.ClientAuth =>
  secret === undefined
    ? client.None()
    : (server, ...others) => {
        const methods = server.token_endpoint_auth_methods_supported
        const isForm = methods !== undefined && !methods.includes('client_secret_basic')
        const way = isForm ? client.ClientSecretPost(secret) : client.ClientSecretBasic(secret)
        way(server, ...others)
      }

/** One attempt at a time, whose result serves everybody for a while. */
function kept<Value>(now: () => number, make: () => Promise<Value>): () => Promise<Value> {
  let current: { readonly value: Promise<Value>; until: number } | undefined
  return () => {
    if (current !== undefined && now() < current.until) return current.value
    const made = { value: make(), until: now() + knownMilliseconds }
    made.value.catch(() => {
      made.until = now() + failedMilliseconds
    })
    current = made
    return made.value
  }
}

import type { IncomingMessage, RequestOptions } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { CustomFetch } from 'openid-client'
import * as client from 'openid-client'
import { clockSkewSeconds } from '../../../auth/access-token.ts'
import { type Budgets, budgetLimits } from '../../../config/budgets.ts'
import { type AllowedReceivers, allowedReceivers } from '../../../http/addresses.ts'
import { request as requestHttp } from '../../../http/node-http.ts'
import type { Budget } from '../../../model/budget.ts'
import type { ProviderSettings } from '../values/settings.ts'

export interface ExternalProvider extends ProviderSettings {
  /** Fetches and caches the provider's discovery document; throws while it cannot be fetched. */
  loadConfiguration(): Promise<client.Configuration>
}

export type ExternalProviders = ReadonlyMap<string, ExternalProvider>

/** Limits each request to a provider. */
const responseSecondsMax = 5
/** Providers seldom change their endpoints, and announce changes in advance. */
const configurationMilliseconds = 10 * 60_000
/** A provider that is down is retried soon, but not by every request. */
const retryMilliseconds = 5000

/**
 * Contacts no provider. Each is first contacted when a user signs in with it, so none delays the start of the
 * host.
 */
export const openProviders = (
  settings: readonly ProviderSettings[],
  budgets: Budgets,
  now: () => number,
): ExternalProviders =>
  new Map(
    settings.map((provider) => {
      const fetch = openProviderFetch({
        host: new URL(provider.issuer).host,
        inFlight: budgets.budget('providerRequests'),
        responseBytesMax: budgetLimits.providerAnswerBytes.max,
      })
      const loadConfiguration = cacheResult(now, () => discover(provider, fetch, now))
      return [provider.id, { ...provider, loadConfiguration }]
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
    // Zero unless a test moves the clock.
    [client.clockSkew]: Math.round((now() - Date.now()) / 1000),
  }
  const configuration = await client.discovery(
    new URL(issuer),
    clientId,
    metadata,
    clientAuthentication(clientSecret),
    {
      timeout: responseSecondsMax,
      [client.customFetch]: fetch,
      // Signatures are verified although tokens come directly from the provider.
      execute: [client.enableNonRepudiationChecks, ...(isInsecure ? [client.allowInsecureRequests] : [])],
    },
  )
  // The package accepts some issuers that differ from the requested one. If all customers of a provider
  // shared an issuer, users of every customer could sign in.
  if (new URL(configuration.serverMetadata().issuer).href !== new URL(issuer).href)
    throw new Error('The provider reports a different issuer.')
  return configuration
}

/** Uses Basic unless the provider accepts the secret only in the form (OpenID Connect Discovery 1.0, 3). */
const clientAuthentication = (secret: string | undefined): client.ClientAuth =>
  secret === undefined
    ? client.None()
    : (server, ...others) => {
        const methods = server.token_endpoint_auth_methods_supported
        const acceptsBasic = methods === undefined || methods.includes('client_secret_basic')
        const authenticate = acceptsBasic ? client.ClientSecretBasic(secret) : client.ClientSecretPost(secret)
        authenticate(server, ...others)
      }

/** Shares one result among all calls for a while, and a failure for a shorter time. */
function cacheResult<Value>(now: () => number, load: () => Promise<Value>): () => Promise<Value> {
  let current: { readonly value: Promise<Value>; until: number } | undefined
  return () => {
    if (current !== undefined && now() < current.until) return current.value
    const attempt = { value: load(), until: now() + configurationMilliseconds }
    attempt.value.catch(() => {
      attempt.until = now() + retryMilliseconds
    })
    current = attempt
    return attempt.value
  }
}

/** The provider could not be reached, or sent an invalid response. */
export class ProviderUnreachableError extends Error {}

interface ProviderFetchOptions {
  /** The host of the issuer, which may be called even if its network address is not public. */
  readonly host: string
  /** Limits the requests in flight. */
  readonly inFlight: Budget
  readonly responseBytesMax: number
}

/**
 * Creates the `fetch` for `openid-client`. It sends requests only to the issuer's host and to public
 * addresses over HTTPS, because a discovery document may name any URL. It follows no redirects, and limits
 * the size of responses. The caller's signal limits the time.
 */
function openProviderFetch({ host, inFlight, responseBytesMax }: ProviderFetchOptions): CustomFetch {
  const receivers = allowedReceivers([host])
  return async (url, { method, headers, body, signal }) => {
    const target = new URL(url)
    const problem = receivers.problemOf(target)
    if (problem !== undefined) throw new ProviderUnreachableError(`An address of the provider ${problem}`)
    if (!inFlight.take()) throw new ProviderUnreachableError('Too many requests to providers are in flight.')
    const text = body === undefined || body === null ? undefined : String(body)
    return send(target, { method, headers, ...(signal && { signal }) }, text, receivers, responseBytesMax)
      .catch((error: Error) => {
        throw error instanceof ProviderUnreachableError
          ? error
          : new ProviderUnreachableError(error.message, { cause: error.cause ?? error })
      })
      .finally(() => inFlight.release())
  }
}

const send = (
  target: URL,
  options: Pick<RequestOptions, 'method' | 'headers' | 'signal'>,
  body: string | undefined,
  receivers: AllowedReceivers,
  responseBytesMax: number,
): Promise<Response> =>
  new Promise((resolve, reject) => {
    const request = target.protocol === 'https:' ? requestHttps : requestHttp
    const outgoing = request(
      target,
      // Each request uses a new connection, so that it reaches the address that was resolved and checked.
      { ...options, lookup: receivers.lookupFor(target), agent: false },
      (response) => readResponse(response, responseBytesMax).then(resolve, reject),
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })

async function readResponse(response: IncomingMessage, bytesMax: number): Promise<Response> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response) {
    bytes += (chunk as Buffer).length
    if (bytes > bytesMax) {
      response.destroy()
      throw new ProviderUnreachableError("The provider's response is too long.")
    }
    chunks.push(chunk as Buffer)
  }
  const headers = Object.entries(response.headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ])
  const status = response.statusCode ?? 0
  return new Response(bodilessStatuses.has(status) ? null : Buffer.concat(chunks), { status, headers })
}

const bodilessStatuses: ReadonlySet<number> = new Set([204, 205, 304])

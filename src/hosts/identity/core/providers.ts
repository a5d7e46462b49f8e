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
  /** Returns the provider's discovery document; throws while it cannot be fetched. */
  configure(): Promise<client.Configuration>
}

export type ExternalProviders = ReadonlyMap<string, ExternalProvider>

/** The longest time that a page waits. */
const answerSecondsMax = 5
/** Providers seldom change their addresses, and announce changes in advance. */
const knownMilliseconds = 10 * 60_000
/** A provider that is down is retried soon, but not by every request. */
const failedMilliseconds = 5000

/** A provider is contacted only at its first sign-in, so that none delays the start. */
export const openProviders = (
  settings: readonly ProviderSettings[],
  budgets: Budgets,
  now: () => number,
): ExternalProviders =>
  new Map(
    settings.map((provider) => {
      const fetch = openProviderFetch({
        host: new URL(provider.issuer).host,
        inFlight: budgets.budget('outsideRequests'),
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
    // Zero unless a test moves the clock.
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
      // Signatures are verified although tokens come directly from the provider.
      execute: [client.enableNonRepudiationChecks, ...(isInsecure ? [client.allowInsecureRequests] : [])],
    },
  )
  // The package accepts some issuers under another name; an issuer shared by all customers would let any of
  // them in.
  if (new URL(configuration.serverMetadata().issuer).href !== new URL(issuer).href)
    throw new Error('The provider reports a different issuer.')
  return configuration
}

/** Uses Basic unless the provider accepts the secret only in the form (OpenID Connect Discovery 1.0, 3). */
const authenticate = (secret: string | undefined): client.ClientAuth =>
  secret === undefined
    ? client.None()
    : (server, ...others) => {
        const methods = server.token_endpoint_auth_methods_supported
        const isForm = methods !== undefined && !methods.includes('client_secret_basic')
        const way = isForm ? client.ClientSecretPost(secret) : client.ClientSecretBasic(secret)
        way(server, ...others)
      }

/** Runs one attempt at a time, and shares its result for a while. */
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

/** The provider could not be reached, or sent an invalid response. */
export class ProviderUnreachableError extends Error {}

export interface ProviderFetchOptions {
  /** The host of the issuer, which may be called although its address is not public. */
  readonly host: string
  /** Requests in flight. */
  readonly inFlight: Budget
  readonly answerBytesMax: number
}

/**
 * The `fetch` for `openid-client`. It calls https at public addresses and at the issuer's host, because a discovery document may
 * name any address. Redirects are not followed; the size of responses and, by the caller's signal, the time are limited.
 */
function openProviderFetch({ host, inFlight, answerBytesMax }: ProviderFetchOptions): CustomFetch {
  const receivers = allowedReceivers([host])
  return async (address, { method, headers, body, signal }) => {
    const target = new URL(address)
    const problem = receivers.problemOf(target)
    if (problem !== undefined) throw new ProviderUnreachableError(`An address of the provider ${problem}`)
    if (!inFlight.take()) throw new ProviderUnreachableError('Too many requests to providers are in flight.')
    const text = body === undefined || body === null ? undefined : String(body)
    return send(target, { method, headers, ...(signal && { signal }) }, text, receivers, answerBytesMax)
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
  answerBytesMax: number,
): Promise<Response> =>
  new Promise((resolve, reject) => {
    const request = target.protocol === 'https:' ? requestHttps : requestHttp
    const sent = request(
      target,
      // Each request uses a new connection, so that the resolved and checked address is the one connected to.
      { ...options, lookup: receivers.lookupFor(target), agent: false },
      (answer) => readAnswer(answer, answerBytesMax).then(resolve, reject),
    )
    sent.on('error', reject)
    sent.end(body)
  })

async function readAnswer(answer: IncomingMessage, bytesMax: number): Promise<Response> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of answer) {
    bytes += (piece as Buffer).length
    if (bytes > bytesMax) {
      answer.destroy()
      throw new ProviderUnreachableError('The answer of the provider is too long.')
    }
    pieces.push(piece as Buffer)
  }
  const headers = Object.entries(answer.headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ])
  const status = answer.statusCode ?? 0
  return new Response(bodilessStatuses.has(status) ? null : Buffer.concat(pieces), { status, headers })
}

const bodilessStatuses: ReadonlySet<number> = new Set([204, 205, 304])

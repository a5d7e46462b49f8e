import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import { overloaded } from '../model/problem.ts'

export interface ProviderKeysOptions {
  readonly issuer: string
  /** The address of the discovery document. */
  readonly metadataAddress: string
  readonly now: () => number
  readonly log: Log
}

/** Keys older than this are fetched again in the background, so that a withdrawn key stops working. */
const freshMilliseconds = 10 * 60_000
/** Limits the fetches, however many made-up kids arrive; new keys are published a day before their use. */
const fetchesPerMinuteMax = 4
/** A provider that is still starting is ready within a second; while the known keys work, no request waits for it. */
const pauseMilliseconds = { withoutKeys: 1000, withKeys: 10_000 }

/**
 * Finds the key that a token names. Fetched keys keep working while the provider is down; an unknown kid causes one fetch, which
 * all waiting requests share.
 */
export function createProviderKeys({
  issuer,
  metadataAddress,
  now,
  log,
}: ProviderKeysOptions): JWTVerifyGetKey {
  let known: ReturnType<typeof createLocalJWKSet> | undefined
  let fetching: Promise<void> | undefined
  let failedAt = Number.NEGATIVE_INFINITY
  /** End times of the latest successful fetches, newest first. */
  let fetchedAt: readonly number[] = []

  const mayFetch = () =>
    now() >= failedAt + (known ? pauseMilliseconds.withKeys : pauseMilliseconds.withoutKeys) &&
    fetchedAt.filter((at) => at > now() - 60_000).length < fetchesPerMinuteMax
  const fetchKeys = async () => {
    try {
      known = createLocalJWKSet(await fetchProviderKeys(metadataAddress, issuer))
      fetchedAt = [now(), ...fetchedAt].slice(0, fetchesPerMinuteMax)
    } catch (error) {
      failedAt = now()
      log.warn({ err: error, metadataAddress }, 'The signing keys cannot be fetched.')
    }
  }
  const refresh = async () => {
    if (!fetching && !mayFetch()) return
    fetching ??= fetchKeys().finally(() => {
      fetching = undefined
    })
    await fetching
  }
  const isStale = () => now() >= (fetchedAt[0] ?? 0) + freshMilliseconds
  return async (header, token) => {
    if (!known) await refresh()
    else if (isStale()) void refresh()
    if (!known) throw keysUnknown()
    try {
      return await known(header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      await refresh()
      return known(header, token)
    }
  }
}

/** The token may be fine. A 401 would make the client sign in again, which cannot help. */
const keysUnknown = () =>
  overloaded('Tokens cannot be checked now, and nothing was done. Please try again later.', {
    retryAfterSeconds: 1,
  })

/** A provider on the same machine answers in milliseconds; a request must not wait for keys indefinitely. */
const fetchSecondsMax = 5

/** Reads the address of the keys from the discovery document, then the keys. */
async function fetchProviderKeys(metadataAddress: string, issuer: string): Promise<JSONWebKeySet> {
  const metadata = await fetchObject(metadataAddress)
  if (metadata.issuer !== issuer) {
    throw new Error(`${metadataAddress} speaks for the issuer ${String(metadata.issuer)}, not for ${issuer}.`)
  }
  if (typeof metadata.jwks_uri !== 'string') throw new Error(`${metadataAddress} names no jwks_uri.`)
  // Its other contents are checked by their user.
  const keysAddress = onTheSameWay(metadata.jwks_uri, metadataAddress, issuer)
  const { keys } = await fetchObject(keysAddress)
  if (!Array.isArray(keys)) throw new Error(`${keysAddress} names no keys.`)
  return { keys }
}

const discoveryPath = '/.well-known/openid-configuration'

/** A provider publishes its public address; a host that reaches it at another address uses that one for its keys too. */
function onTheSameWay(keysAddress: string, metadataAddress: string, issuer: string): string {
  const isBelowIssuer = keysAddress.startsWith(`${issuer}/`) && metadataAddress.endsWith(discoveryPath)
  if (!isBelowIssuer) return keysAddress
  return metadataAddress.slice(0, -discoveryPath.length) + keysAddress.slice(issuer.length)
}

async function fetchObject(address: string): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(address, {
    headers: { accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(fetchSecondsMax * 1000),
  })
  if (!response.ok) {
    await response.body?.cancel()
    throw new Error(`${address} answered ${response.status}.`)
  }
  const body: unknown = await response.json()
  if (typeof body !== 'object' || body === null) throw new Error(`${address} answered no JSON object.`)
  return body as Record<string, unknown>
}

/** The part of a log that this folder needs; pino's fits. */
export interface Log {
  warn(details: object, message: string): void
}

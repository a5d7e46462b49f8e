import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose'
import { overloaded } from '../model/problem.ts'
import { fetchProviderKeys } from './fetch-provider-keys.ts'
import type { Log } from './log.ts'

export interface ProviderKeysOptions {
  readonly issuer: string
  /** The address of the discovery document. */
  readonly metadataAddress: string
  readonly now: () => number
  readonly log: Log
}

/** After that long they are fetched again in the background, so that a withdrawn key stops working. */
const freshMilliseconds = 10 * 60_000
/** However many made-up kids are tried, the provider is asked this often; successors are published a day early. */
const fetchesPerMinuteMax = 4
/** A provider that is still starting is there in a second; while the known keys serve, nobody waits for it. */
const pauseMilliseconds = { withoutKeys: 1000, withKeys: 10_000 }

/**
 * Finds the key that a token names. Keys once fetched keep working while the provider is down; a kid they do not have
 * makes one fetch that everybody waiting for it shares.
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
  /** Ends of the latest successful fetches, newest first. */
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

/** The token may be fine. An answer of 401 would make the client sign in again, which cannot help. */
const keysUnknown = () =>
  overloaded('Tokens cannot be checked now, and nothing was done. Please try again later.', {
    retryAfterSeconds: 1,
  })

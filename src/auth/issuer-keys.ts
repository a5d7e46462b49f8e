import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import { overloaded } from '../model/problem.ts'

export interface IssuerKeysOptions {
  readonly issuer: string
  /** The address of the discovery document. */
  readonly metadataAddress: string
  readonly now: () => number
  readonly log: WarningLog
}

/** Keys older than this are fetched again in the background, so that a withdrawn key stops working. */
const refetchAfterMilliseconds = 10 * 60_000
/** Limits the fetches that unknown key ids cause. New keys are published a day before their use, so none is missed. */
const fetchesPerMinuteMax = 4
/**
 * The pause after a failed fetch. It is short while no keys are known, because the issuer may be starting; while known keys
 * work, no request waits.
 */
const retryPauseMilliseconds = { withoutKeys: 1000, withKeys: 10_000 }

/** An operator needs the reason of a lasting failure, but not a line for each attempt. */
const repeatedWarningMilliseconds = 60_000

export interface IssuerKeys {
  /** Finds the key that a token names. */
  readonly find: JWTVerifyGetKey
  /** Rejects while no keys are known, because tokens cannot be verified then. */
  requireKeys(): Promise<void>
}

/**
 * Fetched keys keep working while the issuer is down. An unknown key id causes one fetch, which all waiting requests
 * share.
 */
export function createIssuerKeys({ issuer, metadataAddress, now, log }: IssuerKeysOptions): IssuerKeys {
  let findKnownKey: ReturnType<typeof createLocalJWKSet> | undefined
  let pendingFetch: Promise<void> | undefined
  let failedAt = Number.NEGATIVE_INFINITY
  let warned = { reason: '', at: Number.NEGATIVE_INFINITY }
  /** End times of the latest successful fetches, newest first. */
  let fetchTimes: readonly number[] = []

  const mayFetch = () =>
    now() >=
      failedAt + (findKnownKey ? retryPauseMilliseconds.withKeys : retryPauseMilliseconds.withoutKeys) &&
    fetchTimes.filter((at) => at > now() - 60_000).length < fetchesPerMinuteMax
  const warn = (error: unknown) => {
    const reason = String(error)
    if (reason === warned.reason && now() < warned.at + repeatedWarningMilliseconds) return
    warned = { reason, at: now() }
    log.warn({ err: error, metadataAddress }, 'The signing keys cannot be fetched.')
  }
  const fetchKeys = async () => {
    try {
      findKnownKey = createLocalJWKSet(await fetchIssuerKeys(metadataAddress, issuer))
      fetchTimes = [now(), ...fetchTimes].slice(0, fetchesPerMinuteMax)
    } catch (error) {
      failedAt = now()
      warn(error)
    }
  }
  const refresh = async () => {
    if (!pendingFetch && !mayFetch()) return
    pendingFetch ??= fetchKeys().finally(() => {
      pendingFetch = undefined
    })
    await pendingFetch
  }
  const isStale = () => now() >= (fetchTimes[0] ?? 0) + refetchAfterMilliseconds
  const requireKeys = async () => {
    if (!findKnownKey) await refresh()
    if (!findKnownKey) throw keysUnavailable()
    return findKnownKey
  }
  return {
    requireKeys: async () => void (await requireKeys()),
    async find(header, token) {
      if (findKnownKey && isStale()) void refresh()
      const findKey = await requireKeys()
      try {
        return await findKey(header, token)
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
        await refresh()
        return (await requireKeys())(header, token)
      }
    },
  }
}

/** The token may be fine. A 401 would make the client sign in again, which cannot help. */
const keysUnavailable = () =>
  overloaded('Tokens cannot be checked now, and nothing was done. Please try again later.', {
    retryAfterSeconds: 1,
  })

/** The issuer responds in milliseconds; a request must not wait for keys indefinitely. */
const fetchSecondsMax = 5

/** A setting is wrong, while every other failure may pass. */
export class WrongIssuerError extends Error {}

/** Reads the address of the keys from the discovery document, then the keys. */
export async function fetchIssuerKeys(metadataAddress: string, issuer: string): Promise<JSONWebKeySet> {
  const metadata = await fetchObject(metadataAddress)
  if (metadata.issuer !== issuer) {
    throw new WrongIssuerError(
      `${metadataAddress} belongs to the issuer ${String(metadata.issuer)}, not to ${issuer}.`,
    )
  }
  if (typeof metadata.jwks_uri !== 'string') throw new Error(`${metadataAddress} names no jwks_uri.`)
  // Only these two members of the document are used; jose checks the keys.
  const keysAddress = reachableKeysAddress(metadata.jwks_uri, metadataAddress, issuer)
  const { keys } = await fetchObject(keysAddress)
  if (!Array.isArray(keys)) throw new Error(`${keysAddress} names no keys.`)
  return { keys }
}

const discoveryPath = '/.well-known/openid-configuration'

/**
 * The document names the keys by the issuer's public address. If it was fetched from an internal address, the keys are fetched
 * from there too.
 */
function reachableKeysAddress(keysAddress: string, metadataAddress: string, issuer: string): string {
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

/** The part of a pino log that this folder needs. */
export interface WarningLog {
  warn(details: object, message: string): void
}

import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import type { WarningLog } from '../model/budget.ts'
import { overloaded } from '../model/problem.ts'

interface IssuerKeysOptions {
  readonly issuer: string
  /** The URL of the discovery document. */
  readonly metadataAddress: string
  readonly now: () => number
  readonly log: WarningLog
}

/** Keys older than this are fetched again in the background, so that a withdrawn key stops working. */
const refetchAfterMilliseconds = 10 * 60_000
/**
 * Limits the fetches that unknown key ids of invalid tokens cause. New keys are published a day before their
 * use, so none is missed.
 */
const fetchesPerMinuteMax = 4
/**
 * The pause after a failed fetch. It is short while no keys are known, because the issuer may be starting.
 * It may be longer as soon as keys are known, because then only a request with an unknown key id needs a fetch.
 */
const retryPauseMilliseconds = { withoutKeys: 1000, withKeys: 10_000 }

/** The same reason is logged only once in this time, because attempts may fail for hours. */
const repeatedWarningMilliseconds = 60_000

interface IssuerKeys {
  /** Finds the key with the id in the header of a token. */
  readonly find: JWTVerifyGetKey
  /** Throws while no keys are known, because tokens cannot be verified without them. */
  requireKeys(): Promise<void>
}

/**
 * Keeps fetched keys while the issuer is down. Requests with unknown key ids share one fetch. Requests with
 * known ones do not wait for it.
 */
export function createIssuerKeys({ issuer, metadataAddress, now, log }: IssuerKeysOptions): IssuerKeys {
  let findKnownKey: ReturnType<typeof createLocalJWKSet> | undefined
  let pendingFetch: Promise<void> | undefined
  let failedAt = Number.NEGATIVE_INFINITY
  let lastWarning = { reason: '', at: Number.NEGATIVE_INFINITY }
  /** The times of the latest successful fetches, the newest first. */
  let fetchTimes: readonly number[] = []

  const mayFetch = () =>
    now() >=
      failedAt + (findKnownKey ? retryPauseMilliseconds.withKeys : retryPauseMilliseconds.withoutKeys) &&
    fetchTimes.filter((at) => at > now() - 60_000).length < fetchesPerMinuteMax
  const warn = (error: unknown) => {
    const reason = String(error)
    if (reason === lastWarning.reason && now() < lastWarning.at + repeatedWarningMilliseconds) return
    lastWarning = { reason, at: now() }
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
      // Not awaited, because the known keys still work. A failure is logged by `fetchKeys`.
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

/** The status is not 401, because the token may be valid: signing in again would not help. */
const keysUnavailable = () =>
  overloaded('Tokens cannot be checked now, and nothing was done. Please try again later.', {
    retryAfterSeconds: 1,
  })

/** Limits each of the two requests for keys. The issuer usually answers within milliseconds. */
const fetchSecondsMax = 5

/** A wrong setting, which an operator has to change. Other failures may end by themselves. */
export class WrongIssuerError extends Error {}

/** Fetches the discovery document, and then the keys to which it refers. */
export async function fetchIssuerKeys(metadataAddress: string, issuer: string): Promise<JSONWebKeySet> {
  const metadata = await fetchObject(metadataAddress)
  if (metadata.issuer !== issuer) {
    throw new WrongIssuerError(
      `${metadataAddress} belongs to the issuer ${String(metadata.issuer)}, not to ${issuer}.`,
    )
  }
  if (typeof metadata.jwks_uri !== 'string') throw new Error(`${metadataAddress} names no jwks_uri.`)
  const keysUrl = reachableKeysUrl(metadata.jwks_uri, metadataAddress, issuer)
  const { keys } = await fetchObject(keysUrl)
  if (!Array.isArray(keys)) throw new Error(`${keysUrl} names no keys.`)
  // jose checks the keys themselves.
  return { keys }
}

const discoveryPath = '/.well-known/openid-configuration'

/**
 * Returns the URL of the keys. The document has their public URL. If `metadataAddress` is an internal URL,
 * this host may be unable to reach the public URL, so the keys are fetched from the host of the document.
 */
function reachableKeysUrl(publicUrl: string, metadataAddress: string, issuer: string): string {
  const isBelowIssuer = publicUrl.startsWith(`${issuer}/`) && metadataAddress.endsWith(discoveryPath)
  if (!isBelowIssuer) return publicUrl
  return metadataAddress.slice(0, -discoveryPath.length) + publicUrl.slice(issuer.length)
}

async function fetchObject(url: string): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(url, {
    headers: { accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(fetchSecondsMax * 1000),
  })
  if (!response.ok) {
    // An unread body would keep the connection.
    await response.body?.cancel()
    throw new Error(`${url} answered ${response.status}.`)
  }
  const body: unknown = await response.json()
  if (typeof body !== 'object' || body === null) throw new Error(`${url} answered no JSON object.`)
  return body as Record<string, unknown>
}

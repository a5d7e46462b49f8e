import type { IncomingHttpHeaders } from 'node:http'
import { preferredLanguage } from '../../../model/language.ts'
import { forbidden } from '../../../model/problem.ts'
import type { PendingRequest } from '../authorization/authorization-request.ts'
import type { Call, Identity } from '../core/endpoint.ts'
import type { SignInSource } from '../core/sessions.ts'
import type { IdentitySettings } from '../values/settings.ts'
import { readSessionId } from './browser-session.ts'

/** Longer than the header that browsers send. */
const userAgentCharactersMax = 256

/**
 * Returns the source of a sign-in, which the new session records. The earlier sessions of the browser come
 * from its cookie and from the pending request, because a post from a page of another site carries no cookie.
 */
export async function signInSourceOf(
  identity: Identity,
  { headers, address }: Call,
  { request, sessionId: knownSessionId }: PendingRequest,
): Promise<SignInSource> {
  const cookieSessionId = await readSessionId(identity, headers)
  // Clients that are not browsers send no such header and accept any language.
  const { 'accept-language': ranges = '*' } = headers
  const acceptedLanguage = ranges === '*' ? undefined : preferredLanguage(ranges)
  return {
    clientId: request.clientId,
    address,
    userAgent: headers['user-agent']?.slice(0, userAgentCharactersMax),
    earlierSessionIds: [cookieSessionId, knownSessionId].filter((id) => id !== undefined),
    language: request.language ?? acceptedLanguage,
  }
}

/**
 * Rejects posts from pages of other origins. A foreign page could sign a visitor out, or in to an account of
 * its choice.
 */
export function requireAllowedOrigin(
  allowedOrigins: readonly string[],
  { origin, referer }: IncomingHttpHeaders,
  subject = 'The sign-in',
): void {
  const sender = origin ?? originOf(referer)
  if (sender === undefined || !allowedOrigins.includes(sender))
    throw forbidden(`${subject} must come from an allowed origin.`)
}

const originOf = (url: string | undefined): string | undefined =>
  url !== undefined && URL.canParse(url) ? new URL(url).origin : undefined

/**
 * True if a page of another site has sent the browser here. Browsers report that in `Sec-Fetch-Site`. If that
 * is absent, `Origin` and `Referer` are checked; other ports of this host and the allowed origins do not
 * count as another site.
 */
export function isSentByOtherSite(
  { issuer, allowedOrigins }: Pick<IdentitySettings, 'issuer' | 'allowedOrigins'>,
  { 'sec-fetch-site': fetchSite, origin, referer }: IncomingHttpHeaders,
): boolean {
  if (fetchSite !== undefined) return !ownSites.has(String(fetchSite))
  const isOwn = (page: string) =>
    URL.canParse(page) && (siteOf(page) === siteOf(issuer) || allowedOrigins.includes(new URL(page).origin))
  return [origin, referer].some((page) => page !== undefined && page !== '' && !isOwn(page))
}

/** `none` means that the URL was typed or bookmarked. */
const ownSites: ReadonlySet<string> = new Set(['same-origin', 'same-site', 'none'])

function siteOf(url: string): string {
  const { protocol, hostname } = new URL(url)
  return `${protocol}//${hostname}`
}

/**
 * Rejects a prefetch, because a sign-out has an effect. The browser requests the URL again if the user
 * follows the link.
 */
export function requireNoPrefetch({
  'sec-purpose': purpose,
  purpose: legacyPurpose,
}: IncomingHttpHeaders): void {
  if (`${purpose} ${legacyPurpose}`.includes('prefetch')) throw forbidden('A sign-out cannot be prefetched.')
}

import type { IncomingHttpHeaders } from 'node:http'
import { acceptedLanguage } from '../../../model/language.ts'
import { forbidden } from '../../../model/problem.ts'
import type { PendingRequest } from '../authorization/pending-request.ts'
import type { Call } from '../core/endpoint.ts'
import type { Identity } from '../core/identity.ts'
import type { SignInOrigin } from '../core/sessions.ts'
import type { IdentitySettings } from '../values/settings.ts'
import { readSessionId } from './identity-cookie.ts'

/** No browser sends a longer one. */
const userAgentCharactersMax = 256

/**
 * A post from a page of another site comes without the cookie, so the pending request names the browser's
 * session.
 */
export async function signInOriginOf(
  identity: Identity,
  { headers, address }: Call,
  { request, sessionId: knownSessionId }: PendingRequest,
): Promise<SignInOrigin> {
  const inCookie = await readSessionId(identity, headers)
  // Clients that are not browsers send no such header and accept any language.
  const { 'accept-language': ranges = '*' } = headers
  const accepted = ranges === '*' ? undefined : acceptedLanguage(ranges)
  return {
    clientId: request.clientId,
    address,
    userAgent: headers['user-agent']?.slice(0, userAgentCharactersMax),
    earlierSessionIds: [inCookie, knownSessionId].filter((id) => id !== undefined),
    language: request.language ?? accepted,
  }
}

/**
 * Only a client's own page may post a sign-in; any other could sign a visitor in to an account of its choice,
 * or out.
 */
export function requireAllowedOrigin(
  allowedOrigins: readonly string[],
  { origin, referer }: IncomingHttpHeaders,
  what = 'The sign-in',
): void {
  const sender = origin ?? originOf(referer)
  if (sender === undefined || !allowedOrigins.includes(sender))
    throw forbidden(`${what} must come from an allowed origin.`)
}

const originOf = (address: string | undefined): string | undefined =>
  address !== undefined && URL.canParse(address) ? new URL(address).origin : undefined

/**
 * Detects that a page of another site has sent the browser here. Browsers report it; without that header,
 * Origin and Referer are checked. Another port (a web client on the same machine) and the allowed origins do
 * not count as another site.
 */
export function isSentByOtherSite(
  { issuer, allowedOrigins }: Pick<IdentitySettings, 'issuer' | 'allowedOrigins'>,
  { 'sec-fetch-site': relation, origin, referer }: IncomingHttpHeaders,
): boolean {
  if (relation !== undefined) return !ownRelations.has(String(relation))
  const isOwn = (page: string) =>
    URL.canParse(page) && (siteOf(page) === siteOf(issuer) || allowedOrigins.includes(new URL(page).origin))
  return [origin, referer].some((page) => page !== undefined && page !== '' && !isOwn(page))
}

/** `none`: the address was typed or bookmarked. */
const ownRelations: ReadonlySet<string> = new Set(['same-origin', 'same-site', 'none'])

function siteOf(address: string): string {
  const { protocol, hostname } = new URL(address)
  return `${protocol}//${hostname}`
}

/** A browser may prefetch an address before the user goes there; it requests it again when they do. */
export function requireNoPrefetch({ 'sec-purpose': purpose, purpose: older }: IncomingHttpHeaders): void {
  if (`${purpose} ${older}`.includes('prefetch')) throw forbidden('A sign-out cannot be prefetched.')
}

import type { IncomingHttpHeaders } from 'node:http'
import { forbidden } from '../../../model/problem.ts'
import type { IdentitySettings } from '../configuration.ts'

/**
 * Whether a page of another site has sent the browser here. Browsers say so; one that does not is judged by the page that it
 * names. Ports make no other site (a web client on the same machine), nor do the origins of our own clients.
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

/** `none`: the address was typed, or is a bookmark. */
const ownRelations: ReadonlySet<string> = new Set(['same-origin', 'same-site', 'none'])

function siteOf(address: string): string {
  const { protocol, hostname } = new URL(address)
  return `${protocol}//${hostname}`
}

/** A browser may load an address before the person has gone there; it comes again when they do. */
export function requireNoPrefetch({ 'sec-purpose': purpose, purpose: older }: IncomingHttpHeaders): void {
  if (`${purpose} ${older}`.includes('prefetch')) throw forbidden('A sign-out cannot be prefetched.')
}

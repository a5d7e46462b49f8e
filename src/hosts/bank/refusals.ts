import type { IncomingMessage } from 'node:http'

/**
 * Why a transaction's head is refused with 415. A page of another site can make a browser send a body, but not one that says
 * it is JSON; newer browsers also say where a request comes from.
 */
export function refusalOf({ headers }: IncomingMessage): string | undefined {
  if (!jsonType.test(headers['content-type'] ?? '')) return 'The content type must be application/json.'
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    return 'The body must not be compressed.'
  const isForeign = foreignSites.has(String(headers['sec-fetch-site'])) || isOriginForeign(headers)
  return isForeign ? 'Pages of other sites may not send transactions.' : undefined
}

const jsonType = /^\s*application\/([\w.+-]+\+)?json\s*(;|$)/i

const foreignSites: ReadonlySet<string> = new Set(['cross-site', 'same-site'])

/** The scheme may differ: a proxy in front may use TLS. */
const isOriginForeign = ({ origin, host }: IncomingMessage['headers']) =>
  origin !== undefined && origin.replace(/^https?:\/\//, '') !== host

/** Two of them could be read as one by us and as the other by a proxy in front. */
const singleHeaders: ReadonlySet<string> = new Set(['host', 'authorization'])

/** The name of a header that is there twice and must not be. */
export function doubleHeaderOf({ rawHeaders }: IncomingMessage): string | undefined {
  const seen = new Set<string>()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? ''
    if (!singleHeaders.has(name)) continue
    if (seen.has(name)) return rawHeaders[at]
    seen.add(name)
  }
  return undefined
}

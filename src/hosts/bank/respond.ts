import type { IncomingMessage, ServerResponse } from 'node:http'
import { budgetLimits } from '../../config/budgets.ts'
import { lingerMilliseconds } from '../../http/broken-requests.ts'

/**
 * Head and body leave in one packet; headers alternate name and value. Balances change, so responses must not
 * be cached.
 */
export function send(
  response: ServerResponse,
  status: number,
  body: string,
  headers: readonly string[],
): void {
  const length = String(Buffer.byteLength(body))
  response.writeHead(status, ['Content-Length', length, 'Cache-Control', 'no-store', ...headers]).end(body)
}

export const json = ['Content-Type', 'application/json; charset=utf-8']
export const plainText = ['Content-Type', 'text/plain; charset=utf-8']

/**
 * Responds before the body has arrived. Closing at once would reset the connection while the response is in
 * transit.
 */
export function reject(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  headers: readonly string[] = [],
  body = '',
): void {
  send(response, status, body, headers)
  if (isBodySmall(request)) return
  const timer = setTimeout(() => request.socket.destroy(), lingerMilliseconds)
  request.once('close', () => clearTimeout(timer))
  request.resume()
}

/**
 * Returns the reason to reject a transaction's head with 415. A page of another site can make a browser send
 * a body, but not one declared as JSON; newer browsers also send the request's origin.
 */
export function unsupportedReasonOf({ headers }: IncomingMessage): string | undefined {
  if (!jsonType.test(headers['content-type'] ?? '')) return 'The content type must be application/json.'
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    return 'The body must not be compressed.'
  const isFromOtherSite = otherSites.has(String(headers['sec-fetch-site'])) || isOtherOrigin(headers)
  return isFromOtherSite ? 'Pages of other sites may not send transactions.' : undefined
}

const jsonType = /^\s*application\/([\w.+-]+\+)?json\s*(;|$)/i

const otherSites: ReadonlySet<string> = new Set(['cross-site', 'same-site'])

/** The scheme may differ: a proxy in front may use TLS. */
const isOtherOrigin = ({ origin, host }: IncomingMessage['headers']) =>
  origin !== undefined && origin.replace(/^https?:\/\//, '') !== host

/** If one of these appears twice, this server and a proxy in front could each use a different one. */
const singleHeaders: ReadonlySet<string> = new Set(['host', 'authorization'])

/** Returns the name of a header that must not be repeated but is. */
export function repeatedHeaderOf({ rawHeaders }: IncomingMessage): string | undefined {
  const seen = new Set<string>()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? ''
    if (!singleHeaders.has(name)) continue
    if (seen.has(name)) return rawHeaders[at]
    seen.add(name)
  }
  return undefined
}

const bodyBytesMax = budgetLimits.bankBodyBytes.max

/**
 * Calls back once: with the body, or with undefined as soon as it is too long. If the sender disconnects, it
 * does not call back.
 */
export function readBody(request: IncomingMessage, done: (body: Buffer | undefined) => void): void {
  if (Number(request.headers['content-length']) > bodyBytesMax) {
    done(undefined)
    return
  }
  const chunks: Buffer[] = []
  let bytes = 0
  request.on('data', (chunk: Buffer) => {
    if (bytes > bodyBytesMax) return
    bytes += chunk.length
    if (bytes > bodyBytesMax) done(undefined)
    else chunks.push(chunk)
  })
  request.on('end', () => {
    const [first] = chunks
    if (bytes <= bodyBytesMax) done(chunks.length === 1 && first ? first : Buffer.concat(chunks))
  })
}

/** Whether the rest of the body is small enough to drain. */
function isBodySmall({ headers }: IncomingMessage): boolean {
  const isChunked = headers['transfer-encoding'] !== undefined
  return !isChunked && !(Number(headers['content-length']) > bodyBytesMax)
}

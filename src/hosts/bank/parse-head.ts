import { parseRequestId, requestIdHeader } from '../../http/log.ts'

/** Handles a request with the bytes of its body. */
export type ServeBody<Reply> = (body: Buffer, reply: Reply) => void

export interface FastRoute<Reply> {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly serve: ServeBody<Reply>
}

/** The parts of a head that the fast path needs. */
export interface ParsedHead<Reply> {
  readonly serve: ServeBody<Reply>
  readonly bodyBytes: number
  /** The client closes the connection after the response. */
  readonly isLast: boolean
  /** The request id that a client or proxy supplied; the response repeats it. */
  readonly requestId: string | undefined
}

/** Three times the size of a browser's head. */
export const headBytesMax = 2048

/** Heads of one client differ only in path and body length, so there are a few dozen of some hundred bytes. */
const cachedHeadsMax = 1024

/**
 * Creates a parser for heads without their closing empty line. It returns undefined for heads that only the general server may
 * interpret. Results are cached, because clients repeat the same heads.
 */
export function createHeadParser<Reply>(
  fastRoutes: readonly FastRoute<Reply>[],
  bodyBytesMax: number,
): (head: string) => ParsedHead<Reply> | undefined {
  const routes = new Map(fastRoutes.map((route) => [`${route.method} ${route.path} HTTP/1.1`, route]))
  const cache = new Map<string, ParsedHead<Reply>>()
  return (head) => {
    const known = cache.get(head)
    if (known !== undefined) return known
    const parsed = parseUncached(head, routes, bodyBytesMax)
    if (parsed === undefined) return undefined
    // After a client fills the cache, other heads only have to be parsed again.
    if (cache.size === cachedHeadsMax) cache.clear()
    cache.set(head, parsed)
    return parsed
  }
}

function parseUncached<Reply>(
  head: string,
  byLine: ReadonlyMap<string, FastRoute<Reply>>,
  bodyBytesMax: number,
): ParsedHead<Reply> | undefined {
  const [requestLine = '', ...fields] = head.split('\r\n')
  const line = byLine.get(requestLine)
  const values = line && parseFields(fields)
  if (line === undefined || values === undefined || !values.has('host')) return undefined
  const length = values.get('content-length')
  const bodyBytes = length === undefined ? 0 : Number(length)
  const hasExpectedBody =
    line.method === 'GET'
      ? bodyBytes === 0
      : length !== undefined && bodyBytes <= bodyBytesMax && values.has('content-type')
  if (!hasExpectedBody) return undefined
  const requestId = parseRequestId(values.get(requestIdHeader))
  return { serve: line.serve, bodyBytes, isLast: values.get('connection') === 'close', requestId }
}

/** Returns the fields by lower-case name, or undefined if the general server must interpret one of them. */
function parseFields(fields: readonly string[]): ReadonlyMap<string, string> | undefined {
  const values = new Map<string, string>()
  for (const field of fields) {
    const [, rawName, value = ''] = plainField.exec(field) ?? []
    const name = rawName?.toLowerCase()
    if (name === undefined || values.has(name) || unsupportedFields.has(name)) return undefined
    if (allowedValues.get(name)?.test(value) === false) return undefined
    values.set(name, name === 'connection' ? value.toLowerCase() : value)
  }
  return values
}

/** A token, a colon, and visible ASCII; no folded and no empty values. */
const plainField = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)[ \t]*$/

/** Fields that change the meaning of a request, or for which it may be rejected. */
const unsupportedFields: ReadonlySet<string> = new Set([
  'authorization',
  'content-encoding',
  'expect',
  'origin',
  'proxy-connection',
  'sec-fetch-site',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

// A Map and not an object, because a field may be called `constructor`.
const allowedValues: ReadonlyMap<string, RegExp> = new Map([
  ['connection', /^(close|keep-alive)$/i],
  ['content-length', /^\d{1,5}$/],
  ['content-type', /^application\/json(; ?charset=utf-8)?$/i],
  ['host', /^[\w.:[\]-]+$/],
])

import { givenRequestId, requestIdHeader } from '../../http/log.ts'

/** The handler of a request line; it receives the body's bytes. */
export type Serve<Reply> = (body: Buffer, reply: Reply) => void

export interface KnownLine<Reply> {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly serve: Serve<Reply>
}

/** The relevant parts of a request with a known head. */
export interface KnownHead<Reply> {
  readonly serve: Serve<Reply>
  readonly bodyBytes: number
  /** The client closes the connection after the response. */
  readonly isLast: boolean
  /** The request id that a client or proxy supplied; the response repeats it. */
  readonly requestId: string | undefined
}

/** Three times the size of a browser's head. */
export const knownHeadBytesMax = 2048

/** A client's heads differ only in path and body length: a few dozen, each a few hundred bytes. */
const headsKeptMax = 1024

/**
 * Parses a head, without its closing empty line, byte for byte. Returns undefined for any head that is not
 * plainly harmless. Results are cached, because clients repeat the same heads.
 */
export function knownHeads<Reply>(
  lines: readonly KnownLine<Reply>[],
  bodyBytesMax: number,
): (head: string) => KnownHead<Reply> | undefined {
  const byLine = new Map(lines.map((line) => [`${line.method} ${line.path} HTTP/1.1`, line]))
  const kept = new Map<string, KnownHead<Reply>>()
  return (head) => {
    const known = kept.get(head)
    if (known !== undefined) return known
    const read = parseHead(head, byLine, bodyBytesMax)
    if (read === undefined) return undefined
    // A client that fills the cache only makes other heads be parsed again.
    if (kept.size === headsKeptMax) kept.clear()
    kept.set(head, read)
    return read
  }
}

function parseHead<Reply>(
  head: string,
  byLine: ReadonlyMap<string, KnownLine<Reply>>,
  bodyBytesMax: number,
): KnownHead<Reply> | undefined {
  const [requestLine = '', ...fields] = head.split('\r\n')
  const line = byLine.get(requestLine)
  const values = line && parseFields(fields)
  if (line === undefined || values === undefined || !values.has('host')) return undefined
  const length = values.get('content-length')
  const bodyBytes = length === undefined ? 0 : Number(length)
  const isWhole =
    line.method === 'GET'
      ? bodyBytes === 0
      : length !== undefined && bodyBytes <= bodyBytesMax && values.has('content-type')
  if (!isWhole) return undefined
  const requestId = givenRequestId(values.get(requestIdHeader))
  return { serve: line.serve, bodyBytes, isLast: values.get('connection') === 'close', requestId }
}

/** Returns the fields by lower-case name, or undefined if one has no meaning defined here. */
function parseFields(fields: readonly string[]): ReadonlyMap<string, string> | undefined {
  const values = new Map<string, string>()
  for (const field of fields) {
    const [, rawName, value = ''] = plainField.exec(field) ?? []
    const name = rawName?.toLowerCase()
    if (name === undefined || values.has(name) || weighedNames.has(name)) return undefined
    if (plainValues.get(name)?.test(value) === false) return undefined
    values.set(name, name === 'connection' ? value.toLowerCase() : value)
  }
  return values
}

/** A token, a colon, and visible ASCII; no folded and no empty values. */
const plainField = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)[ \t]*$/

/**
 * These fields change a request's meaning or may be rejected. Without them it means the same to every reader.
 */
const weighedNames: ReadonlySet<string> = new Set([
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
const plainValues: ReadonlyMap<string, RegExp> = new Map([
  ['connection', /^(close|keep-alive)$/i],
  ['content-length', /^\d{1,5}$/],
  ['content-type', /^application\/json(; ?charset=utf-8)?$/i],
  ['host', /^[\w.:[\]-]+$/],
])

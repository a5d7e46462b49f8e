import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Budget } from '../model/budget.ts'

export interface ConditionalAnswer {
  readonly body: string
  readonly callerId: string
  readonly isAdministrator: boolean
  /**
   * The time at which the read began, in seconds since 1970, by the clock of the database. The response
   * contains everything that was committed by then.
   */
  readonly readAt: number
  /** Set only if every response that was read in this second or later includes the last change. */
  readonly lastModified?: number | undefined
  readonly sentDates: SentDates
}

/** Responds 304 without a body if the client already has this response, otherwise 200 with the JSON. */
export function sendConditional(
  request: FastifyRequest,
  reply: FastifyReply,
  { body, callerId, isAdministrator, readAt, lastModified, sentDates }: ConditionalAnswer,
): FastifyReply {
  const tag = entityTag(callerId, isAdministrator, body)
  // A client that got no Last-Modified sends this date as If-Modified-Since (RFC 9110, 6.6.1).
  reply.header('date', httpDate(readAt)).header('etag', tag).header('cache-control', 'private, no-cache')
  if (lastModified !== undefined) reply.header('last-modified', httpDate(lastModified))
  addVary(reply, 'Authorization')
  const wasSent = lastModified !== undefined && sentDates.record(tag, lastModified)
  if (isHeldByClient(request, tag, readAt, wasSent ? lastModified : undefined)) {
    return reply.header('etag', heldTag(request.headers['if-none-match'], tag)).code(304).send()
  }
  return reply.type('application/json; charset=utf-8').send(body)
}

/** The tag includes the caller, because the list of one account must never be revalidated for another. */
export function entityTag(callerId: string, isAdministrator: boolean, body: string): string {
  return `"${hash('sha256', `${callerId}\n${isAdministrator}\n${body}`, 'base64url')}"`
}

/** If-Modified-Since is ignored if there is an If-None-Match (RFC 9110, 13.2.2). */
function isHeldByClient(
  request: FastifyRequest,
  tag: string,
  readAt: number,
  lastModified: number | undefined,
): boolean {
  const expected = request.headers['if-none-match']
  if (expected !== undefined) return matchesTag(expected, tag)
  return isUnmodifiedSince(request.headers['if-modified-since'], readAt, lastModified)
}

/** Compares weakly with a list of tags, because a proxy that compresses may have added the prefix `W/`. */
export const matchesTag = (ifNoneMatch: string, tag: string): boolean =>
  ifNoneMatch.trim() === '*' || variantsOf(tag).some((variant) => ifNoneMatch.includes(variant))

/** Returns the tag of the body that the client has. It may be the tag of a compressed body. */
const heldTag = (ifNoneMatch: string | undefined, tag: string): string =>
  variantsOf(tag).find((variant) => ifNoneMatch?.includes(variant)) ?? tag

/**
 * A compressed body needs a different strong tag, so the coding is appended to the hash (RFC 9110, 8.8.3.3).
 */
const tagOfCoding = (tag: string, coding: string): string => `${tag.slice(0, -1)}-${coding}"`

/** Because of the quotes and the hash, no variant is a substring of another tag. */
const variantsOf = (tag: string): readonly string[] => [tag, tagOfCoding(tag, 'br'), tagOfCoding(tag, 'gzip')]

/** Compares strongly with a list of tags (RFC 9110, 13.1.1). */
export function matchesStrongly(ifMatch: string, tag: string): boolean {
  // The last quote is dropped, because the tag of a compressed body continues after the hash.
  const start = tag.slice(0, -1)
  return ifMatch.split(',').some((candidate) => candidate.trim().startsWith(start))
}

/**
 * Returns true for a date at or after the last change. An invalid or future date is ignored (RFC 9110,
 * 13.1.3).
 */
export function isUnmodifiedSince(
  header: string | undefined,
  now: number,
  lastModified: number | undefined,
): boolean {
  if (header === undefined || lastModified === undefined) return false
  const date = parseHttpDate(header.trim())
  return date !== undefined && date >= lastModified && date <= now
}

export function addVary(reply: FastifyReply, name: string): void {
  const existing = reply.getHeader('vary')
  reply.header('vary', existing === undefined ? name : `${existing}, ${name}`)
}

/** Writes seconds since 1970 as an HTTP date. */
export const httpDate = (second: number): string => new Date(second * 1000).toUTCString()

/** RFC 9110, 5.6.7 defines this form and two obsolete forms. */
const dateFormats = [
  /^\w{3}, (?<day>\d\d) (?<month>\w{3}) (?<year>\d{4}) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^\w{6,9}, (?<day>\d\d)-(?<month>\w{3})-(?<year>\d\d) (?<time>\d\d:\d\d:\d\d) GMT$/,
  /^\w{3} (?<month>\w{3}) (?<day>[\d ]\d) (?<time>\d\d:\d\d:\d\d) (?<year>\d{4})$/,
]

/** Returns seconds since 1970, or undefined for a text that is not an HTTP date. */
export function parseHttpDate(text: string, now = Date.now()): number | undefined {
  const parts = dateFormats.map((format) => format.exec(text)?.groups).find((groups) => groups !== undefined)
  if (!parts) return undefined
  const { day = '', month, year = '', time } = parts
  const canonical = `${day.replace(' ', '0')} ${month} ${year.length === 4 ? year : fullYear(year, now)} ${time} GMT`
  const second = Date.parse(canonical) / 1000
  // `Date` turns the 30th of February into the 2nd of March.
  return httpDate(second).slice('Mon, '.length) === canonical ? second : undefined
}

/** A two-digit year that is more than fifty years ahead belongs to the previous century (RFC 9110, 5.6.7). */
function fullYear(twoDigits: string, now: number): number {
  const thisYear = new Date(now).getUTCFullYear()
  const year = thisYear - (thisYear % 100) + Number(twoDigits)
  return year > thisYear + 50 ? year - 100 : year
}

/**
 * Stores with which `Last-Modified` each tag was sent, because a date alone does not identify the account.
 */
export interface SentDates {
  /** Records the pair, and returns whether it was sent before. */
  record(tag: string, lastModified: number): boolean
}

/** The set needs about 2 MB when it is full. A client whose entry was dropped gets one full response. */
const sentDatesMax = 10_000

export function createSentDates(): SentDates {
  const dates = new Map<string, number>()
  return {
    record(tag, lastModified) {
      if (dates.get(tag) === lastModified) return true
      dates.set(tag, lastModified)
      const [oldest] = dates.keys()
      if (dates.size > sentDatesMax && oldest !== undefined) dates.delete(oldest)
      return false
    },
  }
}

/**
 * Compresses JSON above a kilobyte for clients that accept it. Event streams write to the connection
 * themselves and bypass this. docs/decisions/0044-compressed-answers.md explains why no secret leaks.
 */
export function compressAnswers(app: FastifyInstance, compressions: Budget): void {
  // A hook with a callback, because most responses are not compressed and need no promise.
  app.addHook('onSend', (request, reply, payload, done) => {
    const isLong = typeof payload === 'string' && payload.length >= sizeMin
    if (!isLong || !isJson(reply) || reply.hasHeader('content-encoding')) return done(null, payload)
    addVary(reply, 'Accept-Encoding')
    const coding = codingOf(request)
    // Beyond the budget, responses are sent uncompressed: waiting responses would be held in memory.
    if (coding === undefined || !compressions.take()) return done(null, payload)
    compress(reply, payload, coding)
      .finally(() => compressions.release())
      .then((body) => done(null, body), done)
  })
}

async function compress(reply: FastifyReply, payload: string, coding: Coding): Promise<Buffer> {
  const body = await codings[coding](Buffer.from(payload))
  reply.header('content-encoding', coding)
  const tag = reply.getHeader('etag')
  if (tag !== undefined) reply.header('etag', tagOfCoding(String(tag), coding))
  return body
}

/** Smaller responses consist mostly of headers. */
const sizeMin = 1024

type Coding = 'br' | 'gzip'

/** Levels chosen by measurement: docs/benchmarks.md, `npm run bench -- compression`. */
const codings: Readonly<Record<Coding, (body: Buffer) => Promise<Buffer>>> = {
  br: (body) =>
    brotliAsync(body, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 3,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
        // A 256 KB window exceeds most responses. The default would take megabytes for each.
        [constants.BROTLI_PARAM_LGWIN]: 18,
      },
    }),
  gzip: (body) => gzipAsync(body, { level: 3 }),
}

const brotliAsync = promisify(brotliCompress)
const gzipAsync = promisify(gzip)

const codingOf = ({ headers }: FastifyRequest): Coding | undefined =>
  (['br', 'gzip'] as const).find((coding) => acceptsCoding(headers['accept-encoding'], coding))

const isJson = (reply: FastifyReply): boolean =>
  String(reply.getHeader('content-type')).startsWith('application/json')

/** Returns whether an `Accept-Encoding` header names this coding. */
export function acceptsCoding(accepted: string | string[] | undefined, coding: string): boolean {
  return String(accepted ?? '')
    .split(',')
    .some((part) => {
      const [name = '', ...parameters] = part.split(';').map((text) => text.trim())
      return name.toLowerCase() === coding && !parameters.some((parameter) => /^q=0(\.0*)?$/i.test(parameter))
    })
}

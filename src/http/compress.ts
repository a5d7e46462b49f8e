import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Budget } from '../model/budget.ts'
import { addVary, tagOfCoding } from './conditional.ts'

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
        // A 256 KB window exceeds most responses; the default would take megabytes for each.
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

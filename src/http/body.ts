import { isUtf8 } from 'node:buffer'
import { errorCodes, type FastifyInstance, type FastifyRequest } from 'fastify'
import secureJson from 'secure-json-parse'
import { invalid } from '../model/problem.ts'
import { parseQuery, requireFewKeys } from './query.ts'

export type BodyKind = 'json' | 'form'

/** An absent or empty body counts as `{}`, so that every required field is reported under its own key. */
export function acceptBodies(app: FastifyInstance, kinds: readonly BodyKind[]): void {
  app.removeAllContentTypeParsers()
  for (const kind of kinds) {
    const { type, parse } = bodyKinds[kind]
    app.addContentTypeParser(type, { parseAs: 'buffer' }, (request, bytes, done) => {
      // Without a route the answer is 404 or 405, whatever the body is.
      if (request.is404) return done(null, {})
      const { body, problem } = attempt(() => parse(textOf(request, bytes as Buffer)))
      done(problem ?? null, body)
    })
  }
  app.addContentTypeParser('*', readEmpty)
  app.addHook('preValidation', (request, _reply, done) => {
    request.body ??= {}
    done()
  })
}

/** Separate from calling the next handler, so that its errors are never taken for those of a broken body. */
function attempt(read: () => object): { body?: object; problem?: Error } {
  try {
    return { body: read() }
  } catch (error) {
    return { problem: error as Error }
  }
}

/** Anything but UTF-8 is rejected, because text that is read in a wrong character set would be stored changed. */
function textOf({ headers }: FastifyRequest, bytes: Buffer): string {
  const charsets = [...(headers['content-type'] ?? '').matchAll(/;\s*charset\s*=\s*"?([^";\s]*)/gi)]
  if (bytes.length > 0 && !charsets.every(([, name = '']) => /^utf-?8$/i.test(name)))
    throw new UnsupportedCharset()
  if (!isUtf8(bytes)) throw notUtf8()
  return bytes.toString()
}

/** Its answer stands in `frameworkRefusals`. */
class UnsupportedCharset extends Error {
  readonly code = 'UNSUPPORTED_CHARSET'
}

const notUtf8 = () => invalid({ generalErrors: ['The body is not valid UTF-8.'] })

const bodyKinds = {
  json: { type: 'application/json', parse: parseJsonObject },
  form: { type: 'application/x-www-form-urlencoded', parse: parseForm },
} as const

const jsonOptions = { protoAction: 'remove', constructorAction: 'remove' } as const

function parseJsonObject(text: string): object {
  if (text === '' || text === byteOrderMark) return {}
  const value = parseJson(text)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw invalid({ generalErrors: ['The body must be a JSON object.'] })
}

const byteOrderMark = '\uFEFF'

function parseJson(text: string): unknown {
  try {
    return secureJson.parse(text, jsonOptions)
  } catch {
    throw invalid({ generalErrors: ['The body is not valid JSON.'] })
  }
}

function parseForm(text: string): object {
  if (!hasUtf8Escapes(text)) throw notUtf8()
  const form = parseQuery(text)
  requireFewKeys(form)
  return form
}

/** Whether the bytes that are written as `%C3%BC` are UTF-8. An escape below 80 is ASCII, and a broken one is text. */
function hasUtf8Escapes(text: string): boolean {
  for (const [escapes] of text.matchAll(/(?:%[89a-f][0-9a-f])+/gi))
    if (!isUtf8(Buffer.from(escapes.replaceAll('%', ''), 'hex'))) return false
  return true
}

/** A type we cannot read is no obstacle as long as nothing was sent in it. */
async function readEmpty(request: FastifyRequest, payload: NodeJS.ReadableStream): Promise<object> {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  const isEmpty = encoding === undefined && (length === undefined || length === '0')
  if (request.is404 || isEmpty || (await isEmptyStream(payload))) return {}
  throw new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE()
}

/** Settles at the first byte, so that nothing of an unwanted body is kept. */
function isEmptyStream(payload: NodeJS.ReadableStream): Promise<boolean> {
  return new Promise((resolve, reject) => {
    payload.once('data', () => resolve(false))
    payload.once('end', () => resolve(true))
    payload.once('error', reject)
  })
}

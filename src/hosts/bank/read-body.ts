import type { IncomingMessage } from 'node:http'

/** Room for unknown fields and generous white space; the longest body that needs it has 300 bytes. */
const bodyBytesMax = 8192

/** Calls back once: with the body, or without one as soon as it is too long. A sender that leaves is never heard of. */
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

/** Whether the rest of the body may be left to pass by. */
export function isBodySmall({ headers }: IncomingMessage): boolean {
  const isChunked = headers['transfer-encoding'] !== undefined
  return !isChunked && !(Number(headers['content-length']) > bodyBytesMax)
}

/** No type at all is fine: there is only one that we read. */
export function isTypeJson({ headers }: IncomingMessage): boolean {
  const type = headers['content-type']
  return type === undefined || type === 'application/json' || jsonType.test(type)
}

const jsonType = /^\s*application\/([\w.+-]+\+)?json\s*(;|$)/i

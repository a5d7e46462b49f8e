import { randomUUID } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import type { FieldErrors } from '../model/problem.ts'
import { STATUS_CODES } from './node-http.ts'
import { securityHeaders } from './security-headers.ts'

/** The one shape of every refusal. */
export interface Envelope {
  readonly statusCode: number
  readonly message: string
  readonly errors?: FieldErrors | undefined
}

export const envelopeType = 'application/json; charset=utf-8'

/** `additions` are properties another standard wants in the same body, such as OAuth's `error`. */
export function sendEnvelope(
  reply: FastifyReply,
  envelope: Envelope,
  additions?: Readonly<Record<string, string>>,
): FastifyReply {
  // What a handler had set for its success does not describe the refusal.
  reply.removeHeader('etag').removeHeader('last-modified')
  return reply
    .code(envelope.statusCode)
    .header('cache-control', 'no-store')
    .type(envelopeType)
    .send(showEnvelope(envelope, additions))
}

export function showEnvelope(
  { statusCode, message, errors }: Envelope,
  additions?: Readonly<Record<string, string>>,
): string {
  return JSON.stringify({ statusCode, message, errors, ...additions })
}

/** The envelope with its headers, for answers that no Fastify reply exists for. */
export function rawEnvelope(envelope: Envelope) {
  const body = showEnvelope(envelope)
  const headers = {
    ...securityHeaders,
    'x-request-id': randomUUID(),
    'cache-control': 'no-store',
    'content-type': envelopeType,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }
  return { headers, body }
}

/** The same as bytes on the wire, for a connection that never became a request. */
export function envelopeOnTheWire(envelope: Envelope): string {
  const { headers, body } = rawEnvelope(envelope)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${envelope.statusCode} ${STATUS_CODES[envelope.statusCode]}\r\n${lines.join('')}\r\n${body}`
}

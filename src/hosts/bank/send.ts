import type { IncomingMessage, ServerResponse } from 'node:http'
import { lingerMilliseconds } from '../../http/broken-requests.ts'
import { isBodySmall } from './read-body.ts'

/** Head and body leave in one packet; headers are name, value, name, value. Balances change, so nobody may keep an answer. */
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

/** Answers before the body has come. Closing at once would reset the connection while the answer is on its way. */
export function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  headers: readonly string[] = [],
  body = '',
): void {
  send(response, status, body, headers)
  if (isBodySmall(request)) return
  const cut = setTimeout(() => request.socket.destroy(), lingerMilliseconds)
  request.once('close', () => clearTimeout(cut))
  request.resume()
}

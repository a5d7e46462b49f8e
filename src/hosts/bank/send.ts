import type { ServerResponse } from 'node:http'

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

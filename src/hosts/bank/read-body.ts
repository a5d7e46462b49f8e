import type { IncomingMessage } from 'node:http'
import { budgetLimits } from '../../configuration/budgets.ts'

const bodyBytesMax = budgetLimits.bankBodyBytes.max

/** Calls back once: with the body, or without one as soon as it is too long. When the sender leaves, it is not called. */
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

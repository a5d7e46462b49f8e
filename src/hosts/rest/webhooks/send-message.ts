import type { RequestOptions } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { AllowedReceivers } from '../../../http/allowed-address.ts'
import { request as requestHttp } from '../../../http/node-http.ts'
import type { Attempt } from '../../../operations/webhooks/queue.ts'

export interface Outgoing {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Kept of an answer, for people; the rest is not read. */
const answerBytesMax = 2048

type Outcome = Pick<Attempt, 'status' | 'answer' | 'error'>

/** Whatever happens is an outcome. Redirects are not followed: where they lead was not looked at. */
export async function sendMessage(
  { url, headers, body }: Outgoing,
  receivers: AllowedReceivers,
  limits: { readonly milliseconds: number; readonly signal: AbortSignal },
): Promise<Outcome> {
  const target = new URL(url)
  const problem = receivers.problemOf(target)
  if (problem !== undefined) return { error: `The address ${problem}` }
  const send = target.protocol === 'https:' ? requestHttps : requestHttp
  const timeout = AbortSignal.timeout(limits.milliseconds)
  const options: RequestOptions = {
    method: 'POST',
    headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
    lookup: receivers.lookupFor(target),
    // A connection of its own each time: what was resolved and looked at is what is written to.
    agent: false,
    signal: AbortSignal.any([timeout, limits.signal]),
  }
  try {
    return await new Promise<Outcome>((resolve, reject) => {
      const sent = send(target, options, (response) => {
        let answer = Buffer.alloc(0)
        const finish = () => {
          sent.destroy()
          resolve({ status: response.statusCode ?? 0, answer: textOf(answer) })
        }
        response.on('data', (piece: Buffer) => {
          answer = Buffer.concat([answer, piece])
          if (answer.length >= answerBytesMax) finish()
        })
        response.on('end', finish).on('error', reject)
      })
      sent.on('error', reject)
      sent.end(body)
    })
  } catch (error) {
    return {
      error: timeout.aborted
        ? `No answer within ${limits.milliseconds / 1000} seconds.`
        : (error as Error).message,
    }
  }
}

/** The store keeps no NUL. */
const textOf = (bytes: Buffer): string => bytes.subarray(0, answerBytesMax).toString().replaceAll('\0', '')

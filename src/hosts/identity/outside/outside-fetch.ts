import type { IncomingMessage, RequestOptions } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { CustomFetch } from 'openid-client'
import { type AllowedReceivers, allowedReceivers } from '../../../http/allowed-address.ts'
import { request as requestHttp } from '../../../http/node-http.ts'
import type { Budget } from '../../../model/budget.ts'

/** The provider could not be asked, or answered what no provider answers. */
export class OutsideUnreachable extends Error {}

export interface OutsideFetchOptions {
  /** What may be called although it is not public. */
  readonly hosts: readonly string[]
  /** Requests under way. */
  readonly underWay: Budget
  readonly answerBytesMax: number
}

/**
 * What `openid-client` calls a provider with: https to public addresses and whatever the operator has named, because a
 * discovery document may name any address. Redirects are not followed, answers have a limit, and so has the time, by the
 * caller's signal.
 */
export function openOutsideFetch({ hosts, underWay, answerBytesMax }: OutsideFetchOptions): CustomFetch {
  const receivers = allowedReceivers(hosts)
  return async (address, { method, headers, body, signal }) => {
    const target = new URL(address)
    const problem = receivers.problemOf(target)
    if (problem !== undefined) throw new OutsideUnreachable(`An address of the provider ${problem}`)
    if (!underWay.take()) throw new OutsideUnreachable('Too many requests to providers are under way.')
    const text = body === undefined || body === null ? undefined : String(body)
    return send(target, { method, headers, ...(signal && { signal }) }, text, receivers, answerBytesMax)
      .catch((error: Error) => {
        throw error instanceof OutsideUnreachable
          ? error
          : new OutsideUnreachable(error.message, { cause: error.cause ?? error })
      })
      .finally(() => underWay.giveBack())
  }
}

const send = (
  target: URL,
  options: Pick<RequestOptions, 'method' | 'headers' | 'signal'>,
  body: string | undefined,
  receivers: AllowedReceivers,
  answerBytesMax: number,
): Promise<Response> =>
  new Promise((resolve, reject) => {
    const request = target.protocol === 'https:' ? requestHttps : requestHttp
    const sent = request(
      target,
      // A connection of its own each time: what was resolved and looked at is what is written to.
      { ...options, lookup: receivers.lookupFor(target), agent: false },
      (answer) => readAnswer(answer, answerBytesMax).then(resolve, reject),
    )
    sent.on('error', reject)
    sent.end(body)
  })

async function readAnswer(answer: IncomingMessage, bytesMax: number): Promise<Response> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of answer) {
    bytes += (piece as Buffer).length
    if (bytes > bytesMax) {
      answer.destroy()
      throw new OutsideUnreachable('The answer of the provider is too long.')
    }
    pieces.push(piece as Buffer)
  }
  const headers = Object.entries(answer.headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ])
  const status = answer.statusCode ?? 0
  return new Response(bodilessStatuses.has(status) ? null : Buffer.concat(pieces), { status, headers })
}

const bodilessStatuses: ReadonlySet<number> = new Set([204, 205, 304])

import type { ServerHttp2Stream } from 'node:http2'
import type { Metadata } from '@grpc/grpc-js'
import type { Budgets } from '../../config/budgets.ts'
import { addressKey } from '../../http/addresses.ts'
import { createRateLimiter } from '../../http/rate-limiter.ts'
import { busy } from '../../model/problem.ts'
import type { CommandSettings } from './configuration.ts'

/** Resolves when the call may proceed; otherwise rejects. */
export type Admit = (call: ArrivingCall) => Promise<void>

/** A call of which only the headers are known. */
export interface ArrivingCall {
  readonly peer: string
  readonly metadata: Metadata
  /** Registers a callback for a cancellation while it waits. */
  onCancel(run: () => void): void
}

export interface CallLimiter {
  readonly admit: Admit
  /** Admits every waiting call. */
  close(): void
}

/** The limiter of the HTTP hosts, per client address; off by default. */
export function createCallLimiter({
  rateLimit,
  trustedProxies,
  onRejected,
}: Pick<CommandSettings, 'rateLimit' | 'trustedProxies'> & {
  readonly onRejected?: (address: string) => void
}): CallLimiter {
  if (rateLimit.permitLimit === 0) return { admit: async () => undefined, close: () => undefined }
  const limiter = createRateLimiter(rateLimit)
  const proxies = trustedProxies(proxiesByDefault)
  return {
    close: () => limiter.close(),
    admit(call) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const address = addressKey(addressOf(call, proxies))
      const admission = limiter.acquire(address, resolve)
      if (admission.kind === 'admitted') resolve()
      else if (admission.kind === 'refused') {
        onRejected?.(address)
        reject(busy(admission.retryAfterSeconds))
      } else call.onCancel(admission.cancel)
      return promise
    },
  }
}

/** Clients come through one proxy. */
export const proxiesByDefault = 1

/** Each proxy appends the address of its peer: ours are the last ones, and the client comes before them. */
export function addressOf(
  { peer, metadata }: Pick<ArrivingCall, 'peer' | 'metadata'>,
  proxies: number,
): string {
  const forwarded = metadata.get('x-forwarded-for').join(',')
  return forwardedAddress(forwarded, proxies) ?? peer.replace(/:\d+$/, '')
}

export function forwardedAddress(forwarded: string, proxies: number): string | undefined {
  if (proxies === 0) return undefined
  const addresses = forwarded
    .split(',')
    .map((address) => address.trim())
    .filter((address) => address !== '')
  return addresses.at(-proxies) ?? addresses[0]
}

/** Rejects a call of an account that has too many in flight, over all its connections. */
export type CountCall = (stream: ServerHttp2Stream, accountId: string) => void

export function createCallCounter(budgets: Budgets): CountCall {
  const ofAccount = budgets.budget('commandStreamsOfAccount')
  return (stream, accountId) => {
    // The call was cancelled while its token was checked.
    if (stream.closed) return
    if (!ofAccount.take(1, accountId)) throw busy(retryAfterSeconds)
    stream.once('close', () => ofAccount.release(1, accountId))
  }
}

/** After this time, some of the calls have ended. */
const retryAfterSeconds = 1

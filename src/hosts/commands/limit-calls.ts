import type { ServerHttp2Stream } from 'node:http2'
import type { Metadata } from '@grpc/grpc-js'
import type { Budgets } from '../../config/budgets.ts'
import { addressKey } from '../../http/addresses.ts'
import { createRateLimiter } from '../../http/rate-limiter.ts'
import { busy } from '../../model/problem.ts'
import type { SharedLimiter } from '../../model/worker-peers.ts'
import type { CommandSettings } from './configuration.ts'

/** Resolves when the call may proceed, and rejects when it exceeds the limit. */
export type WaitForRateLimit = (call: ArrivingCall) => Promise<void>

/** A call whose headers have arrived. */
export interface ArrivingCall {
  readonly peer: string
  readonly metadata: Metadata
  /** Registers a callback for a cancellation while the call waits. */
  onCancel(callback: () => void): void
}

export interface CallLimiter {
  readonly waitForRateLimit: WaitForRateLimit
  /** Admits every waiting call. */
  close(): void
}

/** Limits calls per client address, like the limiter of the HTTP hosts. Off by default. */
export function createCallLimiter({
  rateLimit,
  trustedProxies,
  shared,
  onRejected,
}: Pick<CommandSettings, 'rateLimit' | 'trustedProxies'> & {
  readonly shared?: SharedLimiter | undefined
  readonly onRejected?: (address: string) => void
}): CallLimiter {
  if (rateLimit.permitLimit === 0) return { waitForRateLimit: async () => undefined, close: () => undefined }
  const limiter = createRateLimiter({ ...rateLimit, shared })
  const proxies = trustedProxies(trustedProxiesDefault)
  return {
    close: () => limiter.close(),
    waitForRateLimit(call) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const address = addressKey(addressOf(call, proxies))
      const rejectCall = (retryAfterSeconds: number) => {
        onRejected?.(address)
        reject(busy(retryAfterSeconds))
      }
      const admission = limiter.acquire(address, resolve, rejectCall)
      if (admission.kind === 'admitted') resolve()
      else if (admission.kind === 'rejected') rejectCall(admission.retryAfterSeconds)
      else call.onCancel(admission.cancel)
      return promise
    },
  }
}

/** Clients are expected to come through one proxy. */
export const trustedProxiesDefault = 1

/**
 * Each proxy appends the address of its peer, so behind n trusted proxies, the client's is the nth from the
 * end.
 */
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

/**
 * Throws if the account has too many calls in flight over all its connections. Otherwise counts this call
 * until it ends.
 */
export type LimitAccountCalls = (stream: ServerHttp2Stream, accountId: string) => void

export function createAccountCallLimit(budgets: Budgets): LimitAccountCalls {
  const perAccount = budgets.budget('commandStreamsOfAccount')
  return (stream, accountId) => {
    // The client may have cancelled while its token was checked.
    if (stream.closed) return
    if (!perAccount.take(1, accountId)) throw busy(retryAfterSeconds)
    stream.once('close', () => perAccount.release(1, accountId))
  }
}

/** Some of the account's calls usually end within this time. */
const retryAfterSeconds = 1

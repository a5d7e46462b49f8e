import type { ServerUnaryCall } from '@grpc/grpc-js'
import { addressKey } from '../../http/rate-limit.ts'
import { createRateLimiter } from '../../http/rate-limiter.ts'
import { busy } from '../../model/problem.ts'
import type { CommandSettings } from './configuration.ts'

/** Resolves when the call may be worked on, or refuses it. */
export type Admit = (
  call: Pick<ServerUnaryCall<unknown, unknown>, 'getPeer' | 'metadata' | 'on'>,
) => Promise<void>

export interface CallLimiter {
  readonly admit: Admit
  /** Lets everyone who waits through. */
  close(): void
}

/** The limiter of the HTTP hosts, per client address; off by default. */
export function createCallLimiter({
  rateLimit,
  forwardedHeaders,
  onRefused,
}: Pick<CommandSettings, 'rateLimit' | 'forwardedHeaders'> & {
  readonly onRefused?: (address: string) => void
}): CallLimiter {
  if (rateLimit.permitLimit === 0) return { admit: async () => undefined, close: () => undefined }
  const limiter = createRateLimiter(rateLimit)
  return {
    close: () => limiter.close(),
    admit(call) {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const address = addressKey(addressOf(call, forwardedHeaders))
      const admission = limiter.acquire(address, resolve)
      if (admission.kind === 'admitted') resolve()
      else if (admission.kind === 'refused') {
        onRefused?.(address)
        reject(busy(admission.retryAfterSeconds))
      } else call.on('cancelled', admission.cancel)
      return promise
    },
  }
}

/** Behind one proxy of ours, the last address it was given; otherwise that of the connection. */
export function addressOf(call: Parameters<Admit>[0], forwardedHeaders: boolean): string {
  const forwarded = forwardedHeaders
    ? call.metadata.get('x-forwarded-for').join(',').split(',').at(-1)?.trim()
    : ''
  return forwarded || call.getPeer().replace(/:\d+$/, '')
}

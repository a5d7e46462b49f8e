import type { FastifyInstance } from 'fastify'
import type { RequestOrigin } from '../model/caller.ts'
import { busy } from '../model/problem.ts'
import { addressKey } from './address-key.ts'
import { createRateLimiter, type RateLimits } from './rate-limiter.ts'
import { originOf } from './request-origin.ts'

export interface RateLimitOptions extends RateLimits {
  /** Called for each refused request. */
  readonly onRefused?: (origin: RequestOrigin) => void
}

/** Counts requests per client address, keeps a few waiting and refuses the rest with 429. */
export function limitRate(app: FastifyInstance, options: RateLimitOptions): void {
  if (options.permitLimit === 0) return
  const limiter = createRateLimiter(options)
  app.addHook('preClose', (done) => {
    limiter.close()
    done()
  })
  app.addHook('onRequest', (request, reply, done) => {
    if (exemptRoutes.has(request.routeOptions.url ?? '')) return done()
    const admission = limiter.acquire(addressKey(request.ip), () => {
      reply.raw.off('close', leave)
      done()
    })
    const leave = () => {
      if (admission.kind === 'waiting') admission.cancel()
    }
    if (admission.kind === 'admitted') return done()
    if (admission.kind === 'refused') {
      options.onRefused?.(originOf(request))
      return done(busy(admission.retryAfterSeconds))
    }
    reply.raw.once('close', leave)
  })
}

/** The route decides, because one path has many spellings. */
const exemptRoutes: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

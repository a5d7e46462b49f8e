import type { FastifyInstance } from 'fastify'
import type { RequestOrigin } from '../model/caller.ts'
import { busy } from '../model/problem.ts'
import { pathOf } from './path.ts'
import { createRateLimiter, type RateLimits } from './rate-limiter.ts'
import { originOf } from './request-origin.ts'

export interface RateLimitOptions extends RateLimits {
  readonly exemptPaths?: ReadonlySet<string>
  /** Told of everyone who is sent away. */
  readonly onRefused?: (origin: RequestOrigin) => void
}

/** Counts requests per client address, keeps a few waiting and refuses the rest with 429. */
export function limitRate(app: FastifyInstance, options: RateLimitOptions): void {
  if (options.permitLimit === 0) return
  const limiter = createRateLimiter(options)
  const exemptPaths = options.exemptPaths ?? healthPaths
  app.addHook('preClose', (done) => {
    limiter.close()
    done()
  })
  app.addHook('onRequest', (request, reply, done) => {
    if (exemptPaths.has(pathOf(request.url))) return done()
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

const healthPaths: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

// The longest way to write an IPv6 address with a zone; anything longer is not one.
const addressLengthMax = 64
const mappedIpv4 = /^::ffff:(?=\d+\.)/i
const ipv4Port = /^(\d+\.\d+\.\d+\.\d+):\d+$/
const bracketedIpv6 = /^\[([^\]]+)\](?::\d+)?$/

/** One key per client, however the operating system or a proxy writes its address. */
export function addressKey(address: string | undefined): string {
  if (address === undefined) return 'unknown'
  return address
    .slice(0, addressLengthMax)
    .replace(bracketedIpv6, '$1')
    .replace(mappedIpv4, '')
    .replace(ipv4Port, '$1')
    .toLowerCase()
}

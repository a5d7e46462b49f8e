import type { FastifyInstance } from 'fastify'

/** Set on every answer, also on those written before a route is known. */
export const securityHeaders = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  // One year; without subdomains, because other hosts of the domain are not ours to decide about.
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const

/** In onRequest, so that refusals of any later hook carry them too. */
export function addSecurityHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(securityHeaders)
    done()
  })
}

/** For pages of ours that load their own scripts and styles; `connectTo` names the other origins they may call. */
export function documentationPolicy(connectTo: readonly string[] = []): string {
  return [
    "default-src 'self'",
    ["connect-src 'self'", ...connectTo].join(' '),
    "img-src 'self' data:",
    "style-src 'self' 'unsafe-inline'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

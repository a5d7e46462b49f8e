import cors from '@fastify/cors'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { canonicalPathOf } from './url.ts'

export interface CorsOptions {
  /** Compared exactly with what the browser sends: scheme, host and port. */
  readonly origins: readonly string[]
  /**
   * The origins of apps whose scripts redeem codes. They are allowed, too. The HTTP libraries of such apps send
   * cookies with each request. The set may change while the host runs.
   */
  readonly originsWithCookies?: ReadonlySet<string>
  /** Routes to which browsers navigate: no script has a reason to read their responses. */
  readonly closedPaths?: readonly string[]
}

/**
 * Allows only these origins. Other origins get no CORS headers. Only `originsWithCookies` may send cookies,
 * although no response to a script depends on cookies.
 */
export function allowOrigins(
  app: FastifyInstance,
  { origins, originsWithCookies, closedPaths = [] }: CorsOptions,
): void {
  const configuredOrigins: ReadonlySet<string> = new Set(origins)
  const mayHaveCookies = (origin: string) => originsWithCookies?.has(origin) ?? false
  // Checked for each request, because clients are added and removed while a host runs.
  const isAllowed = (origin: string) => configuredOrigins.has(origin) || mayHaveCookies(origin)
  const closedRoutePaths: ReadonlySet<string> = new Set(closedPaths.map(canonicalPathOf))
  // Compares the path instead of the route, because a preflight has a route of its own.
  const isClosed = ({ url }: FastifyRequest) => closedRoutePaths.has(canonicalPathOf(url))
  const allowedCors = {
    origin: (
      origin: string | undefined,
      callback: (error: Error | null, allowed: string | boolean) => void,
    ) => callback(null, origin !== undefined && isAllowed(origin) && origin),
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    exposedHeaders: [
      'Deprecation',
      'ETag',
      'Idempotency-Replayed',
      'Last-Modified',
      'Retry-After',
      'Sunset',
      'X-Request-Id',
    ],
    maxAge: preflightSeconds,
    // An OPTIONS request for another purpose gets Allow instead of an error in plain text.
    strictPreflight: false,
  }
  const dependsOnRequest = closedRoutePaths.size > 0 || originsWithCookies !== undefined
  if (!dependsOnRequest) app.register(cors, allowedCors)
  else
    app.register(cors, {
      delegator: (request, answer) =>
        answer(null, {
          ...allowedCors,
          ...(isClosed(request) && { origin: false }),
          credentials: mayHaveCookies(request.headers.origin ?? ''),
        }),
    })
}

/** Chromium caches a preflight for at most this time. */
const preflightSeconds = 7200

/** Set on every response, including those written before a route is known. */
export const securityHeaders = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  // One year. Subdomains are not included, because this host must not decide for the others of its domain.
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const

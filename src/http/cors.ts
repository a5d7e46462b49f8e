import cors from '@fastify/cors'
import type { FastifyInstance } from 'fastify'

export interface CorsOptions {
  /** Compared exactly with what the browser sends: scheme, host and port. */
  readonly origins: readonly string[]
  /** Whether cookies may go along, which only the identity host needs. */
  readonly credentials?: boolean
}

/** The configured origins only; any other gets an answer without a single CORS header. */
export function allowOrigins(app: FastifyInstance, { origins, credentials = false }: CorsOptions): void {
  const allowed: ReadonlySet<string> = new Set(origins)
  app.register(cors, {
    origin: (origin, answer) => answer(null, origin !== undefined && allowed.has(origin) && origin),
    credentials,
    methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
    exposedHeaders: ['ETag', 'Last-Modified', 'Retry-After', 'X-Request-Id'],
    maxAge: preflightSeconds,
    // Whoever asks with OPTIONS for another reason gets Allow instead of a refusal in plain text.
    strictPreflight: false,
  })
}

// Chromium keeps a preflight no longer than this.
const preflightSeconds = 7200

import type { FastifyInstance } from 'fastify'
import type { Authentication } from '../../authentication/authenticate.ts'
import { addHealthRoutes, type ReadinessCheck } from '../../http/health.ts'
import type { Log } from '../../http/log.ts'
import { problemStatuses } from '../../http/problem-statuses.ts'
import { createServer } from '../../http/server.ts'

/** The HTTP/1.1 side: health for everybody, and `GET /` under the fallback policy. */
export function createDiagnostics(
  authentication: Authentication,
  checks: readonly ReadinessCheck[],
  { log, trustedHops }: { log: Log; trustedHops: number },
): FastifyInstance {
  const app = createServer({ statuses: problemStatuses, log, trustedHops })
  app.get('/', {
    async onRequest(request) {
      await authentication.authenticate(request.headers.authorization)
    },
    handler: (_request, reply) => reply.send('Hello World!'),
  })
  addHealthRoutes(app, checks)
  return app
}

import type { FastifyInstance } from 'fastify'
import type { Authentication } from '../../authentication/authenticate.ts'
import { type Budgets, budgetLimits } from '../../configuration/budgets.ts'
import { addHealthRoutes, type ReadinessCheck } from '../../http/health.ts'
import type { Log } from '../../http/log.ts'
import { createServer, smallBodies } from '../../http/server.ts'
import { prepareStop, type Stopping } from '../../http/shutdown.ts'

/** The HTTP/1.1 side: health for everybody, and `GET /` under the fallback policy. */
export function createDiagnostics(
  authentication: Authentication,
  checks: readonly ReadinessCheck[],
  { log, trustedHops, budgets }: { log: Log; trustedHops: number; budgets: Budgets },
): { readonly diagnostics: FastifyInstance; readonly stopping: Stopping } {
  const app = createServer({
    log,
    trustedHops,
    budgets,
    ...smallBodies(budgetLimits.diagnosticsBodyBytes.max),
  })
  const stopping = prepareStop(app)
  app.get('/', {
    async onRequest(request) {
      await authentication.authenticate(request.headers.authorization)
      request.isAuthenticated = true
    },
    handler: (_request, reply) => reply.send('Hello World!'),
  })
  addHealthRoutes(app, [stopping.readiness, ...checks])
  return { diagnostics: app, stopping }
}

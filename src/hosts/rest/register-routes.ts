import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Authenticated, Authentication } from '../../authentication/authenticate.ts'
import { httpDate, sendConditional } from '../../http/conditional.ts'
import type { Answer, Exchange, Route } from './route.ts'

/** Registers every route of the table. The token is looked at before a body is read. */
export function registerRoutes(
  app: FastifyInstance,
  authentication: Authentication,
  routes: readonly Route[],
) {
  const sessions = new WeakMap<FastifyRequest, Authenticated>()
  for (const route of routes) {
    app.route({
      method: route.method,
      url: route.path,
      async onRequest(request) {
        sessions.set(request, await authentication.authenticate(request.headers.authorization))
      },
      async handler(request, reply) {
        const session = sessions.get(request)
        if (!session) throw new Error('A route was reached without authentication.')
        const exchange: Exchange = { caller: session.caller, session, request, reply }
        const answer = await route.handle(exchange)
        return answer === undefined ? reply : send(route, exchange, answer)
      },
    })
  }
}

function send({ isConditional }: Route, { caller, request, reply }: Exchange, answer: Answer): FastifyReply {
  if (!isConditional) return reply.send(answer.body)
  return sendConditional(request, reply, {
    body: JSON.stringify(answer.body),
    callerId: caller.id,
    isAdministrator: caller.isAdministrator,
    lastModified: answer.lastModified ? httpDate(new Date(answer.lastModified * 1000)) : undefined,
  })
}

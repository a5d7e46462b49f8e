import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Authenticated, Authentication } from '../../authentication/authenticate.ts'
import { httpDate, sendConditional } from '../../http/conditional.ts'
import type { SettledUntil } from '../../store/settled-time.ts'
import type { Answer, Exchange, Route } from './route.ts'

export interface Registration {
  readonly authentication: Authentication
  readonly settledUntil: SettledUntil
  readonly routes: readonly Route[]
}

/** Registers every route of the table. The token is looked at before a body is read. */
export function registerRoutes(app: FastifyInstance, { authentication, settledUntil, routes }: Registration) {
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
        // Asked before the answer is made, because it holds for what is read afterwards.
        const settled = route.isConditional ? await settledUntil() : 0
        const answer = await route.handle(exchange)
        if (answer === undefined) return reply
        return route.isConditional ? sendWithValidators(exchange, answer, settled) : reply.send(answer.body)
      },
    })
  }
}

function sendWithValidators(
  { caller, request, reply }: Exchange,
  answer: Answer,
  settled: number,
): FastifyReply {
  return sendConditional(request, reply, {
    body: JSON.stringify(answer.body),
    callerId: caller.id,
    isAdministrator: caller.isAdministrator,
    lastModified: lastModified(answer, settled),
  })
}

/** Left out until that second is over and settled: only then will every later change carry another date. */
function lastModified({ lastChangeSecond }: Answer, settled: number): string | undefined {
  const isPromised = typeof lastChangeSecond === 'number' && lastChangeSecond + 1 <= settled
  return isPromised ? httpDate(new Date(lastChangeSecond * 1000)) : undefined
}

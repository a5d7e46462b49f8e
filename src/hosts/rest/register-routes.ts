import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Authenticated, Authentication } from '../../authentication/authenticate.ts'
import { httpDate, sendConditional } from '../../http/conditional.ts'
import { originOf } from '../../http/request-origin.ts'
import { createSentDates, type SentDates } from '../../http/sent-dates.ts'
import type { DateOf, ModificationDates } from '../../store/modification-dates.ts'
import type { Answer, Exchange, Route } from './route.ts'

export interface Registration {
  readonly authentication: Authentication
  readonly modificationDates: ModificationDates
  readonly routes: readonly Route[]
}

/** Registers every route of the table. The token is looked at before a body is read. */
export function registerRoutes(
  app: FastifyInstance,
  { authentication, modificationDates, routes }: Registration,
) {
  const sentDates = createSentDates()
  const sessions = new WeakMap<FastifyRequest, Authenticated>()
  for (const route of routes) {
    app.route({
      method: route.method,
      url: route.path,
      async onRequest(request) {
        const { authorization } = request.headers
        sessions.set(request, await authentication.authenticate(authorization, originOf(request)))
      },
      async handler(request, reply) {
        const session = sessions.get(request)
        if (!session) throw new Error('A route was reached without authentication.')
        const exchange: Exchange = { caller: session.caller, session, request, reply }
        // Asked before the answer is made, because it holds for what is read afterwards.
        const dateOf = route.isConditional ? await modificationDates() : undefined
        const answer = await route.handle(exchange)
        if (answer === undefined) return reply
        return dateOf ? sendWithValidators(exchange, answer, dateOf, sentDates) : reply.send(answer.body)
      },
    })
  }
}

function sendWithValidators(
  { caller, request, reply }: Exchange,
  answer: Answer,
  dateOf: DateOf,
  sentDates: SentDates,
): FastifyReply {
  const date = dateOf(answer.lastChangeSecond)
  return sendConditional(request, reply, {
    body: JSON.stringify(answer.body),
    callerId: caller.id,
    isAdministrator: caller.isAdministrator,
    sentDates,
    lastModified: date === undefined ? undefined : httpDate(new Date(date * 1000)),
  })
}

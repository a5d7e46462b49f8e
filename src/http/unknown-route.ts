import type { FastifyInstance, HTTPMethods } from 'fastify'
import { type Envelope, sendEnvelope } from './envelope.ts'
import { pathOf } from './path.ts'

/** 404 for an unknown path, 405 for a known one under another method, 204 with Allow for OPTIONS. */
export function answerUnknownRoutes(app: FastifyInstance): void {
  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request.url)
    const allowed = routedMethods.filter((method) => app.findRoute({ method, url: path }) !== null)
    if (allowed.length === 0) return sendEnvelope(reply, nothingHere)
    reply.header('allow', [...allowed, 'OPTIONS'].join(', '))
    if (request.method === 'OPTIONS') return reply.code(204).send()
    return sendEnvelope(reply, { statusCode: 405, message: `${request.method} is not supported here.` })
  })
}

export const nothingHere: Envelope = { statusCode: 404, message: 'There is nothing at this address.' }

// OPTIONS is missing on purpose: the CORS plugin registers it for every path, known or not.
const routedMethods: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

import type { FastifyInstance } from 'fastify'
import { invalid } from '../../model/problem.ts'

/** PostgreSQL stores no NUL, and nothing that is meant for this host has one: refused once, for every path. */
export function refuseNul(app: FastifyInstance): void {
  app.addHook('preValidation', (request, _reply, done) => {
    if (hasNul(request.query) || hasNul(request.body))
      throw invalid({ generalErrors: ['The request contains a character that is not allowed.'] })
    done()
  })
}

const hasNul = (given: unknown): boolean =>
  Object.entries(given ?? {}).some(([name, value]) => `${name}${value}`.includes('\0'))

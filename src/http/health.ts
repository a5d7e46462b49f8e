import type { FastifyInstance } from 'fastify'
import { sendEnvelope } from './errors.ts'

export interface ReadinessCheck {
  /** Visible to every client, so it reveals nothing but the name of a part. */
  readonly name: string
  /** Resolves when the part can be used. */
  readonly check: () => Promise<unknown>
}

/** `/healthz` reports that the process is alive, `/readyz` that it can do its work. */
export function addHealthRoutes(
  app: FastifyInstance,
  checks: readonly ReadinessCheck[],
  timeLimitMilliseconds = checkTimeLimitMilliseconds,
): void {
  const timedChecks = checks.map(({ name, check }) => {
    const isReady = withTimeLimit(shareRunningCheck(check), timeLimitMilliseconds)
    return async () => ((await isReady()) ? [] : [name])
  })
  app.get('/healthz', (_request, reply) => reply.header('cache-control', 'no-store').send('Healthy'))
  app.get('/readyz', async (_request, reply) => {
    const unready = (await Promise.all(timedChecks.map((check) => check()))).flat()
    if (unready.length === 0) return reply.header('cache-control', 'no-store').send('Healthy')
    const errors = Object.fromEntries(unready.map((name) => [name, ['Not ready.']]))
    reply.header('retry-after', '1')
    return sendEnvelope(reply, { statusCode: 503, message: `Not ready: ${unready.join(', ')}.`, errors })
  })
}

/** The contract's `GET /`. */
export function addHelloRoute(app: FastifyInstance): void {
  app.get('/', (_request, reply) => reply.send('Hello World!'))
}

// Load balancers give up after a few seconds; a part slower than this does not help a caller either.
const checkTimeLimitMilliseconds = 2000

/** Shares a running check between requests, so that checks of a hanging part do not pile up. */
function shareRunningCheck(check: () => Promise<unknown>): () => Promise<boolean> {
  let running: Promise<boolean> | undefined
  const run = async () => {
    try {
      await check()
      return true
    } catch {
      return false
    } finally {
      running = undefined
    }
  }
  return () => {
    running ??= run()
    return running
  }
}

function withTimeLimit(check: () => Promise<boolean>, milliseconds: number): () => Promise<boolean> {
  return async () => {
    const timeout = Promise.withResolvers<boolean>()
    const timer = setTimeout(() => timeout.resolve(false), milliseconds)
    try {
      return await Promise.race([check(), timeout.promise])
    } finally {
      clearTimeout(timer)
    }
  }
}

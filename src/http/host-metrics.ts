import type { FastifyInstance } from 'fastify'
import type { MetricsSettings } from '../config/host-settings.ts'
import { unauthenticated } from '../model/problem.ts'
import type { BudgetsToWatch, Metrics } from '../observability/metrics.ts'
import type { EventCount } from './count-events.ts'
import { sendEnvelope } from './errors.ts'
import { mayReadMeasures } from './may-read-measures.ts'
import { notFoundEnvelope } from './server.ts'
import { pathOf } from './url.ts'

/** The part of a store that reports the durations of its statements. */
interface TimedStore {
  readonly standbyReads?: Readonly<Record<string, number>> | undefined
  onStatement(listener: (ended: { readonly kind: string; readonly seconds: number }) => void): void
}

interface CountedEvents {
  counts(): Iterable<Readonly<EventCount>>
}

export interface MeasuredParts {
  readonly budgets: BudgetsToWatch
  readonly database?: TimedStore
  readonly events?: CountedEvents
  /** The consumers of the change log, by name. */
  readonly readers?: Readonly<Record<string, () => number>>
}

/** Serves the metrics that all hosts have at `/metrics`. Their library is loaded only where they are switched on. */
export async function measureHost(
  app: FastifyInstance,
  { budgets, database, events, readers }: MeasuredParts,
  { metrics: isOn, metricsToken }: MetricsSettings,
): Promise<Metrics | undefined> {
  if (!isOn) return undefined
  const { openMetrics, watchHost } = await import('../observability/metrics.ts')
  const metrics = openMetrics()
  watchHost(metrics, budgets)
  measureRequests(app, metrics)
  servePage(app, metrics, metricsToken)
  if (database) measureStore(metrics, database)
  if (events) measureEvents(metrics, events)
  if (readers) measureLag(metrics, readers)
  return metrics
}

/** Measures how long this process waits for its store, by the kind of statement, and counts the reads of standbys. */
export function measureStore(metrics: Metrics, { onStatement, standbyReads }: TimedStore): void {
  const record = metrics.histogram('statements')
  onStatement(({ kind, seconds }) => {
    // Its time is included in that of its transaction.
    if (kind !== 'in transaction') record({ kind }, seconds)
  })
  if (standbyReads === undefined) return
  metrics.watch('standbyReads', () =>
    Object.entries(standbyReads).map(([outcome, count]) => [{ outcome }, count] as const),
  )
}

/** Measures the lag of live listings and feeds behind the change log. */
export const measureLag = (metrics: Metrics, readers: Readonly<Record<string, () => number>>): void =>
  metrics.watch('changeLogLag', () =>
    Object.entries(readers).map(([reader, secondsBehind]) => [{ reader }, secondsBehind()] as const),
  )

export const measureEvents = (metrics: Metrics, events: CountedEvents): void =>
  metrics.watch('securityEvents', () =>
    [...events.counts()].map(({ event, outcome, count }) => [{ event, outcome }, count] as const),
  )

function measureRequests(app: FastifyInstance, metrics: Metrics): void {
  const record = metrics.histogram('requests')
  app.addHook('onResponse', (request, reply, done) => {
    if (isEndless(reply.getHeader('content-type'))) return done()
    // The pattern, never the path: unknown addresses would create a label each.
    const route = request.is404 ? 'unmatched' : (request.routeOptions.url ?? 'unmatched')
    const method = methods.has(request.method) ? request.method : 'other'
    record({ method, route, status: reply.statusCode }, reply.elapsedTime / 1000)
    done()
  })
}

function servePage(app: FastifyInstance, metrics: Metrics, token: string | undefined): void {
  app.get('/metrics', async (request, reply) => {
    // Proxies keep this path private, and their rule may know one spelling only.
    if (pathOf(request.url) !== '/metrics') return sendEnvelope(reply, notFoundEnvelope)
    if (!mayReadMeasures(request.raw, token)) throw unauthenticated()
    request.isAuthenticated = true
    const { text, type } = await metrics.prometheusPage()
    return reply.header('cache-control', 'no-store').type(type).send(text)
  })
}

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

function isEndless(contentType: unknown): boolean {
  return String(contentType).startsWith('text/event-stream')
}

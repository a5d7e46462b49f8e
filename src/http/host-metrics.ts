import type { FastifyInstance } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { BudgetState } from '../model/budget.ts'
import { unauthenticated } from '../model/problem.ts'
import type { EventCount } from './count-events.ts'
import { sendEnvelope } from './errors.ts'
import { mayReadMeasures } from './may-read-measures.ts'
import { nothingHere } from './server.ts'
import { pathOf } from './url.ts'

/** The part of a store that reports the durations of its statements. */
interface TimedStore {
  readonly standbyReads?: Readonly<Record<string, number>> | undefined
  onStatement(listener: (ended: { readonly kind: string; readonly seconds: number }) => void): void
}

export interface MeasuredParts {
  readonly budgets: Measured
  readonly database?: TimedStore
  readonly events?: CountedEvents
  /** The consumers of the change log, by name. */
  readonly readers?: Readonly<Record<string, () => number>>
}

interface CountedEvents {
  counts(): Iterable<Readonly<EventCount>>
}

export function addHostMeasures(
  app: FastifyInstance,
  { budgets, database, events, readers }: MeasuredParts,
  token?: string,
): Registry {
  const registry = addMetrics(app, budgets, token)
  if (database) measureStore(registry, database)
  if (database) measureStandbys(registry, database)
  if (events) measureEvents(registry, events)
  if (readers) measureLag(registry, readers)
  return registry
}

/** Measures how long this process waits for its store, by the kind of statement. */
export function measureStore(registry: Registry, store: TimedStore): void {
  const durations = new Histogram({
    name: 'store_statement_duration_seconds',
    help: 'Time from a request to the store until its response, including waits for a connection and retries.',
    labelNames: ['kind'] as const,
    buckets: durationBucketsSeconds,
    registers: [registry],
  })
  store.onStatement(({ kind, seconds }) => {
    // Its time is included in that of its transaction.
    if (kind !== 'in transaction') durations.observe({ kind }, seconds)
  })
}

/** Counts lists read from a standby or from the primary, and the reason for the primary. */
function measureStandbys(registry: Registry, { standbyReads }: TimedStore): void {
  if (standbyReads === undefined) return
  new Counter({
    name: 'store_standby_reads_total',
    help: 'Reads that a standby may answer: answered by one, or by the primary because it was behind, failed or unavailable.',
    labelNames: ['outcome'] as const,
    registers: [registry],
    collect() {
      this.reset()
      for (const [outcome, count] of Object.entries(standbyReads)) this.inc({ outcome }, count)
    },
  })
}

/** Measures the lag of live listings and feeds behind the change log. */
export function measureLag(registry: Registry, readers: Readonly<Record<string, () => number>>): void {
  new Gauge({
    name: 'change_log_lag_seconds',
    help: 'Time since the change log was last read with success; 0 without listeners.',
    labelNames: ['reader'] as const,
    registers: [registry],
    collect() {
      for (const [reader, secondsBehind] of Object.entries(readers)) this.set({ reader }, secondsBehind())
    },
  })
}

export function measureEvents(registry: Registry, events: CountedEvents): void {
  new Counter({
    name: 'security_events_total',
    help: 'Events of the security log; sign-ins are the event sign-in.',
    labelNames: ['event', 'outcome'] as const,
    registers: [registry],
    collect() {
      this.reset()
      for (const { event, outcome, count } of events.counts()) this.inc({ event, outcome }, count)
    },
  })
}

export interface Measured {
  states(): readonly BudgetState[]
}

/** Serves durations by route, method and status at `/metrics`, and the budgets, in a registry of this host. */
export function addMetrics(app: FastifyInstance, budgets: Measured, token?: string): Registry {
  const { registry, durations } = measureHost(
    budgets,
    'Time from the request to the end of its answer; live listings are left out.',
  )
  app.addHook('onResponse', (request, reply, done) => {
    if (isEndless(reply.getHeader('content-type'))) return done()
    // The pattern, never the path: unknown addresses would create a label each.
    const route = request.is404 ? 'unmatched' : (request.routeOptions.url ?? 'unmatched')
    const method = methods.has(request.method) ? request.method : 'other'
    durations.observe({ method, route, status: reply.statusCode }, reply.elapsedTime / 1000)
    done()
  })
  app.get('/metrics', async (request, reply) => {
    // Proxies keep this path private, and their rule may know one spelling only.
    if (pathOf(request.url) !== '/metrics') return sendEnvelope(reply, nothingHere)
    if (!mayReadMeasures(request.raw, token)) throw unauthenticated()
    request.isAuthenticated = true
    return reply
      .header('cache-control', 'no-store')
      .type(registry.contentType)
      .send(await registry.metrics())
  })
  return registry
}

/** Measures what all HTTP hosts have in common: the process, its budgets and, if `durations` says so, its requests. */
export function measureHost(budgets: Measured, help: string) {
  const registry = new Registry()
  measureProcess(registry)
  measureBudgets(registry, budgets)
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help,
    labelNames: ['method', 'route', 'status'] as const,
    buckets: durationBucketsSeconds,
    registers: [registry],
  })
  return { registry, durations }
}

/** The library's names for these three end like counters; the same numbers are available by type without that ending. */
const misnamed = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
]

function measureProcess(registry: Registry): void {
  collectDefaultMetrics({ register: registry })
  for (const name of misnamed) registry.removeSingleMetric(name)
}

/** Budgets are read when metrics are requested: a second count could differ from the first. */
function measureBudgets(registry: Registry, budgets: Measured): void {
  const labelNames = ['budget', 'per', 'of'] as const
  const used = new Gauge({
    name: 'budget_used',
    help: 'Amount held or in progress; for budgets per holder, that of the largest holder.',
    labelNames,
    registers: [],
  })
  const refusals = new Counter({
    name: 'budget_refusals_total',
    help: 'Rejections because a budget was exhausted.',
    labelNames,
    registers: [],
  })
  const limit = new Gauge({
    name: 'budget_limit',
    help: 'Maximum amount held or in progress at once.',
    labelNames,
    registers: [],
    collect() {
      refusals.reset()
      for (const { name, per, of, max, used: amount, refused } of budgets.states()) {
        const labels = { budget: name, per, of }
        this.set(labels, max)
        used.set(labels, amount)
        refusals.inc(labels, refused)
      }
    },
  })
  // They are collected in this order, so the one that fills all of them comes first.
  for (const metric of [limit, used, refusals]) registry.registerMetric(metric)
}

export const durationBucketsSeconds = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60,
]

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

function isEndless(contentType: unknown): boolean {
  return String(contentType).startsWith('text/event-stream')
}

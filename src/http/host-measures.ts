import type { FastifyInstance } from 'fastify'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { addMetrics, durationBucketsSeconds, type Measured, type MetricsOptions } from './metrics.ts'

/** The part of a store that reports how long its statements take. */
interface TimedStore {
  readonly standbyReads?: Readonly<Record<string, number>> | undefined
  onStatement(listener: (ended: { readonly kind: string; readonly seconds: number }) => void): void
}

interface MeasuredParts {
  readonly budgets: Measured
  readonly database: TimedStore
  readonly events: { measure(registry: Registry | undefined): void }
  /** Those who follow the change log, by name. */
  readonly readers?: Readonly<Record<string, () => number>>
}

/** What every host with a store measures, at `/metrics`. */
export function measureHost(
  app: FastifyInstance,
  { budgets, database, events, readers }: MeasuredParts,
  options: MetricsOptions,
): Registry | undefined {
  const registry = addMetrics(app, budgets, options)
  measureStore(registry, database)
  measureStandbys(registry, database)
  events.measure(registry)
  if (readers) measureLag(registry, readers)
  return registry
}

/** How long this process waits for its store, by the kind of statement. */
export function measureStore(registry: Registry | undefined, store: TimedStore): void {
  if (registry === undefined) return
  const durations = new Histogram({
    name: 'store_statement_duration_seconds',
    help: 'Time from asking the store to its answer, waiting for a connection and trying again included.',
    labelNames: ['kind'] as const,
    buckets: durationBucketsSeconds,
    registers: [registry],
  })
  store.onStatement(({ kind, seconds }) => {
    // Its time is in that of its transaction.
    if (kind !== 'in transaction') durations.observe({ kind }, seconds)
  })
}

/** Whether lists were read at a standby or at the primary, and why at the primary. */
export function measureStandbys(registry: Registry | undefined, { standbyReads }: TimedStore): void {
  if (registry === undefined || standbyReads === undefined) return
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

/** How far behind the change log live listings and feeds may be. */
export function measureLag(
  registry: Registry | undefined,
  readers: Readonly<Record<string, () => number>>,
): void {
  if (registry === undefined) return
  new Gauge({
    name: 'change_log_lag_seconds',
    help: 'Time since the change log was last read with success; 0 while nobody listens.',
    labelNames: ['reader'] as const,
    registers: [registry],
    collect() {
      for (const [reader, secondsBehind] of Object.entries(readers)) this.set({ reader }, secondsBehind())
    },
  })
}

interface Counted {
  readonly event: string
  readonly outcome?: string
}

/** The same log, counted by event and outcome: sign-ins that were right, wrong or locked among them. */
export function countEvents<Event extends Counted>(log: (event: Event) => void) {
  const events = new Counter({
    name: 'security_events_total',
    help: 'Events of the security log; sign-ins are the event sign-in.',
    labelNames: ['event', 'outcome'] as const,
    registers: [],
  })
  return {
    log(event: Event) {
      events.inc({ event: event.event, outcome: event.outcome ?? '' })
      log(event)
    },
    measure: (registry: Registry | undefined) => void registry?.registerMetric(events),
  }
}

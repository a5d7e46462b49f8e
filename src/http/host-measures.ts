import type { FastifyInstance } from 'fastify'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { EventCount } from './count-events.ts'
import { addMetrics, durationBucketsSeconds, type Measured } from './metrics.ts'

/** The part of a store that reports how long its statements take. */
interface TimedStore {
  readonly standbyReads?: Readonly<Record<string, number>> | undefined
  onStatement(listener: (ended: { readonly kind: string; readonly seconds: number }) => void): void
}

export interface MeasuredParts {
  readonly budgets: Measured
  readonly database?: TimedStore
  readonly events?: CountedEvents
  /** Those who follow the change log, by name. */
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

/** How long this process waits for its store, by the kind of statement. */
export function measureStore(registry: Registry, store: TimedStore): void {
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

/** How far behind the change log live listings and feeds may be. */
export function measureLag(registry: Registry, readers: Readonly<Record<string, () => number>>): void {
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

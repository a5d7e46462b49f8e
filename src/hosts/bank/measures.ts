import type { Budgets } from '../../config/budgets.ts'
import type { MeasureCall } from './transactions.ts'

export interface Measure {
  readonly request: (method: string, route: string, status: number, seconds: number) => void
  readonly call: MeasureCall
}

export interface Measures extends Measure {
  /** Returns plain data, to be merged with that of the other instances. */
  read(): Promise<object[]>
}

/** Opens the metrics of one instance. The library is loaded only if METRICS is on. */
export async function openMeasures(budgets: Budgets): Promise<Measures> {
  const [{ Histogram }, { durationBucketsSeconds, measureHost }] = await Promise.all([
    import('prom-client'),
    import('../../http/host-metrics.ts'),
  ])
  const { registry, durations } = measureHost(budgets, 'Time from the request to its answer.')
  const registers = [registry]
  const transactionsOfCall = new Histogram({
    name: 'bank_call_transactions',
    help: 'Transactions sent to the database in one call.',
    buckets: [1, 2, 5, 10, 20, 50, 100, 200],
    registers,
  })
  const callDurations = new Histogram({
    name: 'bank_call_duration_seconds',
    help: 'Time from a call to the end of its commit.',
    buckets: durationBucketsSeconds,
    registers,
  })
  return {
    request: (method, route, status, seconds) => durations.observe({ method, route, status }, seconds),
    call(transactions, seconds) {
      transactionsOfCall.observe(transactions)
      callDurations.observe(seconds)
    },
    read: () => registry.getMetricsAsJSON(),
  }
}

export interface MeasuresAsText {
  readonly text: string
  readonly type: string
}

/**
 * Merges all instances into one response: a scrape reaches an arbitrary instance, and successive scrapes
 * would return different instances' numbers.
 */
export async function putTogether(measures: readonly object[]): Promise<MeasuresAsText> {
  const { AggregatorRegistry } = await import('prom-client')
  const registry = AggregatorRegistry.aggregate([...measures])
  return { text: await registry.metrics(), type: registry.contentType }
}

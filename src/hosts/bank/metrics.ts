import type { Budgets } from '../../config/budgets.ts'
import type { MetricsPage } from '../../observability/metrics.ts'
import type { MeasureCall } from './transactions.ts'

export interface MetricsRecorder {
  readonly request: (method: string, route: string, status: number, seconds: number) => void
  readonly call: MeasureCall
}

export interface BankMetrics extends MetricsRecorder {
  countFailure(): void
  /** Returns plain data, to be merged with that of the other instances. */
  read(): Promise<object[]>
}

/** Opens the metrics of one instance. Their library is loaded only if METRICS is on. */
export async function openBankMetrics(budgets: Budgets): Promise<BankMetrics> {
  const { openMetrics, watchHost } = await import('../../observability/metrics.ts')
  const metrics = openMetrics()
  watchHost(metrics, budgets)
  const recordRequest = metrics.histogram('bankRequests')
  const recordTransactions = metrics.histogram('bankCallTransactions')
  const recordCall = metrics.histogram('bankCalls')
  return {
    request: (method, route, status, seconds) => recordRequest({ method, route, status }, seconds),
    call(transactions, seconds) {
      recordTransactions({}, transactions)
      recordCall({}, seconds)
    },
    countFailure: metrics.counter('bankFailures'),
    read: metrics.toData,
  }
}

/** Merges all instances into one page, because a scrape reaches an arbitrary instance. */
export async function mergeMetrics(instanceMetrics: readonly object[]): Promise<MetricsPage> {
  const { mergedPage } = await import('../../observability/metrics.ts')
  return mergedPage(instanceMetrics)
}

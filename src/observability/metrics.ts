import { readFileSync } from 'node:fs'
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { BudgetState } from '../model/budget.ts'

/**
 * A metric of this system. `/metrics` serves it, and with `otlp` it is also sent to a collector. Alerts and
 * dashboards of operators use its name, labels and buckets.
 */
interface Instrument {
  readonly type: 'histogram' | 'counter' | 'gauge'
  readonly name: string
  readonly help: string
  readonly labels: readonly string[]
  readonly buckets?: readonly number[]
  readonly otlp?: OtlpNames
  /** The rule by which values of several processes are merged. By default, they are added. */
  readonly acrossProcesses?: 'max'
}

/** The names of a metric in OpenTelemetry. `attributes` maps each label to its attribute. */
interface OtlpNames {
  readonly name: string
  readonly description: string
  readonly attributes: Readonly<Record<string, string>>
}

const durationBucketsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60]

const requestDuration = {
  type: 'histogram',
  name: 'http_request_duration_seconds',
  labels: ['method', 'route', 'status'],
  buckets: durationBucketsSeconds,
} as const
const budgetLabels = ['budget', 'per', 'of'] as const

const instruments = {
  requests: {
    ...requestDuration,
    help: 'Time from the request to the end of its answer; live listings are left out.',
  },
  bankRequests: { ...requestDuration, help: 'Time from the request to its answer.' },
  bankCallTransactions: {
    type: 'histogram',
    name: 'bank_call_transactions',
    help: 'Transactions sent to the database in one call.',
    labels: [],
    buckets: [1, 2, 5, 10, 20, 50, 100, 200],
  },
  bankCalls: {
    type: 'histogram',
    name: 'bank_call_duration_seconds',
    help: 'Time from a call to the end of its commit.',
    labels: [],
    buckets: durationBucketsSeconds,
  },
  commands: {
    type: 'histogram',
    name: 'command_duration_seconds',
    help: 'Time from a complete request to its answer.',
    labels: ['command', 'code'],
    buckets: durationBucketsSeconds,
  },
  operations: {
    type: 'histogram',
    name: 'operation_duration_seconds',
    help: 'Requests and commands.',
    labels: ['host', 'operation', 'outcome'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
    otlp: {
      name: 'tracker.operation.duration',
      description: 'Requests and commands.',
      attributes: { host: 'tracker.host', operation: 'tracker.operation', outcome: 'tracker.outcome' },
    },
  },
  statements: {
    type: 'histogram',
    name: 'store_statement_duration_seconds',
    help: 'Time from a request to the store until its response, including waits for a connection and retries.',
    labels: ['kind'],
    buckets: durationBucketsSeconds,
    otlp: {
      name: 'db.client.operation.duration',
      description: 'Statements of the store.',
      attributes: { kind: 'tracker.statement.kind' },
    },
  },
  standbyReads: {
    type: 'counter',
    name: 'store_standby_reads_total',
    help: 'Reads that a standby may answer: answered by one, or by the primary because the standby was behind, failed or unavailable.',
    labels: ['outcome'],
  },
  securityEvents: {
    type: 'counter',
    name: 'security_events_total',
    help: 'Security events by name and outcome; event="sign-in" counts sign-ins.',
    labels: ['event', 'outcome'],
  },
  changeLogLag: {
    type: 'gauge',
    name: 'change_log_lag_seconds',
    help: 'Time since the change log was last read with success; 0 without listeners.',
    labels: ['reader'],
    acrossProcesses: 'max',
  },
  settingDisagreements: {
    type: 'gauge',
    name: 'setting_disagreements',
    help: 'Number of running instances with a different value of the setting; absent while all agree.',
    labels: ['setting'],
    acrossProcesses: 'max',
  },
  latestBackup: {
    type: 'gauge',
    name: 'latest_backup_timestamp_seconds',
    help: 'Time of the newest verified backup; absent if none was recorded.',
    labels: [],
    acrossProcesses: 'max',
  },
  attachmentBytes: {
    type: 'counter',
    name: 'attachment_bytes_total',
    help: 'Bytes of files that were stored, and that were served.',
    labels: ['direction'],
  },
  serverErrors: {
    type: 'counter',
    name: 'http_server_errors_total',
    help: 'Responses with a status of 500 or more.',
    labels: [],
  },
  commandFailures: {
    type: 'counter',
    name: 'command_failures_total',
    help: 'Calls that ended with INTERNAL, UNKNOWN or UNAVAILABLE.',
    labels: [],
  },
  bankFailures: {
    type: 'counter',
    name: 'bank_failures_total',
    help: 'Transactions and statements that failed because of the database.',
    labels: [],
  },
  buildInfo: {
    type: 'gauge',
    name: 'tracker_build_info',
    help: 'Always 1; its labels are the versions of the program and of Node.',
    labels: ['version', 'node'],
    acrossProcesses: 'max',
  },
  budgetLimit: {
    type: 'gauge',
    name: 'budget_limit',
    help: 'Maximum amount held or in progress at once.',
    labels: budgetLabels,
  },
  budgetUsed: {
    type: 'gauge',
    name: 'budget_used',
    help: 'Amount held or in progress; for budgets per holder, that of the largest holder.',
    labels: budgetLabels,
  },
  budgetRefusals: {
    type: 'counter',
    name: 'budget_refusals_total',
    help: 'Rejections because a budget was exhausted.',
    labels: budgetLabels,
  },
} as const satisfies Readonly<Record<string, Instrument>>

type Instruments = typeof instruments
type NameOf<Type extends Instrument['type']> = {
  [Name in keyof Instruments]: Instruments[Name]['type'] extends Type ? Name : never
}[keyof Instruments]
type LabelsOf<Name extends keyof Instruments> = Readonly<
  Record<Instruments[Name]['labels'][number], string | number>
>

type CounterName = 'serverErrors' | 'commandFailures' | 'bankFailures'

export interface MetricsPage {
  readonly text: string
  readonly type: string
}

/** The metrics of one host or one exporter. */
export interface Metrics {
  /** Opens a histogram, and returns the function that records a value. */
  histogram<Name extends NameOf<'histogram'>>(name: Name): (labels: LabelsOf<Name>, value: number) => void
  /**
   * Opens a counter without labels, and returns the function that increments it. It exists from the start
   * with 0, because a rate does not see the first event of a series that begins with 1.
   */
  counter(name: CounterName): () => void
  /** Opens a counter or gauge. Its values are counted elsewhere and read for each export. */
  watch<Name extends NameOf<'counter' | 'gauge'>>(
    name: Name,
    read: () => Iterable<readonly [labels: LabelsOf<Name>, value: number]>,
  ): void
  /** Opens the metrics of the process, such as its memory and the delay of its event loop. */
  watchProcess(): void
  prometheusPage(): Promise<MetricsPage>
  /** Returns the metrics as data for `mergedPage`. */
  toData(): Promise<object[]>
  /** Returns the current values of the histograms with `otlp`. */
  otlpHistograms(): Promise<readonly OtlpHistogram[]>
}

export interface OtlpHistogram extends Omit<OtlpNames, 'attributes'> {
  readonly bounds: readonly number[]
  readonly series: readonly Series[]
}

interface Series {
  readonly attributes: Readonly<Record<string, string>>
  /** A count for each bound, and one for larger values. */
  readonly counts: readonly number[]
  readonly count: number
  readonly sum: number
}

export function openMetrics(): Metrics {
  const registry = new Registry()
  const exported: { readonly instrument: Instrument & { otlp: OtlpNames }; readonly histogram: Histogram }[] =
    []
  const configOf = ({ name, help, labels, acrossProcesses }: Instrument) => ({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
    ...(acrossProcesses && { aggregator: acrossProcesses }),
  })
  return {
    histogram(name) {
      const instrument: Instrument = instruments[name]
      const histogram = new Histogram({ ...configOf(instrument), buckets: [...(instrument.buckets ?? [])] })
      if (hasOtlp(instrument)) exported.push({ instrument, histogram })
      return (labels, value) => histogram.observe(labels, value)
    },
    counter(name) {
      const counter = new Counter(configOf(instruments[name]))
      return () => counter.inc()
    },
    watch(name, read) {
      const instrument: Instrument = instruments[name]
      const MetricClass = instrument.type === 'counter' ? Counter : Gauge
      new MetricClass({
        ...configOf(instrument),
        collect() {
          this.reset()
          // The library would export 0 for a metric without labels that has no value.
          if (instrument.labels.length === 0) this.remove({})
          for (const [labels, value] of read()) this.inc(labels, value)
        },
      })
    },
    watchProcess() {
      collectDefaultMetrics({ register: registry })
      for (const name of misnamedMetrics) registry.removeSingleMetric(name)
    },
    prometheusPage: () => pageOf(registry),
    toData: () => registry.getMetricsAsJSON(),
    otlpHistograms: () =>
      Promise.all(
        exported.map(async ({ instrument, histogram }) => ({
          ...instrument.otlp,
          bounds: instrument.buckets ?? [],
          series: await seriesOf(histogram, instrument.otlp),
        })),
      ),
  }
}

const hasOtlp = (instrument: Instrument): instrument is Instrument & { otlp: OtlpNames } =>
  instrument.otlp !== undefined

/**
 * Gauges of the library with names in `_total`, which is reserved for counters. Other gauges contain the same
 * numbers.
 */
const misnamedMetrics = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
]

const pageOf = async (registry: Registry): Promise<MetricsPage> => ({
  text: await registry.metrics(),
  type: registry.contentType,
})

/**
 * Merges the data of several processes, because successive requests for metrics reach different processes.
 */
export const mergedPage = (data: readonly object[]): Promise<MetricsPage> =>
  pageOf(AggregatorRegistry.aggregate([...data]))

/**
 * Converts to OTLP. There, a bucket counts only the values above the previous bound; in Prometheus, a bucket
 * counts all values up to its bound.
 */
async function seriesOf(histogram: Histogram, { attributes }: OtlpNames): Promise<readonly Series[]> {
  const seriesByKey = new Map<string, Series & { readonly counts: number[]; count: number; sum: number }>()
  for (const { metricName = '', labels, value } of (await histogram.get()).values) {
    const attributePairs = Object.entries(attributes).map(
      ([label, name]) => [name, String(labels[label])] as const,
    )
    const key = JSON.stringify(attributePairs)
    const series = seriesByKey.get(key) ?? {
      attributes: Object.fromEntries(attributePairs),
      counts: [],
      count: 0,
      sum: 0,
    }
    seriesByKey.set(key, series)
    if (metricName.endsWith('_sum')) series.sum = value
    if (!metricName.endsWith('_bucket')) continue
    series.counts.push(value - series.count)
    series.count = value
  }
  return [...seriesByKey.values()]
}

export interface BudgetsToWatch {
  states(): readonly BudgetState[]
}

/** Opens the metrics that every host has: its version, the process and its budgets. */
export function watchHost(metrics: Metrics, budgets: BudgetsToWatch): void {
  const versions = { version: readVersion(), node: process.versions.node }
  metrics.watch('buildInfo', () => [[versions, 1]])
  metrics.watchProcess()
  const samplesOf = (read: (state: BudgetState) => number) => () =>
    budgets
      .states()
      .map((state) => [{ budget: state.name, per: state.per, of: state.of }, read(state)] as const)
  metrics.watch(
    'budgetLimit',
    samplesOf(({ max }) => max),
  )
  metrics.watch(
    'budgetUsed',
    samplesOf(({ used }) => used),
  )
  metrics.watch(
    'budgetRefusals',
    samplesOf(({ rejected }) => rejected),
  )
}

function readVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

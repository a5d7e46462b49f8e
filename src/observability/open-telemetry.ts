import { randomUUID } from 'node:crypto'
import type { TelemetrySettings } from '../config/host-settings.ts'
import type { Database } from '../db/database.ts'
import type { EndedStatement, Work } from '../db/work.ts'
import { repeat } from '../model/repeat.ts'
import type { OtlpHistogram } from './metrics.ts'

export interface Telemetry {
  /** Sends the remaining data, as far as the collector accepts it. */
  stop(): Promise<void>
}

const spanIntervalMilliseconds = 2000
const metricIntervalMilliseconds = 30_000
/** Statement texts are most of the cost of a span, so only slow and failed statements have them. */
const slowSeconds = 0.05
const textLengthMax = 1000

/** Reports requests, commands and statements to a collector, but never the values of parameters. */
export async function openTelemetry(database: Database, settings: TelemetrySettings): Promise<Telemetry> {
  const { openMetrics } = await import('./metrics.ts')
  const envelope = createEnvelope(settings)
  const spanExporter = createExporter(settings, '/v1/traces', (items) =>
    envelope('resourceSpans', 'scopeSpans', 'spans', items),
  )
  const metricExporter = createExporter(settings, '/v1/metrics', (items) =>
    envelope('resourceMetrics', 'scopeMetrics', 'metrics', items),
  )
  const startedAt = nanosecondsAt(performance.now())
  const metrics = openMetrics()
  const recordOperation = metrics.histogram('operations')
  const recordStatement = metrics.histogram('statements')
  const contexts = new WeakMap<Work, TraceContext>()
  const contextOf = (work: Work) => {
    const existing = contexts.get(work)
    if (existing) return existing
    const created = parseTraceContext(work.traceparent, () => Math.random() < settings.sampleRatio)
    contexts.set(work, created)
    return created
  }

  database.onWork((work, { seconds, isFailed }) => {
    const { host, operation } = work
    recordOperation({ host, operation, outcome: isFailed ? 'failed' : 'done' }, seconds)
    const context = contextOf(work)
    if (!context.isSampled) return
    spanExporter.add({
      ...spanOf(context, work.startedAt, seconds),
      name: work.operation,
      // SPAN_KIND_SERVER
      kind: 2,
      attributes: serializeAttributes({ 'tracker.host': work.host }),
      ...(isFailed && failedStatus),
    })
  })
  database.onStatement((statement) => {
    recordStatement({ kind: statement.kind }, statement.seconds)
    const { work } = statement
    const context = work && contextOf(work)
    if (context?.isSampled) spanExporter.add(statementSpan(context, statement))
  })
  // Requests that the work sends carry this header.
  database.traceBy((work) => formatTraceparent(contextOf(work)))
  const sendMetrics = async () => {
    const now = nanosecondsAt(performance.now())
    for (const histogram of await metrics.otlpHistograms())
      metricExporter.add(serializeHistogram(histogram, [startedAt, now]))
    await metricExporter.flush()
  }
  const repetitions = [
    repeat({ everyMilliseconds: spanIntervalMilliseconds }, spanExporter.flush),
    repeat({ everyMilliseconds: metricIntervalMilliseconds }, sendMetrics),
  ]
  return {
    async stop() {
      await Promise.all(repetitions.map((repetition) => repetition.stop()))
      await Promise.all([spanExporter.flush(), sendMetrics()])
    },
  }
}

function statementSpan(parent: TraceContext, ended: EndedStatement): object {
  const { kind, startedAt, seconds, isFailed, text } = ended
  const query = isFailed || seconds >= slowSeconds ? text()?.slice(0, textLengthMax) : undefined
  return {
    ...spanOf(childContextOf(parent), startedAt, seconds),
    name: `store ${kind}`,
    // SPAN_KIND_CLIENT
    kind: 3,
    attributes: serializeAttributes({
      'db.system.name': 'postgresql',
      ...(query && { 'db.query.text': query }),
    }),
    ...(isFailed && failedStatus),
  }
}

/** STATUS_CODE_ERROR */
const failedStatus = { status: { code: 2 } }

/** Returns a span with the times of the work itself. A busy process may report it later. */
const spanOf = ({ traceId, spanId, parentId }: TraceContext, startedAt: number, seconds: number) => ({
  traceId,
  spanId,
  ...(parentId && { parentSpanId: parentId }),
  startTimeUnixNano: nanosecondsAt(startedAt),
  endTimeUnixNano: nanosecondsAt(startedAt + seconds * 1000),
})

/** Converts a time of `performance.now()` to nanoseconds since 1970, rounded to microseconds. */
const nanosecondsAt = (milliseconds: number) =>
  `${Math.round((performance.timeOrigin + milliseconds) * 1000)}000`

const createEnvelope =
  ({ serviceName }: TelemetrySettings) =>
  (outer: string, inner: string, name: string, items: readonly object[]) => ({
    [outer]: [
      {
        resource: { attributes: serializeAttributes({ 'service.name': serviceName }) },
        [inner]: [{ scope: { name: 'tracker' }, [name]: items }],
      },
    ],
  })

/** The URL and headers of the collector: https://opentelemetry.io/docs/specs/otel/protocol/exporter/ */
export interface Collector {
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
}

export interface Exporter {
  /** Queues an item for the next export. Drops it if the queue is full. */
  add(item: object): void
  flush(): Promise<void>
  readonly dropped: number
}

/** The limit of queued items. A busy host creates some thousand spans a second. This many take about 2 MB. */
const queuedMax = 4096
const sentAtOnceMax = 512
const sendMillisecondsMax = 5000

/**
 * Sends items by OTLP, as JSON over HTTP. Drops items that the collector does not accept. No request waits
 * for it.
 */
export function createExporter(
  { endpoint, headers }: Collector,
  path: '/v1/traces' | '/v1/metrics',
  envelopeOf: (items: readonly object[]) => object,
): Exporter {
  const queue: object[] = []
  let dropped = 0
  let sending: Promise<void> | undefined

  async function send(items: readonly object[]) {
    try {
      const response = await fetch(`${endpoint}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(envelopeOf(items)),
        signal: AbortSignal.timeout(sendMillisecondsMax),
        redirect: 'error',
      })
      // Reading the body releases the connection for the next request.
      await response.arrayBuffer()
      if (!response.ok) dropped += items.length
    } catch {
      dropped += items.length
    }
  }

  async function sendAll() {
    while (queue.length > 0) await send(queue.splice(0, sentAtOnceMax))
  }

  return {
    add(item) {
      if (queue.length >= queuedMax) dropped += 1
      else queue.push(item)
    },
    flush() {
      sending ??= sendAll().finally(() => {
        sending = undefined
      })
      return sending
    },
    get dropped() {
      return dropped
    },
  }
}

const serializeHistogram = (
  { name, description, bounds, series }: OtlpHistogram,
  [startTimeUnixNano, timeUnixNano]: readonly [startedAt: string, now: string],
) => ({
  name,
  description,
  unit: 's',
  histogram: {
    // AGGREGATION_TEMPORALITY_CUMULATIVE: each export has the counts since the start.
    aggregationTemporality: 2,
    dataPoints: series.map(({ attributes, counts, count, sum }) => ({
      attributes: serializeAttributes(attributes),
      startTimeUnixNano,
      timeUnixNano,
      count: String(count),
      sum,
      bucketCounts: counts.map(String),
      explicitBounds: bounds,
    })),
  },
})

const serializeAttributes = (attributes: Readonly<Record<string, string>>): object[] =>
  Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } }))

/** The contents of a traceparent header: https://www.w3.org/TR/trace-context/#traceparent-header */
interface TraceContext {
  readonly traceId: string
  readonly spanId: string
  /** The caller's span. Undefined at the beginning of a trace. */
  readonly parentId: string | undefined
  readonly isSampled: boolean
}

/** Matches any version but the invalid `ff`, with optional further parts, and no identifier of zeros. */
const traceparentPattern =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/

/**
 * Continues the trace of the caller, who has decided whether it is recorded. Without one, begins a new trace.
 */
export function parseTraceContext(header: unknown, isSampled: () => boolean): TraceContext {
  const [, traceId, parentId, flags = '0'] =
    (typeof header === 'string' && traceparentPattern.exec(header)) || []
  const spanId = newSpanId()
  if (traceId === undefined || parentId === undefined)
    return { traceId: newTraceId(), spanId, parentId: undefined, isSampled: isSampled() }
  return { traceId, spanId, parentId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

const childContextOf = ({ traceId, spanId, isSampled }: TraceContext): TraceContext => ({
  traceId,
  spanId: newSpanId(),
  parentId: spanId,
  isSampled,
})

export const formatTraceparent = ({ traceId, spanId, isSampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`

/** `randomUUID` costs a third of `randomBytes`, because it creates random bits in batches. */
const newTraceId = () => randomUUID().replaceAll('-', '')
const newSpanId = () => newTraceId().slice(16)

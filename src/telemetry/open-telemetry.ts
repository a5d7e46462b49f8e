import type { TelemetrySettings } from '../configuration/telemetry-settings.ts'
import { repeat } from '../schedule/repeat.ts'
import type { Database } from '../store/database.ts'
import type { EndedStatement } from '../store/statement-times.ts'
import type { Work } from '../store/work.ts'
import { createExporter } from './export-otlp.ts'
import { createDurations, showAttributes } from './measures.ts'
import { childOf, contextFrom, type TraceContext, writeTraceparent } from './trace-context.ts'

export interface Telemetry {
  /** Sends what is left, as far as the collector takes it. */
  stop(): Promise<void>
}

const betweenSpansMilliseconds = 2000
const betweenMeasuresMilliseconds = 30_000
/** Statement texts are most of what a span costs, so only slow and failed ones get them. */
const slowSeconds = 0.05
const textLengthMax = 1000

/** Tells a collector of every request, command and statement of this process, without values. */
export function openTelemetry(database: Database, settings: TelemetrySettings): Telemetry {
  const envelope = envelopes(settings)
  const spans = createExporter(settings, '/v1/traces', (items) =>
    envelope('resourceSpans', 'scopeSpans', 'spans', items),
  )
  const measures = createExporter(settings, '/v1/metrics', (items) =>
    envelope('resourceMetrics', 'scopeMetrics', 'metrics', items),
  )
  const startedAt = nanosecondsAt(performance.now())
  const ofWork = createDurations('tracker.operation.duration', 'Requests and commands.', startedAt)
  const ofStore = createDurations('db.client.operation.duration', 'Statements of the store.', startedAt)
  const contexts = new WeakMap<Work, TraceContext>()
  const contextOf = (work: Work) => {
    const known = contexts.get(work)
    if (known) return known
    const made = contextFrom(work.traceparent, () => Math.random() < settings.sampledShare)
    contexts.set(work, made)
    return made
  }

  database.onWork((work, { seconds, isFailed }) => {
    const outcome = isFailed ? 'failed' : 'done'
    ofWork.note(
      { 'tracker.host': work.host, 'tracker.operation': work.operation, 'tracker.outcome': outcome },
      seconds,
    )
    const context = contextOf(work)
    if (!context.isSampled) return
    spans.add({
      ...spanOf(context, work.startedAt, seconds),
      name: work.operation,
      // SPAN_KIND_SERVER
      kind: 2,
      attributes: showAttributes({ 'tracker.host': work.host }),
      ...(isFailed && { status: { code: 2 } }),
    })
  })
  database.onStatement((statement) => {
    ofStore.note({ 'tracker.statement.kind': statement.kind }, statement.seconds)
    const { work } = statement
    const context = work && contextOf(work)
    if (context?.isSampled) spans.add(statementSpan(context, statement))
  })
  database.traceBy((work) => writeTraceparent(contextOf(work)))
  const sendMeasures = () => {
    const now = nanosecondsAt(performance.now())
    for (const each of [ofWork, ofStore]) measures.add(each.show(now))
    return measures.flush()
  }
  const repetitions = [
    repeat({ everyMilliseconds: betweenSpansMilliseconds }, spans.flush),
    repeat({ everyMilliseconds: betweenMeasuresMilliseconds }, sendMeasures),
  ]
  return {
    async stop() {
      await Promise.all(repetitions.map((each) => each.stop()))
      await Promise.all([spans.flush(), sendMeasures()])
    },
  }
}

function statementSpan(parent: TraceContext, ended: EndedStatement): object {
  const { kind, startedAt, seconds, isFailed, text } = ended
  const query = isFailed || seconds >= slowSeconds ? text()?.slice(0, textLengthMax) : undefined
  return {
    ...spanOf(childOf(parent), startedAt, seconds),
    name: `store ${kind}`,
    // SPAN_KIND_CLIENT
    kind: 3,
    attributes: showAttributes({ 'db.system.name': 'postgresql', ...(query && { 'db.query.text': query }) }),
    ...(isFailed && { status: { code: 2 } }),
  }
}

/** By when it began and ended, not by when it is reported: a busy process may come to that later. */
const spanOf = ({ traceId, spanId, parentId }: TraceContext, startedAt: number, seconds: number) => ({
  traceId,
  spanId,
  ...(parentId && { parentSpanId: parentId }),
  startTimeUnixNano: nanosecondsAt(startedAt),
  endTimeUnixNano: nanosecondsAt(startedAt + seconds * 1000),
})

/** Of the clock of `performance.now()`, in whole microseconds: a number has no room for more. */
const nanosecondsAt = (milliseconds: number) =>
  `${Math.round((performance.timeOrigin + milliseconds) * 1000)}000`

const envelopes =
  ({ serviceName }: TelemetrySettings) =>
  (outer: string, inner: string, name: string, items: readonly object[]) => ({
    [outer]: [
      {
        resource: { attributes: showAttributes({ 'service.name': serviceName }) },
        [inner]: [{ scope: { name: 'tracker' }, [name]: items }],
      },
    ],
  })

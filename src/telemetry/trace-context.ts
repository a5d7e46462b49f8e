import { randomUUID } from 'node:crypto'

/** https://www.w3.org/TR/trace-context/#traceparent-header */
export interface TraceContext {
  readonly traceId: string
  readonly spanId: string
  /** Of the caller; none at the beginning of a trace. */
  readonly parentId: string | undefined
  readonly isSampled: boolean
}

const traceparent =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/

/** Goes on with the caller's trace, recorded or not as the caller wants it; what cannot be read begins a new one. */
export function contextFrom(given: unknown, isSampled: () => boolean): TraceContext {
  const [, traceId, parentId, flags = '0'] = (typeof given === 'string' && traceparent.exec(given)) || []
  const spanId = newSpanId()
  if (traceId === undefined || parentId === undefined)
    return { traceId: newTraceId(), spanId, parentId: undefined, isSampled: isSampled() }
  return { traceId, spanId, parentId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** Of a part of what the context is about. */
export const childOf = ({ traceId, spanId, isSampled }: TraceContext): TraceContext => ({
  traceId,
  spanId: newSpanId(),
  parentId: spanId,
  isSampled,
})

export const writeTraceparent = ({ traceId, spanId, isSampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`

/** Node draws these a hundred at a time, a third of the cost of asking each time. */
const newTraceId = () => randomUUID().replaceAll('-', '')
const newSpanId = () => newTraceId().slice(16)

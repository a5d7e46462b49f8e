/** The collector's address, as the environment gives it: https://opentelemetry.io/docs/specs/otel/protocol/exporter/ */
export interface Collector {
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
}

export interface Exporter {
  /** Keeps it until the next time something is sent; dropped when there is no room. */
  add(item: object): void
  flush(): Promise<void>
  readonly dropped: number
}

/** A busy host makes some thousand spans a second; of these a collector that is away costs 2 MB at most. */
const keptMax = 4096
const sentAtOnceMax = 512
const sendMillisecondsMax = 5000

/** OTLP as JSON over HTTP. A collector that is away, slow or full costs nothing but what is dropped. */
export function createExporter(
  { endpoint, headers }: Collector,
  path: '/v1/traces' | '/v1/metrics',
  envelopeOf: (items: readonly object[]) => object,
): Exporter {
  const kept: object[] = []
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
      // Read, so that the connection can be used again.
      await response.arrayBuffer()
      if (!response.ok) dropped += items.length
    } catch {
      dropped += items.length
    }
  }

  async function sendAll() {
    while (kept.length > 0) await send(kept.splice(0, sentAtOnceMax))
  }

  return {
    add(item) {
      if (kept.length >= keptMax) dropped += 1
      else kept.push(item)
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

import type { Settings } from './settings.ts'

/** By the names that OpenTelemetry gives them: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ */
export interface TelemetrySettings {
  /** Without an address nothing is measured and the module is not loaded. */
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  readonly serviceName: string
  /** Of the traces that begin here; those that a caller has begun go on as the caller wants it. */
  readonly sampledShare: number
}

export function readTelemetrySettings(settings: Settings): TelemetrySettings | undefined {
  const isGiven = settings.optionalText('OTEL_EXPORTER_OTLP_ENDPOINT') !== undefined
  const endpoint = settings.address('OTEL_EXPORTER_OTLP_ENDPOINT', 'http://localhost:4318')
  const telemetry = {
    endpoint,
    headers: readHeaders(settings),
    serviceName: settings.text('OTEL_SERVICE_NAME', 'tracker'),
    sampledShare: readShare(settings),
  }
  return isGiven ? telemetry : undefined
}

/** `name=value` with what is not plain percent-encoded; values may be secrets, so no problem repeats them. */
function readHeaders(settings: Settings): Readonly<Record<string, string>> {
  const pairs = settings.entries('OTEL_EXPORTER_OTLP_HEADERS').map((entry) => {
    const [name = '', ...value] = entry.split('=')
    return [name.trim(), value.join('=').trim()] as const
  })
  // Node loads all of `fetch` with the first of them.
  if (pairs.length === 0) return {}
  try {
    return Object.fromEntries(new Headers(pairs.map(([name, value]) => [name, decodeURIComponent(value)])))
  } catch {
    settings.refuse('OTEL_EXPORTER_OTLP_HEADERS must be name=value, separated by commas.')
    return {}
  }
}

function readShare(settings: Settings): number {
  const given = settings.text('OTEL_TRACES_SAMPLER_ARG', '1')
  const share = /^(0|1|0?\.\d{1,6}|1\.0+)$/.test(given) ? Number(given) : Number.NaN
  if (Number.isNaN(share)) settings.refuse('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1.')
  return share
}

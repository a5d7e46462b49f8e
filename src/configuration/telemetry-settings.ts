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
  const endpoint = settings.get('OTEL_EXPORTER_OTLP_ENDPOINT')
  const telemetry = {
    headers: readHeaders(settings),
    serviceName: settings.get('OTEL_SERVICE_NAME'),
    sampledShare: readShare(settings),
  }
  return endpoint === undefined ? undefined : { endpoint, ...telemetry }
}

/** `name=value` with what is not plain percent-encoded; values may be secrets, so no problem repeats them. */
function readHeaders(settings: Settings): Readonly<Record<string, string>> {
  const pairs = settings.get('OTEL_EXPORTER_OTLP_HEADERS').map((entry) => {
    const [name = '', ...value] = entry.split('=')
    return [name.trim(), value.join('=').trim()] as const
  })
  // Node loads all of `fetch` with the first of them.
  if (pairs.length === 0) return {}
  try {
    return Object.fromEntries(new Headers(pairs.map(([name, value]) => [name, decodeURIComponent(value)])))
  } catch {
    settings.reject('OTEL_EXPORTER_OTLP_HEADERS must be name=value, separated by commas.')
    return {}
  }
}

function readShare(settings: Settings): number {
  const given = settings.get('OTEL_TRACES_SAMPLER_ARG')
  const share = /^(0|1|0?\.\d{1,6}|1\.0+)$/.test(given) ? Number(given) : Number.NaN
  if (Number.isNaN(share)) settings.reject('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1.')
  return share
}

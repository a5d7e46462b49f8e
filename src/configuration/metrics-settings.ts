import type { Settings } from './settings.ts'

export interface MetricsSettings {
  /** Measurements at `/metrics`. They are for operators, and most ports are public, so they are off by default. */
  readonly metrics: boolean
  /** Whoever reads them shows it. Without one they are for programs on this machine. */
  readonly metricsToken?: string
}

/** RFC 6750, 2.1, and long enough that nobody finds it by trying. */
const tokenPattern = /^[\w.~+/-]{16,256}=*$/

export function readMetricsSettings(settings: Settings): MetricsSettings {
  const metrics = settings.get('METRICS')
  const metricsToken = settings.get('METRICS_TOKEN')
  if (metricsToken === undefined) return { metrics }
  if (!tokenPattern.test(metricsToken))
    settings.reject('METRICS_TOKEN must have 16 to 256 characters out of A-Z, a-z, 0-9 and -._~+/.')
  return { metrics, metricsToken }
}

import type { FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'
import type { MetricsSettings } from '../config/host-settings.ts'
import type { MeasuredParts } from './host-metrics.ts'

/** Serves the metrics that all hosts have at `/metrics`. The library is loaded only where they are switched on. */
export async function measureHost(
  app: FastifyInstance,
  parts: MeasuredParts,
  { metrics, metricsToken }: MetricsSettings,
): Promise<Registry | undefined> {
  if (!metrics) return undefined
  const { addHostMeasures } = await import('./host-metrics.ts')
  return addHostMeasures(app, parts, metricsToken)
}

import type { FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'
import type { MetricsSettings } from '../configuration/metrics-settings.ts'
import type { MeasuredParts } from './host-measures.ts'

/** What every host measures, at `/metrics`. The library is loaded only where they are on. */
export async function measureHost(
  app: FastifyInstance,
  parts: MeasuredParts,
  { metrics, metricsToken }: MetricsSettings,
): Promise<Registry | undefined> {
  if (!metrics) return undefined
  const { addHostMeasures } = await import('./host-measures.ts')
  return addHostMeasures(app, parts, metricsToken)
}

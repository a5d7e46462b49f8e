import type { FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'
import type { MeasuredParts } from './host-measures.ts'

/** Off by default: they are for operators, and the port is public. */
export interface MetricsOptions {
  readonly metrics: boolean
}

/** What every host measures, at `/metrics`. The library is loaded only where they are on. */
export async function measureHost(
  app: FastifyInstance,
  parts: MeasuredParts,
  { metrics }: MetricsOptions,
): Promise<Registry | undefined> {
  if (!metrics) return undefined
  const { addHostMeasures } = await import('./host-measures.ts')
  return addHostMeasures(app, parts)
}

import { status } from '@grpc/grpc-js'
import type { FastifyInstance } from 'fastify'
import type { MetricsSettings } from '../../configuration/metrics-settings.ts'
import { measureHost } from '../../http/measure-host.ts'

/** Durations by command and status, at the diagnostics' `/metrics`, with what every host measures. */
export async function measureCalls(
  diagnostics: FastifyInstance,
  parts: Parameters<typeof measureHost>[1],
  options: MetricsSettings,
) {
  const registry = await measureHost(diagnostics, parts, options)
  if (!registry) return () => undefined
  const [{ Histogram }, { durationBucketsSeconds }] = await Promise.all([
    import('prom-client'),
    import('../../http/metrics.ts'),
  ])
  const durations = new Histogram({
    name: 'command_duration_seconds',
    help: 'Time from a complete request to its answer.',
    labelNames: ['command', 'code'] as const,
    buckets: durationBucketsSeconds,
    registers: [registry],
  })
  return (command: string, code: status, seconds: number) =>
    durations.observe({ command, code: status[code] }, seconds)
}

import { status } from '@grpc/grpc-js'
import type { FastifyInstance } from 'fastify'
import { Histogram } from 'prom-client'
import { measureHost } from '../../http/host-measures.ts'
import { durationBucketsSeconds, type MetricsOptions } from '../../http/metrics.ts'

/** Durations by command and status, at the diagnostics' `/metrics`, with what every host measures. */
export function measureCalls(
  diagnostics: FastifyInstance,
  parts: Parameters<typeof measureHost>[1],
  options: MetricsOptions,
) {
  const registry = measureHost(diagnostics, parts, options)
  if (!registry) return () => undefined
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

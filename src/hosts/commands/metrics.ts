import { status } from '@grpc/grpc-js'
import type { FastifyInstance } from 'fastify'
import { Histogram } from 'prom-client'
import { addMetrics, type Measured, type MetricsOptions } from '../../http/metrics.ts'

/** Durations by command and status, at the diagnostics' `/metrics`. */
export function measureCalls(diagnostics: FastifyInstance, budgets: Measured, options: MetricsOptions) {
  const registry = addMetrics(diagnostics, budgets, options)
  if (!registry) return () => undefined
  const durations = new Histogram({
    name: 'command_duration_seconds',
    help: 'Time from a complete request to its answer.',
    labelNames: ['command', 'code'] as const,
    registers: [registry],
  })
  return (command: string, code: status, seconds: number) =>
    durations.observe({ command, code: status[code] }, seconds)
}

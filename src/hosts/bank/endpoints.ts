import { mayReadMetrics } from '../../http/host-metrics.ts'
import type { MetricsPage } from '../../observability/metrics.ts'
import { type ClientHandlers, problemBody, type Reply } from './client-handlers.ts'
import type { FastRoute } from './fast-path.ts'
import {
  type Endpoint,
  type Handler,
  json,
  plainText,
  readBody,
  reject,
  send,
  unsupportedReasonOf,
} from './server.ts'

export interface MetricsSource {
  readonly read: () => Promise<MetricsPage>
  /** The token required to read metrics. */
  readonly token: string | undefined
}

/** The state that load balancers see in health checks. */
export interface HealthState {
  readonly isStopping: boolean
}

export interface EndpointOptions {
  /** Reads from the store; rejects when that is impossible. */
  readonly checkStore: () => Promise<unknown>
  readonly metricsSource?: MetricsSource | undefined
  readonly health?: HealthState
}

/** Lists all paths, for the general server. */
export function bankEndpoints(
  clients: readonly ClientHandlers[],
  { checkStore, metricsSource, health = { isStopping: false } }: EndpointOptions,
): ReadonlyMap<string, Endpoint> {
  const handleHealth = healthHandler(health)
  const handleReadiness = readinessHandler(health, checkStore)
  const endpoints = new Map<string, Endpoint>([
    ['/healthz', { GET: handleHealth, HEAD: handleHealth }],
    ['/readyz', { GET: handleReadiness, HEAD: handleReadiness }],
  ])
  if (metricsSource !== undefined) endpoints.set('/metrics', { GET: metricsHandler(metricsSource) })
  for (const { id, readStatement, transact } of clients) {
    const handleStatement: Handler = (_request, response) =>
      readStatement((status, body) => send(response, status, body, json))
    endpoints.set(statementPathOf(id), { GET: handleStatement, HEAD: handleStatement })
    endpoints.set(transactionPathOf(id), { POST: transactionHandler(transact) })
  }
  return endpoints
}

/** Lists the routes that make up nearly all of the challenge's load, for the fast path. */
export const fastRoutesOf = (clients: readonly ClientHandlers[]): FastRoute<Reply>[] =>
  clients.flatMap(({ id, readStatement, transact }) => [
    { method: 'GET', path: statementPathOf(id), serve: (_body, reply) => readStatement(reply) },
    { method: 'POST', path: transactionPathOf(id), serve: transact },
  ])

const statementPathOf = (id: number) => `/clientes/${id}/extrato`
const transactionPathOf = (id: number) => `/clientes/${id}/transacoes`

const healthHandler =
  (health: HealthState): Handler =>
  (_request, response) =>
    health.isStopping
      ? send(response, 503, 'The host stops.', plainText)
      : send(response, 200, 'Healthy', plainText)

/** Unlike `/healthz`, whose response the contract fixes, it reports that the store cannot be reached. */
const readinessHandler =
  (health: HealthState, checkStore: () => Promise<unknown>): Handler =>
  (request, response) => {
    if (health.isStopping) return healthHandler(health)(request, response)
    checkStore().then(
      () => send(response, 200, 'Healthy', plainText),
      () => send(response, 503, 'Not ready: database.', [...plainText, 'Retry-After', '1']),
    )
  }

const transactionHandler =
  (transact: (body: Buffer, reply: Reply) => void): Handler =>
  (request, response) => {
    const rejectBody = (status: number, problem: string) =>
      reject(request, response, status, json, problemBody(problem))
    const rejection = unsupportedReasonOf(request)
    if (rejection !== undefined) return rejectBody(415, rejection)
    readBody(request, (body) => {
      if (body === undefined) return rejectBody(422, 'The body is too long.')
      transact(body, (status, text) => send(response, status, text, json))
    })
  }

const metricsHandler =
  ({ read, token }: MetricsSource): Handler =>
  (request, response) => {
    if (!mayReadMetrics(request, token))
      return reject(
        request,
        response,
        401,
        [...plainText, 'WWW-Authenticate', 'Bearer'],
        'A token is required.',
      )
    read().then(
      ({ text, type }) => send(response, 200, text, ['Content-Type', type]),
      (error) => reject(request, response, 503, plainText, (error as Error).message),
    )
  }

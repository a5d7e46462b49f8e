import { mayReadMeasures } from '../../http/may-read-measures.ts'
import type { MetricsPage } from '../../observability/metrics.ts'
import { type ClientAnswers, problemBody, type Reply } from './answers.ts'
import { json, plainText, readBody, reject, rejectionOf, send } from './respond.ts'
import type { Answer, Endpoint } from './server.ts'

export interface ReadMeasures {
  readonly read: () => Promise<MetricsPage>
  /** The token required to read metrics. */
  readonly token: string | undefined
}

/** The state that load balancers see in health checks. */
export interface Health {
  readonly isLeaving: boolean
}

/** Lists all paths, for the general server. */
export function bankEndpoints(
  clients: readonly ClientAnswers[],
  readMeasures?: ReadMeasures,
  health: Health = { isLeaving: false },
): ReadonlyMap<string, Endpoint> {
  const answerHealth = healthAnswer(health)
  const endpoints = new Map<string, Endpoint>([['/healthz', { GET: answerHealth, HEAD: answerHealth }]])
  if (readMeasures !== undefined) endpoints.set('/metrics', { GET: measuresAnswer(readMeasures) })
  for (const { id, readStatement, transact } of clients) {
    const answerStatement: Answer = (_request, response) =>
      readStatement((status, body) => send(response, status, body, json))
    endpoints.set(statementPathOf(id), { GET: answerStatement, HEAD: answerStatement })
    endpoints.set(transactionPathOf(id), { POST: transactionAnswer(transact) })
  }
  return endpoints
}

export const statementPathOf = (id: number) => `/clientes/${id}/extrato`
export const transactionPathOf = (id: number) => `/clientes/${id}/transacoes`

const healthAnswer =
  (health: Health): Answer =>
  (_request, response) =>
    health.isLeaving
      ? send(response, 503, 'The host stops.', plainText)
      : send(response, 200, 'Healthy', plainText)

const transactionAnswer =
  (transact: (body: Buffer, reply: Reply) => void): Answer =>
  (request, response) => {
    const rejectBody = (status: number, problem: string) =>
      reject(request, response, status, json, problemBody(problem))
    const rejection = rejectionOf(request)
    if (rejection !== undefined) return rejectBody(415, rejection)
    readBody(request, (body) => {
      if (body === undefined) return rejectBody(422, 'The body is too long.')
      transact(body, (status, text) => send(response, status, text, json))
    })
  }

const measuresAnswer =
  ({ read, token }: ReadMeasures): Answer =>
  (request, response) => {
    if (!mayReadMeasures(request, token))
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

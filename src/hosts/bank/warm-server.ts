import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { openBudgets } from '../../config/budgets.ts'
import { createStatementReader } from './accounts.ts'
import { clientHandlers } from './client-handlers.ts'
import type { Connection } from './connection.ts'
import { bankEndpoints, fastRoutesOf } from './endpoints.ts'
import { createBankServer } from './server.ts'
import { batchTransactions } from './transactions.ts'

/**
 * Sends requests to the server on a separate port, with a fake database, so that its hot code gets compiled.
 */
export async function warmUpServer(requests: number): Promise<void> {
  const limits = new Map([[1, '100000']])
  const accounts = {
    limits,
    apply: batchTransactions(fakeConnection),
    readStatement: createStatementReader(fakeConnection),
  }
  const clients = clientHandlers(accounts, { overLimitStatus: 200, onFailure: () => {} })
  const { server, stop } = createBankServer({
    budgets: openBudgets(),
    endpoints: bankEndpoints(clients, { checkStore: () => accounts.readStatement(1) }),
    fastRoutes: fastRoutesOf(clients),
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const deadline = performance.now() + warmUpMillisecondsMax
  let count = 0
  const sendRequests = async () => {
    const keptAlive = openSocket(port)
    while (count++ < requests && performance.now() < deadline) {
      const request = samples[count % samples.length] ?? healthz
      // Half of the requests use their own connections, as many clients do.
      if (count % 2 === 0) await keptAlive.send(request)
      else await sendAlone(port, request)
    }
    keptAlive.close()
  }
  await Promise.all(Array.from({ length: parallelSenders }, sendRequests))
  await stop()
}

const parallelSenders = 16
/** Warm-up stops after this time, so that a slow machine still starts. */
const warmUpMillisecondsMax = 1000

type RequestBuilder = (extraHeaders?: string) => string

const get =
  (path: string): RequestBuilder =>
  (extraHeaders = '') =>
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${extraHeaders}\r\n`
const post =
  (body: string): RequestBuilder =>
  (extraHeaders = '') =>
    `POST /clientes/1/transacoes HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${body.length}\r\n${extraHeaders}\r\n${body}`

const healthz = get('/healthz')
const samples: readonly RequestBuilder[] = [
  post('{"valor": 1, "tipo": "c", "descricao": "warm-up"}'),
  post('{"valor": 1, "tipo": "d", "descricao": "warm-up"}'),
  post('{"valor": 1.2, "tipo": "d", "descricao": "warm-up"}'),
  get('/clientes/1/extrato'),
  get('/nowhere'),
]

/** Uses bare sockets: compiling an HTTP client as well would take two thirds of the time. */
function openSocket(port: number) {
  let onResponse = () => {}
  const socket = connect(port, '127.0.0.1')
  for (const event of ['data', 'close']) socket.on(event, () => onResponse())
  socket.on('error', () => {})
  return {
    send: (request: RequestBuilder) =>
      new Promise<void>((resolve) => {
        onResponse = resolve
        if (socket.destroyed) resolve()
        else socket.write(request())
      }),
    close: () => socket.destroy(),
  }
}

/** Ignores errors, because a broken connection only means that some code is compiled later. */
const sendAlone = (port: number, request: RequestBuilder): Promise<void> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    socket.once('close', () => resolve())
    socket.resume().write(request('Connection: close\r\n'))
  })

/** Returns a fake database row for each of the three statements. */
const fakeConnection: Connection = {
  async query({ name, values: [accounts = ''] }) {
    if (name === 'statement') return ['{}']
    if (name === 'apply_one') return ['0', 't']
    const zeros = accounts.slice(1, -1).split(',')
    return [`{${zeros.map(() => 0)}}`, `{${zeros.map(() => 't')}}`]
  },
  async close() {},
}

import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { openBudgets } from '../../config/budgets.ts'
import { openStatements } from './accounts.ts'
import { bankAnswers } from './answers.ts'
import type { Connection } from './connection.ts'
import { bankEndpoints } from './endpoints.ts'
import { knownLines } from './known-lines.ts'
import { createBankServer } from './server.ts'
import { openTransactions } from './transactions.ts'

/** Runs the hot code until it is compiled, on a separate port: the real server with a fake database. */
export async function warmServer(requests: number): Promise<void> {
  const limits = new Map([[1, '100000']])
  const accounts = { limits, apply: openTransactions(echo), readStatement: openStatements(echo) }
  const clients = bankAnswers(accounts, { overLimitStatus: 200, onFailure: () => {} })
  const { server, stop } = createBankServer({
    budgets: openBudgets(),
    endpoints: bankEndpoints(clients),
    lines: knownLines(clients),
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const deadline = performance.now() + warmMilliseconds
  let count = 0
  const sendSome = async () => {
    const kept = openConnection(port)
    while (count++ < requests && performance.now() < deadline) {
      const request = samples[count % samples.length] ?? healthz
      // Half of the requests use their own connections, as many clients do.
      if (count % 2 === 0) await kept.send(request)
      else await sendAlone(port, request)
    }
    kept.close()
  }
  await Promise.all(Array.from({ length: parallel }, sendSome))
  await stop()
}

const parallel = 16
/** Warm-up stops after this time, so that a slow machine still starts. */
const warmMilliseconds = 1000

type Request = (more?: string) => string

const get =
  (path: string): Request =>
  (more = '') =>
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`
const post =
  (body: string): Request =>
  (more = '') =>
    `POST /clientes/1/transacoes HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${body.length}\r\n${more}\r\n${body}`

const healthz = get('/healthz')
const samples: readonly Request[] = [
  post('{"valor": 1, "tipo": "c", "descricao": "warm-up"}'),
  post('{"valor": 1, "tipo": "d", "descricao": "warm-up"}'),
  post('{"valor": 1.2, "tipo": "d", "descricao": "warm-up"}'),
  get('/clientes/1/extrato'),
  get('/nowhere'),
]

/** Uses bare sockets: compiling an HTTP client as well would take two thirds of the time. */
function openConnection(port: number) {
  let answered = () => {}
  const socket = connect(port, '127.0.0.1')
  for (const event of ['data', 'close']) socket.on(event, () => answered())
  socket.on('error', () => {})
  return {
    send: (request: Request) =>
      new Promise<void>((resolve) => {
        answered = resolve
        if (socket.destroyed) resolve()
        else socket.write(request())
      }),
    close: () => socket.destroy(),
  }
}

/** Errors are ignored: after a cut connection some code merely compiles later. */
const sendAlone = (port: number, request: Request): Promise<void> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    socket.once('close', () => resolve())
    socket.resume().write(request('Connection: close\r\n'))
  })

/** Returns a fake database row for each of the three statements. */
const echo: Connection = {
  async query({ name, values: [accounts = ''] }) {
    if (name === 'statement') return ['{}']
    if (name === 'apply_one') return ['0', 't']
    const zeros = accounts.slice(1, -1).split(',')
    return [`{${zeros.map(() => 0)}}`, `{${zeros.map(() => 't')}}`]
  },
  async close() {},
}

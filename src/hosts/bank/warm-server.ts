import { once } from 'node:events'
import { Agent, type RequestOptions, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openBudgets } from '../../configuration/budgets.ts'
import { bankAnswers } from './answers.ts'
import type { Connection } from './connection.ts'
import { bankEndpoints } from './endpoints.ts'
import { knownLines } from './known-lines.ts'
import { createBankServer } from './server.ts'
import { openStatements } from './statement.ts'
import { openTransactions } from './transactions.ts'

/** Lets the compiler see every line often, on a port of its own: the real server and a made-up database. */
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
  const keepAlive = new Agent({ keepAlive: true, maxSockets: parallel })
  const deadline = performance.now() + warmMilliseconds
  let count = 0
  const sendSome = async () => {
    while (count++ < requests && performance.now() < deadline) {
      // Some on a connection of their own, as many clients do it.
      const agent = count % 4 === 0 ? false : keepAlive
      const { body, ...target } = samples[count % samples.length] ?? healthz
      await answered({ ...target, host: '127.0.0.1', port, agent }, body)
    }
  }
  await Promise.all(Array.from({ length: parallel }, sendSome))
  keepAlive.destroy()
  await stop()
}

const parallel = 16
/** A slow machine starts anyway. */
const warmMilliseconds = 1000

interface Sample extends RequestOptions {
  readonly body?: string
}

const healthz: Sample = { path: '/healthz' }
const post = {
  method: 'POST',
  path: '/clientes/1/transacoes',
  headers: { 'content-type': 'application/json' },
}
const samples: readonly Sample[] = [
  { ...post, body: '{"valor": 1, "tipo": "c", "descricao": "warm-up"}' },
  { ...post, body: '{"valor": 1, "tipo": "d", "descricao": "warm-up"}' },
  { ...post, body: '{"valor": 1.2, "tipo": "d", "descricao": "warm-up"}' },
  { path: '/clientes/1/extrato' },
  { path: '/nowhere' },
]

/** When a connection is cut, the code is only compiled a little later. */
function answered(options: RequestOptions, body: string | undefined): Promise<void> {
  return new Promise((resolve) => {
    request(options, (response) => response.resume().once('close', resolve))
      .once('error', () => resolve())
      .end(body)
  })
}

/** Answers any of the three statements as the database would. */
const echo: Connection = {
  async query({ name, values: [accounts = ''] }) {
    if (name === 'statement') return ['{}']
    if (name === 'apply_one') return ['0', 't']
    const zeros = accounts.slice(1, -1).split(',')
    return [`{${zeros.map(() => 0)}}`, `{${zeros.map(() => 't')}}`]
  },
  async close() {},
}

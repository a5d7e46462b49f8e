import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { freshDatabase } from '../../../../test/support/fresh-database.ts'
import { type Budgets, openBudgets } from '../../../config/budgets.ts'
import type { Database } from '../../../db/database.ts'
import { openAccounts } from '../accounts.ts'
import { clientHandlers } from '../client-handlers.ts'
import { bankEndpoints, fastRoutesOf } from '../endpoints.ts'
import { type BankServerOptions, createBankServer } from '../server.ts'

export interface InProcessBank {
  readonly url: string
  readonly database: Database
  readonly port: number
  readonly failures: unknown[]
  stop(): Promise<void>
}

export interface InProcessOptions {
  readonly overLimitStatus?: 200 | 422
  readonly timeouts?: BankServerOptions['timeouts']
  readonly budgets?: Budgets
  /** Without the fast path, the general server handles everything. */
  readonly usesGeneralServerOnly?: boolean
}

/** Starts the equivalent of one instance in the test's process, on its own database. */
export async function startInProcessBank({
  overLimitStatus = 200,
  timeouts = {},
  budgets = openBudgets(),
  usesGeneralServerOnly = false,
}: InProcessOptions = {}): Promise<InProcessBank> {
  const { url, database, drop } = await freshDatabase()
  const failures: unknown[] = []
  const accounts = await openAccounts({ url, namedStatements: true })
  const clients = clientHandlers(accounts, { overLimitStatus, onFailure: (error) => failures.push(error) })
  const { server, stop } = createBankServer({
    budgets,
    endpoints: bankEndpoints(clients, accounts),
    timeouts,
    ...(usesGeneralServerOnly ? undefined : { fastRoutes: fastRoutesOf(clients) }),
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url,
    database,
    port: (server.address() as AddressInfo).port,
    failures,
    async stop() {
      await stop()
      await accounts.close()
      await drop()
    },
  }
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export async function get(port: number, path: string, method = 'GET'): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

export async function post(
  port: number,
  path: string,
  body: unknown,
  contentType = 'application/json',
): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { 'content-type': contentType },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** `valor` is the amount; `tipo` is `c` for a credit and `d` for a debit. */
interface Transaction {
  readonly client: number
  readonly valor: number
  readonly tipo: 'c' | 'd'
  readonly descricao?: string
}

export const transact = (port: number, { client, descricao = 'test', ...transaction }: Transaction) =>
  post(port, `/clientes/${client}/transacoes`, { ...transaction, descricao })

export interface Statement {
  readonly saldo: { readonly total: number; readonly data_extrato: string; readonly limite: number }
  readonly ultimas_transacoes: readonly {
    readonly valor: number
    readonly tipo: string
    readonly descricao: string
    readonly realizada_em: string
  }[]
}

export async function statementOf(port: number, client: number): Promise<Statement> {
  const { text } = await get(port, `/clientes/${client}/extrato`)
  return JSON.parse(text)
}

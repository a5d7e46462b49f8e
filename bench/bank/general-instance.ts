import { once } from 'node:events'
import { openBudgets } from '../../src/config/budgets.ts'
import { openAccounts } from '../../src/hosts/bank/accounts.ts'
import { clientHandlers } from '../../src/hosts/bank/client-handlers.ts'
import { type Connection, openConnection } from '../../src/hosts/bank/connection.ts'
import { bankEndpoints } from '../../src/hosts/bank/endpoints.ts'
import { warmUpServer } from '../../src/hosts/bank/instance.ts'
import { createBankServer } from '../../src/hosts/bank/server.ts'
import type { Apply } from '../../src/hosts/bank/transactions.ts'

// An instance of the bank with only its general HTTP server. Transactions are batched, as in production; with
// `unbatched`, each is a separate call of the database.

/** More connections would only wait for the same rows. */
const connectionsMax = 10

const [port, url = '', mode] = process.argv.slice(2)
const options = { url, namedStatements: true }
const free: Connection[] = Array.from({ length: connectionsMax }, () => openConnection(options))
const waiting: ((connection: Connection) => void)[] = []

const applyAlone: Apply = async ({ account, amount, description }) => {
  const connection = free.pop() ?? (await new Promise<Connection>((resolve) => waiting.push(resolve)))
  try {
    const [balance, applied] =
      (await connection.query({
        name: 'apply_one',
        text: 'select balance, applied from bank.apply_one($1, $2, $3)',
        values: [String(account), String(amount), description],
      })) ?? []
    return { balance: balance ?? '', isApplied: applied === 't' }
  } finally {
    const next = waiting.shift()
    if (next) next(connection)
    else free.push(connection)
  }
}

const accounts = await openAccounts(options)
await warmUpServer(500)
const apply = mode === 'unbatched' ? applyAlone : accounts.apply
const clients = clientHandlers({ ...accounts, apply }, { overLimitStatus: 200, onFailure: console.error })
const { server } = createBankServer({ budgets: openBudgets(), endpoints: bankEndpoints(clients, accounts) })
await once(server.listen({ host: '127.0.0.1', port: Number(port), reusePort: true }), 'listening')
process.once('disconnect', () => process.exit())
process.send?.('listening')

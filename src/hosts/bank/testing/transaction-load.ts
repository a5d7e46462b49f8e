import { openRawClient, type RawClient, statementRequest } from './raw-client.ts'
import { requestBytes } from './raw-socket.ts'

export interface TransactionLoad {
  /** All of its descriptions begin with it. */
  readonly name: string
  /** Descriptions, each used once, of what was answered so. */
  readonly applied: readonly string[]
  /** By description, the balance that was answered. */
  readonly balances: ReadonlyMap<string, number>
  readonly refused: readonly string[]
  /** No answer came, or one that says that the outcome is unknown or nothing was applied. */
  readonly failed: readonly string[]
  /** Answers that show a balance under its limit; all the time somebody reads statements too. */
  readonly underLimit: readonly string[]
  /** How many statements were read. */
  statements(): number
  /** Lets the last requests come to their end. */
  stop(): Promise<void>
}

/** More than any test sends. */
const requestsMax = 200_000

/** Many writers, each with one transaction at a time, and a reader of statements, until told to stop. Names keep two apart. */
export function startTransactionLoad(port: number, writers = 32, name = ''): TransactionLoad {
  const applied: string[] = []
  const balances = new Map<string, number>()
  const refused: string[] = []
  const failed: string[] = []
  const underLimit: string[] = []
  let count = 0
  let statements = 0
  let isStopping = false
  const write = async (client: RawClient) => {
    const description = name + (++count).toString(36)
    const { status, body } = await client.send(transaction(count, description)).catch((error) => {
      failed.push(description)
      throw error
    })
    if (status === 200) {
      const { saldo, limite } = JSON.parse(body)
      if (saldo < -limite) underLimit.push(body)
      balances.set(description, saldo)
      applied.push(description)
    } else if (body.includes('limit')) refused.push(description)
    else failed.push(description)
  }
  const read = async (client: RawClient) => {
    const { status, body } = await client.send(statementRequest(1 + (statements % 5)))
    if (status !== 200) return
    statements++
    const { saldo } = JSON.parse(body)
    if (saldo.total < -saldo.limite) underLimit.push(body)
  }
  const isOver = () => isStopping || count >= requestsMax
  const working = Promise.all([
    ...Array.from({ length: writers }, () => repeat(port, write, isOver)),
    repeat(port, read, isOver),
  ])
  return {
    name,
    applied,
    balances,
    refused,
    failed,
    underLimit,
    statements: () => statements,
    async stop() {
      isStopping = true
      await working
    },
  }
}

/** On one connection, and on a new one whenever it breaks. */
async function repeat(
  port: number,
  work: (client: RawClient) => Promise<void>,
  isOver: () => boolean,
): Promise<void> {
  let client = openRawClient(port)
  while (!isOver()) {
    try {
      await work(client)
      if (client.isOpen()) continue
      client.close()
      client = openRawClient(port)
    } catch {
      client.close()
      await new Promise((resolve) => setTimeout(resolve, 20))
      client = openRawClient(port)
    }
  }
  client.close()
}

/** Two debits for each credit and large amounts, so that the limits are reached soon and stay in reach. */
function transaction(count: number, descricao: string): string {
  const fields = { valor: 1 + ((count * 7919) % 100_000), tipo: count % 3 === 0 ? 'c' : 'd', descricao }
  return requestBytes('POST', `/clientes/${1 + (count % 5)}/transacoes`, JSON.stringify(fields)).toString()
}

import { connect, type Socket } from 'node:net'
import { requestBytes } from './raw-socket.ts'

export interface TransactionLoad {
  /** The prefix of all its descriptions. */
  readonly name: string
  /** The descriptions, each used once, of transactions confirmed as applied. */
  readonly applied: readonly string[]
  /** The returned balance by description. */
  readonly balances: ReadonlyMap<string, number>
  readonly rejected: readonly string[]
  /**
   * Requests without a response, or with a response that says that nothing was applied or that the outcome is
   * unknown.
   */
  readonly failed: readonly string[]
  /** Responses that show a balance below the limit; statements are read throughout as well. */
  readonly underLimit: readonly string[]
  statements(): number
  /** Lets the last requests finish. */
  stop(): Promise<void>
}

/** More than any test sends. */
const requestsMax = 200_000

/**
 * Runs many writers, each with one transaction at a time, and a reader of statements, until stopped. Names
 * distinguish two loads.
 */
export function startTransactionLoad(port: number, writers = 32, name = ''): TransactionLoad {
  const applied: string[] = []
  const balances = new Map<string, number>()
  const rejected: string[] = []
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
    } else if (body.includes('limit')) rejected.push(description)
    else failed.push(description)
  }
  const read = async (client: RawClient) => {
    const { status, body } = await client.send(statementRequest(1 + (statements % 5)))
    if (status !== 200) return
    statements++
    const { saldo } = JSON.parse(body)
    if (saldo.total < -saldo.limite) underLimit.push(body)
  }
  const isDone = () => isStopping || count >= requestsMax
  const working = Promise.all([
    ...Array.from({ length: writers }, () => repeat(port, write, isDone)),
    repeat(port, read, isDone),
  ])
  return {
    name,
    applied,
    balances,
    rejected,
    failed,
    underLimit,
    statements: () => statements,
    async stop() {
      isStopping = true
      await working
    },
  }
}

/** Repeats on one connection, and opens a new one whenever it breaks. */
async function repeat(
  port: number,
  work: (client: RawClient) => Promise<void>,
  isDone: () => boolean,
): Promise<void> {
  let client = openRawClient(port)
  while (!isDone()) {
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

/** Two debits for each credit and large amounts, so that the limits are reached soon and often. */
function transaction(count: number, descricao: string): string {
  const fields = { valor: 1 + ((count * 7919) % 100_000), tipo: count % 3 === 0 ? 'c' : 'd', descricao }
  return requestBytes('POST', `/clientes/${1 + (count % 5)}/transacoes`, JSON.stringify(fields)).toString()
}

export interface Answer {
  readonly status: number
  readonly body: string
  readonly milliseconds: number
}

/** Sends one request at a time on one connection, with as little overhead as possible. */
interface RawClient {
  send(request: string): Promise<Answer>
  /** True until a response announces the end of the connection. */
  isOpen(): boolean
  close(): void
}

/** Longer than any response takes. */
const timeoutMilliseconds = 30_000

export function openRawClient(port: number): RawClient {
  let pending: { resolve(answer: Answer): void; reject(error: Error): void; sentAt: number } | undefined
  let received = ''
  let isOpen = true
  const socket = connect({ host: '127.0.0.1', port, noDelay: true })
  socket.setEncoding('utf8')
  socket.setTimeout(timeoutMilliseconds, () => socket.destroy(new Error('silence')))
  const fail = (error: Error) => {
    pending?.reject(error)
    pending = undefined
  }
  socket.on('error', fail)
  socket.on('close', () => fail(new Error('closed')))
  socket.on('data', (text: string) => {
    received += text
    const answer = parseAnswer(received)
    if (answer === undefined || pending === undefined) return
    const { resolve, sentAt } = pending
    pending = undefined
    if (/\r\nconnection: close\r\n/i.test(text)) isOpen = false
    received = ''
    resolve({ ...answer, milliseconds: performance.now() - sentAt })
  })
  return {
    send(request) {
      return new Promise((resolve, reject) => {
        pending = { resolve, reject, sentAt: performance.now() }
        if (socket.destroyed) fail(new Error('closed'))
        else socket.write(request)
      })
    },
    isOpen: () => isOpen,
    close: () => closeQuietly(socket),
  }
}

/**
 * Opens a connection for this request alone, like each user of the challenge. The time includes connecting.
 */
export async function sendAlone(port: number, request: string): Promise<Answer> {
  const client = openRawClient(port)
  try {
    return await client.send(request)
  } finally {
    client.close()
  }
}

function closeQuietly(socket: Socket): void {
  socket.removeAllListeners('close')
  socket.end()
}

function parseAnswer(text: string): { status: number; body: string } | undefined {
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd === -1) return undefined
  const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1]
  const body = text.slice(headEnd + 4)
  // Characters and bytes differ only for non-ASCII descriptions, and the load uses ASCII.
  if (length === undefined || body.length < Number(length)) return undefined
  return { status: Number(text.slice(9, 12)), body }
}

export const statementRequest = (client: number): string =>
  `GET /clientes/${client}/extrato HTTP/1.1\r\nHost: bank\r\n\r\n`

export function transactionRequest(client: number, fields: object): string {
  const body = JSON.stringify(fields)
  return `POST /clientes/${client}/transacoes HTTP/1.1\r\nHost: bank\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

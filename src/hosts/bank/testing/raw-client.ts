import { connect, type Socket } from 'node:net'

export interface Answer {
  readonly status: number
  readonly body: string
  readonly milliseconds: number
}

/** Sends one request at a time on one connection, with as little overhead as possible. */
export interface RawClient {
  send(request: string): Promise<Answer>
  /** True until a response announces the end of the connection. */
  isOpen(): boolean
  close(): void
}

/** Longer than any limit of the server. */
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
 * Opens a connection for this request alone, as each of the challenge's users does; connecting is included in
 * the time.
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

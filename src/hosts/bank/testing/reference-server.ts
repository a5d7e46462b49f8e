import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { budgetLimits, openBudgets } from '../../../config/budgets.ts'
import { clientHandlers, parseTransaction } from '../client-handlers.ts'
import { bankEndpoints, fastRoutesOf } from '../endpoints.ts'
import { createBankServer, unsupportedReasonOf } from '../server.ts'
import type { Transaction } from '../transactions.ts'
import type { ObservedServer } from './observe.ts'

export interface Running extends ObservedServer {
  stop(): Promise<void>
}

/** Starts the bank as deployed, except for the database: it records the transactions it is asked to apply. */
export async function startObservedBank(): Promise<Running> {
  const applied: string[] = []
  const accounts = {
    limits: new Map(['1', '2', '3', '4', '5'].map((id) => [Number(id), '100000'])),
    async apply(transaction: Transaction) {
      applied.push(describeTransaction(transaction))
      return { balance: '0', isApplied: true }
    },
    readStatement: async () => '{}',
  }
  const clients = clientHandlers(accounts, { overLimitStatus: 200, onFailure: () => undefined })
  const { server, stop } = createBankServer({
    budgets: openBudgets(),
    endpoints: bankEndpoints(clients, { checkStore: async () => undefined }),
    fastRoutes: fastRoutesOf(clients),
  })
  return { server, applied, stop, port: await portOf(server) }
}

export interface Reference extends Running {
  /**
   * The events after which node:http closes a connection. Which requests it still parses then depends on how the
   * bytes were split, so some differences are allowed.
   */
  readonly connectionEnds: readonly ConnectionEnd[]
}

export type ConnectionEnd = 'broken body' | 'Upgrade'

/** Starts a plain `node:http` server with the bank's rules applied to what it has parsed. */
export async function startReference(): Promise<Reference> {
  const applied: string[] = []
  const exchanges = new WeakMap<Socket, { request: IncomingMessage; response: ServerResponse }>()
  const connectionEnds: ConnectionEnd[] = []
  const server = createServer()
  const handle = (arrival: RequestEvent, request: IncomingMessage, response: ServerResponse) => {
    exchanges.set(request.socket, { request, response })
    if (request.headers.upgrade !== undefined) connectionEnds.push('Upgrade')
    response.once('finish', () => {
      // Node closes the connection after this response, before the whole body has arrived.
      if (!response.shouldKeepAlive && !request.complete) connectionEnds.push('broken body')
    })
    const end = (status: number) => void response.writeHead(status, { 'content-length': 0 }).end()
    const [broken] = rules.filter(({ isBroken }) => isBroken(request, arrival))
    const { client } = pathPattern.exec(request.url ?? '')?.groups ?? {}
    // The bank, too, asks for the body before it checks path, method and type, but after the other checks.
    if (arrival === 'checkContinue' && broken?.status !== 400) response.writeContinue()
    if (broken) end(broken.status)
    else if (request.method !== 'POST') end(200)
    else
      readTransaction(request, end, (transaction) =>
        applied.push(describeTransaction({ ...transaction, account: Number(client) })),
      )
  }
  for (const arrival of requestEvents)
    server.on(arrival, (request: IncomingMessage, response: ServerResponse) =>
      handle(arrival, request, response),
    )
  // Without a listener Node cuts the connection at once.
  server.on('connect', (_request, socket) => setImmediate(() => socket.end('HTTP/1.1 400 \r\n\r\n')))
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const { request, response } = exchanges.get(socket) ?? {}
    const isBodyBroken = request?.complete === false
    if (isBodyBroken) connectionEnds.push('broken body')
    const status = error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400
    // Deferred by a turn, so that complete requests read before the broken bytes get their responses first.
    setImmediate(() => {
      if (isBodyBroken && response?.headersSent) socket.destroySoon()
      else if (socket.writable) socket.end(`HTTP/1.1 ${status} \r\n\r\n`)
    })
  })
  return {
    server,
    applied,
    connectionEnds,
    port: await portOf(server),
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const requestEvents = ['request', 'checkContinue', 'checkExpectation'] as const

type RequestEvent = (typeof requestEvents)[number]

interface Rule {
  readonly reason: string
  readonly status: number
  isBroken(request: IncomingMessage, arrival: RequestEvent): boolean
}

/** The rules by which the bank is stricter than plain `node:http`. The first match wins. */
const rules: readonly Rule[] = [
  {
    reason: 'If Host or Authorization is repeated, a proxy in front may have used the other value.',
    status: 400,
    isBroken: ({ headersDistinct: { host = [], authorization = [] } }) =>
      host.length > 1 || authorization.length > 1,
  },
  {
    reason: 'An expectation that Node does not know.',
    status: 417,
    isBroken: (_request, arrival) => arrival === 'checkExpectation',
  },
  {
    reason: 'There are no other paths.',
    status: 404,
    isBroken: (request) => methodsAt(request) === undefined,
  },
  {
    reason: 'The path has no such method.',
    status: 405,
    isBroken: (request) => !methodsAt(request)?.includes(request.method ?? ''),
  },
  {
    reason: 'Pages of other sites can make a browser send any content type except JSON.',
    status: 415,
    isBroken: (request) => request.method === 'POST' && unsupportedReasonOf(request) !== undefined,
  },
]

const methodsAt = ({ url = '' }: IncomingMessage): readonly string[] | undefined =>
  methodsByPath[pathPattern.exec(url)?.groups?.lastSegment ?? '']

/**
 * Matches the URL of a request line: a path, or an absolute URL as clients send it to a proxy. The lookaheads allow
 * the last segments of a client only below a client, and `healthz` only at the root.
 */
const pathPattern =
  /^(?:[Hh][Tt][Tt][Pp][Ss]?:\/\/[^/?#]*)?\/(?:clientes\/(?<client>[1-5])\/(?=extrato|transacoes)|(?=healthz))(?<lastSegment>extrato|transacoes|healthz)(?:[?#].*)?$/

const methodsByPath: Readonly<Record<string, readonly string[] | undefined>> = {
  extrato: ['GET', 'HEAD'],
  healthz: ['GET', 'HEAD'],
  transacoes: ['POST'],
}

const describeTransaction = ({ account, amount, description }: Transaction) =>
  `${account} ${amount} ${description}`

async function portOf(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

/** Responds 422 as soon as the body exceeds the bank's limit. */
function readTransaction(
  request: IncomingMessage,
  end: (status: number) => void,
  apply: (transaction: Omit<Transaction, 'account'>) => void,
): void {
  const chunks: Buffer[] = []
  let bytes = Number(request.headers['content-length']) > bodyBytesMax ? Number.POSITIVE_INFINITY : 0
  if (bytes > bodyBytesMax) end(422)
  request.on('data', (chunk: Buffer) => {
    const wasShort = bytes <= bodyBytesMax
    bytes += chunk.length
    if (wasShort && bytes > bodyBytesMax) end(422)
    else chunks.push(chunk)
  })
  request.on('end', () => {
    if (bytes > bodyBytesMax) return
    const transaction = parseTransaction(Buffer.concat(chunks))
    if (typeof transaction !== 'string') apply(transaction)
    end(typeof transaction === 'string' ? 422 : 200)
  })
}

const bodyBytesMax = budgetLimits.bankBodyBytes.max

import { once } from 'node:events'
import type { Server } from 'node:http'
import { flushCompileCache } from 'node:module'
import { type AddressInfo, connect } from 'node:net'
import { type Budgets, openBudgets } from '../../config/budgets.ts'
import type { StoreAddress } from '../../db/poolers.ts'
import { createLog, type Log } from '../../http/log.ts'
import type { MetricsPage } from '../../observability/metrics.ts'
import { createStatementReader, openAccounts } from './accounts.ts'
import { clientHandlers, type HandlerOptions, type MetricsRecorder } from './client-handlers.ts'
import type { BankSettings } from './configuration.ts'
import type { Connection } from './connection.ts'
import { bankEndpoints, fastRoutesOf, type MetricsSource } from './endpoints.ts'
import { openProcessRequests, type SendRequest } from './process-requests.ts'
import { type BankServer, createBankServer } from './server.ts'
import { batchTransactions } from './transactions.ts'

/** The supervisor sends this when the store is open, with the socket of the instance to replace, if any. */
export interface InstanceSetup {
  readonly store: StoreAddress
  readonly settings: BankSettings
}

/** An instance reports to the supervisor that it listens, or the reason why it cannot. */
export type Report = 'listening' | { readonly failure: string }

interface RunningInstance extends BankServer {
  readonly health: { isStopping: boolean }
  readonly metrics: BankMetrics | undefined
  close(): Promise<void>
}

/**
 * Runs until the supervisor stops or replaces the process, or until the channel to the supervisor closes,
 * however the supervisor ended.
 */
async function runInstance(): Promise<void> {
  // Ctrl-C reaches the whole process group, and so may SIGUSR2. Only the supervisor acts on these signals.
  for (const signal of ['SIGINT', 'SIGUSR2'] as const) process.on(signal, () => {})
  const { promise: replaced, resolve: replace } = Promise.withResolvers<void>()
  let running: RunningInstance | undefined
  const sendRequest = openProcessRequests(process, {
    metrics: async () => ({ value: (await running?.metrics?.read()) ?? [] }),
    // The listening socket is passed on, so that no pending connection is lost between two instances.
    socket: () => ({ handle: handleOf(running?.server) }),
    announceStop: () => {
      if (running === undefined) return {}
      running.health.isStopping = true
      return {}
    },
    replace: () => {
      replace()
      return {}
    },
  })
  const stopRequested = Promise.race([once(process, 'disconnect'), once(process, 'SIGTERM'), replaced])
  // The process always ends, even if stopping hangs.
  void stopRequested.then(() => setTimeout(() => process.exit(1), stopMilliseconds).unref())
  const setupReceived = Promise.race([
    once(process, 'message') as Promise<[InstanceSetup, unknown]>,
    stopRequested.then(() => undefined),
  ])
  try {
    // The store may still be starting.
    await warmUpServer(Number(process.argv[2]))
    const setup = await setupReceived
    if (setup === undefined) throw new Error('Stopped before the store was open.')
    running = await startInstance(...setup, sendRequest)
    report('listening')
    // The compile cache is flushed now and not on exit, because the process may be killed.
    flushCompileCache()
    // Only `replaced` resolves without a value.
    const isReplaced = (await stopRequested) === undefined
    // A replaced or announced instance keeps idle connections open for one more request, which may be in flight.
    await running.stop(isReplaced || running.health.isStopping)
    await running.close()
  } catch (error) {
    const { message, cause } = error as Error
    report({ failure: cause instanceof Error ? cause.message : message })
    process.exitCode = 1
  }
  if (process.connected) process.disconnect()
}

/** The server cuts its last requests after five seconds; closing connections takes no time. */
const stopMilliseconds = 7000

const report = (outcome: Report) => void (process.connected && process.send?.(outcome))

/** Returns the internal handle of the listening socket, because another process can listen on it. */
const handleOf = (server: Server | undefined) => (server as { _handle?: unknown } | undefined)?._handle

async function startInstance(
  { store, settings }: InstanceSetup,
  handle: unknown,
  sendRequest: SendRequest,
): Promise<RunningInstance> {
  const { host, port, instances, logLevel } = settings
  const budgets: Budgets = openBudgets()
  const metrics = settings.metrics ? await openBankMetrics(budgets) : undefined
  const { close, ...accounts } = await openAccounts(store, metrics?.call)
  const log = createLog({ level: logLevel, host: 'bank' })
  const logFailure = failureLog(log)
  const options: HandlerOptions = {
    ...settings,
    onFailure: (error) => {
      metrics?.countFailure()
      logFailure(error)
    },
    ...(metrics && { recorder: metrics }),
  }
  const clients = clientHandlers(accounts, options)
  const health = { isStopping: false }
  const bank = createBankServer({
    budgets,
    endpoints: bankEndpoints(clients, {
      checkStore: accounts.checkStore,
      metricsSource: metrics && metricsOfAll(sendRequest, settings.metricsToken),
      health,
    }),
    fastRoutes: fastRoutesOf(clients),
  })
  const listenOptions =
    handle === undefined ? { host, port, reusePort: instances > 1, backlog } : { _handle: handle }
  await once(bank.server.listen(listenOptions), 'listening')
  return { ...bank, health, metrics, close }
}

/** The number of connections that may wait while the process is busy. The system caps it at its own limit. */
const backlog = 4096

const metricsOfAll = (sendRequest: SendRequest, token: string | undefined): MetricsSource => ({
  token,
  read: async () => (await sendRequest('metrics')).value as MetricsPage,
})

/**
 * Logs at most one failure a second, because thousands have the same cause while the database is unavailable.
 */
function failureLog(log: Log): (error: unknown) => void {
  let loggedAt = Number.NEGATIVE_INFINITY
  return (error) => {
    if (performance.now() - loggedAt < pauseMilliseconds) return
    loggedAt = performance.now()
    log.error({ err: error }, 'The database failed.')
  }
}

const pauseMilliseconds = 1000

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

/** Uses bare sockets, because compiling an HTTP client would take two thirds of the warm-up. */
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

interface BankMetrics extends MetricsRecorder {
  countFailure(): void
  /** Returns plain data for merging with the data of other instances. */
  read(): Promise<object[]>
}

/** Opens the metrics of one instance. Their library is loaded only if METRICS is on. */
async function openBankMetrics(budgets: Budgets): Promise<BankMetrics> {
  const { openMetrics, watchHost } = await import('../../observability/metrics.ts')
  const metrics = openMetrics()
  watchHost(metrics, budgets)
  const recordRequest = metrics.histogram('bankRequests')
  const recordTransactions = metrics.histogram('bankCallTransactions')
  const recordCall = metrics.histogram('bankCalls')
  return {
    request: (method, route, status, seconds) => recordRequest({ method, route, status }, seconds),
    call(transactions, seconds) {
      recordTransactions({}, transactions)
      recordCall({}, seconds)
    },
    countFailure: metrics.counter('bankFailures'),
    read: metrics.toData,
  }
}

// Skipped when the file is only compiled for the processes that will run it.
if (import.meta.main) await runInstance()

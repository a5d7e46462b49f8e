import { once } from 'node:events'
import type { Server } from 'node:http'
import { flushCompileCache } from 'node:module'
import { type Budgets, openBudgets } from '../../config/budgets.ts'
import { createLog, type Log } from '../../http/log.ts'
import type { MetricsPage } from '../../observability/metrics.ts'
import { openAccounts } from './accounts.ts'
import { type AnswerOptions, bankAnswers } from './answers.ts'
import type { BankSettings } from './configuration.ts'
import { bankEndpoints, type ReadMeasures } from './endpoints.ts'
import { knownLines } from './known-lines.ts'
import { type Measures, openMeasures } from './measures.ts'
import { type Ask, openQuestions } from './questions.ts'
import { type BankServer, createBankServer } from './server.ts'
import { warmServer } from './warm-server.ts'

/** What the supervisor sends when the store is open; with it may come the socket of the instance that it replaces. */
export interface Assignment {
  readonly url: string
  readonly settings: BankSettings
}

/** What this process answers: that it listens, or why it cannot. */
export type Report = 'listening' | { readonly failure: string }

interface RunningInstance extends BankServer {
  readonly health: { isLeaving: boolean }
  readonly measures: Measures | undefined
  close(): Promise<void>
}

/** When the channel to the supervisor closes, however the supervisor ended, this process ends too. */
async function runInstance(): Promise<void> {
  // Ctrl-C reaches the whole group, and SIGUSR2 may; what they ask for is the supervisor's to do.
  for (const signal of ['SIGINT', 'SIGUSR2'] as const) process.on(signal, () => {})
  const { promise: replaced, resolve: replace } = Promise.withResolvers<void>()
  let running: RunningInstance | undefined
  const ask = openQuestions(process, {
    measures: async () => ({ value: (await running?.measures?.read()) ?? [] }),
    // Passed on, so that no connection that waits to be accepted is lost between two instances.
    socket: () => ({ handle: handleOf(running?.server) }),
    leave: () => {
      if (running === undefined) return {}
      running.health.isLeaving = true
      return {}
    },
    replace: () => {
      replace()
      return {}
    },
  })
  const stopAsked = Promise.race([once(process, 'disconnect'), once(process, 'SIGTERM'), replaced])
  // Whatever hangs while stopping, nothing of this process stays.
  void stopAsked.then(() => setTimeout(() => process.exit(1), stopMilliseconds).unref())
  const assigned = Promise.race([
    once(process, 'message') as Promise<[Assignment, unknown]>,
    stopAsked.then(() => undefined),
  ])
  try {
    // The store may still be on its way up.
    await warmServer(Number(process.argv[2]))
    const assignment = await assigned
    if (assignment === undefined) throw new Error('It was stopped before it had a store.')
    running = await startInstance(...assignment, ask)
    report('listening')
    // Now and not at the end, which may be a kill.
    flushCompileCache()
    const isReplaced = (await stopAsked) === undefined
    // Closing a connection that is kept could cross a request that is on its way.
    await running.stop(isReplaced || running.health.isLeaving)
    await running.close()
  } catch (error) {
    report({ failure: (error as Error).message })
    process.exitCode = 1
  }
  if (process.connected) process.disconnect()
}

/** The server cuts its last requests after five seconds; closing connections takes no time. */
const stopMilliseconds = 7000

const report = (what: Report) => void (process.connected && process.send?.(what))

const handleOf = (server: Server | undefined) => (server as { _handle?: unknown } | undefined)?._handle

async function startInstance(
  { url, settings }: Assignment,
  handle: unknown,
  ask: Ask,
): Promise<RunningInstance> {
  const { host, port, instances, logLevel } = settings
  const budgets: Budgets = openBudgets()
  const measures = settings.metrics ? await openMeasures(budgets) : undefined
  const { close, ...accounts } = await openAccounts({ ...settings, url }, measures?.call)
  const log = createLog({ level: logLevel, host: 'bank' })
  const options: AnswerOptions = {
    ...settings,
    onFailure: failureLog(log),
    ...(measures && { measure: measures }),
  }
  const clients = bankAnswers(accounts, options)
  const health = { isLeaving: false }
  const bank = createBankServer({
    budgets,
    endpoints: bankEndpoints(clients, measures && measuresOfAll(ask, settings.metricsToken), health),
    lines: knownLines(clients),
  })
  const place = handle === undefined ? { host, port, reusePort: instances > 1, backlog } : { _handle: handle }
  await once(bank.server.listen(place), 'listening')
  return { ...bank, health, measures, close }
}

/** New connections that wait while the process is busy; the system cuts it to its own limit. */
const backlog = 4096

const measuresOfAll = (ask: Ask, token: string | undefined): ReadMeasures => ({
  token,
  read: async () => (await ask('measures')).value as MetricsPage,
})

/** A database that is away fails thousands of requests a second, all for one reason. */
function failureLog(log: Log): (error: unknown) => void {
  let loggedAt = Number.NEGATIVE_INFINITY
  return (error) => {
    if (performance.now() - loggedAt < pauseMilliseconds) return
    loggedAt = performance.now()
    log.error({ err: error }, 'The database failed.')
  }
}

const pauseMilliseconds = 1000

// Not where it is only compiled for the processes that will run it.
if (import.meta.main) await runInstance()

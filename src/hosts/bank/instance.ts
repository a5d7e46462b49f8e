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

/**
 * The supervisor's message once the store is open; it may carry the socket of the instance that this one
 * replaces.
 */
export interface Assignment {
  readonly url: string
  readonly settings: BankSettings
}

/** This process's response: it listens, or the reason why it cannot. */
export type Report = 'listening' | { readonly failure: string }

interface RunningInstance extends BankServer {
  readonly health: { isLeaving: boolean }
  readonly measures: Measures | undefined
  close(): Promise<void>
}

/** The process also ends when the channel to the supervisor closes, however the supervisor ended. */
async function runInstance(): Promise<void> {
  // Ctrl-C reaches the whole process group, and SIGUSR2 may; only the supervisor acts on them.
  for (const signal of ['SIGINT', 'SIGUSR2'] as const) process.on(signal, () => {})
  const { promise: replaced, resolve: replace } = Promise.withResolvers<void>()
  let running: RunningInstance | undefined
  const ask = openQuestions(process, {
    measures: async () => ({ value: (await running?.measures?.read()) ?? [] }),
    // The listening socket is passed on, so that no pending connection is lost between two instances.
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
  // The process always ends, even if stopping hangs.
  void stopAsked.then(() => setTimeout(() => process.exit(1), stopMilliseconds).unref())
  const assigned = Promise.race([
    once(process, 'message') as Promise<[Assignment, unknown]>,
    stopAsked.then(() => undefined),
  ])
  try {
    // The store may still be starting.
    await warmServer(Number(process.argv[2]))
    const assignment = await assigned
    if (assignment === undefined) throw new Error('Stopped before the store was open.')
    running = await startInstance(...assignment, ask)
    report('listening')
    // Flushed now and not on exit, because the process may be killed.
    flushCompileCache()
    const isReplaced = (await stopAsked) === undefined
    // Closing a kept-alive connection could race with a request in flight.
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

/** The number of connections that may wait while the process is busy; the system caps it at its own limit. */
const backlog = 4096

const measuresOfAll = (ask: Ask, token: string | undefined): ReadMeasures => ({
  token,
  read: async () => (await ask('measures')).value as MetricsPage,
})

/** While the database is unavailable, thousands of requests a second fail for the same reason. */
function failureLog(log: Log): (error: unknown) => void {
  let loggedAt = Number.NEGATIVE_INFINITY
  return (error) => {
    if (performance.now() - loggedAt < pauseMilliseconds) return
    loggedAt = performance.now()
    log.error({ err: error }, 'The database failed.')
  }
}

const pauseMilliseconds = 1000

// Skipped when the file is only compiled for the processes that will run it.
if (import.meta.main) await runInstance()

import { once } from 'node:events'
import { createLog, type Log } from '../../http/log.ts'
import { openAccounts } from './accounts.ts'
import type { BankSettings } from './configuration.ts'
import { bankEndpoints } from './endpoints.ts'
import { createBankServer } from './server.ts'
import { warmServer } from './warm-server.ts'

/** What the supervisor sends as soon as this process runs. */
export interface Assignment {
  readonly url: string
  readonly settings: BankSettings
}

/** What this process answers: that it listens, or why it cannot. */
export type Report = 'listening' | { readonly failure: string }

/** The channel to the supervisor is also a leash: when it ends, by whatever end of the supervisor, so does this process. */
async function runInstance(): Promise<void> {
  // Ctrl-C reaches the whole group; when to stop is the supervisor's to say.
  process.on('SIGINT', () => {})
  const stopAsked = Promise.race([once(process, 'disconnect'), once(process, 'SIGTERM')])
  // Whatever hangs while stopping, nothing of this process stays.
  void stopAsked.then(() => setTimeout(() => process.exit(1), stopMilliseconds).unref())
  const [assignment] = (await once(process, 'message')) as [Assignment]
  try {
    const stop = await startInstance(assignment)
    report('listening')
    await stopAsked
    await stop()
  } catch (error) {
    report({ failure: (error as Error).message })
    process.exitCode = 1
  }
  if (process.connected) process.disconnect()
}

/** The server cuts its last requests after five seconds; closing connections takes no time. */
const stopMilliseconds = 7000

const report = (what: Report) => void (process.connected && process.send?.(what))

async function startInstance({ url, settings }: Assignment): Promise<() => Promise<void>> {
  const { host, port, instances, overLimitStatus, logLevel } = settings
  const { close, ...accounts } = await openAccounts({ ...settings, url })
  await warmServer()
  const onFailure = failureLog(createLog({ level: logLevel, host: 'bank' }))
  const { server, stop } = createBankServer(bankEndpoints(accounts, { overLimitStatus, onFailure }))
  await once(server.listen({ host, port, reusePort: instances > 1, backlog }), 'listening')
  return async () => {
    await stop()
    await close()
  }
}

/** New connections that wait while the process is busy; the system cuts it to its own limit. */
const backlog = 4096

/** A database that is away fails thousands of requests a second, all for one reason. */
function failureLog(log: Log): (error: unknown) => void {
  let loggedAt = Number.NEGATIVE_INFINITY
  return (error) => {
    if (performance.now() - loggedAt < pauseMilliseconds) return
    loggedAt = performance.now()
    log.error({ err: error }, 'the database failed')
  }
}

const pauseMilliseconds = 1000

await runInstance()

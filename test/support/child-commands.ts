import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../src/db/database.ts'
import { type ChildEnvironment, freePort, isServing, spawnStart } from './child-host.ts'
import { freshDatabase } from './fresh-database.ts'
import { insertAccount } from './insert-account.ts'
import { startTestIssuer } from './test-issuer.ts'

export interface ChildCommands {
  readonly target: string
  readonly diagnostics: string
  /** Returns the resident memory of the process. */
  residentBytes(): Promise<number>
  output(): string
  end(signal: NodeJS.Signals): Promise<number | string>
  readonly exited: Promise<number | string>
}

/** Starts the host of commands with `src/cli.ts` as a separate process, and waits until it is ready. */
export async function startChildCommands(environment: ChildEnvironment): Promise<ChildCommands> {
  const port = await freePort()
  const diagnosticsPort = await freePort()
  const diagnostics = `http://127.0.0.1:${diagnosticsPort}`
  const child = spawnStart(
    {
      METRICS: 'true',
      ...environment,
      COMMAND_PORT: String(port),
      COMMAND_DIAGNOSTICS_PORT: String(diagnosticsPort),
    },
    ['commands'],
  )
  let isDone = false
  void child.exited.then(() => {
    isDone = true
  })
  const startedAt = performance.now()
  while (!(await isServing(diagnostics))) {
    if (isDone || performance.now() - startedAt > startSecondsMax * 1000) {
      child.process.kill('SIGKILL')
      throw new Error(`The command host did not get ready:\n${child.output()}`)
    }
    await sleep(40)
  }
  return {
    target: `127.0.0.1:${port}`,
    diagnostics,
    async residentBytes() {
      const metrics = await (await fetch(`${diagnostics}/metrics`)).text()
      return Number(/^process_resident_memory_bytes (\d+)/m.exec(metrics)?.[1])
    },
    output: child.output,
    end(signal) {
      child.process.kill(signal)
      return child.exited
    },
    exited: child.exited,
  }
}

const startSecondsMax = 60

export interface ServedByChildren {
  readonly database: Database
  readonly children: readonly ChildCommands[]
  readonly token: string
  stop(): Promise<void>
}

/** Starts several processes with one store, and with tokens of a test issuer. */
export async function serveByChildren(count: number): Promise<ServedByChildren> {
  const folder = mkdtempSync(join(tmpdir(), 'tracker-commands-'))
  const [issuer, store] = await Promise.all([startTestIssuer(), freshDatabase()])
  const login = 'admin@example.com'
  const { id } = await insertAccount(store.database, { login })
  const environment = {
    DATABASE_URL: store.url,
    DATA_DIR: folder,
    Jwt__Issuer: issuer.issuer,
    SVC_ADMIN_LOGINS: login,
  }
  const children = await Promise.all(Array.from({ length: count }, () => startChildCommands(environment)))
  return {
    database: store.database,
    children,
    token: await issuer.signIn(store.database, id, { admin: true, audience: 'svc-grpc', scope: 'svc.grpc' }),
    async stop() {
      await Promise.all(children.map(({ end }) => end('SIGKILL')))
      await issuer.stop()
      await store.drop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

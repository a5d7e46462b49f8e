import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { Budgets } from '../../src/config/budgets.ts'
import { startEmbeddedStore } from '../../src/db/embedded/start-embedded-store.ts'
import { migrate } from '../../src/db/migrate.ts'
import { runningServer } from './embedded-store.ts'
import { type FreshDatabase, openTestDatabase } from './fresh-database.ts'
import { type StoreProxy, startStoreProxy } from './store-proxy.ts'

/** A separate PostgreSQL that can be frozen, behind a network that can be paused. */
export interface FlakyStore extends FreshDatabase {
  readonly proxy: StoreProxy
  /** A connection that bypasses the proxy. */
  readonly direct: pg.Client
  /** Opens another direct connection, for transactions that stay open. */
  connect(): Promise<pg.Client>
  /** Stops every process of the server, as on a machine that hangs. */
  freeze(): Promise<void>
  thaw(): void
}

/** Commits need not survive a crash of the machine. */
const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

export async function startFlakyStore(options: {
  readonly answerMilliseconds: number
  readonly budgets: Budgets
}): Promise<FlakyStore> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'tracker-unsteady-'))
  const store = await startEmbeddedStore({ dataDirectory, settings })
  await migrate(store.url)
  const connect = async () => {
    const client = new pg.Client({ connectionString: store.url, application_name: 'outside' })
    client.on('error', () => undefined)
    await client.connect()
    return client
  }
  const direct = await connect()
  const proxy = await startStoreProxy(direct)
  const database = openTestDatabase(proxy.url, options)
  let frozen: readonly number[] = []
  const thaw = () => {
    for (const pid of frozen.toReversed()) process.kill(pid, 'SIGCONT')
    frozen = []
  }
  // A frozen server would outlive a test that fails.
  process.once('exit', thaw)
  return {
    url: proxy.url,
    database,
    proxy,
    direct,
    connect,
    async freeze() {
      // The postmaster is stopped first and continues last, because meanwhile it starts no processes, and the
      // ids of those that end stay theirs.
      frozen = [runningServer(dataDirectory).pid]
      process.kill(runningServer(dataDirectory).pid, 'SIGSTOP')
      const { rows } = await direct.query<{ pid: number }>('select pid from pg_stat_activity')
      for (const { pid } of rows) process.kill(pid, 'SIGSTOP')
      frozen = [...frozen, ...rows.map(({ pid }) => pid)]
    },
    thaw,
    async drop() {
      thaw()
      proxy.resume()
      await database.close()
      proxy.stop()
      await direct.end()
      await store.stop()
      rmSync(dataDirectory, { recursive: true, force: true })
    },
  }
}

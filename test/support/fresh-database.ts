import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { grantPrivileges, privilegesOfHosts } from '../../src/cli/roles.ts'
import { openBudgets } from '../../src/config/budgets.ts'
import { type Database, type DatabaseOptions, openDatabase } from '../../src/db/database.ts'
import { startEmbeddedStore } from '../../src/db/embedded/start-embedded-store.ts'
import { migrate } from '../../src/db/migrate.ts'
import { distribute } from '../../src/db/sharded/distribute.ts'

export interface FreshDatabase {
  readonly url: string
  readonly database: Database
  drop(): Promise<void>
}

/**
 * An empty, migrated database of its own on a real PostgreSQL: the server of TEST_DATABASE_URL, or an
 * embedded one that lives as long as this process. Call `drop` in an `after` hook; what is left is dropped at
 * the end of the run.
 */
export async function freshDatabase(own: OwnLimits = {}): Promise<FreshDatabase> {
  server ??= startServer()
  const { createDatabase } = await server
  const { url, drop } = await createDatabase()
  const database = openTestDatabase(url, own)
  limits.set(database, own)
  return {
    url,
    database,
    async drop() {
      for (const opened of underRoles.get(database)?.values() ?? []) await opened.close()
      await database.close()
      await drop()
    },
  }
}

/** Limits that a test needs smaller or larger than those of a deployed process. */
export type OwnLimits = Pick<DatabaseOptions, 'budgets' | 'exportLimits'>

/** For a store that a test has started by itself, too. */
export function openTestDatabase(url: string, options: Partial<DatabaseOptions> = {}): Database {
  const database = openDatabase({ url, applicationName: 'test', poolSize: poolSizeMax, ...options })
  addresses.set(database, url)
  return database
}

/** Where a fresh database can be reached by someone who is not the host: another process, or a bare client. */
export function addressOf(database: Database): string {
  const address = addresses.get(database)
  if (address === undefined) throw new Error('Only fresh databases have an address.')
  return address
}

const addresses = new WeakMap<Database, string>()
const limits = new WeakMap<Database, OwnLimits>()

/**
 * The same database as a deployed host sees it: with `TEST_ROLES=on` under the role that has that host's
 * rights and no other, as its owner otherwise. So the journeys show whether `src/cli/roles.ts` knows every
 * statement.
 */
export function underRoleOf(host: 'rest' | 'identity' | 'commands', database: Database): Database {
  const url = addresses.get(database)
  if (!hasRoles || url === undefined) return database
  const opened = underRoles.get(database) ?? new Map<string, Database>()
  underRoles.set(database, opened)
  const known = opened.get(host)
  if (known) return known
  const own = openDatabase({
    ...limits.get(database),
    // As deployed: a process has one database, and who waits for a budget is only woken by those of the same
    // one.
    ...(host !== 'rest' && { budgets: openBudgets() }),
    url: urlUnderRoleOf(host, url),
    applicationName: 'test',
    poolSize: poolSizeMax,
  })
  opened.set(host, own)
  return own
}

/** The same for another process: its DATABASE_URL. */
export function urlUnderRoleOf(host: 'rest' | 'identity' | 'commands', url: string): string {
  if (!hasRoles) return url
  const options = `options=${encodeURIComponent(`-c role=${rolePrefix}${host}`)}`
  return `${url}${url.includes('?') ? '&' : '?'}${options}`
}

const hasRoles = process.env.TEST_ROLES === 'on'
const rolePrefix = 'tested_'
const underRoles = new WeakMap<Database, Map<string, Database>>()

/** Roles belong to the server, their rights to the template and its copies. */
async function grantHostRights(url: string) {
  for (const host of Object.keys(privilegesOfHosts)) await execute(url, `create role ${rolePrefix}${host}`)
  await grantPrivileges(url, rolePrefix)
}

/** Many databases share one server's connections; tests race at most twenty writers. */
const poolSizeMax = 8

interface Server {
  createDatabase(): Promise<{ url: string; drop(): Promise<void> }>
  stop(): Promise<void>
}

/** One for the process, like the process's PostgreSQL itself. */
let server: Promise<Server> | undefined

/** For the runner, after the last test. */
export async function stopTestServer(): Promise<void> {
  const running = await server?.catch(() => undefined)
  await running?.stop()
}

// Without the runner: once nothing is left to do. The process ends when nothing more comes of it.
process.once('beforeExit', () => void stopTestServer())

async function startServer(): Promise<Server> {
  const store = await startStore()
  const prefix = `test_${randomBytes(6).toString('hex')}`
  const template = `${prefix}_template`
  const names = new Set<string>()
  const create = async (name: string, from: string) => {
    names.add(name)
    // Quicker than writing every page to the journal, which is the default.
    const statement = `create database ${name} template ${from} strategy file_copy`
    for (const url of [store.url, ...workers]) await execute(url, statement)
    // A copy does not have the settings of its template.
    if (workers.length > 0)
      await execute(store.url, `alter database ${name} set citus.multi_shard_modify_mode = 'sequential'`)
    return withDatabase(store.url, name)
  }
  const drop = async (name: string) => {
    if (!names.delete(name)) return
    for (const url of [store.url, ...workers])
      await execute(url, `drop database if exists ${name} with (force)`)
  }
  let count = 0
  await migrate(await create(template, 'template0'))
  if (hasRoles) await grantHostRights(withDatabase(store.url, template))
  if (workers.length > 0) await distributeTemplate(store.url, template)
  return {
    async createDatabase() {
      const name = `${prefix}_${++count}`
      return { url: await create(name, template), drop: () => drop(name) }
    },
    async stop() {
      // The embedded server's whole folder goes; a server that stays must be left as it was.
      if (store.stays) for (const name of [...names]) await drop(name)
      await store.stop()
    },
  }
}

/** There, tests cannot fail or hold up statements by triggers or locks of their own. */
export const isDistributed = (process.env.TEST_DATABASE_WORKERS ?? '') !== ''

/** Servers that a distributed store spreads its rows over; TEST_DATABASE_URL is its coordinator then. */
const workers = (process.env.TEST_DATABASE_WORKERS ?? '').split(',').filter(Boolean)

/** Its copies are distributed stores, because the copies of its parts on the workers have the same names. */
async function distributeTemplate(coordinator: string, name: string) {
  for (const url of [coordinator, ...workers])
    await execute(withDatabase(url, name), 'create extension citus')
  const { hostname, port } = new URL(coordinator)
  await execute(withDatabase(coordinator, name), `select citus_set_coordinator_host('${hostname}', ${port})`)
  for (const worker of workers.map((url) => new URL(url))) {
    const add = () =>
      execute(withDatabase(coordinator, name), `select citus_add_node('${worker.hostname}', ${worker.port})`)
    // Two processes that begin at once give the worker the same roles.
    await add().catch(() => setTimeout(1000).then(add))
  }
  await distribute(withDatabase(coordinator, name), 4)
  // A database that is copied may have no connections, including those of the server's own helpers.
  for (const url of [coordinator, ...workers]) {
    await execute(url, `alter database ${name} with allow_connections false`)
    await execute(
      url,
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`,
    )
  }
}

async function startStore() {
  const given = process.env.TEST_DATABASE_URL
  if (given) return { url: given, stays: true, stop: async () => {} }
  const dataDirectory = mkdtempSync(join(tmpdir(), 'tracker-test-'))
  const remove = () => rmSync(dataDirectory, { recursive: true, force: true })
  // Also when the run is cut short: the server ends with this process by itself, its files do not.
  process.once('exit', remove)
  const { url, stop } = await startEmbeddedStore({ dataDirectory, settings: volatile })
  return {
    url,
    stays: false,
    async stop() {
      await stop()
      remove()
    },
  }
}

/** The data need not outlive the run. */
const volatile = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: 300 }

async function execute(url: string, statement: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** A URL that names a socket's folder has no host, which `URL` rejects. */
export const withDatabase = (url: string, name: string) =>
  url.replace(/^(\w+:\/\/[^/?]*)(\/[^?]*)?/, `$1/${name}`)

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
import { distribute } from '../../src/db/sharded/operator-tasks.ts'

export interface FreshDatabase {
  readonly url: string
  readonly database: Database
  drop(): Promise<void>
}

/**
 * Creates an empty, migrated database on the server of TEST_DATABASE_URL, or on an embedded server. Call
 * `drop` in an `after` hook. Otherwise the database exists until the end of the run.
 */
export async function freshDatabase(ownLimits: OwnLimits = {}): Promise<FreshDatabase> {
  server ??= startServer()
  const { createDatabase } = await server
  const { url, drop } = await createDatabase()
  const database = openTestDatabase(url, ownLimits)
  limits.set(database, ownLimits)
  return {
    url,
    database,
    async drop() {
      for (const underRole of underRoles.get(database)?.values() ?? []) await underRole.close()
      await database.close()
      await drop()
    },
  }
}

/** Limits that differ from those of a deployed process. */
export type OwnLimits = Pick<DatabaseOptions, 'budgets' | 'exportLimits'>

/** Opens a database, for example the database of a store that the test has started. */
export function openTestDatabase(url: string, options: Partial<DatabaseOptions> = {}): Database {
  const database = openDatabase({ url, applicationName: 'test', poolSize: poolSizeMax, ...options })
  addresses.set(database, url)
  return database
}

/** Returns the URL of a fresh database. */
export function addressOf(database: Database): string {
  const address = addresses.get(database)
  if (address === undefined) throw new Error('Only fresh databases have an address.')
  return address
}

const addresses = new WeakMap<Database, string>()
const limits = new WeakMap<Database, OwnLimits>()

/**
 * Opens the same database as a deployed host does. With `TEST_ROLES=on`, the role has exactly the privileges
 * of the host, so the tests show whether `src/cli/roles.ts` has all privileges.
 */
export function underRoleOf(host: 'rest' | 'identity' | 'commands', database: Database): Database {
  const url = addresses.get(database)
  if (!hasRoles || url === undefined) return database
  const databases = underRoles.get(database) ?? new Map<string, Database>()
  underRoles.set(database, databases)
  const existing = databases.get(host)
  if (existing) return existing
  const opened = openDatabase({
    ...limits.get(database),
    // In a deployment, each host process has its own budgets.
    ...(host !== 'rest' && { budgets: openBudgets() }),
    url: urlUnderRoleOf(host, url),
    applicationName: 'test',
    poolSize: poolSizeMax,
  })
  databases.set(host, opened)
  return opened
}

/** Returns the DATABASE_URL for a process with the role of `underRoleOf`. */
export function urlUnderRoleOf(host: 'rest' | 'identity' | 'commands', url: string): string {
  if (!hasRoles) return url
  const options = `options=${encodeURIComponent(`-c role=${rolePrefix}${host}`)}`
  return `${url}${url.includes('?') ? '&' : '?'}${options}`
}

const hasRoles = process.env.TEST_ROLES === 'on'
const rolePrefix = 'tested_'
const underRoles = new WeakMap<Database, Map<string, Database>>()

/**
 * Creates the roles of the server, and grants their privileges in the template. Copies of the template have
 * the same privileges.
 */
async function grantHostPrivileges(url: string) {
  for (const host of Object.keys(privilegesOfHosts)) await execute(url, `create role ${rolePrefix}${host}`)
  await grantPrivileges(url, rolePrefix)
}

/** Many databases share the connections of one server. */
const poolSizeMax = 8

interface Server {
  createDatabase(): Promise<{ url: string; drop(): Promise<void> }>
  stop(): Promise<void>
}

/** All tests of the process share the server. */
let server: Promise<Server> | undefined

/** The runner calls this after the last test. */
export async function stopTestServer(): Promise<void> {
  const running = await server?.catch(() => undefined)
  await running?.stop()
}

// Without the runner, the server is stopped at the end of the process.
process.once('beforeExit', () => void stopTestServer())

async function startServer(): Promise<Server> {
  const store = await startStore()
  const prefix = `test_${randomBytes(6).toString('hex')}`
  const template = `${prefix}_template`
  const names = new Set<string>()
  const create = async (name: string, from: string) => {
    names.add(name)
    // This is faster than the default strategy, which writes every page to the WAL.
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
  if (hasRoles) await grantHostPrivileges(withDatabase(store.url, template))
  if (workers.length > 0) await distributeTemplate(store.url, template)
  return {
    async createDatabase() {
      const name = `${prefix}_${++count}`
      return { url: await create(name, template), drop: () => drop(name) }
    },
    async stop() {
      // The directory of an embedded server is deleted as a whole.
      if (store.isExternal) for (const name of [...names]) await drop(name)
      await store.stop()
    },
  }
}

/** Whether the store is distributed. Tests that make its statements fail or wait are then skipped. */
export const isDistributed = (process.env.TEST_DATABASE_WORKERS ?? '') !== ''

/** The workers of the distributed store with the coordinator TEST_DATABASE_URL. */
const workers = (process.env.TEST_DATABASE_WORKERS ?? '').split(',').filter(Boolean)

/** Distributes the template. Each worker copies its own database of the same name. */
async function distributeTemplate(coordinator: string, name: string) {
  for (const url of [coordinator, ...workers])
    await execute(withDatabase(url, name), 'create extension citus')
  const { hostname, port } = new URL(coordinator)
  await execute(withDatabase(coordinator, name), `select citus_set_coordinator_host('${hostname}', ${port})`)
  for (const worker of workers.map((url) => new URL(url))) {
    const add = () =>
      execute(withDatabase(coordinator, name), `select citus_add_node('${worker.hostname}', ${worker.port})`)
    // Adding the worker fails if another process adds the same worker at the same time.
    await add().catch(() => setTimeout(1000).then(add))
  }
  await distribute(withDatabase(coordinator, name), 4)
  // A database can be copied only if it has no connections, including those of background workers.
  for (const url of [coordinator, ...workers]) {
    await execute(url, `alter database ${name} with allow_connections false`)
    await execute(
      url,
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`,
    )
  }
}

async function startStore() {
  const url = process.env.TEST_DATABASE_URL
  if (url) return { url, isExternal: true, stop: async () => {} }
  const dataDirectory = mkdtempSync(join(tmpdir(), 'tracker-test-'))
  const remove = () => rmSync(dataDirectory, { recursive: true, force: true })
  // The server ends with this process, but its files remain if the run is interrupted.
  process.once('exit', remove)
  const store = await startEmbeddedStore({ dataDirectory, settings: volatile })
  return {
    url: store.url,
    isExternal: false,
    async stop() {
      await store.stop()
      remove()
    },
  }
}

/** The data are not needed after the run. */
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

/** Replaces the name of the database. `URL` cannot parse URLs of Unix sockets. */
export const withDatabase = (url: string, name: string) =>
  url.replace(/^(\w+:\/\/[^/?]*)(\/[^?]*)?/, `$1/${name}`)

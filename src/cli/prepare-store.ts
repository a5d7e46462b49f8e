import { readFile } from 'node:fs/promises'
import { findAdministrators } from '../accounts/administrators.ts'
import { createPasswords } from '../accounts/passwords.ts'
import { openBudgets } from '../config/budgets.ts'
import { readTrackerSettings } from '../config/host-settings.ts'
import { readSettings, type Settings } from '../config/settings.ts'
import { readStoreSettings } from '../config/store-settings.ts'
import { openDatabase } from '../db/database.ts'
import { migrate, newestMigration } from '../db/migrate.ts'
import { detectPoolers } from '../db/poolers.ts'
import { distribute } from '../db/sharded/operator-tasks.ts'
import { grantPrivileges } from './roles.ts'
import { createAccountCommand, seedStore } from './seed-store.ts'
import { UsageError } from './usage.ts'

/** `npm run cli -- migrate`: migrates the schema only. */
export async function runMigrate(): Promise<void> {
  const { url } = readSettings(process.env, requireDatabaseUrl)
  await migrateAndReport(url)
}

/**
 * `npm run cli -- prepare` does everything that requires the owner of the schema, before hosts start with
 * fewer privileges.
 */
export async function runPrepare(): Promise<void> {
  const { url, store, trackerSettings } = readSettings(process.env, (settings) => ({
    ...requireDatabaseUrl(settings),
    trackerSettings: readTrackerSettings(settings),
  }))
  const address = await detectPoolers(url, store)
  await migrateAndReport(url)
  const roles = await grantPrivileges(url, rolePrefixOf(url))
  console.log(`Granted privileges to ${roles.join(', ')}.`)
  const budgets = openBudgets()
  const database = openDatabase({ ...address, applicationName: 'prepare', budgets })
  try {
    const context = { database, passwords: createPasswords({}, budgets), budgets }
    const { login, generatedPassword, passwordFile } = await seedStore(context, store)
    if (generatedPassword !== undefined)
      console.log(
        `The first account is ${login}, its password ${generatedPassword} (kept in ${passwordFile}).`,
      )
    const found = await findAdministrators(database, trackerSettings)
    if (found.length === 0) console.log(`There is no administrator yet: ${createAccountCommand}`)
  } finally {
    await database.close()
  }
}

/** `npm run cli -- version`: prints the versions of this program, of the newest schema, and of Node. */
export async function runVersion(): Promise<void> {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8')
  const { version } = JSON.parse(text) as { version: string }
  const schema = (await newestMigration()).replace('.sql', '')
  console.log(`tracker ${version}, schema ${schema}, Node ${process.versions.node}`)
}

const defaultPrefix = 'tracker_'

/**
 * Returns the prefix of the roles of the hosts. It is `acme_` if the user of the URL is `acme_migrations`, so
 * that several installations can share a server. The default is `tracker_`.
 */
export function rolePrefixOf(url: string): string {
  // `URL` cannot parse a URL without a host, which is the form for Unix sockets.
  const [, user = ''] = /^\w+:\/\/([^:@/]*)(?::[^@/]*)?@/.exec(url) ?? []
  return /^(.*)migrations$/.exec(decodeURIComponent(user))?.[1] ?? defaultPrefix
}

async function migrateAndReport(url: string): Promise<void> {
  const applied = await migrate(url)
  console.log(applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`)
}

function requireDatabaseUrl(settings: Settings) {
  const store = readStoreSettings(settings)
  if (store.databaseUrl === undefined)
    settings.addProblem('DATABASE_URL is not set; `npm start` prepares the embedded store by itself.')
  // `readSettings` throws if there is a problem, so the default is never used.
  return { store, url: store.databaseUrl ?? '' }
}

/**
 * `npm run cli -- distribute [SHARDS]`: distributes the rows of a Citus coordinator over its workers. A
 * second run skips the tables that are already distributed.
 */
export async function runDistribute([shards]: readonly string[]): Promise<void> {
  if (shards !== undefined && !/^[1-9]\d{0,2}$/.test(shards))
    throw new UsageError('The number of shards must be from 1 to 999, such as 16.')
  const { url } = readSettings(process.env, requireDatabaseUrl)
  await migrateAndReport(url)
  const steps = await distribute(url, shards === undefined ? undefined : Number(shards))
  for (const line of steps) console.log(line)
  console.log(
    steps.length === 0
      ? 'All rows are already distributed.'
      : 'Start the hosts. If they have roles of their own, run `npm run cli -- prepare` first.',
  )
}

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
import { distribute } from '../db/sharded/distribute.ts'
import { grantRights } from './roles.ts'
import { createAccountCommand, seedStore } from './seed-store.ts'

/** Migrates the schema and nothing else. */
export async function runMigrate(): Promise<void> {
  const { url } = readSettings(process.env, readPrepareSettings)
  await migrateAndReport(url)
}

/** Does everything that requires the owner of the schema, before hosts start as roles with fewer rights. */
export async function runPrepare(): Promise<void> {
  const { url, store, trackerSettings } = readSettings(process.env, (settings) => ({
    ...readPrepareSettings(settings),
    trackerSettings: readTrackerSettings(settings),
  }))
  const address = await detectPoolers(url, store)
  await migrateAndReport(url)
  const roles = await grantRights(url, rolePrefixOf(url))
  console.log(`The rights of ${roles.join(', ')} are set.`)
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

/** Prints the version of this program, the newest migration that it knows, and the Node that runs it. */
export async function runVersion(): Promise<void> {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8')
  const { version } = JSON.parse(text) as { version: string }
  const schema = (await newestMigration()).replace('.sql', '')
  console.log(`tracker ${version}, schema ${schema}, Node ${process.versions.node}`)
}

const defaultPrefix = 'tracker_'

/**
 * The hosts' roles share the prefix of the schema owner's role: `acme_migrations` gives `acme_rest`. Any other
 * owner gives `tracker_rest`.
 */
export function rolePrefixOf(url: string): string {
  // `URL` does not parse the addresses of sockets, which have no host.
  const [, user = ''] = /^\w+:\/\/([^:@/]*)(?::[^@/]*)?@/.exec(url) ?? []
  return /^(.*)migrations$/.exec(decodeURIComponent(user))?.[1] ?? defaultPrefix
}

async function migrateAndReport(url: string): Promise<void> {
  const applied = await migrate(url)
  console.log(applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`)
}

function readPrepareSettings(settings: Settings) {
  const store = readStoreSettings(settings)
  if (store.databaseUrl === undefined)
    settings.reject('DATABASE_URL is not set; `npm start` prepares the embedded store by itself.')
  // `readSettings` throws after a rejection, so the default is never used.
  return { store, url: store.databaseUrl ?? '' }
}

/** `npm run cli -- distribute [SHARDS]`: distributes the rows of a Citus coordinator over its workers; can be run again. */
export async function runDistribute([shards]: readonly string[]): Promise<void> {
  if (shards !== undefined && !/^[1-9]\d{0,2}$/.test(shards))
    throw new Error('The number of shards must be from 1 to 999: npm run cli -- distribute 16')
  const { url } = readSettings(process.env, readPrepareSettings)
  await migrateAndReport(url)
  const steps = await distribute(url, shards === undefined ? undefined : Number(shards))
  for (const line of steps) console.log(line)
  console.log(
    steps.length === 0
      ? 'All rows are already distributed.'
      : 'Start the hosts. If they have roles of their own, run `npm run cli -- prepare` first.',
  )
}

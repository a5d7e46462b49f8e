import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readSettings } from '../config/settings.ts'
import { readStoreSettings } from '../config/store-settings.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { runningStoreUrl, startEmbeddedStore } from '../db/embedded/start-embedded-store.ts'
import { storeReadiness } from '../db/migrate.ts'

export interface ConfiguredStore {
  readonly url: string
  readonly dataDirectory: string
}

/** Runs `use` with the store of the settings: connects to an embedded store that is running, or starts it meanwhile. */
export async function withStore<Result>(
  { createIfMissing }: { readonly createIfMissing: boolean },
  use: (store: ConfiguredStore) => Promise<Result>,
): Promise<Result> {
  const { databaseUrl, dataDirectory } = readSettings(process.env, readStoreSettings)
  if (databaseUrl !== undefined) return use({ url: databaseUrl, dataDirectory })
  if (!createIfMissing && !existsSync(join(dataDirectory, 'postgres')))
    throw new Error(`There is no store in ${dataDirectory}. Set DATA_DIR to its folder, or DATABASE_URL.`)
  const running = runningStoreUrl(dataDirectory)
  if (running !== undefined) return use({ url: running, dataDirectory })
  const store = await startEmbeddedStore({ dataDirectory })
  try {
    return await use({ url: store.url, dataDirectory })
  } finally {
    await store.stop()
  }
}

/** The same, with a database whose schema is that of this version. */
export const withDatabase = <Result>(work: (database: Database) => Promise<Result>): Promise<Result> =>
  withStore({ createIfMissing: false }, async ({ url }) => {
    const database = openDatabase({ url, applicationName: 'cli', namedStatements: false })
    try {
      await requireSchema(database)
      return await work(database)
    } finally {
      await database.close()
    }
  })

async function requireSchema(database: Database): Promise<void> {
  const [reachable, ...others] = storeReadiness(database)
  await reachable?.check()
  try {
    for (const { check } of others) await check()
  } catch (cause) {
    throw new Error(
      'The store does not have the schema of this version yet. Run `npm run cli -- prepare`, or start this version once.',
      { cause },
    )
  }
}

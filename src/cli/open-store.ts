import type { Budgets } from '../configuration/budgets.ts'
import type { StoreSettings } from '../configuration/store-settings.ts'
import { type Database, openDatabase } from '../store/database.ts'
import { startEmbeddedStore } from '../store/embedded/start-embedded-store.ts'
import { migrate } from '../store/migrate.ts'

export interface OpenStore {
  readonly url: string
  readonly database: Database
  close(): Promise<void>
}

/** The store the settings name, or the embedded one, with its schema brought up to date. */
export async function openStore(
  { databaseUrl, readUrls, dataDirectory, namedStatements }: StoreSettings,
  budgets: Budgets,
  onFault: (sentence: string) => void,
): Promise<OpenStore> {
  const embedded =
    databaseUrl === undefined ? await startEmbeddedStore({ dataDirectory, onFault }) : undefined
  const url = databaseUrl ?? embedded?.url ?? ''
  try {
    await migrate(url)
  } catch (error) {
    await embedded?.stop()
    throw error
  }
  const database = openDatabase({ url, readUrls, applicationName: 'tracker', namedStatements, budgets })
  return {
    url,
    database,
    async close() {
      await database.close()
      await embedded?.stop()
    },
  }
}

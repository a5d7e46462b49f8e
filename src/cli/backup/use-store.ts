import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readSettings } from '../../configuration/settings.ts'
import { readStoreSettings } from '../../configuration/store-settings.ts'
import { runningStoreUrl, startEmbeddedStore } from '../../store/embedded/start-embedded-store.ts'

export interface UsedStore {
  readonly url: string
  readonly dataDirectory: string
}

/** The store of the settings: an embedded one that runs already is used as it runs, and started otherwise. */
export async function useStore<Result>(
  { mayMake }: { readonly mayMake: boolean },
  use: (store: UsedStore) => Promise<Result>,
): Promise<Result> {
  const { databaseUrl, dataDirectory } = readSettings(process.env, readStoreSettings)
  if (databaseUrl !== undefined) return use({ url: databaseUrl, dataDirectory })
  if (!mayMake && !existsSync(join(dataDirectory, 'postgres')))
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

import { readSettings } from '../configuration/settings.ts'
import { readStoreSettings } from '../configuration/store-settings.ts'
import { migrate } from '../store/migrate.ts'

export async function runMigrate(): Promise<void> {
  const { databaseUrl } = readSettings(process.env, readStoreSettings)
  if (databaseUrl === undefined)
    throw new Error('DATABASE_URL is not set; the embedded store is migrated by `npm start`.')
  const applied = await migrate(databaseUrl)
  console.log(applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`)
}

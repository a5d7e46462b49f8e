import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import pg from 'pg'
import { readSettings } from '../../config/settings.ts'
import { readStoreSettings } from '../../config/store-settings.ts'
import { runningStoreUrl, startEmbeddedStore } from '../../db/embedded/start-embedded-store.ts'
import { checkBackup, restoreBackup, settleRestored } from './restore-backup.ts'
import { requireNoConflictingSecrets, writeBackup, writeSecrets } from './write-backup.ts'

/** `npm run backup -- FILE`: reports success only after the written file was read again. */
export async function runBackup(args: readonly string[]): Promise<void> {
  const file = resolve(singleFile(args, 'backup') ?? `tracker-${timestamp()}.backup`)
  const rows = await withStore({ createIfMissing: false }, ({ url, dataDirectory }) =>
    writeBackup(url, dataDirectory, file),
  )
  await checkBackup(file)
  console.log(`${file} has ${rows} rows, ${statSync(file).size} bytes, and was verified.`)
}

/** `npm run restore -- FILE`: restores into an empty store; with `--check` the file is only read. */
export async function runRestore(args: readonly string[]): Promise<void> {
  const isOnlyCheck = args.includes('--check')
  const name = singleFile(
    args.filter((arg) => arg !== '--check'),
    'restore',
  )
  if (name === undefined) throw new Error('The file is missing: npm run restore -- FILE')
  const file = resolve(name)
  const backup = await checkBackup(file)
  const { head, end } = backup
  const rows = Object.values(end.rows).reduce((sum, count) => sum + count, 0)
  if (isOnlyCheck) return console.log(`${file} of ${head.madeAt} is intact: ${rows} rows.`)
  await withStore({ createIfMissing: true }, async ({ url, dataDirectory }) => {
    await requireNoConflictingSecrets(head.files, dataDirectory)
    await restoreBackup(url, file, backup, () => writeSecrets(head.files, dataDirectory))
  })
  console.log(`Restored ${rows} rows of ${head.madeAt}. All users have to sign in again.`)
  if (process.env.DATABASE_URL) console.log('Run `npm run cli -- prepare` if hosts have roles of their own.')
}

/** `npm run cli -- restored`: run after restoring a database with other tools, before starting the hosts. */
export async function runRestored(): Promise<void> {
  await withStore({ createIfMissing: false }, async ({ url }) => {
    const client = new pg.Client({ connectionString: url, application_name: 'restored' })
    client.on('error', () => undefined)
    await client.connect()
    try {
      await client.query('begin')
      // Adjusts transaction numbers, resets the positions of readers and ends all sessions.
      await settleRestored(client)
      await client.query('commit')
    } finally {
      await client.end()
    }
  })
  console.log('The restored store is ready. All users have to sign in again.')
}

function singleFile(args: readonly string[], command: string): string | undefined {
  if (args.length > 1 || args[0]?.startsWith('-')) throw new Error(`npm run ${command} takes one file.`)
  return args[0]
}

const timestamp = () => new Date().toISOString().slice(0, 19).replace(/[-:]/g, '')

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

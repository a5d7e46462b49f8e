type Command = (words: readonly string[]) => Promise<void>

/** Maps names to commands; `npm start` runs `start`. Each loads only its own modules. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  start: async () => (await import('./start.ts')).runStart,
  migrate: async () => (await import('./prepare-store.ts')).runMigrate,
  prepare: async () => (await import('./prepare-store.ts')).runPrepare,
  backup: async () => (await import('./backup/run-backup.ts')).runBackup,
  restore: async () => (await import('./backup/run-backup.ts')).runRestore,
  restored: async () => (await import('./backup/run-backup.ts')).runRestored,
  distribute: async () => (await import('./prepare-store.ts')).runDistribute,
  'verify-history': async () => (await import('./history.ts')).runVerifyHistory,
  'history-heads': async () => (await import('./history.ts')).runHistoryHeads,
  'export-history': async () => (await import('./history.ts')).runExportHistory,
  doctor: async () => (await import('./doctor/run-doctor.ts')).runDoctor,
}

const usage = `Usage:
  npm start                     starts every host
  npm start -- rest             starts the named hosts only
  npm run cli -- migrate        brings the schema of DATABASE_URL up to date
  npm run cli -- prepare        the same, and sets the rights of the hosts' roles and seeds the first account
  npm run cli -- distribute     distributes the rows of a Citus coordinator over its workers; stop all hosts first
  npm run backup -- FILE        writes the whole store to one file; hosts may keep running
  npm run restore -- FILE       restores it into an empty store; with --check only verifies the file
  npm run doctor                checks the installation and gives advice; exits with 1 if something is wrong
  npm run cli -- restored       run after restoring a database with other tools, before starting the hosts
  npm run cli -- verify-history [FILE]     verifies the sealed days of the history, also against the heads in FILE
  npm run cli -- history-heads             prints the heads of the sealed days, to be stored outside the system as FILE
  npm run cli -- export-history [csv]      prints the whole history as lines of JSON, or as CSV
`

export async function runCommand([name = '', ...words]: readonly string[]): Promise<void> {
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (load === undefined) {
    console.error(usage)
    process.exitCode = 2
    return
  }
  try {
    const command = await load()
    await command(words)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    if (process.env.LOG_LEVEL === 'debug') console.error(error)
    // Open handles must not keep the process alive.
    process.exit(1)
  }
}

type Command = (words: readonly string[]) => Promise<void>

/** All commands; `npm start` is `start`. Each loads its own modules. */
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
  npm run cli -- prepare        the same, with the rights of the hosts' roles and the first account
  npm run cli -- distribute     spreads the rows of a Citus coordinator over its workers, while no host runs
  npm run backup -- FILE        writes everything the store holds into one file, while hosts run
  npm run restore -- FILE       puts it into an empty store; with --check it only reads the file
  npm run doctor                looks at everything and says what to do; exit code 1 when something is wrong
  npm run cli -- restored       after a store was put back by other means, before hosts start on it
  npm run cli -- verify-history [FILE]     whether the sealed days of the history are as they were, and as FILE has kept them
  npm run cli -- history-heads             the heads of the sealed days, to be kept elsewhere as FILE
  npm run cli -- export-history [csv]      all of the history as lines of JSON, or as CSV
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

import { runBackup, runRestore, runRestored } from './backup/run-backup.ts'
import { runDistribute } from './distribute.ts'
import { runDoctor } from './doctor/run-doctor.ts'
import { runExportHistory, runHistoryHeads, runVerifyHistory } from './history.ts'
import { runMigrate, runPrepare } from './prepare-store.ts'
import { runStart } from './start.ts'

/** Every command there is; `npm start` is `start`. */
const commands: Readonly<Record<string, (words: readonly string[]) => Promise<void>>> = {
  start: runStart,
  migrate: runMigrate,
  prepare: runPrepare,
  backup: runBackup,
  restore: runRestore,
  restored: runRestored,
  distribute: runDistribute,
  'verify-history': runVerifyHistory,
  'history-heads': runHistoryHeads,
  'export-history': runExportHistory,
  doctor: runDoctor,
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
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command === undefined) {
    console.error(usage)
    process.exitCode = 2
    return
  }
  try {
    await command(words)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    if (process.env.LOG_LEVEL === 'debug') console.error(error)
    // Nothing that is left may keep the process.
    process.exit(1)
  }
}

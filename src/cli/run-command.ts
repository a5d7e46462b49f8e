import { resolve, sep } from 'node:path'
import { declaredSettings } from '../config/declared-settings.ts'
import type { Environment } from '../config/settings.ts'
import { Problem } from '../model/problem.ts'
import { adviceOn, errorText } from './doctor/advice.ts'
import { helpOf, helpOfAll, type Options, parseUsage, synopsis, type Usage, UsageError } from './usage.ts'

type Command = (args: readonly string[], options: Options) => Promise<void>

interface CommandEntry extends Usage {
  /** A command that runs hosts reports its failure as a line of the log, unless its output is a terminal. */
  readonly runsHosts?: true
  /** Loads only the modules of this command. */
  readonly load: () => Promise<Command>
}

const yes = { about: 'skips the confirmation; required without a terminal' }
const link = { about: 'prints a one-time link for setting the password, instead of asking for a password' }
const json = { about: 'prints one line of JSON per entry' }
const login = { name: 'LOGIN' }
const passwordInput =
  'Type the password without echo, or pipe it in as the first line of the input. It is never an argument.'
const restSettingsHint =
  'Run it with the settings of a REST host, or with the DATABASE_URL of the role that migrates.'
const identitySettingsHint =
  'Run it with the settings of an identity host, or with its secret and the DATABASE_URL of the role that migrates.'

/** The commands by name; `npm start` runs `start`. The help and docs/commands.md come from this table. */
export const commands: Readonly<Record<string, CommandEntry>> = {
  start: {
    script: 'npm start --',
    argument: { name: 'HOST', isOptional: true, isRepeated: true },
    about: 'starts all hosts, or only those that are named',
    runsHosts: true,
    load: async () => (await import('./start.ts')).runStart,
  },
  worker: {
    argument: { name: 'HOST', isRepeated: true },
    about: 'serves hosts as one of several processes (`PROCESSES`); only `start` runs it',
    load: async () => (await import('./start.ts')).runWorker,
  },
  migrate: {
    about: 'brings the schema of DATABASE_URL up to date',
    load: async () => (await import('./prepare-store.ts')).runMigrate,
  },
  prepare: {
    about:
      "brings the schema up to date, grants the hosts' roles their privileges, and reports if there is no administrator",
    load: async () => (await import('./prepare-store.ts')).runPrepare,
  },
  distribute: {
    argument: { name: 'SHARDS', isOptional: true },
    about: 'distributes the rows of a Citus coordinator over its workers; stop all hosts first',
    load: async () => (await import('./prepare-store.ts')).runDistribute,
  },
  doctor: {
    script: 'npm run doctor',
    about: 'checks the installation and gives advice; exits with 1 if there is an error',
    load: async () => (await import('./doctor/run-doctor.ts')).runDoctor,
  },
  version: {
    about: 'prints the versions of this program, its schema and Node.js',
    load: async () => (await import('./prepare-store.ts')).runVersion,
  },
  'account create': {
    argument: login,
    about: 'creates an account',
    more: `${passwordInput} ${restSettingsHint}`,
    options: {
      administrator: { about: 'gives it the administrator role' },
      name: { value: 'NAME', about: 'the name that other users see; defaults to the login' },
      link,
    },
    load: async () => (await import('./accounts.ts')).runCreateAccount,
  },
  'account list': {
    argument: { name: 'TEXT', isOptional: true },
    about: 'lists all accounts, or those whose login or name contains TEXT',
    more: restSettingsHint,
    options: { json },
    load: async () => (await import('./accounts.ts')).runListAccounts,
  },
  'account reset-password': {
    argument: login,
    about: 'sets a new password and ends the sessions; also works for a deactivated account',
    more: `${passwordInput} ${restSettingsHint}`,
    options: { link, yes },
    load: async () => (await import('./accounts.ts')).runResetPassword,
  },
  'account remove-factors': {
    argument: login,
    about: 'removes all second factors and ends the sessions',
    more: identitySettingsHint,
    options: { yes },
    load: async () => (await import('./accounts.ts')).runRemoveFactors,
  },
  'account make-administrator': {
    argument: login,
    about: 'gives an account the administrator role',
    more: restSettingsHint,
    load: async () => (await import('./accounts.ts')).runMakeAdministrator,
  },
  'account deactivate': {
    argument: login,
    about: 'prevents an account from signing in and ends its sessions; fails for the last administrator',
    more: restSettingsHint,
    options: { yes },
    load: async () => (await import('./accounts.ts')).runDeactivate,
  },
  'account reactivate': {
    argument: login,
    about:
      'allows a deactivated account to sign in again; set a new password first if the old one was stolen',
    more: restSettingsHint,
    load: async () => (await import('./accounts.ts')).runReactivate,
  },
  'client list': {
    about:
      'lists the clients that administrators have created; the settings of the identity host have the others',
    more: restSettingsHint,
    options: { json },
    load: async () => (await import('./accounts.ts')).runListClients,
  },
  'client end': {
    argument: { name: 'ID' },
    about: 'revokes all tokens of a client that is declared in the settings; remove it there, too',
    more: identitySettingsHint,
    load: async () => (await import('./accounts.ts')).runEndClient,
  },
  'keys rotate': {
    about: 'schedules new keys, used from tomorrow on; no session ends',
    more: identitySettingsHint,
    load: async () => (await import('./secrets.ts')).runRotateKeys,
  },
  'keys revoke': {
    about: 'replaces stolen keys at once; all users have to sign in again',
    more: `${identitySettingsHint} Stop the identity hosts first; running ones use the old keys for up to 15 seconds.`,
    options: {
      yes,
      'lost-secret': { about: 'also replaces keys that were encrypted with another secret, which is lost' },
    },
    load: async () => (await import('./secrets.ts')).runRevokeKeys,
  },
  'secret rotate': {
    about: 're-encrypts everything that the old secret has encrypted, with the new secret; can be repeated',
    more: 'Hosts may keep running if they have both secrets: the new one in Identity__KeyEncryptionSecret, the old one in Identity__PreviousKeyEncryptionSecret. Without the latter, the old secret is read from the file in DATA_DIR.',
    options: {
      'new-file': { value: 'FILE', about: 'contains the new secret, instead of the setting' },
      'old-file': { value: 'FILE', about: 'contains the old secret, instead of the setting' },
    },
    load: async () => (await import('./secrets.ts')).runRotateSecret,
  },
  backup: {
    script: 'npm run backup --',
    argument: { name: 'FILE', isOptional: true },
    about: 'writes the whole store to one file, or to a new file in a directory; hosts may keep running',
    options: {
      keep: { value: 'NUMBER', about: 'keeps this many backups in the directory, and deletes older ones' },
      'key-file': {
        value: 'FILE',
        about: 'encrypts the backup with the key that `openssl rand -hex 32` wrote into this file',
      },
      'copy-command': {
        value: 'COMMAND',
        about: 'runs this in a shell afterwards, to copy $BACKUP_FILE elsewhere',
      },
      'without-files': { about: 'leaves out the files of attachments, which another tool copies' },
    },
    load: async () => (await import('./backup/run-backup.ts')).runBackup,
  },
  'backup verify': {
    script: 'npm run backup -- verify',
    argument: { name: 'FILE' },
    about: 'reads a backup, or the newest one of a directory, to its end',
    options: { 'key-file': { value: 'FILE', about: 'contains the key of an encrypted backup' } },
    load: async () => (await import('./backup/run-backup.ts')).runVerifyBackup,
  },
  restore: {
    script: 'npm run restore --',
    argument: { name: 'FILE' },
    about: 'restores a backup into an empty store',
    options: {
      check: { about: 'only reads the file, as `backup verify` does' },
      'key-file': { value: 'FILE', about: 'contains the key of an encrypted backup' },
    },
    load: async () => (await import('./backup/run-backup.ts')).runRestore,
  },
  restored: {
    about: 'prepares a database that other tools have restored; run it before the hosts start',
    load: async () => (await import('./backup/run-backup.ts')).runRestored,
  },
  'backed-up': {
    about: 'records that another tool has made a backup, for doctor and metrics; run it after each backup',
    load: async () => (await import('./backup/run-backup.ts')).runBackedUp,
  },
  'verify-history': {
    argument: { name: 'FILE', isOptional: true },
    about: 'verifies the closed days of the history, and compares them with the heads in FILE',
    load: async () => (await import('./history.ts')).runVerifyHistory,
  },
  'history-heads': {
    about:
      'prints the heads of the closed days; store them outside the system, as the FILE of verify-history',
    load: async () => (await import('./history.ts')).runHistoryHeads,
  },
  'export-history': {
    argument: { name: 'jsonl|csv', isOptional: true },
    about: 'prints the whole history, by default as lines of JSON',
    load: async () => (await import('./history.ts')).runExportHistory,
  },
}

const exitCodes = { failure: 1, usageError: 2 } as const

/** Runs the command that the arguments name, and sets the exit code: 0 success, 1 failure, 2 usage error. */
export async function runCommand(argv: readonly string[]): Promise<void> {
  const [name, args] = findCommand(argv)
  const entry = commands[name]
  const wantsHelp = argv.some((arg) => arg === '--help' || arg === '-h')
  if (wantsHelp) return console.log(entry ? helpOf(name, entry) : helpOfAll(commands, argv[0]))
  if (entry !== undefined) return run(name, entry, args)
  console.error(helpOfAll(commands, argv[0]))
  process.exitCode = exitCodes.usageError
}

async function run(name: string, entry: CommandEntry, argv: readonly string[]): Promise<void> {
  try {
    const { args, options } = parseUsage(entry, argv)
    const command = await entry.load()
    await command(args, options)
  } catch (error) {
    await reportFailure(name, entry, error)
    // Open handles must not keep the process alive.
    process.exit(error instanceof UsageError ? exitCodes.usageError : exitCodes.failure)
  }
}

async function reportFailure(name: string, entry: CommandEntry, error: unknown): Promise<void> {
  const reason = explain(error, process.env)
  const isDebugLevel = process.env.LOG_LEVEL === 'debug'
  if (entry.runsHosts && !process.stdout.isTTY) {
    const { createLog } = await import('../http/log.ts')
    const level = process.env.LOG_LEVEL === 'silent' ? 'silent' : 'fatal'
    const log = createLog({ level, host: 'start' })
    return log.fatal({ reason, ...(isDebugLevel && { err: error }) }, 'The start failed.')
  }
  console.error(reason)
  if (error instanceof UsageError) console.error(`\n${synopsis(name, entry)}`)
  if (isDebugLevel) console.error(error)
}

/** The name of a command consists of one or two arguments. */
function findCommand(argv: readonly string[]): [name: string, args: readonly string[]] {
  for (const length of [2, 1]) {
    const name = argv.slice(0, length).join(' ')
    if (Object.hasOwn(commands, name)) return [name, argv.slice(length)]
  }
  return ['', []]
}

/** Returns the message of a failed command, with advice for common mistakes in the settings. */
export function explain(error: unknown, environment: Environment): string {
  if (error instanceof Problem && error.errors) return Object.values(error.errors).flat().join('\n')
  const text = errorText(error)
  const { DATABASE_URL, DATABASE_URL_FILE } = environment
  const advice =
    adviceOnDirectory(error, environment) ?? (DATABASE_URL || DATABASE_URL_FILE ? adviceOn(error) : undefined)
  return advice === undefined ? text : `${text.replace(/\.$/, '')}. ${advice}`
}

const notWritableCodes = ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST']

/** Every command may write to the data directory: it has the generated secrets, even with DATABASE_URL. */
function adviceOnDirectory(error: unknown, { DATA_DIR }: Environment): string | undefined {
  const { code = '', path } = error as NodeJS.ErrnoException
  if (path === undefined || !notWritableCodes.includes(code)) return undefined
  const directory = resolve(DATA_DIR?.trim() || declaredSettings.DATA_DIR.defaultValue)
  const failedPath = resolve(path)
  // Creating the directory fails at the first of its parents that is missing.
  if (!isWithin(failedPath, directory) && !isWithin(directory, failedPath)) return undefined
  return `Set DATA_DIR (${directory}) to a directory that this user may write to. It is also needed with DATABASE_URL.`
}

const isWithin = (path: string, directory: string): boolean =>
  `${path}${sep}`.startsWith(`${directory}${sep}`)

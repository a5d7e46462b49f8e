import { resolve, sep } from 'node:path'
import { parseArgs } from 'node:util'
import { declaredSettings } from '../config/declared-settings.ts'
import type { Environment } from '../config/settings.ts'
import { adviceOn, textOf } from '../db/store-advice.ts'
import { Problem } from '../model/problem.ts'
import { type Options, UsageError } from './ask.ts'

type Command = (args: readonly string[], options: Options) => Promise<void>

interface CommandEntry {
  /** The arguments as the help shows them; those in brackets may be left out. */
  readonly args?: string
  readonly about: string
  /** Sentences that only the help of this command has. */
  readonly more?: string
  /** Explains each option; one that takes a value begins with the value's name, such as `NAME:`. Absent: all is passed on. */
  readonly options?: Readonly<Record<string, string>>
  /** How npm runs it, if not by `npm run cli --`. */
  readonly script?: string
  /** It runs hosts, so its failure is a line of their log, unless a person reads it in a terminal. */
  readonly runsHosts?: true
  readonly load: () => Promise<Command>
}

const yes = 'asks nothing; a script without a terminal needs it'
const link = 'prints a link that sets the password once, instead of asking for one'
const json = 'prints a line of JSON for each'
const passwordInput =
  'The password is typed without echo, or is the first line of the input. It is never an argument.'
const restSettingsHint =
  'Run it with the settings of a rest host, or with the DATABASE_URL of the role that migrates.'
const identitySettingsHint =
  'Run it with the settings of an identity host, or with its secret and the DATABASE_URL of the role that migrates.'

/** The commands by name; `npm start` runs `start`. Each command loads only its own modules. The help and docs/commands.md are written from this table. */
export const commands: Readonly<Record<string, CommandEntry>> = {
  start: {
    script: 'npm start --',
    args: '[HOST …]',
    about: 'starts all hosts, or only those that are named',
    runsHosts: true,
    load: async () => (await import('./start.ts')).runStart,
  },
  worker: {
    about: 'only for `start` itself: one of several processes (`PROCESSES`)',
    load: async () => (await import('./start.ts')).runWorker,
  },
  migrate: {
    about: 'brings the schema of DATABASE_URL up to date',
    load: async () => (await import('./prepare-store.ts')).runMigrate,
  },
  prepare: {
    about: "the same, sets the rights of the hosts' roles, and says so if there is no administrator",
    load: async () => (await import('./prepare-store.ts')).runPrepare,
  },
  distribute: {
    args: '[SHARDS]',
    about: 'distributes the rows of a Citus coordinator over its workers; stop all hosts first',
    load: async () => (await import('./prepare-store.ts')).runDistribute,
  },
  doctor: {
    script: 'npm run doctor',
    about: 'checks the installation and gives advice; exits with 1 if there is an error',
    load: async () => (await import('./doctor/run-doctor.ts')).runDoctor,
  },
  version: {
    about: 'prints the version of this program, its schema and its Node',
    options: {},
    load: async () => (await import('./prepare-store.ts')).runVersion,
  },
  'account create': {
    args: 'LOGIN',
    about: 'creates an account',
    more: `${passwordInput} ${restSettingsHint}`,
    options: {
      administrator: 'gives it the administrator role',
      name: 'NAME: what others call the person; the login if left out',
      link,
    },
    load: async () => (await import('./accounts.ts')).runCreateAccount,
  },
  'account list': {
    args: '[TEXT]',
    about: 'lists accounts, those with the text in login or name',
    more: restSettingsHint,
    options: { json },
    load: async () => (await import('./accounts.ts')).runListAccounts,
  },
  'account reset-password': {
    args: 'LOGIN',
    about: 'sets a new password and ends the sessions',
    more: `${passwordInput} ${restSettingsHint}`,
    options: { link, yes },
    load: async () => (await import('./accounts.ts')).runResetPassword,
  },
  'account remove-factors': {
    args: 'LOGIN',
    about: 'removes all second factors and ends the sessions',
    more: identitySettingsHint,
    options: { yes },
    load: async () => (await import('./accounts.ts')).runRemoveFactors,
  },
  'account make-administrator': {
    args: 'LOGIN',
    about: 'gives an account the administrator role',
    more: restSettingsHint,
    options: {},
    load: async () => (await import('./accounts.ts')).runMakeAdministrator,
  },
  'account deactivate': {
    args: 'LOGIN',
    about: 'closes the sign-in of an account and ends its sessions; never of the last administrator',
    more: restSettingsHint,
    options: { yes },
    load: async () => (await import('./accounts.ts')).runDeactivate,
  },
  'account reactivate': {
    args: 'LOGIN',
    about: 'opens the sign-in of a deactivated account again, with its previous password',
    more: restSettingsHint,
    options: {},
    load: async () => (await import('./accounts.ts')).runReactivate,
  },
  'client list': {
    about: 'lists the clients that administrators have created; others are in the settings of identity',
    more: restSettingsHint,
    options: { json },
    load: async () => (await import('./accounts.ts')).runListClients,
  },
  'client end': {
    args: 'ID',
    about: 'rejects the tokens of a client of the settings at once; remove it from the settings too',
    more: identitySettingsHint,
    options: {},
    load: async () => (await import('./accounts.ts')).runEndClient,
  },
  'keys rotate': {
    about: 'announces new keys, used from tomorrow on; nothing ends',
    more: identitySettingsHint,
    options: {},
    load: async () => (await import('./secrets.ts')).runRotateKeys,
  },
  'keys revoke': {
    about: 'replaces stolen keys at once; all users have to sign in again',
    more: `${identitySettingsHint} Stop the identity hosts first; running ones use the old keys for up to 15 seconds.`,
    options: {
      yes,
      'lost-secret': 'also replaces keys that were encrypted with another secret, which is lost',
    },
    load: async () => (await import('./secrets.ts')).runRevokeKeys,
  },
  'secret rotate': {
    about: 'encrypts again, with the new secret, what the old one has encrypted; can be repeated',
    more: 'Hosts may run if they have both: Identity__KeyEncryptionSecret is the new one, Identity__PreviousKeyEncryptionSecret the old one. Without the latter, the old one is the file in DATA_DIR.',
    options: {
      'new-file': 'FILE: has the new secret, instead of the setting',
      'old-file': 'FILE: has the old secret, instead of the setting',
    },
    load: async () => (await import('./secrets.ts')).runRotateSecret,
  },
  backup: {
    script: 'npm run backup --',
    args: '[FILE]',
    about: 'writes the whole store to one file, or to a new file in a directory; hosts may keep running',
    options: {
      keep: 'NUMBER: deletes all but the newest backups of the directory',
      'key-file': 'FILE: encrypts the backup with the key that `openssl rand -hex 32` wrote into this file',
      'copy-command': 'COMMAND: then runs this in a shell, to copy $BACKUP_FILE elsewhere',
      'without-files': 'leaves the files of attachments out, which another tool copies',
    },
    load: async () => (await import('./backup/run-backup.ts')).runBackup,
  },
  'backup verify': {
    script: 'npm run backup -- verify',
    args: 'FILE',
    about: 'reads a backup, or the newest one of a directory, to its end',
    options: { 'key-file': 'FILE: has the key of an encrypted backup' },
    load: async () => (await import('./backup/run-backup.ts')).runVerifyBackup,
  },
  restore: {
    script: 'npm run restore --',
    args: 'FILE',
    about: 'restores a backup into an empty store',
    options: {
      check: 'only reads the file, as `backup verify` does',
      'key-file': 'FILE: has the key of an encrypted backup',
    },
    load: async () => (await import('./backup/run-backup.ts')).runRestore,
  },
  restored: {
    about: 'run after restoring a database with other tools, before starting the hosts',
    load: async () => (await import('./backup/run-backup.ts')).runRestored,
  },
  'backed-up': {
    about: 'run after each backup by another tool, so that doctor and metrics know its time',
    load: async () => (await import('./backup/run-backup.ts')).runBackedUp,
  },
  'verify-history': {
    args: '[FILE]',
    about: 'verifies the closed days of the history, also against the heads in FILE',
    load: async () => (await import('./history.ts')).runVerifyHistory,
  },
  'history-heads': {
    about: 'prints the heads of the closed days, to be stored outside the system as FILE',
    load: async () => (await import('./history.ts')).runHistoryHeads,
  },
  'export-history': {
    args: '[csv]',
    about: 'prints the whole history as lines of JSON, or as CSV',
    load: async () => (await import('./history.ts')).runExportHistory,
  },
}

const failed = 1
const usedWrongly = 2

/** Exit codes: 0 done, 1 failed, 2 used wrongly. */
export async function runCommand(words: readonly string[]): Promise<void> {
  const [name, args] = findCommand(words)
  const entry = commands[name]
  const wantsHelp = words.some((word) => word === '--help' || word === '-h')
  if (wantsHelp) return console.log(entry ? helpOf(name, entry) : helpOfAll(words[0]))
  if (entry !== undefined) return run(name, entry, args)
  console.error(helpOfAll(words[0]))
  process.exitCode = usedWrongly
}

async function run(name: string, entry: CommandEntry, args: readonly string[]): Promise<void> {
  try {
    const parsed = parse(entry, args)
    const command = await entry.load()
    await command(parsed.args, parsed.options)
  } catch (error) {
    await reportFailure(name, entry, error)
    // Open handles must not keep the process alive.
    process.exit(error instanceof UsageError ? usedWrongly : failed)
  }
}

async function reportFailure(name: string, entry: CommandEntry, error: unknown): Promise<void> {
  const reason = explain(error, process.env)
  const isDebugged = process.env.LOG_LEVEL === 'debug'
  if (entry.runsHosts && !process.stdout.isTTY) {
    const { createLog } = await import('../http/log.ts')
    const level = process.env.LOG_LEVEL === 'silent' ? 'silent' : 'fatal'
    const log = createLog({ level, host: 'start' })
    return log.fatal({ reason, ...(isDebugged && { err: error }) }, 'The start failed.')
  }
  console.error(reason)
  if (error instanceof UsageError) console.error(`\n${synopsis(name, entry)}`)
  if (isDebugged) console.error(error)
}

/** A name has one word or two. */
function findCommand(words: readonly string[]): [name: string, args: readonly string[]] {
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(' ')
    if (Object.hasOwn(commands, name)) return [name, words.slice(length)]
  }
  return ['', []]
}

function parse({ args: expected = '', options }: CommandEntry, args: readonly string[]) {
  if (options === undefined) return { args, options: {} }
  const declared = Object.entries(options).map(([name, about]) => {
    const type: 'string' | 'boolean' = takesValue(about) ? 'string' : 'boolean'
    return [name, { type }] as const
  })
  const { values, positionals } = parseOrExplain(args, Object.fromEntries(declared))
  const most = expected === '' ? 0 : 1
  const least = expected.startsWith('[') ? 0 : most
  if (positionals.length < least) throw new UsageError(`${expected} is missing.`)
  if (positionals.length > most) throw new UsageError('There are too many arguments.')
  return { args: positionals, options: values }
}

function parseOrExplain(
  args: readonly string[],
  options: Readonly<Record<string, { type: 'string' | 'boolean' }>>,
): { readonly values: Options; readonly positionals: readonly string[] } {
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true })
    return { values: values as Options, positionals }
  } catch (error) {
    throw new UsageError((error as Error).message.split('. ', 1)[0])
  }
}

const takesValue = (about: string): boolean => /^[A-Z]+: /.test(about)

/** The help of all commands, or of those that begin with the word. */
function helpOfAll(word: string | undefined): string {
  const entries = Object.entries(commands)
  const ofGroup = entries.filter(([name]) => name.startsWith(`${word} `))
  const shown = ofGroup.length > 0 ? ofGroup : entries
  const lines = shown.map(([name, entry]) => [synopsis(name, entry), entry.about] as const)
  const width = Math.max(...lines.map(([text]) => text.length))
  return [
    'Usage:',
    ...lines.map(([text, about]) => `  ${text.padEnd(width)}  ${about}`),
    '',
    'Each of them explains itself with --help. Exit codes: 0 done, 1 failed, 2 used wrongly.',
  ].join('\n')
}

function helpOf(name: string, entry: CommandEntry): string {
  const options = Object.entries(entry.options ?? {}).map(([option, about]) => {
    const [, value = '', meaning = about] = /^([A-Z]+): (.*)$/.exec(about) ?? []
    return `  ${`--${option} ${value}`.trim().padEnd(18)}${meaning}`
  })
  return [
    synopsis(name, entry),
    '',
    sentence(entry.about),
    ...(options.length > 0 ? ['', ...options] : []),
    ...(entry.more === undefined ? [] : ['', entry.more]),
  ].join('\n')
}

const sentence = (about: string): string => `${about[0]?.toUpperCase()}${about.slice(1)}.`

export function synopsis(name: string, { script, args, options = {} }: CommandEntry): string {
  const optional = Object.entries(options).map(([option, about]) => {
    const [value] = takesValue(about) ? about.split(':', 1) : []
    return `[--${option}${value === undefined ? '' : ` ${value}`}]`
  })
  return [script ?? `npm run cli -- ${name}`, args, ...optional].filter((part) => part).join(' ')
}

/** The sentences that end a command: what has happened, and what to do about it if the error itself does not say so. */
export function explain(error: unknown, environment: Environment): string {
  if (error instanceof Problem && error.errors) return Object.values(error.errors).flat().join('\n')
  const text = textOf(error)
  const { DATABASE_URL, DATABASE_URL_FILE } = environment
  const advice =
    adviceOnDirectory(error, environment) ?? (DATABASE_URL || DATABASE_URL_FILE ? adviceOn(error) : undefined)
  return advice === undefined ? text : `${text.replace(/\.$/, '')}. ${advice}`
}

const notWritableCodes = ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST']

/** Secrets are in the data directory even if the store is not. */
function adviceOnDirectory(error: unknown, { DATA_DIR }: Environment): string | undefined {
  const { code = '', path } = error as NodeJS.ErrnoException
  if (path === undefined || !notWritableCodes.includes(code)) return undefined
  const [directory, failed] = [
    resolve(DATA_DIR?.trim() || declaredSettings.DATA_DIR.defaultValue),
    resolve(path),
  ]
  // Creating the directory fails at the first parent that is missing.
  if (
    !`${failed}${sep}`.startsWith(`${directory}${sep}`) &&
    !`${directory}${sep}`.startsWith(`${failed}${sep}`)
  )
    return undefined
  return `Set DATA_DIR (${directory}) to a directory that this user may write to; a store elsewhere needs DATABASE_URL.`
}

import { createHash, randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  existsSync,
  fchownSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Setup } from './choose-setup.ts'

const passwordFileIn = (dataDirectory: string) => join(dataDirectory, 'postgres.password')

/** Returns the password of the cluster's only role, or undefined if it is missing or incomplete. */
export function findPassword(dataDirectory: string): string | undefined {
  const file = passwordFileIn(dataDirectory)
  if (!existsSync(file)) return undefined
  // A copied or restored file may be readable by others.
  chmodSync(file, 0o600)
  const password = readFileSync(file, 'utf8').trim()
  return /^[0-9a-f]{48}$/.test(password) ? password : undefined
}

export function createPassword(dataDirectory: string): string {
  const password = randomBytes(24).toString('hex')
  replaceFile(passwordFileIn(dataDirectory), `${password}\n`)
  return password
}

/** Returns the arguments of initdb that protect a new cluster with the password. */
export function passwordArguments(dataDirectory: string): readonly string[] {
  if (findPassword(dataDirectory) === undefined) createPassword(dataDirectory)
  return ['--auth=scram-sha-256', `--pwfile=${passwordFileIn(dataDirectory)}`]
}

/**
 * Returns whether connections require this password. The access rules, `pg_hba.conf`, contain a hash of the
 * password. It differs if the cluster was copied from a data directory with another password.
 */
export const requiresPassword = (cluster: string, password: string): boolean =>
  readRules(cluster) === rulesWith(password)

/** Allows connections without a password until the role has one. Other users cannot reach the socket. */
export const trustLocalConnections = (setup: Setup) => writeRules(setup, 'local all tracker trust\n')

/** Sets the role's password on a server that requires none yet, and waits until the server requires it. */
export async function setPassword(setup: Setup, host: string, password: string): Promise<void> {
  const withoutCredentials = { host, port: 5432, user: 'tracker', database: 'tracker', password: '' }
  const client = new pg.Client(withoutCredentials)
  client.on('error', () => {})
  await client.connect()
  try {
    // Statement parameters are not possible here. The password consists of hexadecimal digits.
    await client.query(`alter role tracker password '${password}'`)
    writeRules(setup, rulesWith(password))
    await client.query('select pg_reload_conf()')
  } finally {
    await client.end()
  }
  const deadline = performance.now() + reloadSecondsMax * 1000
  while (await canConnect(withoutCredentials)) {
    if (performance.now() > deadline) throw new Error('The database does not require its password.')
    await sleep(reloadPauseMilliseconds)
  }
}

async function canConnect(config: pg.ClientConfig): Promise<boolean> {
  const client = new pg.Client(config)
  client.on('error', () => {})
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    // A connection that is abandoned during authentication delays `drop database` by a minute. Not awaited,
    // because a failed connection may never end.
    client.end().catch(() => {})
  }
}

/** The server reloads its files within milliseconds. */
const reloadSecondsMax = 10
const reloadPauseMilliseconds = 10

const rulesWith = (password: string) => `# Written by the program that runs this server.
# Password: ${createHash('sha256').update(password).digest('hex')}
local all all scram-sha-256
`

const rulesFileOf = (cluster: string) => join(cluster, 'pg_hba.conf')

function readRules(cluster: string): string | undefined {
  try {
    return readFileSync(rulesFileOf(cluster), 'utf8')
  } catch {
    return undefined
  }
}

function writeRules({ cluster, account: { user } }: Setup, text: string): void {
  replaceFile(rulesFileOf(cluster), text, (handle) => {
    if (user !== undefined && process.getuid?.() === 0) fchownSync(handle, user.uid, user.gid)
  })
}

/** Writes the whole file or nothing, readable by its owner only, and never through a planted link. */
function replaceFile(file: string, text: string, prepare?: (handle: number) => void): void {
  const staging = `${file}.new`
  rmSync(staging, { force: true })
  const handle = openSync(staging, 'wx', 0o600)
  try {
    prepare?.(handle)
    writeSync(handle, text)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(staging, file)
}

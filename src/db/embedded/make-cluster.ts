import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Account, changeOwner, makersFor } from './accounts.ts'
import { probe, programIn, type Setup } from './choose-setup.ts'
import { passwordArguments } from './password.ts'
import { endMakers, spawnDependent, waitUntil } from './postmaster.ts'
import type { Settings } from './start-server.ts'

export const isCluster = (cluster: string) => existsSync(join(cluster, 'PG_VERSION'))

/**
 * The cluster is made in a staging folder and renamed when complete, so an interrupted start never leaves a
 * partial one in its place.
 */
export async function makeCluster(setup: Setup, settings: Settings): Promise<void> {
  const { cluster, account } = setup
  requireFree(cluster)
  const staging = mkdtempSync(`${cluster}${stagingMark}`)
  await fill(staging, { ...setup, account: makerFor(setup) }, settings)
  changeOwner(account, staging)
  renameSync(staging, cluster)
  syncDirectory(dirname(cluster))
}

function makerFor({ binaries, account, cluster }: Setup): Account {
  const maker = makersFor(account).find((each) => probe(binaries, each, dirname(cluster)) !== undefined)
  if (maker !== undefined) return maker
  throw new Error('Root has no user here under which to make a database. Start as an ordinary user.')
}

/** On Windows initdb's own database has to do, because a standalone server rejects administrators there. */
async function fill(staging: string, { binaries, major, account }: Setup, settings: Settings): Promise<void> {
  changeOwner(account, staging)
  const initdb = [programIn(binaries, 'initdb'), ...initdbArguments(staging, settings)]
  await initialize(initdb, localesFor(major), account)
  if (process.platform === 'win32') return
  const single = [programIn(binaries, 'postgres'), '--single', '-D', staging, 'postgres']
  await runToEnd(single, account, 'create database tracker\n')
}

function requireFree(cluster: string): void {
  if (!existsSync(cluster) || readdirSync(cluster).length === 0) return
  throw new Error(
    `${cluster} holds something other than a database. Move it away, or set DATA_DIR to another folder.`,
  )
}

/**
 * Interrupted starts leave folders behind, and programs that keep filling them for a while, or make them
 * again. A folder that cannot be removed yet is left for the next start.
 */
export async function removeHalfMade({ cluster }: Setup): Promise<void> {
  const mark = basename(cluster) + stagingMark
  for (const name of readdirSync(dirname(cluster))) {
    const folder = join(dirname(cluster), name)
    if (name.startsWith(mark))
      await waitUntil(() => !endMakers(folder) && isRemoved(folder), removedSecondsMax)
  }
}

/** Pending disk operations of a killed program take no longer. */
const removedSecondsMax = 5

function isRemoved(folder: string): boolean {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {
    // Another process is removing or filling it.
  }
  return !existsSync(folder)
}

const stagingMark = '.new-'

function initdbArguments(staging: string, { fsync = 'on' }: Settings): readonly string[] {
  return [
    ...['-D', staging, '-U', 'tracker', '--encoding=UTF8', '--no-instructions'],
    ...(process.platform === 'win32' ? passwordArguments(dirname(staging)) : ['--auth=reject']),
    ...(fsync === 'off' ? ['--no-sync'] : []),
  ]
}

/** Tries the locales in order, because the version and the system determine which of them exist. */
async function initialize(
  initdb: readonly string[],
  [locale = [], ...others]: readonly (readonly string[])[],
  account: Account,
): Promise<void> {
  try {
    await runToEnd([...initdb, ...locale], account)
  } catch (error) {
    if (others.length === 0) throw error
    await initialize(initdb, others, account)
  }
}

/** Each of these folds case for all of Unicode and sorts by code point, except ICU's. */
function localesFor(major: number): readonly (readonly string[])[] {
  if (major >= 17) return [['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C']]
  return [['--locale=C.UTF-8'], ['--locale-provider=icu', '--icu-locale=und', '--locale=C']]
}

/** Without this a power failure could undo the rename after rows were acknowledged. */
function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(directory, 'r')
  fsyncSync(handle)
  closeSync(handle)
}

/** Runs one of PostgreSQL's programs, and throws its error output. */
async function runToEnd(command: readonly string[], account: Account, input = ''): Promise<void> {
  const { process: child, exited, release } = spawnDependent(command, account, ['pipe', 'ignore', 'pipe'])
  const complaint = readTail(child.stderr)
  child.stdin?.on('error', () => {})
  child.stdin?.end(input)
  const limit = new AbortController()
  const ending = await Promise.race([
    exited,
    sleep(secondsMax * 1000, `not done in ${secondsMax} seconds`, { signal: limit.signal }),
  ])
  limit.abort()
  release()
  if (ending !== 'exit code 0')
    throw new Error(`${basename(command[0] ?? '')} failed (${ending}): ${complaint()}`)
}

/** A new cluster takes one second, or about ten on a disk that is slow to sync. */
const secondsMax = 120

function readTail(stream: Readable | null): () => string {
  let text = ''
  stream?.setEncoding('utf8')
  stream?.on('data', (chunk: string) => {
    text = (text + chunk).slice(-tailCharactersMax)
  })
  return () => text.trim()
}

const tailCharactersMax = 4000

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
import { changeOwner, initdbAccounts, type RunAs } from './accounts.ts'
import { probe, programIn, type Setup } from './choose-setup.ts'
import { passwordArguments } from './password.ts'
import { endInitdbPrograms, spawnDependent, waitUntil } from './processes.ts'
import type { Settings } from './start-server.ts'

export const isCluster = (cluster: string) => existsSync(join(cluster, 'PG_VERSION'))

/**
 * Creates the cluster in a staging directory and renames it when complete, so that an interrupted start never
 * leaves a partial cluster.
 */
export async function createCluster(setup: Setup, settings: Settings): Promise<void> {
  const { cluster, account } = setup
  requireEmpty(cluster)
  const staging = mkdtempSync(`${cluster}${stagingMark}`)
  await createFiles(staging, { ...setup, account: initdbAccountFor(setup) }, settings)
  changeOwner(account, staging)
  renameSync(staging, cluster)
  syncDirectory(dirname(cluster))
}

function initdbAccountFor({ binaries, account, cluster }: Setup): RunAs {
  const usable = initdbAccounts(account).find((each) => probe(binaries, each, dirname(cluster)) !== undefined)
  if (usable !== undefined) return usable
  throw new Error(
    'PostgreSQL does not run as root, and there is no other user here to run it. Start as an ordinary user.',
  )
}

/**
 * Creates the files of the cluster and the database `tracker`. Windows has only the database `postgres`,
 * because a standalone server rejects administrators there.
 */
async function createFiles(
  staging: string,
  { binaries, major, account }: Setup,
  settings: Settings,
): Promise<void> {
  changeOwner(account, staging)
  const initdb = [programIn(binaries, 'initdb'), ...initdbArguments(staging, settings)]
  await initialize(initdb, localesFor(major), account)
  if (process.platform === 'win32') return
  const single = [programIn(binaries, 'postgres'), '--single', '-D', staging, 'postgres']
  await runToEnd(single, account, 'create database tracker\n')
}

function requireEmpty(cluster: string): void {
  if (!existsSync(cluster) || readdirSync(cluster).length === 0) return
  throw new Error(
    `${cluster} holds something other than a database. Move it away, or set DATA_DIR to another directory.`,
  )
}

/**
 * Removes the directories of interrupted starts and ends their programs. A directory that cannot be removed
 * is left for the next start.
 */
export async function removeIncompleteClusters({ cluster }: Setup): Promise<void> {
  const mark = basename(cluster) + stagingMark
  for (const name of readdirSync(dirname(cluster))) {
    const directory = join(dirname(cluster), name)
    if (name.startsWith(mark))
      await waitUntil(() => !endInitdbPrograms(directory) && tryToRemove(directory), removalSecondsMax)
  }
}

/** Longer than the pending disk operations of a killed program take. */
const removalSecondsMax = 5

/** Returns whether the directory no longer exists. */
function tryToRemove(directory: string): boolean {
  try {
    rmSync(directory, { recursive: true, force: true })
  } catch {
    // Another process is removing or filling it.
  }
  return !existsSync(directory)
}

const stagingMark = '.new-'

function initdbArguments(staging: string, { fsync = 'on' }: Settings): readonly string[] {
  const parameters = ['-D', staging, '-U', 'tracker', '--encoding=UTF8', '--no-instructions']
  if (process.platform === 'win32') parameters.push(...passwordArguments(dirname(staging)))
  else parameters.push('--auth=reject')
  if (fsync === 'off') parameters.push('--no-sync')
  return parameters
}

/** Tries the locales in order, because not every version and system has all of them. */
async function initialize(
  initdb: readonly string[],
  [locale = [], ...alternatives]: readonly (readonly string[])[],
  account: RunAs,
): Promise<void> {
  try {
    await runToEnd([...initdb, ...locale], account)
  } catch (error) {
    if (alternatives.length === 0) throw error
    await initialize(initdb, alternatives, account)
  }
}

/** Every locale supports case folding for all of Unicode. All except the ICU locale sort by code point. */
function localesFor(major: number): readonly (readonly string[])[] {
  if (major >= 17) return [['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C']]
  return [['--locale=C.UTF-8'], ['--locale-provider=icu', '--icu-locale=und', '--locale=C']]
}

/** Flushes the directory. Otherwise a power failure could undo the rename after rows were committed. */
function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(directory, 'r')
  fsyncSync(handle)
  closeSync(handle)
}

/** Runs a program of PostgreSQL. Throws an error with its output if it fails. */
async function runToEnd(command: readonly string[], account: RunAs, input = ''): Promise<void> {
  const { process: child, exited, terminate } = spawnDependent(command, account, ['pipe', 'ignore', 'pipe'])
  const errorOutput = readTail(child.stderr)
  child.stdin?.on('error', () => {})
  child.stdin?.end(input)
  const limit = new AbortController()
  const ending = await Promise.race([
    exited,
    sleep(programSecondsMax * 1000, `not done in ${programSecondsMax} seconds`, { signal: limit.signal }),
  ])
  limit.abort()
  terminate()
  if (ending !== 'exit code 0')
    throw new Error(`${basename(command[0] ?? '')} failed (${ending}): ${errorOutput()}`)
}

/** A program takes one second, or about ten on a disk that is slow to sync. */
const programSecondsMax = 120

function readTail(stream: Readable | null): () => string {
  let text = ''
  stream?.setEncoding('utf8')
  stream?.on('data', (chunk: string) => {
    text = (text + chunk).slice(-tailCharactersMax)
  })
  return () => text.trim()
}

const tailCharactersMax = 4000

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
import { type Account, makersFor } from './accounts.ts'
import { probe, type Setup } from './choose-setup.ts'
import { giveTo } from './give-to.ts'
import { passwordArguments } from './password.ts'
import { endMakers } from './postmaster.ts'
import { programIn } from './program-in.ts'
import { runToEnd } from './run-to-end.ts'
import type { Settings } from './start-server.ts'
import { waitUntil } from './wait-until.ts'

export const isCluster = (cluster: string) => existsSync(join(cluster, 'PG_VERSION'))

/** Made beside its place and renamed when complete: whatever ends this process, nothing half-made is used. */
export async function makeCluster(setup: Setup, settings: Settings): Promise<void> {
  const { cluster, account } = setup
  requireFree(cluster)
  const staging = mkdtempSync(`${cluster}${stagingMark}`)
  await fill(staging, { ...setup, account: makerFor(setup) }, settings)
  giveTo(account, staging)
  renameSync(staging, cluster)
  syncDirectory(dirname(cluster))
}

function makerFor({ binaries, account, cluster }: Setup): Account {
  const maker = makersFor(account).find((each) => probe(binaries, each, dirname(cluster)) !== undefined)
  if (maker !== undefined) return maker
  throw new Error('Root has no user here to make a database as. Start as an ordinary user.')
}

/** On Windows initdb's own database has to do: a server by itself refuses administrators there. */
async function fill(staging: string, { binaries, major, account }: Setup, settings: Settings): Promise<void> {
  giveTo(account, staging)
  const initdb = [programIn(binaries, 'initdb'), ...initdbArguments(staging, settings)]
  await initialize(initdb, localesFor(major), account)
  if (process.platform === 'win32') return
  const single = [programIn(binaries, 'postgres'), '--single', '-D', staging, 'postgres']
  await runToEnd(single, account, 'create database tracker\n')
}

function requireFree(cluster: string): void {
  if (!existsSync(cluster) || readdirSync(cluster).length === 0) return
  throw new Error(
    `${cluster} holds something else than a database. Move it away, or set DATA_DIR to another folder.`,
  )
}

/**
 * Starts that were cut short leave folders behind, and programs that go on filling them for a while, or make them again. One that
 * cannot be removed yet is left for the next start.
 */
export async function removeHalfMade({ cluster }: Setup): Promise<void> {
  const mark = basename(cluster) + stagingMark
  for (const name of readdirSync(dirname(cluster))) {
    const folder = join(dirname(cluster), name)
    if (name.startsWith(mark))
      await waitUntil(() => !endMakers(folder) && isRemoved(folder), removedSecondsMax)
  }
}

/** What a killed program has begun with the disk takes no longer. */
const removedSecondsMax = 5

function isRemoved(folder: string): boolean {
  try {
    rmSync(folder, { recursive: true, force: true })
  } catch {
    // Somebody else removes or fills it at this moment.
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

/** Tries the locales in order: which of them exist depends on the version and on the system. */
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

/** Each folds the case of all of Unicode and sorts by code point, except ICU's. */
function localesFor(major: number): readonly (readonly string[])[] {
  if (major >= 17) return [['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C']]
  return [['--locale=C.UTF-8'], ['--locale-provider=icu', '--icu-locale=und', '--locale=C']]
}

/** Without it a power cut could take the new name back after rows were acknowledged. */
function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return
  const handle = openSync(directory, 'r')
  fsyncSync(handle)
  closeSync(handle)
}

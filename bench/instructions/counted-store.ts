import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { changeOwner } from '../../src/db/embedded/accounts.ts'
import { chooseSetup, programIn, type Setup } from '../../src/db/embedded/choose-setup.ts'
import { readPostmaster, spawnDependent } from '../../src/db/embedded/processes.ts'
import { installedBinaries, startEmbeddedStore } from '../../src/db/embedded/start-embedded-store.ts'
import { sql } from '../../src/db/sql.ts'

type Work = (database: Database) => Promise<void>

const waitSecondsMax = 60

export interface CountedStore {
  /**
   * Returns the number of CPU instructions that the store's sessions execute for the work. `before` is not
   * counted.
   */
  count(before: Work, work: Work): Promise<number>
  stop(): Promise<void>
}

/** Longer than a deployed host waits, because statements are slow under valgrind on a busy machine. */
const patienceMilliseconds = 120_000

/**
 * Starts an embedded store whose instructions valgrind counts; their number is the same on a busy machine as
 * on a quiet one. The store is seeded at full speed, and then restarted with counting.
 */
export async function startCountedStore(seed: (url: string) => Promise<void>): Promise<CountedStore> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'bench-instructions-'))
  const store = await startEmbeddedStore({ dataDirectory })
  await seed(store.url).finally(() => store.stop())
  const setup = chooseSetup(dataDirectory, installedBinaries(dataDirectory))
  const countsFolder = mkdtempSync(join(tmpdir(), 'counts-'))
  changeOwner(setup.account, countsFolder)
  const server = spawnDependent(commandFor(setup, countsFolder), setup.account, [
    'ignore',
    'ignore',
    'ignore',
  ])
  // The counted server puts its socket into the folder of the counts.
  const url = store.url.replace(/host=[^&]*/, `host=${encodeURIComponent(countsFolder)}`)
  await until(() => readPostmaster(setup.cluster)?.isReady || server.exitDescription() !== undefined)
  if (server.exitDescription())
    throw new Error(`The counted store ended: ${server.exitDescription()}. Is valgrind installed?`)
  return {
    async count(before, work) {
      const database = openDatabase({
        url,
        applicationName: 'counted',
        answerMilliseconds: patienceMilliseconds,
      })
      await before(database)
      const sessions = await database.query<{ pid: number }>(
        sql`select pid from pg_stat_activity where application_name = 'counted'`,
      )
      const controlAll = (option: string) => sessions.map(({ pid }) => control(setup, option, pid))
      controlAll('--zero')
      await work(database)
      const earlier = new Set(readdirSync(countsFolder))
      controlAll('--dump')
      await database.close()
      const written = readdirSync(countsFolder).filter(
        (name) => /^count\.\d+\.\d+$/.test(name) && !earlier.has(name),
      )
      return written.reduce((sum, name) => sum + totalIn(join(countsFolder, name)), 0)
    },
    async stop() {
      server.terminate()
      await until(() => server.exitDescription() !== undefined)
      for (const folder of [dataDirectory, countsFolder]) rmSync(folder, { recursive: true, force: true })
    },
  }
}

function commandFor({ binaries, cluster }: Setup, countsFolder: string): readonly string[] {
  const settings = {
    unix_socket_directories: countsFolder,
    listen_addresses: '',
    port: 5432,
    timezone: 'UTC',
    jit: 'off',
    // Background work would make the instructions of the sessions differ from run to run.
    autovacuum: 'off',
    io_method: 'sync',
  }
  return [
    ...[
      'valgrind',
      '--tool=callgrind',
      '--trace-children=yes',
      `--callgrind-out-file=${countsFolder}/count.%p`,
    ],
    ...[programIn(binaries, 'postgres'), '-D', cluster],
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
}

function control({ account: runAs }: Setup, option: string, pid: number) {
  const { status, stderr } = spawnSync('callgrind_control', [option, String(pid)], { ...runAs.user })
  if (status !== 0) throw new Error(`A session of the store could not be counted: ${stderr}`)
}

const totalIn = (path: string): number =>
  Number(/^totals: (\d+)$/m.exec(readFileSync(path, 'utf8'))?.[1] ?? 0)

async function until(condition: () => boolean | undefined): Promise<void> {
  const deadline = performance.now() + waitSecondsMax * 1000
  while (!condition()) {
    if (performance.now() > deadline) throw new Error('The counted store did not answer in time.')
    await sleep(50)
  }
}

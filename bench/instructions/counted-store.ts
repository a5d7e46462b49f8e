import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { changeOwner } from '../../src/db/embedded/accounts.ts'
import { chooseSetup, programIn, type Setup } from '../../src/db/embedded/choose-setup.ts'
import { spawnDependent } from '../../src/db/embedded/dependent-program.ts'
import { readPostmaster } from '../../src/db/embedded/postmaster.ts'
import { installedBinaries, startEmbeddedStore } from '../../src/db/embedded/start-embedded-store.ts'
import { sql } from '../../src/db/sql.ts'

type Work = (database: Database) => Promise<void>

const waitSecondsMax = 60

export interface CountedStore {
  /** What the sessions of the store did for the work alone, in instructions of the processor. */
  count(before: Work, work: Work): Promise<number>
  stop(): Promise<void>
}

/** Under valgrind a statement may take seconds, and on a busy machine longer than a deployed host waits. */
const patienceMilliseconds = 120_000

/**
 * An embedded store that valgrind counts: the same number on a busy machine as on a quiet one. It is
 * furnished at full speed first, then started again with each of its processes counted.
 */
export async function startCountedStore(seed: (url: string) => Promise<void>): Promise<CountedStore> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'bench-instructions-'))
  const store = await startEmbeddedStore({ dataDirectory })
  await seed(store.url).finally(() => store.stop())
  const setup = chooseSetup(dataDirectory, installedBinaries(dataDirectory))
  const counts = mkdtempSync(join(tmpdir(), 'counts-'))
  changeOwner(setup.account, counts)
  const server = spawnDependent(commandFor(setup, counts), setup.account, ['ignore', 'ignore', 'ignore'])
  const url = store.url.replace(/host=[^&]*/, `host=${encodeURIComponent(counts)}`)
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
      const report = (word: string) => sessions.map(({ pid }) => control(setup, word, pid))
      report('--zero')
      await work(database)
      const known = new Set(readdirSync(counts))
      report('--dump')
      await database.close()
      const written = readdirSync(counts).filter((name) => /^count\.\d+\.\d+$/.test(name) && !known.has(name))
      return written.reduce((sum, name) => sum + totalIn(join(counts, name)), 0)
    },
    async stop() {
      server.terminate()
      await until(() => server.exitDescription() !== undefined)
      for (const folder of [dataDirectory, counts]) rmSync(folder, { recursive: true, force: true })
    },
  }
}

function commandFor({ binaries, cluster }: Setup, counts: string): readonly string[] {
  const settings = {
    unix_socket_directories: counts,
    listen_addresses: '',
    port: 5432,
    timezone: 'UTC',
    jit: 'off',
    // Work that comes now and then would be counted with whatever happens to run.
    autovacuum: 'off',
    io_method: 'sync',
  }
  return [
    ...['valgrind', '--tool=callgrind', '--trace-children=yes', `--callgrind-out-file=${counts}/count.%p`],
    ...[programIn(binaries, 'postgres'), '-D', cluster],
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
}

function control({ account }: Setup, word: string, pid: number) {
  const { status, stderr } = spawnSync('callgrind_control', [word, String(pid)], { ...account.user })
  if (status !== 0) throw new Error(`A session of the store could not be counted: ${stderr}`)
}

const totalIn = (path: string): number =>
  Number(/^totals: (\d+)$/m.exec(readFileSync(path, 'utf8'))?.[1] ?? 0)

async function until(isSo: () => boolean | undefined): Promise<void> {
  const deadline = performance.now() + waitSecondsMax * 1000
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error('The counted store did not answer in time.')
    await sleep(50)
  }
}

import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openDatabase } from '../../src/db/database.ts'
import { startEmbeddedStore } from '../../src/db/embedded/start-embedded-store.ts'
import { migrate } from '../../src/db/migrate.ts'
import { startTestIssuer } from '../../test/support/test-issuer.ts'
import { startHost } from '../child-process.ts'
import { numberOption } from '../options.ts'
import { childrenOf, cpuSecondsOfServer } from '../process-usage.ts'
import { seedStore } from '../rest/seed.ts'

const ports = [5197, 5198] as const
const connections = 64
const run = promisify(execFile)

/**
 * Compares the requests per second of one process with those of one process per core, in turns. The load is
 * `ab` (in Debian, apache2-utils). It shares the cores with the store and the hosts, so control groups limit each
 * process of a host to a fraction of a core, and the processes remain the bottleneck, as on a larger machine.
 * Needs root on Linux. `--rounds N`; `--seconds N` for each measurement.
 */
export async function runProcessesBench(args: readonly string[]): Promise<void> {
  const [rounds, seconds] = [numberOption(args, '--rounds', 5), numberOption(args, '--seconds', 4)]
  const dataDirectory = mkdtempSync(join(tmpdir(), 'bench-processes-'))
  const store = await startEmbeddedStore({ dataDirectory })
  const issuer = await startTestIssuer()
  const start = async (port: number, processes: number) =>
    startHost('rest', {
      DATABASE_URL: store.url,
      DATA_DIR: dataDirectory,
      REST_PORT: String(port),
      Jwt__Issuer: issuer.issuer,
      PROCESSES: String(processes),
    })
  await migrate(store.url)
  const database = openDatabase({ url: store.url, applicationName: 'bench' })
  const { member } = await seedStore(database)
  const token = await issuer.signIn(database, member.id)
  await database.close()
  const children = [await start(ports[0], 1), await start(ports[1], cpus().length)]
  const groups = children.flatMap(({ pid = 0 }) => [pid, ...childrenOf(pid)]).map(limitCpu)
  try {
    const pids = children.map(({ pid = 0 }) => pid)
    for (const [name, path] of Object.entries(paths))
      console.log(`${name}: ${await compare(path, { pids, token, rounds, seconds })}`)
  } finally {
    for (const child of children) child.kill('SIGTERM')
    await Promise.all(children.map((child) => child.exitCode ?? once(child, 'exit')))
    for (const group of groups) rmdirSync(group)
    await issuer.stop()
    await store.stop()
    rmSync(dataDirectory, { recursive: true, force: true })
  }
}

/** The fraction of a core that each process may use. */
const coreFraction = 0.25
const periodMicroseconds = 10_000

/** Puts the process into a new control group, and returns the group's folder. */
function limitCpu(pid: number): string {
  const root = existsSync('/sys/fs/cgroup/cpu') ? '/sys/fs/cgroup/cpu' : '/sys/fs/cgroup'
  const group = join(root, `bench-${pid}`)
  const write = (file: string, text: string | number) => writeFileSync(join(group, file), String(text))
  mkdirSync(group)
  if (existsSync(join(group, 'cpu.max')))
    write('cpu.max', `${coreFraction * periodMicroseconds} ${periodMicroseconds}`)
  else {
    write('cpu.cfs_period_us', periodMicroseconds)
    write('cpu.cfs_quota_us', coreFraction * periodMicroseconds)
  }
  write('cgroup.procs', pid)
  return group
}

const paths = {
  'a cheap route': '/healthz',
  'the account, with a token': '/api/me',
  'a list, with a token': '/api/workflows',
}

interface Comparison {
  /** The hosts, in the order of their ports. */
  readonly pids: readonly number[]
  readonly token: string
  readonly rounds: number
  readonly seconds: number
}

async function compare(path: string, { pids, token, rounds, seconds }: Comparison): Promise<string> {
  const results: Result[][] = ports.map(() => [])
  for (let round = 0; round <= rounds; round += 1)
    for (const [index, port] of ports.entries()) {
      const result = await measure(port, path, { token, seconds, pid: pids[index] ?? 0 })
      // The first round warms up.
      if (round > 0) results[index]?.push(result)
    }
  const [single, all] = results.map(mediansOf) as [Result, Result]
  const show = ({ perSecond, microseconds }: Result) => `${perSecond} requests/s at ${microseconds} µs of CPU`
  return `one process ${show(single)}, ${cpus().length} processes ${show(all)}: ${(all.perSecond / single.perSecond).toFixed(2)} times`
}

interface Result {
  readonly perSecond: number
  /** CPU time of all processes of the host per request, which hardly depends on other work on the machine. */
  readonly microseconds: number
}

interface Target {
  readonly token: string
  readonly seconds: number
  readonly pid: number
}

async function measure(port: number, path: string, { token, seconds, pid }: Target): Promise<Result> {
  const before = cpuSecondsOfServer(pid)
  const shape = ['-q', '-k', '-c', String(connections), '-t', String(seconds), '-n', '10000000']
  const { stdout } = await run('ab', [
    ...shape,
    ...['-H', `Authorization: Bearer ${token}`],
    `http://127.0.0.1:${port}${path}`,
  ])
  const numberAfter = (label: string) => Number(new RegExp(`^${label}: +([\\d.]+)`, 'm').exec(stdout)?.[1])
  const requests = numberAfter('Complete requests')
  return {
    perSecond: Math.round(numberAfter('Requests per second')),
    microseconds: Math.round(((cpuSecondsOfServer(pid) - before) / requests) * 1e6),
  }
}

const mediansOf = (results: readonly Result[]): Result => ({
  perSecond: median(results.map(({ perSecond }) => perSecond)),
  microseconds: median(results.map(({ microseconds }) => microseconds)),
})

const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

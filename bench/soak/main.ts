import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startHosts } from '../child-process.ts'
import { percentile } from '../load.ts'
import { numberOption } from '../options.ts'
import { type Ports, prepareWork, type Work } from './work.ts'

const ports: Ports = { rest: 5160, identity: 5260, commands: 5360, bank: 9960, web: 5460 }
/** Requests that are due while this many are in flight are skipped. */
const inFlightMax = 200

/**
 * Checks whether the memory of the hosts stays constant under steady load. The settings are the defaults, except
 * that metrics are on, rate limits are off, and only warnings and errors are logged. `--minutes 60 --rate 40`
 * means 40 requests per second for an hour.
 */
export async function runSoak(args: readonly string[]): Promise<void> {
  const [minutes, rate] = [numberOption(args, '--minutes', 60), numberOption(args, '--rate', 40)]
  const dataDirectory = mkdtempSync(join(tmpdir(), 'bench-soak-'))
  const secret = randomBytes(24).toString('hex')
  const stops: (() => unknown)[] = [() => rmSync(dataDirectory, { recursive: true, force: true })]
  try {
    const hosts = await startHosts([], environmentOf(dataDirectory, secret))
    stops.push(() => stopHosts(hosts))
    const work = await prepareWork(ports, secret)
    stops.push(() => work.stop())
    const samples = await run(work, { minutes, rate, pid: hosts.pid ?? 0 })
    const table = verdict(samples, minutes)
    console.table(table)
    console.log(
      'In megabytes. The first tenth is the warm-up; the columns are the medians of each third of the rest.',
    )
    if (table.some(({ flat }) => flat !== 'yes')) process.exitCode = 1
    if (hosts.exitCode !== null || hosts.signalCode !== null)
      throw new Error('The hosts ended during the test.')
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}

async function stopHosts(hosts: ChildProcess): Promise<void> {
  hosts.kill()
  if (hosts.exitCode === null && hosts.signalCode === null) await once(hosts, 'exit')
}

const environmentOf = (dataDirectory: string, secret: string) => ({
  DATA_DIR: dataDirectory,
  REST_PORT: String(ports.rest),
  IDENTITY_PORT: String(ports.identity),
  COMMAND_PORT: String(ports.commands),
  COMMAND_DIAGNOSTICS_PORT: String(ports.commands + 1),
  WEB_PORT: String(ports.web),
  BANK_PORT: String(ports.bank),
  Jwt__Issuer: `http://localhost:${ports.identity}`,
  METRICS: 'true',
  RateLimit__Identity__PermitLimit: '0',
  Identity__ServiceClients__robot__Login: 'demo@example.com',
  Identity__ServiceClients__robot__Secret: secret,
})

async function run(work: Work, { minutes, rate, pid }: { minutes: number; rate: number; pid: number }) {
  const samples: Megabytes[] = []
  const latencies: number[] = []
  const failures = new Map<string, number>()
  let [inFlight, skipped, due] = [0, 0, 0]
  const runJob = async (job: () => Promise<unknown>) => {
    inFlight += 1
    const startedAt = performance.now()
    await job().catch((error) => failures.set(String(error), (failures.get(String(error)) ?? 0) + 1))
    latencies.push(performance.now() - startedAt)
    inFlight -= 1
  }
  const startedAt = performance.now()
  const elapsedMinutes = () => (performance.now() - startedAt) / 60_000
  const sampleEveryMinutes = minutes / 60
  while (elapsedMinutes() < minutes) {
    // Sends all requests that have become due, so that a delay of this loop loses none.
    for (const dueNow = elapsedMinutes() * 60 * rate; due < dueNow; due += 1) {
      if (inFlight >= inFlightMax) skipped += 1
      else void runJob(work.jobs[due % work.jobs.length] as () => Promise<unknown>)
    }
    if (elapsedMinutes() >= samples.length * sampleEveryMinutes) samples.push(memoryOf(pid))
    await sleep(1000 / rate)
  }
  latencies.sort((first, second) => first - second)
  console.log(
    `${due} requests were due in ${minutes} minutes, ${skipped} were skipped while ${inFlightMax} were in flight,`,
    `p50 ${percentile(latencies, 0.5).toFixed(1)} ms, p99 ${percentile(latencies, 0.99).toFixed(0)} ms; failures:`,
    Object.fromEntries(failures),
  )
  return samples
}

/** Garbage varies. Growth by more than a tenth plus 8 MB from the second third to the last is a leak. */
function verdict(samples: readonly Megabytes[], minutes: number) {
  const warm = samples.slice(Math.ceil(samples.length / 10))
  const thirdMinutes = (minutes * 0.9) / 3
  const third = (index: number) =>
    warm.slice(Math.floor((index * warm.length) / 3), Math.floor(((index + 1) * warm.length) / 3))
  return Object.keys(samples[0] ?? {}).map((name) => {
    const [first = 0, second = 0, last = 0] = [0, 1, 2].map((index) =>
      median(third(index).map((sample) => sample[name] ?? 0)),
    )
    return {
      process: name,
      start: Math.round(samples[0]?.[name] ?? 0),
      'first third': Math.round(first),
      'second third': Math.round(second),
      'last third': Math.round(last),
      'MB an hour, second to last': Math.round(((last - second) / thirdMinutes) * 60),
      'at most': Math.round(Math.max(...samples.map((sample) => sample[name] ?? 0))),
      flat: last <= second * 1.1 + 8 ? 'yes' : 'no',
    }
  })
}

const median = (numbers: readonly number[]): number =>
  percentile(
    [...numbers].sort((a, b) => a - b),
    0.5,
  )

type Megabytes = Readonly<Record<string, number>>

/**
 * Returns the memory of the launched process and its descendants: the resident memory of each process of this program, and
 * the proportional memory (PSS) of the store, because all of its processes share the buffers.
 */
function memoryOf(root: number): Megabytes {
  const figures: Record<string, number> = {}
  const parents = new Map(processIds().map((pid) => [pid, parentOf(pid)]))
  const instances: number[] = []
  for (const pid of parents.keys()) {
    if (!isBelow(pid, root, parents)) continue
    const command = read(`/proc/${pid}/cmdline`)
    if (pid === root) figures.hosts = numberIn(read(`/proc/${pid}/status`), 'VmRSS') / 1024
    else if (/bank\/instance/.test(command)) instances.push(pid)
    else if (/postgres/.test(command))
      figures.store = (figures.store ?? 0) + numberIn(read(`/proc/${pid}/smaps_rollup`), 'Pss') / 1024
  }
  for (const [index, pid] of instances.sort((first, second) => first - second).entries())
    figures[`bank #${index + 1}`] = numberIn(read(`/proc/${pid}/status`), 'VmRSS') / 1024
  return figures
}

function isBelow(pid: number, root: number, parents: ReadonlyMap<number, number>): boolean {
  for (let at: number | undefined = pid; at !== undefined && at > 1; at = parents.get(at))
    if (at === root) return true
  return false
}

const processIds = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)

const parentOf = (pid: number): number => numberIn(read(`/proc/${pid}/status`), 'PPid')

const numberIn = (text: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0)

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // The process has ended since it was listed.
    return ''
  }
}

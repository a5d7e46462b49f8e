import { execFile } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sendAlone } from '../../src/hosts/bank/testing/transaction-load.ts'
import { checkConsistency } from './consistency.ts'
import { type Bench, cpuMeter, measureInTurns, printTable, rowsOf, targetsOf } from './measure.ts'

const shapes = [
  { connections: 64, keepAlive: true },
  { connections: 256, keepAlive: true },
  { connections: 64, keepAlive: false },
] as const

/** Measures writes only. Each connection sends the next write after the previous response. */
export async function measureLoops(bench: Bench, rounds: number, seconds: number): Promise<void> {
  const targets = targetsOf(bench)
  for (const shape of shapes) {
    const samples = await measureInTurns(bench, targets, rounds, (port) =>
      bench.load.runClosedLoop(port, { ...shape, seconds }),
    )
    const title = `${shape.connections} connections, ${shape.keepAlive ? 'kept' : 'one for each request'}`
    printTable(`Writes, ${title}: median of ${rounds} rounds of ${seconds} s`, rowsOf(targets, samples))
  }
  await measurePgbench(bench, seconds)
}

async function measurePgbench({ url, folder, server }: Bench, seconds: number): Promise<void> {
  const pgbench = findPgbench()
  if (pgbench === undefined)
    return console.log('pgbench: not installed (it is part of the package postgresql).\n')
  const rows = []
  for (const clients of [10, 64]) {
    const used = cpuMeter(server, [])
    const options = { url, folder, clients, seconds }
    const { transactionsPerSecond, transactions } = await runPgbench(pgbench, options)
    rows.push({
      'pgbench clients': clients,
      'calls/s': Math.round(transactionsPerSecond),
      'database µs/call': used().database / transactions,
    })
  }
  printTable('pgbench, one call of the same function per transaction', rows)
}

const run = promisify(execFile)

interface PgbenchResult {
  readonly transactionsPerSecond: number
  readonly transactions: number
}

const paths = ['/usr/lib/postgresql/15/bin/pgbench', '/usr/bin/pgbench', '/usr/local/bin/pgbench']

const findPgbench = (): string | undefined => paths.find((path) => existsSync(path))

/** Measures the database alone, with one call of the function per transaction. */
async function runPgbench(
  pgbench: string,
  { url, folder, clients, seconds }: { url: string; folder: string; clients: number; seconds: number },
): Promise<PgbenchResult> {
  const script = join(folder, 'pgbench.sql')
  writeFileSync(script, transaction)
  const options = [
    '-n',
    '-M',
    'prepared',
    '-c',
    String(clients),
    '-j',
    '2',
    '-T',
    String(seconds),
    '-f',
    script,
  ]
  const { stdout } = await run(pgbench, [...options, url])
  const numberIn = (pattern: RegExp) => Number(pattern.exec(stdout)?.[1] ?? Number.NaN)
  return {
    transactionsPerSecond: numberIn(/^tps = ([\d.]+)/m),
    transactions: numberIn(/transactions actually processed: (\d+)/),
  }
}

/** The same mix as in the load: five clients, two debits for each credit, amounts of up to 10,000. */
const transaction = String.raw`
\set client random(1, 5)
\set kind random(1, 3)
\set amount random(1, 10000) * (case when :kind = 1 then 1 else -1 end)
select balance, applied from bank.apply_one(:client::int, :amount::int, 'pgbench');
`

const full = { rampSeconds: 120, holdSeconds: 120 }
/** The same final rates, with a faster ramp and for a shorter time. */
const short = { rampSeconds: 5, holdSeconds: 10 }

/**
 * Runs "Rinha de Backend 2024/Q1" on all targets in turns: its checks, then its load, with one connection per
 * request.
 */
export async function measureChallenge(bench: Bench, isFull: boolean, rounds: number): Promise<void> {
  const problems: string[] = []
  await checkConsistency(
    (request) => sendAlone(bench.bank.port, request),
    (problem) => problems.push(problem),
  )
  const load = isFull ? full : short
  const targets = targetsOf(bench)
  const samples = await measureInTurns(bench, targets, isFull ? 1 : rounds, (port) =>
    bench.load.runChallenge(port, load),
  )
  printTable(`Challenge load, ${load.rampSeconds + load.holdSeconds} s`, rowsOf(targets, samples))
  console.log(problems.length === 0 ? 'Its checks: no inconsistency.\n' : problems.slice(0, 10).join('\n'))
}

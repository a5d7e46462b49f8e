import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { startEmbeddedStore } from '../../src/db/embedded/start-embedded-store.ts'
import { migrate } from '../../src/db/migrate.ts'
import { startBank } from '../../src/hosts/bank/main.ts'
import { auditLedger } from '../../src/hosts/bank/testing/audit.ts'
import { testSettings } from '../../src/hosts/bank/testing/settings.ts'
import { buildLoad } from './load/run-load.ts'
import type { Bench } from './measure.ts'
import { measureChallenge, measureLoops } from './measure-loads.ts'

/**
 * Arguments: `--full` for the challenge's four minutes, `challenge` or `loops` for one part, `--rounds=5`,
 * `--seconds=5`.
 */
export async function runBankBench(args: readonly string[]): Promise<void> {
  const numberOf = (name: string, defaultValue: number) =>
    Number(args.find((arg) => arg.startsWith(`--${name}=`))?.split('=')[1] ?? defaultValue)
  const parts = args.filter((arg) => !arg.startsWith('--'))
  const wants = (part: string) => parts.length === 0 || parts.includes(part)
  // The folder is in the project, because a temporary folder may be in memory, where nothing is durable.
  const folder = mkdtempSync(join(process.cwd(), '.data-bench-'))
  const stops: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })]
  try {
    const bench = await prepare(folder, stops)
    console.log(`${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}, PostgreSQL durable\n`)
    if (wants('challenge')) await measureChallenge(bench, args.includes('--full'), numberOf('rounds', 3))
    if (wants('loops')) await measureLoops(bench, numberOf('rounds', 3), numberOf('seconds', 4))
    await auditLedger(bench.url)
    console.log('Ledger: balances are sums, sequences have no gap, no balance was ever under its limit.')
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}

async function prepare(folder: string, stops: (() => unknown)[]): Promise<Bench> {
  const store = await startEmbeddedStore({ dataDirectory: folder })
  stops.push(store.stop)
  await migrate(store.url)
  const silent = pino({ level: 'silent' })
  const settings = { ...testSettings, overLimitStatus: 200 } as const
  const bank = await startBank(store, settings, silent)
  stops.push(bank.stop)
  const alone = await startBank(store, { ...settings, instances: 1 }, silent)
  stops.push(alone.stop)
  const startTarget = async (name: string, program: string, ...args: string[]) => {
    const { port, pids, stop } = await startInstances(program, [store.url, ...args])
    stops.push(stop)
    return { name, port, pids: () => pids }
  }
  return {
    url: store.url,
    folder,
    load: await buildLoad(folder),
    server: Number(readFileSync(join(folder, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]),
    bank: { name: 'the bank', port: bank.port, pids: bank.pids },
    alone: { name: 'one instance of it', port: alone.port, pids: alone.pids },
    general: await startTarget('its general server only', './general-instance.ts'),
    oneCall: await startTarget('that, one call per request', './general-instance.ts', 'unbatched'),
    bare: await startTarget('bare node:http', './bare-instance.ts'),
  }
}

interface Instances {
  readonly port: number
  readonly pids: readonly number[]
  stop(): Promise<void>
}

/** Starts two processes of a program behind one port, like the bank's instances. */
async function startInstances(program: string, args: readonly string[]): Promise<Instances> {
  const port = await freePort()
  const children = [1, 2].map(() => fork(new URL(program, import.meta.url), [String(port), ...args]))
  const ended = children.map((child) =>
    once(child, 'exit').then(() => Promise.reject(new Error(`${program} ended.`))),
  )
  await Promise.race([Promise.all(children.map((child) => once(child, 'message'))), ...ended])
  return {
    port,
    pids: children.flatMap(({ pid }) => pid ?? []),
    async stop() {
      for (const child of children) child.disconnect()
      await Promise.allSettled(ended)
    },
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as { port: number }
  await new Promise((resolve) => probe.close(resolve))
  return port
}

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { startEmbeddedStore } from '../../src/db/embedded/start-embedded-store.ts'
import { migrate } from '../../src/db/migrate.ts'
import { startBank } from '../../src/hosts/bank/main.ts'
import { auditLedger } from '../../src/hosts/bank/testing/audit.ts'
import { testSettings } from '../../src/hosts/bank/testing/settings.ts'
import type { Bench } from './bench.ts'
import { buildLoad } from './load/run-load.ts'
import { measureChallenge } from './measure-challenge.ts'
import { measureLoops } from './measure-loops.ts'
import { startYardstick } from './yardstick.ts'

/** Words: `--full` for the challenge's four minutes, `challenge` or `loops` for one part, `--rounds=5`, `--seconds=5`. */
export async function runBankBench(words: readonly string[]): Promise<void> {
  const numberOf = (name: string, byDefault: number) =>
    Number(words.find((word) => word.startsWith(`--${name}=`))?.split('=')[1] ?? byDefault)
  const parts = words.filter((word) => !word.startsWith('--'))
  const wants = (part: string) => parts.length === 0 || parts.includes(part)
  // In the project's folder: a temporary one may lie in memory, where nothing is durable.
  const folder = mkdtempSync(join(process.cwd(), '.data-bench-'))
  const stops: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })]
  try {
    const bench = await prepare(folder, stops)
    console.log(`${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}, PostgreSQL durable\n`)
    if (wants('challenge')) await measureChallenge(bench, words.includes('--full'), numberOf('rounds', 3))
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
  const yardstick = async (name: string, program: string, ...words: string[]) => {
    const { port, pids, stop } = await startYardstick(program, [store.url, ...words])
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
    general: await yardstick('its general server only', './general-instance.ts'),
    oneCall: await yardstick('that, one call per request', './general-instance.ts', 'one-call'),
    bare: await yardstick('bare node:http', './bare-instance.ts'),
  }
}

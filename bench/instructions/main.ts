import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openBudgets } from '../../src/config/budgets.ts'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import type { Context } from '../../src/records/context.ts'
import { type SeededStore, seedStore } from '../rest/seed.ts'
import { type CountedStore, startCountedStore } from './counted-store.ts'
import { floorsOf, type Verb, verbsOf } from './verbs.ts'

/** After these calls, the plans of prepared statements and of foreign key checks no longer change. */
const warmUpCalls = 12
const measuredCalls = 40
/** The allowed cost of a verb, relative to the recorded one. */
const growthMax = 1.3

type Ratios = Record<string, number>
const recordedPath = join(import.meta.dirname, 'recorded.json')

/**
 * Measures the cost of each verb in the store, in instructions and relative to its floor, which is a bare
 * lookup or insert. `record` stores these ratios. `check` fails if a ratio exceeds 1.3 times the recorded
 * one, and is reliable even on a busy machine.
 */
export async function runInstructionsBench([mode]: readonly string[]): Promise<void> {
  let seeded: SeededStore | undefined
  const store = await startCountedStore(async (url) => {
    await migrate(url)
    const database = openDatabase({ url, applicationName: 'bench' })
    seeded = await seedStore(database).finally(() => database.close())
  })
  const ratios: Ratios = {}
  try {
    const floors = floorsOf(seeded as SeededStore)
    const read = await countPerCall(store, floors.read)
    const write = await countPerCall(store, floors.write)
    show('read a row by its key, nothing else', read, read)
    show('insert a row, nothing else', write, write)
    for (const [name, verb] of Object.entries(verbsOf(seeded as SeededStore))) {
      const floor = /^(get|list)/.test(name) ? read : write
      const count = await countPerCall(store, verb)
      show(name, count, floor)
      ratios[name] = Math.round((count / floor) * 100) / 100
    }
  } finally {
    await store.stop()
  }
  if (mode === 'record') writeFileSync(recordedPath, `${JSON.stringify(ratios, null, 2)}\n`)
  if (mode === 'check') check(ratios, JSON.parse(readFileSync(recordedPath, 'utf8')))
}

/** Returns the number of instructions of one call. */
const countPerCall = async (store: CountedStore, verb: Verb): Promise<number> =>
  (await store.count(repeatCalls(verb, warmUpCalls), repeatCalls(verb, measuredCalls))) / measuredCalls

const repeatCalls = (verb: Verb, calls: number) => async (database: Database) => {
  const context: Context = {
    database,
    passwords: undefined as never,
    budgets: openBudgets(),
    hoursStep: 0.01,
    administrators: undefined as never,
  }
  for (let number = 0; number < calls; number += 1) await verb(context, number)
}

const show = (name: string, count: number, floor: number) =>
  console.log(`${name.padEnd(38)} ${(count / 1000).toFixed(0).padStart(6)} k  ${(count / floor).toFixed(1)}`)

function check(ratios: Ratios, recorded: Ratios) {
  const grown = Object.entries(ratios).filter(([name, ratio]) => ratio > (recorded[name] ?? 0) * growthMax)
  for (const [name, ratio] of grown)
    console.error(`${name}: ${ratio} times its floor, recorded ${recorded[name] ?? 'nothing'}.`)
  if (grown.length > 0) process.exitCode = 1
}

import { sendAlone } from '../../src/hosts/bank/testing/raw-client.ts'
import { type Bench, targetsOf } from './bench.ts'
import { checkConsistency } from './consistency.ts'
import { measureInTurns, rowsOf } from './measure.ts'
import { printTable } from './report.ts'

const full = { rampSeconds: 120, holdSeconds: 120 }
/** The same final rates, with a faster ramp and for a shorter time. */
const everyday = { rampSeconds: 5, holdSeconds: 10 }

/** "Rinha de Backend 2024/Q1": its checks, then its load with a connection for each request, on all targets alternately. */
export async function measureChallenge(bench: Bench, isFull: boolean, rounds: number): Promise<void> {
  const problems: string[] = []
  await checkConsistency(
    (request) => sendAlone(bench.bank.port, request),
    (problem) => problems.push(problem),
  )
  const load = isFull ? full : everyday
  const targets = targetsOf(bench)
  const samples = await measureInTurns(bench, targets, isFull ? 1 : rounds, (port) =>
    bench.load.challenge(port, load),
  )
  printTable(`Challenge load, ${load.rampSeconds + load.holdSeconds} s`, rowsOf(targets, samples))
  console.log(problems.length === 0 ? 'Its checks: no inconsistency.\n' : problems.slice(0, 10).join('\n'))
}

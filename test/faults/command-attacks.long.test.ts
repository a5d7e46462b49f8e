import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { listMessage, listOrganizations } from '../commands/assert-serves.ts'
import { type ChildCommands, startChildCommands } from '../support/child-commands.ts'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'
import { insertAccount } from '../support/insert-account.ts'
import { framed, grpcHeaders, openRawCalls } from '../support/raw-calls.ts'
import { startTestIssuer, type TestIssuer } from '../support/test-issuer.ts'

const grownMebibytesMax = 64
/** V8 collects the buffers of messages that were read only when they take about this much. */
const uncollectedMebibytes = 64
/** These calls allocate most of the memory that ordinary calls need, before any attack is measured. */
const warmCalls = 500
const quietCalls = 200
/**
 * Calls are measured for at least this long, and one percent of them may be late. Without limits, attacks
 * delayed other clients for a minute.
 */
const measuredMilliseconds = 1500
const betweenMilliseconds = 4
/** The delay that other work on the same two cores, including the attacker's, may cause. */
const noiseMilliseconds = 3000
/** Shorter than the minute after which the host ends any request, so that only rejections count. */
const attackMillisecondsMax = 40_000

describe('A command host limits its memory and serves other clients while an attacker sends', () => {
  let issuer: TestIssuer
  let store: FreshDatabase
  let host: ChildCommands
  let ordinary: string
  let hostile: string
  const folder = mkdtempSync(join(tmpdir(), 'tracker-attacks-'))

  before(async () => {
    ;[issuer, store] = await Promise.all([startTestIssuer(), freshDatabase()])
    const tokenOf = async (login: string) => {
      const { id } = await insertAccount(store.database, { login })
      return issuer.signIn(store.database, id, { audience: 'svc-grpc', scope: 'svc.grpc' })
    }
    ordinary = await tokenOf('ordinary@example.com')
    hostile = await tokenOf('hostile@example.com')
    host = await startChildCommands({ DATABASE_URL: store.url, DATA_DIR: folder, Jwt__Issuer: issuer.issuer })
    await measureCalls(warmCalls)
  })
  after(async () => {
    await host.end('SIGKILL')
    await issuer.stop()
    await store.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Measures calls one after the other on one connection. Returns their milliseconds, sorted. */
  async function measureCalls(count: number, until?: () => boolean): Promise<readonly number[]> {
    const raw = openRawCalls(host.target)
    const latencies: number[] = []
    while (latencies.length < count && !until?.()) {
      const startedAt = performance.now()
      const { status, message } = await raw.send(
        grpcHeaders(listOrganizations, ordinary),
        framed(listMessage),
      )
      assert.deepEqual([status, message], [0, 'OK'])
      latencies.push(performance.now() - startedAt)
      // Without a pause, the ordinary client would keep both cores busy for as long as the attacks last.
      if (until) await sleep(betweenMilliseconds)
    }
    raw.close()
    return latencies.sort((first, second) => first - second)
  }

  /**
   * Measures how much memory the host additionally needs under attack, and how long an ordinary client waits.
   */
  async function measureAttack(kind: string, token: string[], hasEnded: (report: Report) => boolean) {
    const quiet = await measureCalls(quietCalls)
    const quietBytes = await host.residentBytes()
    const attacker = startAttacker(host.target, kind, token)
    let mostBytes = 0
    let isDone = false
    // Memory is not measured once the attack has ended, because only ordinary calls need it then.
    const watching = (async () => {
      while (!isDone && !hasEnded(attacker.report())) {
        mostBytes = Math.max(mostBytes, await host.residentBytes())
        await sleep(50)
      }
    })()
    const startedAt = performance.now()
    const mayStopMeasuring = () => {
      const milliseconds = performance.now() - startedAt
      return hasEnded(attacker.report())
        ? milliseconds > measuredMilliseconds
        : milliseconds > attackMillisecondsMax
    }
    const busy = await measureCalls(Number.POSITIVE_INFINITY, mayStopMeasuring)
    isDone = true
    await watching
    attacker.end()
    return {
      grownMebibytes: Math.round((mostBytes - quietBytes) / 1024 ** 2),
      quietMilliseconds: p99(quiet),
      busyMilliseconds: p99(busy),
      hasEnded: hasEnded(attacker.report()),
      answers: attacker.report().answers,
    }
  }

  const cases: readonly {
    readonly kind: string
    readonly hasToken?: true
    /** How many streams may stay open. */
    readonly mayStay?: number
    readonly answer: string
  }[] = [
    { kind: 'compressed messages that never end', answer: 'status 16' },
    { kind: 'messages that never end', answer: 'status 16' },
    { kind: 'complete compressed requests', answer: 'status 16' },
    { kind: 'compressed health checks that never end', answer: 'status 8' },
    { kind: 'reflection requests that never end', mayStay: 8, answer: 'status 8' },
    { kind: 'compressed messages that never end', hasToken: true, mayStay: 2, answer: 'status 8' },
    { kind: 'messages that never end', hasToken: true, mayStay: 2, answer: 'status 8' },
  ]
  for (const { kind, hasToken, mayStay = 0, answer } of cases) {
    // Without a token, messages are not read.
    const grownMax = grownMebibytesMax + (hasToken ? uncollectedMebibytes : 0)
    test(`${kind}, ${hasToken ? 'with' : 'without'} a token`, async (t) => {
      const hasEnded = (report: Report) => report.opened > 0 && report.ended >= report.opened - mayStay
      const measured = await measureAttack(kind, hasToken ? [hostile] : [], hasEnded)
      t.diagnostic(JSON.stringify(measured))
      assert.ok(measured.grownMebibytes <= grownMax, JSON.stringify(measured))
      assert.ok(measured.hasEnded, 'The host keeps the streams of the attacker.')
      assert.ok((measured.answers[answer] ?? 0) > 0, JSON.stringify(measured.answers))
      const patience = Math.max(2 * measured.quietMilliseconds, noiseMilliseconds)
      assert.ok(measured.busyMilliseconds <= patience, JSON.stringify(measured))
    })
  }
})

const p99 = (sorted: readonly number[]): number => Math.round(sorted[Math.floor(sorted.length * 0.99)] ?? 0)

interface Report {
  readonly opened: number
  readonly ended: number
  readonly answers: Readonly<Record<string, number>>
}

function startAttacker(target: string, kind: string, token: readonly string[]) {
  const program = join(import.meta.dirname, 'attack-commands.ts')
  const child = spawn(process.execPath, [program, target, kind, ...token], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let report: Report = { opened: 0, ended: 0, answers: {} }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const [line] = text.trim().split('\n').slice(-1)
    if (line) report = JSON.parse(line)
  })
  return { report: () => report, end: () => child.kill('SIGKILL') }
}

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { status } from '@grpc/grpc-js'
import { listMessage, listOrganizations } from '../commands/assert-serves.ts'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'
import { framed, grpcHeaders, openRawCalls, type RawCalls } from '../support/raw-calls.ts'
import { type AttackedHosts, startAttackedHosts, startReconnecting } from './attacked-hosts.ts'

const grownMegabytesMax = 64
/** These calls allocate most of the memory that ordinary work needs, before any attack is measured. */
const warmCalls = 1000
const quietMilliseconds = 500
const attackMilliseconds = 2000
/**
 * The delay that other work on the same cores may cause, including the work of the attacker. Without limits,
 * attacks would delay other clients for half a minute.
 */
const noiseMilliseconds = 5000
const otherAddress = '127.0.0.2'

describe('While a client without a token keeps reconnecting to the port of commands,', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tracker-strangers-'))
  let store: FreshDatabase
  let hosts: AttackedHosts
  let target: string
  /** Connected before any attack, from the attacker's own address. */
  let known: RawCalls

  before(async () => {
    store = await freshDatabase()
    const environment = { DATABASE_URL: store.url, DATA_DIR: folder }
    hosts = await startAttackedHosts(environment, ['rest', 'identity', 'commands'])
    target = `127.0.0.1:${hosts.ports.commands}`
    known = openRawCalls(target)
    for (let calls = 0; calls < warmCalls; calls += 1) await call(known, hosts.token)
    await hosts.measureReads(quietMilliseconds)
  })
  after(async () => {
    known.close()
    await hosts.stop()
    await store.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  const call = async (raw: RawCalls, token?: string) => {
    const answer = await raw.send(grpcHeaders(listOrganizations, token), framed(listMessage))
    return status[answer.status ?? -1]
  }

  /** Calls on a new connection from another address. */
  async function callAsNewcomer(token?: string) {
    const raw = openRawCalls(target, { localAddress: otherAddress })
    const code = await call(raw, token)
    raw.close()
    return code
  }

  /** Measures which responses other clients get meanwhile, and how long the slowest of them waits. */
  async function measureOthers(isDone: () => boolean) {
    const codes = new Set<string>()
    let slowest = 0
    const record = async (name: string, answer: Promise<string | undefined>) => {
      const startedAt = performance.now()
      codes.add(`${name}: ${await answer}`)
      slowest = Math.max(slowest, performance.now() - startedAt)
    }
    while (!isDone()) {
      await record('known', call(known, hosts.token))
      await record('with a token', callAsNewcomer(hosts.token))
      await record('without a token', callAsNewcomer())
      await sleep(100)
    }
    return { codes: [...codes].sort(), slowest: Math.round(slowest) }
  }

  for (const { kind, atOnce } of [
    { kind: 'rapid reset', atOnce: 1 },
    { kind: 'rapid reset in one piece', atOnce: 8 },
    { kind: 'calls without a token', atOnce: 8 },
    { kind: 'half a preface', atOnce: 500 },
    { kind: 'slow header blocks', atOnce: 500 },
    { kind: 'window updates', atOnce: 8 },
    { kind: 'empty data', atOnce: 8 },
  ] as const) {
    test(`with ${kind}, other clients are served`, async (t) => {
      const quiet = await hosts.measureReads(quietMilliseconds)
      const attacker = startReconnecting(target, kind, atOnce)
      let isDone = false
      const measuring = measureOthers(() => isDone)
      const readsUnderAttack = await hosts.measureReads(attackMilliseconds)
      isDone = true
      const otherClients = await measuring
      t.diagnostic(JSON.stringify({ quiet, readsUnderAttack, otherClients, attacker: attacker.report() }))
      attacker.end()
      assert.deepEqual(otherClients.codes, [
        'known: OK',
        'with a token: OK',
        'without a token: UNAUTHENTICATED',
      ])
      assert.ok(otherClients.slowest <= noiseMilliseconds, `A call took ${otherClients.slowest} ms.`)
      const grown = readsUnderAttack.megabytes - quiet.megabytes
      assert.ok(grown <= grownMegabytesMax, `It grew by ${grown} MB.`)
      const patience = Math.max(5 * quiet.p95, noiseMilliseconds)
      assert.ok(
        readsUnderAttack.p95 <= patience,
        `A read took ${readsUnderAttack.p95} ms, and ${quiet.p95} ms before.`,
      )
    })
  }
})

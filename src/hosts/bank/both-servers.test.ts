import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { sql } from '../../db/sql.ts'
import { closeDelayMilliseconds } from '../../http/broken-requests.ts'
import { auditLedger } from './testing/audit.ts'
import { type InProcessBank, startInProcessBank } from './testing/in-process.ts'
import { oddExchanges } from './testing/odd-exchanges.ts'

/**
 * Short enough that slow requests are rejected while the test waits, and long enough for a request that is sent
 * byte by byte on a busy machine. `requestTimeout` is longer than the delay after which a connection with a
 * rejected body is closed, so that always the delay ends it.
 */
const timeouts = {
  headersTimeout: 3000,
  requestTimeout: 4 * closeDelayMilliseconds,
  connectionsCheckingInterval: 100,
}

/** Longer than any of these limits. */
const hangsAfterMilliseconds = 15_000

describe('A bank with the fast path and a bank without it respond alike to', { concurrency: true }, () => {
  let withFastPath: InProcessBank
  let withoutFastPath: InProcessBank
  before(async () => {
    const [first, second] = await Promise.all([
      startInProcessBank({ timeouts }),
      startInProcessBank({ timeouts, usesGeneralServerOnly: true }),
    ])
    withFastPath = first
    withoutFastPath = second
  })
  after(async () => {
    await Promise.all([auditLedger(withFastPath.url), auditLedger(withoutFastPath.url)])
    const balances = async ({ database }: InProcessBank) =>
      database.query(sql`select id, balance, seq from bank.account order by id`)
    assert.deepEqual(
      await balances(withFastPath),
      await balances(withoutFastPath),
      'both have applied the same transactions',
    )
    await Promise.all([withFastPath.stop(), withoutFastPath.stop()])
  })

  for (const { name, parts, pauseMilliseconds } of oddExchanges()) {
    test(name, async () => {
      const [first, second] = await Promise.all(
        [withFastPath.port, withoutFastPath.port].map((port) => receivedFrom(port, parts, pauseMilliseconds)),
      )
      assert.equal(first, second)
    })
  }
})

/**
 * Collects every byte until the server closes or stays quiet; balances and timestamps are normalized before
 * comparison.
 */
function receivedFrom(port: number, parts: readonly Buffer[], pauseMilliseconds = 0): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    const hangTimer = setTimeout(
      () => reject(new Error(`The connection hangs after ${text}`)),
      hangsAfterMilliseconds,
    )
    // A kept-alive connection is abandoned after its last response. The next exchange opens another.
    const done = () => {
      clearTimeout(hangTimer)
      clearTimeout(quietTimer)
      socket.destroy()
      resolve(normalize(text))
    }
    let quietTimer = setTimeout(() => {}, 0)
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => {
      text += chunk
      clearTimeout(quietTimer)
      quietTimer = setTimeout(done, quietMilliseconds)
    })
    socket.on('error', () => {})
    socket.on('close', done)
    void (async () => {
      for (const part of parts) {
        if (!socket.writable) return
        socket.write(part)
        if (pauseMilliseconds > 0) await new Promise((next) => setTimeout(next, pauseMilliseconds))
      }
    })()
  })
}

/**
 * Far longer than the limits above: the servers run in this process, and a busy machine may pause all of it.
 */
const quietMilliseconds = 5000

const normalize = (text: string) =>
  text
    .replace(/Date: [^\r]+/gi, 'Date: some')
    // The response to a broken connection carries a generated request id.
    .replace(/x-request-id: [\da-f-]{36}/gi, 'x-request-id: some')
    .replace(/"(saldo|total)" ?: ?-?\d+/g, '"$1":0')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+/g, 'a timestamp')
    .replace(/"ultimas_transacoes" : \[.*?\]/g, 'entries')
    .replace(/Content-Length: \d{3,}/g, 'Content-Length: of a statement')

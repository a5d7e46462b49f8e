import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { after, before, describe, type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { pino } from 'pino'
import { runChallenge } from '../../bench/bank/challenge.ts'
import { type RunningBank, startBank } from '../../src/hosts/bank/main.ts'
import { auditLedger } from '../../src/hosts/bank/testing/audit.ts'
import { get, post, transact } from '../../src/hosts/bank/testing/in-process.ts'
import { exchange, requestBytes } from '../../src/hosts/bank/testing/raw-socket.ts'
import { testSettings } from '../../src/hosts/bank/testing/settings.ts'
import { startTransactionLoad } from '../../src/hosts/bank/testing/transaction-load.ts'
import { requireKept } from '../faults/bank-checks.ts'
import { valuesOf } from '../support/assertions.ts'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'
import { type Nginx, nginxProgram, startNginx } from '../support/nginx.ts'
import { until } from '../support/until.ts'

const skip = nginxProgram === undefined && 'nginx is not installed, so its configuration is not tested'

describe('Behind nginx', { skip }, () => {
  let store: FreshDatabase
  let instances: readonly RunningBank[]
  let nginx: Nginx
  let port: number
  before(async () => {
    store = await freshDatabase()
    const settings = { ...testSettings, instances: 1 }
    const log = pino({ level: 'silent' })
    instances = await Promise.all([1, 2].map(() => startBank(store, settings, log)))
    const [first = assert.fail(), second = assert.fail()] = instances
    nginx = await startNginx([first.port, second.port])
    port = nginx.port
  })
  after(async () => {
    await nginx.stop()
    await Promise.all(instances.map(({ stop }) => stop()))
    await store.drop()
  })

  test('the configuration in deploy/nginx-bank.conf is valid', () => {
    nginx.checkConfiguration()
  })

  test('every response of the instances is passed on unchanged', async () => {
    assert.equal((await get(port, '/healthz')).text, 'Healthy')
    assert.equal(
      (await transact(port, { client: 1, valor: 10, tipo: 'c' })).text,
      '{"id":1,"limite":100000,"saldo":10}',
    )
    assert.equal((await get(port, '/clientes/1/extrato')).status, 200)
    const rejected = await post(port, '/clientes/1/transacoes', { valor: 1.2 })
    assert.deepEqual([rejected.status, Object.keys(JSON.parse(rejected.text))], [422, ['erro']])
    const missing = await post(port, '/clientes/6/transacoes', 'x'.repeat(50_000))
    assert.deepEqual([missing.status, missing.text], [404, ''])
    assert.equal((await post(port, '/clientes/1/transacoes', 'x'.repeat(50_000))).status, 422)
    assert.equal((await post(port, '/clientes/1/transacoes', 'x'.repeat(100_000))).status, 413)
    const many = Array.from({ length: 20 }, () => requestBytes('GET', '/clientes/1/extrato'))
    const answers = await exchange(port, [Buffer.concat(many)], { expected: 20 })
    assert.ok(answers.every(({ status }) => status === 200))
  })

  test('a request that nginx cannot parse is a 400, never a 5xx', async () => {
    for (const bytes of [
      'GET /healthz HTTP/2.0\r\nHost: a\r\n\r\n',
      'POST /clientes/1/transacoes HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n',
      'GET /healthz HTTP/1.1\r\n\r\n',
    ]) {
      const answers = await exchange(nginx.port, [bytes], { expected: 1 })
      assert.deepEqual(valuesOf(answers, 'status'), [400], bytes)
    }
  })

  test('a killed instance under load loses at most the requests in progress', async () => {
    const writers = 32
    const load = startTransactionLoad(port, writers, 'n.')
    await until(() => load.applied.length >= 200, 'answers')
    const [victim = assert.fail()] = instances[0]?.pids() ?? []
    process.kill(victim, 'SIGKILL')
    const appliedBefore = load.applied.length
    await until(() => instances[0]?.pids().some((pid) => pid !== victim) ?? false, 'the new instance')
    await until(() => load.applied.length >= appliedBefore + 200, 'more answers')
    await load.stop()
    assert.ok(load.failed.length <= writers, `${load.failed.length} failed`)
    requireKept(load, await auditLedger(store.url))
  })
})

test('nginx never repeats a transaction that got no response', {
  skip,
}, async (t) => {
  const arrivals = new Map<string, number>()
  const record = (text: string) => {
    const name = /\?(\w+)/.exec(text)?.[1] ?? ''
    arrivals.set(name, (arrivals.get(name) ?? 0) + 1)
  }
  const ports = [await startWithoutResponses(record, t), await startWithoutResponses(record, t)] as const
  await using nginx = await startNginx(ports)
  const path = '/clientes/1'
  const body = { valor: 1, tipo: 'c', descricao: 'once' }
  let sent = 0
  // After a failure, nginx does not use the instance for a second, so most of these requests reach none.
  await until(async () => {
    assert.equal((await post(nginx.port, `${path}/transacoes?n${sent++}`, body)).status, 502)
    return arrivals.size >= 4
  }, 'four transactions to arrive')
  assert.deepEqual(new Set(arrivals.values()), new Set([1]))
  arrivals.clear()
  // nginx counts in whole seconds, so it uses both instances again only after two. With requests in between, it
  // might always find one of them alone, because each fails at a second of its own.
  await setTimeout(2_500)
  assert.equal((await get(nginx.port, `${path}/extrato?read`)).status, 502)
  assert.deepEqual(arrivals, new Map([['read', 2]]))
})

/** Starts an instance that reads a request and then closes the connection without a response. */
async function startWithoutResponses(record: (text: string) => void, t: TestContext): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (bytes) => {
      record(bytes.toString())
      socket.destroy()
    })
  })
  t.after(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

describe('The challenge with a few seconds of load', () => {
  for (const overLimitStatus of [200, 422] as const) {
    test(`passes when debits over the limit get ${overLimitStatus}`, async (t) => {
      // Each run has its own store, because a run may leave an account too near its limit for the checks.
      const store = await freshDatabase()
      const settings = { ...testSettings, overLimitStatus }
      const bank: RunningBank = await startBank(store, settings, pino({ level: 'silent' }))
      t.after(() => bank.stop().then(store.drop))
      const result = await runChallenge({ port: bank.port, rampSeconds: 2, holdSeconds: 1 })
      assert.deepEqual([result.errors, result.inconsistencies], [0, []])
      assert.ok(result.requests > 700)
      await auditLedger(store.url)
    })
  }
})

import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { pino } from 'pino'
import { requireKept } from '../../../test/faults/bank-checks.ts'
import { type FreshDatabase, freshDatabase } from '../../../test/support/fresh-database.ts'
import { readSettings } from '../../configuration/settings.ts'
import { prepareBank, startBank } from './main.ts'
import { auditLedger } from './testing/audit.ts'
import { acceptedBy } from './testing/connections.ts'
import { startHammer } from './testing/hammer.ts'
import { get } from './testing/in-process.ts'
import { openRawClient, statementRequest } from './testing/raw-client.ts'
import { testSettings } from './testing/settings.ts'

const log = pino({ level: 'silent' })

describe('the bank', () => {
  let store: FreshDatabase
  before(async () => {
    store = await freshDatabase()
  })
  after(() => store.drop())

  test('starts from the environment alone, warm and with nothing changed', async (t) => {
    const start = readSettings({ BANK_PORT: '0', BANK_INSTANCES: '1', LOG_LEVEL: 'silent' }, prepareBank)
    const { title, address, stop } = await start({ url: store.url })
    t.after(stop)
    assert.equal(title, 'Bank')
    assert.match(address, /^http:\/\/localhost:\d+$/)
    const { text } = await get(Number(address.split(':').at(-1)), '/clientes/1/extrato')
    assert.deepEqual(JSON.parse(text).ultimas_transacoes, [])
    await auditLedger(store.url)
  })

  test('is two processes behind one port, and both get connections', async (t) => {
    if (process.platform !== 'linux') return t.skip('other systems are not asked who accepted what')
    const { port, pids, stop } = await startBank(store.url, testSettings, log)
    t.after(stop)
    const clients = Array.from({ length: 60 }, () => openRawClient(port))
    t.after(() => {
      for (const client of clients) client.close()
    })
    await Promise.all(clients.map((client) => client.send(statementRequest(1))))
    const counts = acceptedBy(pids(), port)
    assert.equal(
      counts.reduce((sum, count) => sum + count),
      60,
    )
    assert.ok(counts.length === 2 && counts.every((count) => count > 5), `${counts}`)
  })

  test('stops in order under load: what was begun is answered, and no process stays', async () => {
    const { port, pids, stop } = await startBank(store.url, testSettings, log)
    const processes = pids()
    const hammer = startHammer(port, 16)
    while (hammer.applied.length < 100) await sleep(10)
    await stop()
    for (const pid of processes) assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' })
    await hammer.stop()
    requireKept(hammer, await auditLedger(store.url))
  })

  test('says which port is taken, also when another bank shares it', async (t) => {
    const taken = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => taken.once('listening', resolve))
    t.after(() => taken.close())
    const { port } = taken.address() as { port: number }
    await assert.rejects(startBank(store.url, { ...testSettings, port }, log), { code: 'EADDRINUSE' })
    const bank = await startBank(store.url, testSettings, log)
    t.after(bank.stop)
    await assert.rejects(startBank(store.url, { ...testSettings, port: bank.port }, log), {
      code: 'EADDRINUSE',
    })
  })

  test('says why it cannot start, and leaves no process behind', async () => {
    const url = 'postgresql://nobody@127.0.0.1:1/nowhere'
    await assert.rejects(startBank(url, testSettings, log), /could not be started: .*ECONNREFUSED/)
    await assert.rejects(startBank(store.url, { ...testSettings, host: '192.0.2.1' }, log), {
      code: 'EADDRNOTAVAIL',
    })
  })
})

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

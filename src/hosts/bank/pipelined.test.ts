import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { auditLedger } from './testing/audit.ts'
import { type InProcessBank, startInProcessBank, statementOf } from './testing/in-process.ts'
import { exchange, requestBytes } from './testing/raw-socket.ts'

/** Only the general server handles this path, so the requests around it are handled there too. */
const health = requestBytes('GET', '/healthz', undefined, [])

const transactionOf = (client: number) =>
  requestBytes('POST', `/clientes/${client}/transacoes`, '{"valor":1,"tipo":"c","descricao":"x"}')

describe('Pipelined requests with an unusual request among them', { concurrency: true }, () => {
  let bank: InProcessBank
  before(async () => {
    bank = await startInProcessBank()
  })
  after(async () => {
    await auditLedger(bank.url)
    assert.deepEqual(bank.failures, [])
    await bank.stop()
  })

  const statusesOf = async (parts: readonly Buffer[], expected?: number) =>
    (await exchange(bank.port, [Buffer.concat(parts)], expected === undefined ? {} : { expected })).map(
      ({ status }) => status,
    )
  const balanceOf = async (client: number) => (await statementOf(bank.port, client)).saldo.total

  test('are all answered when invalid bytes follow them', async () => {
    const garbage = Buffer.from('no request\r\n\r\n')
    assert.deepEqual(await statusesOf([health, transactionOf(1), health, garbage]), [200, 200, 200, 400])
    assert.equal(await balanceOf(1), 1)
  })

  test('are all answered when CONNECT follows them', async () => {
    const connect = Buffer.from('CONNECT bank:443 HTTP/1.1\r\nHost: bank\r\n\r\n')
    assert.deepEqual(await statusesOf([health, transactionOf(5), connect]), [200, 200, 400])
    assert.equal(await balanceOf(5), 1)
  })

  test('are answered around an unknown expectation', async () => {
    const odd = requestBytes('GET', '/healthz', undefined, ['Expect: tea'])
    const parts = [transactionOf(2), odd, transactionOf(2), health]
    assert.deepEqual(await statusesOf(parts, 4), [200, 417, 200, 200])
    assert.equal(await balanceOf(2), 2)
  })

  test('are all executed if one of them expects 100-continue', async () => {
    const body = '{"valor":1,"tipo":"c","descricao":"x"}'
    const headers = ['Content-Type: application/json', 'Expect: 100-continue']
    const waiting = requestBytes('POST', '/clientes/3/transacoes', body, headers)
    assert.deepEqual(await statusesOf([health, waiting, transactionOf(3)], 3), [200, 200, 200])
    assert.equal(await balanceOf(3), 2)
  })

  test('are not executed behind a request without Host', async () => {
    const odd = Buffer.from('GET /healthz HTTP/1.1\r\n\r\n')
    const parts = [transactionOf(4), odd, transactionOf(4), transactionOf(4)]
    assert.deepEqual(await statusesOf(parts), [200, 400])
    assert.equal(await balanceOf(4), 1)
  })

  test('may have headers with the names of inherited properties', async () => {
    for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
      const odd = requestBytes('GET', '/clientes/5/extrato', undefined, [`${name}: x`])
      assert.deepEqual(await statusesOf([odd, odd, health], 3), [200, 200, 200], name)
    }
  })
})

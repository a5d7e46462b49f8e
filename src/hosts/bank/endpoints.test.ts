import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from '../../db/sql.ts'
import { auditLedger } from './testing/audit.ts'
import {
  get,
  type InProcessBank,
  post,
  startInProcessBank,
  statementOf,
  transact,
} from './testing/in-process.ts'
import { exchange, requestBytes } from './testing/raw-socket.ts'

describe('The bank responds', () => {
  let bank: InProcessBank
  before(async () => {
    bank = await startInProcessBank()
  })
  after(() => bank.stop())

  test('to /healthz with plain text', async () => {
    const { status, text, headers } = await get(bank.port, '/healthz')
    assert.deepEqual([status, text], [200, 'Healthy'])
    assert.match(headers.get('content-type') ?? '', /^text\/plain/)
  })

  test('to GET and HEAD of /readyz with 200', async () => {
    for (const method of ['GET', 'HEAD']) {
      const { status, text } = await get(bank.port, '/readyz', method)
      assert.deepEqual([status, text], [200, method === 'GET' ? 'Healthy' : ''])
    }
  })

  test('with the request id of the client if it is valid', async () => {
    const idOf = async (path: string, sent: Record<string, string>) =>
      (await fetch(`http://127.0.0.1:${bank.port}${path}`, { headers: sent })).headers.get('x-request-id')
    for (const path of ['/clientes/1/extrato', '/healthz', '/clientes/9/extrato']) {
      assert.equal(await idOf(path, { 'x-request-id': 'one-of:ours' }), 'one-of:ours')
      assert.equal(await idOf(path, { 'x-request-id': '<b>' }), null)
      assert.equal(await idOf(path, {}), null)
    }
  })

  test('with the limits of the five clients and balances of 0', async () => {
    const limits = [100_000, 80_000, 1_000_000, 10_000_000, 500_000]
    for (const [index, limite] of limits.entries()) {
      const { saldo, ultimas_transacoes } = await statementOf(bank.port, index + 1)
      assert.deepEqual([saldo.total, saldo.limite, ultimas_transacoes], [0, limite, []])
    }
  })

  test('to a transaction with the balance, and to a statement with the entries', async () => {
    const before = new Date(Date.now() - 1).toISOString()
    const { status, text, headers } = await transact(bank.port, {
      client: 2,
      valor: 70,
      tipo: 'c',
      descricao: 'ação "1"',
    })
    assert.deepEqual([status, text], [200, '{"id":2,"limite":80000,"saldo":70}'])
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')
    assert.equal(
      (await transact(bank.port, { client: 2, valor: 100, tipo: 'd', descricao: 'devolve' })).text,
      '{"id":2,"limite":80000,"saldo":-30}',
    )
    const { saldo, ultimas_transacoes } = await statementOf(bank.port, 2)
    assert.deepEqual([saldo.total, saldo.limite], [-30, 80_000])
    const entries = ultimas_transacoes.map(({ valor, tipo, descricao }) => [valor, tipo, descricao])
    assert.deepEqual(entries, [
      [100, 'd', 'devolve'],
      [70, 'c', 'ação "1"'],
    ])
    const timestamps = [...ultimas_transacoes.map(({ realizada_em }) => realizada_em), saldo.data_extrato]
    for (const timestamp of timestamps) assert.match(timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/)
    const inOrder = [
      before,
      timestamps[1],
      timestamps[0],
      timestamps[2],
      new Date(Date.now() + 1).toISOString(),
    ]
    assert.deepEqual(inOrder, [...inOrder].sort(), 'the timestamps are in UTC and in order')
  })

  test('with the ten latest entries, newest first', async () => {
    for (let valor = 1; valor <= 12; valor++)
      await transact(bank.port, { client: 3, valor, tipo: 'c', descricao: `n${valor}` })
    const { saldo, ultimas_transacoes } = await statementOf(bank.port, 3)
    assert.equal(saldo.total, 78)
    assert.deepEqual(
      ultimas_transacoes.map(({ valor }) => valor),
      [12, 11, 10, 9, 8, 7, 6, 5, 4, 3],
    )
  })

  test('to a debit beyond the limit with the unchanged balance', async () => {
    assert.equal(
      (await transact(bank.port, { client: 5, valor: 500_000, tipo: 'd' })).text,
      '{"id":5,"limite":500000,"saldo":-500000}',
    )
    const beyond = await transact(bank.port, { client: 5, valor: 1, tipo: 'd', descricao: 'beyond' })
    assert.deepEqual([beyond.status, beyond.text], [200, '{"id":5,"limite":500000,"saldo":-500000}'])
    assert.equal((await statementOf(bank.port, 5)).ultimas_transacoes[0]?.descricao, 'test')
  })

  for (const id of [
    '6',
    '0',
    '-1',
    '01',
    '1.0',
    '1e0',
    'a',
    '',
    '99999999999999999999',
    '%31',
    '1%00',
    '١',
  ]) {
    test(`with 404 and no body for client ${JSON.stringify(id)}`, async () => {
      const encoded = id.includes('%') ? id : encodeURIComponent(id)
      const answers = [
        await get(bank.port, `/clientes/${encoded}/extrato`),
        await post(bank.port, `/clientes/${encoded}/transacoes`, { valor: 1, tipo: 'c', descricao: 'x' }),
        await post(bank.port, `/clientes/${encoded}/transacoes`, { valor: -1 }),
        await post(bank.port, `/clientes/${encoded}/transacoes`, 'no JSON', 'text/plain'),
        await get(bank.port, `/clientes/${encoded}/transacoes`, 'DELETE'),
      ]
      assert.deepEqual(
        answers.map(({ status, text }) => [status, text]),
        answers.map(() => [404, '']),
      )
    })
  }

  test('with 404 to unknown paths', async () => {
    for (const path of [
      '/',
      '/clientes',
      '/clientes/1',
      '/clientes/1/extrato/',
      '/Clientes/1/extrato',
      '//healthz',
    ]) {
      assert.equal((await get(bank.port, path)).status, 404, path)
    }
  })

  test('to a path with a query in the same way as to the path alone', async () => {
    assert.equal((await get(bank.port, '/clientes/1/extrato?x=/clientes/6')).status, 200)
  })

  test('with 405 and the supported methods to any other method', async () => {
    const rejected = await get(bank.port, '/clientes/1/transacoes')
    assert.deepEqual([rejected.status, rejected.headers.get('allow')], [405, 'POST'])
    assert.equal((await get(bank.port, '/clientes/1/extrato', 'PUT')).headers.get('allow'), 'GET, HEAD')
    const head = await get(bank.port, '/clientes/1/extrato', 'HEAD')
    assert.deepEqual([head.status, head.text], [200, ''])
  })

  test('with 422 and a message to an invalid transaction', async () => {
    const before = await statementOf(bank.port, 1)
    const bodies = [
      { valor: 1.2, tipo: 'd', descricao: 'x' },
      { valor: 1, tipo: 'x', descricao: 'x' },
      {},
      [],
      null,
      '{"',
      '',
    ]
    for (const body of bodies) {
      const { status, text } = await post(bank.port, '/clientes/1/transacoes', body)
      assert.equal(status, 422, JSON.stringify(body))
      assert.match(JSON.parse(text).erro, /^[A-Z].*\.$/)
    }
    assert.deepEqual((await statementOf(bank.port, 1)).ultimas_transacoes, before.ultimas_transacoes)
  })

  test('with 415 to a body that is not JSON', async () => {
    const path = '/clientes/1/transacoes'
    const body = { valor: 1, tipo: 'c', descricao: 'x' }
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonx',
      'multipart/form-data',
    ]) {
      assert.equal((await post(bank.port, path, body, type)).status, 415, type)
    }
    for (const type of ['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/problem+json']) {
      assert.equal((await post(bank.port, path, body, type)).status, 200, type)
    }
  })

  test('with 415 to what a page of another site can send, and with 400 to repeated headers', async () => {
    const path = '/clientes/1/transacoes'
    const body = '{"valor":1,"tipo":"c","descricao":"x"}'
    const before = await statementOf(bank.port, 1)
    const type = 'Content-Type: application/json'
    for (const [status, ...headers] of [
      [415],
      [415, 'Content-Type: text/plain'],
      [415, type, 'Content-Encoding: gzip'],
      [415, type, 'Origin: https://elsewhere.example'],
      [415, type, 'Origin: null'],
      [415, type, 'Sec-Fetch-Site: cross-site'],
      [415, type, 'Sec-Fetch-Site: same-site'],
      [400, type, 'Host: other'],
      [400, type, 'Authorization: a', 'Authorization: b'],
    ] as const) {
      const [answer] = await exchange(bank.port, [requestBytes('POST', path, body, headers)], { expected: 1 })
      assert.equal(answer?.status, status, headers.join())
    }
    const after = await statementOf(bank.port, 1)
    assert.equal(after.saldo.total, before.saldo.total, 'nothing was applied')
    const sameOrigin = [type, 'Origin: http://bank', 'Sec-Fetch-Site: same-origin']
    const request = requestBytes('POST', path, body, sameOrigin)
    const [answer] = await exchange(bank.port, [request], { expected: 1 })
    assert.equal(answer?.status, 200)
  })

  test('with exact balances beyond the range of a number', async () => {
    await bank.database.query(sql`update bank.account set balance = 9223372036854775805 where id = 4`)
    assert.equal(
      (await transact(bank.port, { client: 4, valor: 2, tipo: 'c' })).text,
      '{"id":4,"limite":10000000,"saldo":9223372036854775807}',
    )
    const overflow = await transact(bank.port, { client: 4, valor: 1, tipo: 'c' })
    assert.deepEqual(
      [overflow.status, JSON.parse(overflow.text).erro],
      [422, 'Valor must not take the balance above the maximum.'],
    )
    // The two transactions are in one call. The call must not fail, and the debit must succeed. The credit is
    // too large after the debit, too, because either transaction may arrive first.
    const [credit, debit] = await Promise.all([
      transact(bank.port, { client: 4, valor: 20, tipo: 'c' }),
      transact(bank.port, { client: 4, valor: 7, tipo: 'd' }),
    ])
    assert.deepEqual([credit?.status, debit?.status], [422, 200])
    assert.match((await get(bank.port, '/clientes/4/extrato')).text, /"total" : 9223372036854775800/)
    await bank.database.query(
      sql`update bank.account set balance = (select sum(amount) from bank.ledger where account_id = 4) where id = 4`,
    )
  })

  test('consistently with its ledger', async () => {
    await auditLedger(bank.url)
    assert.deepEqual(bank.failures, [])
  })
})

describe('With BANK_OVER_LIMIT_STATUS=422', () => {
  test('a debit over the limit is rejected with a message, alone and among others', async (t) => {
    const { port, url, stop } = await startInProcessBank({ overLimitStatus: 422 })
    t.after(stop)
    assert.equal((await transact(port, { client: 1, valor: 100_000, tipo: 'd' })).status, 200)
    const { status, text } = await transact(port, { client: 1, valor: 1, tipo: 'd' })
    assert.deepEqual(
      [status, JSON.parse(text).erro],
      [422, 'Valor must not take the balance below the limit.'],
    )
    const answers = await Promise.all([
      transact(port, { client: 1, valor: 5, tipo: 'd' }),
      transact(port, { client: 1, valor: 3, tipo: 'c' }),
      transact(port, { client: 2, valor: 1, tipo: 'd' }),
    ])
    assert.deepEqual(
      answers.map((answer) => answer.status),
      [422, 200, 200],
    )
    await auditLedger(url)
  })
})

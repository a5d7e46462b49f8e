import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { parseTransaction } from './client-handlers.ts'

const parse = (body: unknown) =>
  parseTransaction(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)))
const valid = { valor: 1, tipo: 'c', descricao: 'toma' }

describe('parseTransaction', () => {
  test('a credit has a positive amount, a debit a negative one', () => {
    assert.deepEqual(parse(valid), { amount: 1, description: 'toma' })
    assert.deepEqual(parse({ ...valid, tipo: 'd', valor: 2_147_483_647 }), {
      amount: -2_147_483_647,
      description: 'toma',
    })
  })

  test('the first letter of a name may be capitalized', () => {
    assert.deepEqual(parse({ Valor: 5, Tipo: 'd', Descricao: 'x' }), { amount: -5, description: 'x' })
    assert.match(String(parse({ VALOR: 1, tipo: 'c', descricao: 'x' })), /^Valor/)
  })

  test('a lower-case name wins, even if its value is null', () => {
    assert.deepEqual(parse({ ...valid, Valor: 5, Tipo: 'd', Descricao: 'x' }), {
      amount: 1,
      description: 'toma',
    })
    assert.match(String(parse({ ...valid, valor: null, Valor: 5 })), /^Valor/)
  })

  test('a whole number may have any notation of JSON', () => {
    for (const valor of ['100', '100.0', '1e2', '1.0E+2', '1000e-1']) {
      const body = `{"valor":${valor},"tipo":"c","descricao":"x"}`
      assert.deepEqual(parse(body), { amount: 100, description: 'x' }, valor)
    }
  })

  for (const valor of [
    '1.0000000000000000001',
    '0.99999999999999999999999',
    '2147483646.99999999999999999',
    '2147483647.0000000000000000001',
    '10000000000000000000001e-22',
    '1.00000000000000000001E0',
    '100.000000000000000000001e+2',
    '1e-1',
    '1e400',
    '0.0000000000000000000000000000000000001e5',
  ]) {
    const rejection = 'Valor must be a whole number from 1 to 2147483647.'
    test(`the amount ${valor} is rejected`, () => {
      // A whole number elsewhere in the body must not hide it: nested, earlier, or under the other name.
      for (const name of ['valor', 'Valor'])
        assert.equal(parse(`{"a":{"${name}":1.0},"${name}":${valor},"tipo":"c","descricao":"x"}`), rejection)
      assert.equal(parse(`{"valor":1.0,"tipo":"c","descricao":"x","valor":${valor}}`), rejection)
      assert.equal(parse(`{"valor":${valor},"Valor":1,"tipo":"c","descricao":"x"}`), rejection)
    })
  }

  test('fractions elsewhere in the body do not matter', () => {
    const body =
      '{"a":{"valor":1.00000000000000000001},"valor":2.0,"Valor":1.5,"tipo":"c","descricao":"1.5e3"}'
    assert.deepEqual(parse(body), { amount: 2, description: '1.5e3' })
    const last = '{"valor":1.5,"tipo":"c","descricao":"x","valor":20000000000000000000000e-22}'
    assert.deepEqual(parse(last), { amount: 2, description: 'x' })
  })

  test('the last of two equal names counts', () => {
    const body = '{"valor":1,"tipo":"d","valor":2,"descricao":"x","tipo":"c"}'
    assert.deepEqual(parse(body), { amount: 2, description: 'x' })
  })

  test('unknown keys are ignored', () => {
    const body = '{"__proto__":{"valor":9},"constructor":1,"valor":1,"tipo":"c","descricao":"x","id":7}'
    assert.deepEqual(parse(body), { amount: 1, description: 'x' })
    assert.match(String(parse('{"__proto__":{"valor":9},"tipo":"c","descricao":"x"}')), /^Valor/)
  })

  test('a description has 1 to 10 code points of any script', () => {
    for (const descricao of [
      'a',
      ' ',
      '0123456789',
      '😀'.repeat(10),
      'çãõéúíóâêô',
      '日本語',
      '\u2028',
      "';--",
    ]) {
      assert.deepEqual(parse({ ...valid, descricao }), { amount: 1, description: descricao })
    }
  })

  for (const valor of [0, -1, 1.2, 2_147_483_648, 1e300, '1', true, null, undefined, [1], {}]) {
    test(`valor ${JSON.stringify(valor)} is rejected`, () => {
      assert.equal(parse({ ...valid, valor }), 'Valor must be a whole number from 1 to 2147483647.')
    })
  }

  for (const tipo of ['x', 'C', 'D', '', 'cd', 'c ', 0, null, undefined, ['c']]) {
    test(`tipo ${JSON.stringify(tipo)} is rejected`, () => {
      assert.equal(parse({ ...valid, tipo }), 'Tipo must be c or d.')
    })
  }

  const long = ['01234567890', '😀'.repeat(11), 'x'.repeat(5000)]
  for (const descricao of ['', ...long, 'a\0b', '\ud800', 'a\udc00', 1, null, undefined, ['a'], {}]) {
    test(`descricao ${JSON.stringify(descricao)?.slice(0, 20)} is rejected`, () => {
      assert.match(String(parse({ ...valid, descricao })), /^Descricao must have 1 to 10 characters/)
    })
  }

  for (const body of [
    '',
    ' ',
    'null',
    '1',
    '"c"',
    '[]',
    '[{"valor":1}]',
    '{',
    '{"valor":1,}',
    'valor=1',
    '\ufeff{}',
    '{}x',
    '{"a":NaN}',
  ]) {
    test(`the body ${JSON.stringify(body)} is rejected`, () => {
      assert.equal(parse(body), 'The body must be a JSON object.')
    })
  }

  test('a body that is not UTF-8 is rejected', () => {
    const latin1 = Buffer.from('{"valor":1,"tipo":"c","descricao":"ç"}', 'latin1')
    assert.equal(parseTransaction(latin1), 'The body must be a JSON object.')
  })

  test('every body results in a transaction or an error message', () => {
    const anything = fc.oneof(
      fc.json(),
      fc.string(),
      fc.uint8Array().map((bytes) => Buffer.from(bytes)),
    )
    fc.assert(
      fc.property(anything, (body) => {
        const result = parseTransaction(Buffer.from(body))
        assert.ok(typeof result === 'string' ? result.endsWith('.') : Number.isInteger(result.amount))
      }),
      { numRuns: 500 },
    )
  })
})

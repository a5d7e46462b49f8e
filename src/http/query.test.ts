import { deepStrictEqual, equal, throws } from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sampleHost } from './testing/sample-host.ts'
import { canonicalPathOf, parseQuery, pathOf, rejectTooManyKeys } from './url.ts'

describe('a query', () => {
  it('keeps every value of a repeated key', () => {
    deepStrictEqual({ ...parseQuery('a=1&b=2&a=3') }, { a: ['1', '3'], b: '2' })
  })

  it('reads a plus as a space and %2B as a plus', () => {
    equal(parseQuery('from=10:00%2B02:00&q=a+b').from, '10:00+02:00')
    equal(parseQuery('q=a+b').q, 'a b')
  })

  it('accepts malformed escapes', () => {
    deepStrictEqual({ ...parseQuery('a=100%&b=%zz&c=%ff') }, { a: '100%', b: '%zz', c: '\uFFFD' })
  })

  it('keeps a NUL character, which the parsers of fields reject with a message', () => {
    equal(parseQuery('search=a%00b').search, 'a\u0000b')
  })

  it('has no prototype that a key could reach', () => {
    const query = parseQuery('__proto__=1&constructor=2&toString=3')
    equal(Object.getPrototypeOf(query), null)
    deepStrictEqual(Object.keys(query), ['__proto__', 'constructor', 'toString'])
    equal(Object.getPrototypeOf(parseQuery('')), null)
  })

  it('with more than a hundred keys is rejected, not truncated', async (t) => {
    const pairs = (count: number) => Array(count).fill('a=1').join('&')
    rejectTooManyKeys(parseQuery(pairs(100)))
    throws(() => rejectTooManyKeys(parseQuery(pairs(101))), { kind: 'invalid' })
    const answer = await sampleHost(t).inject({ url: `/echo?${pairs(2000)}` })
    equal(answer.statusCode, 400)
    deepStrictEqual(answer.json().errors, { generalErrors: ['At most 100 keys can be sent at once.'] })
  })
})

describe('a path', () => {
  it('ends where the router ends it: before a query or a fragment', () => {
    for (const target of ['/x', '/x?y', '/x#y', '/x?y#z', '/x#y?z', '/X/#y'])
      equal(canonicalPathOf(target), '/x')
    equal(pathOf('/x#secret'), '/x')
  })
})

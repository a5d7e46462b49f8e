import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { allowedReceivers, isPublicAddress } from './addresses.ts'

describe('An address of a receiver', () => {
  for (const address of ['8.8.8.8', '1.1.1.1', '192.0.1.1', '172.32.0.1', '2606:4700:4700::1111', '2a00::1'])
    it(`is public: ${address}`, () => assert.ok(isPublicAddress(address)))

  for (const address of [
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '127.9.9.9',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.8',
    '192.0.2.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.51.100.7',
    '203.0.113.9',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '64:ff9b::7f00:1',
    '100::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    'fc00::1',
    'fd12::1',
    'fe80::1',
    'ff02::1',
    'not-an-address',
    '',
  ])
    it(`is not public: '${address}'`, () => assert.ok(!isPublicAddress(address)))

  it('is allowed if the operator has named it', () => {
    const { problemOf } = allowedReceivers(['LocalHost:9000', '10.0.0.5'])
    const isAllowed = (url: string) => problemOf(new URL(url)) === undefined
    assert.ok(
      isAllowed('http://localhost:9000/hook') &&
        isAllowed('http://10.0.0.5/') &&
        isAllowed('https://10.0.0.5:8443/'),
    )
    assert.ok(
      !isAllowed('http://localhost:9001/') &&
        !isAllowed('http://10.0.0.6/') &&
        !isAllowed('https://10.0.0.6/'),
    )
    assert.ok(isAllowed('https://example.com/') && !isAllowed('http://example.com/'))
  })

  it('is rejected if it is private, in every notation', () => {
    const { problemOf } = allowedReceivers([])
    for (const host of [
      '2130706433',
      '0x7f000001',
      '0177.0.0.1',
      '127.1',
      '[::ffff:7f00:1]',
      '[0:0:0:0:0:0:0:1]',
    ])
      assert.ok(problemOf(new URL(`https://${host}/`)), host)
  })

  it('results in the same error whether it is private or its name does not resolve', async () => {
    const errorOf = (name: string) => {
      const lookup = allowedReceivers([]).lookupFor(new URL(`https://${name}/`))
      return new Promise((resolve) =>
        lookup(name, {}, (error) => resolve({ ...error, text: error?.message })),
      )
    }
    const [internal, unresolvable] = [await errorOf('localhost'), await errorOf('nowhere.invalid')]
    assert.deepEqual(internal, { text: 'The name leads to no public address.' })
    assert.deepEqual(unresolvable, internal)
  })
})

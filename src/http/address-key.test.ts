import { deepStrictEqual, equal, notEqual, ok } from 'node:assert/strict'
import { it } from 'node:test'
import { addressKey } from './addresses.ts'

it('one IPv4 client has one key', () => {
  for (const address of [
    '1.2.3.4',
    '1.2.3.4:5678',
    '::ffff:1.2.3.4',
    '::FFFF:102:304',
    '[::ffff:1.2.3.4]:80',
  ])
    equal(addressKey(address), '1.2.3.4', address)
})

it('all addresses of an IPv6 /64 have one key', () => {
  const addresses = [
    '2001:DB8::1',
    '[2001:db8::1]:443',
    '2001:db8:0:0:ffff:ffff:ffff:ffff',
    '2001:db8::1.2.3.4',
    '2001:db8::9%eth0',
  ]
  deepStrictEqual([...new Set(addresses.map(addressKey))], ['2001:db8:0:0::/64'])
  notEqual(addressKey('2001:db8:0:1::1'), addressKey('2001:db8::1'))
  equal(addressKey('::1'), '0:0:0:0::/64')
})

it('text that is not an address is only lowercased and shortened', () => {
  ok(addressKey('x'.repeat(5000)).length <= 64)
  equal(addressKey('Proxy'), 'proxy')
  equal(addressKey(undefined), 'unknown')
})

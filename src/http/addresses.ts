import { lookup } from 'node:dns'
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { RequestOrigin } from '../model/caller.ts'

/** The longest spelling of an IPv6 address with a zone. A longer value, which a proxy may send, is cut. */
export const addressLengthMax = 64
const ipv4Port = /^(\d+\.\d+\.\d+\.\d+):\d+$/
const bracketedIpv6 = /^\[([^\]]+)\](?::\d+)?$/

/**
 * Returns one key per client for all spellings of its address. The owner of an IPv6 address usually has its
 * whole /64, so only this part counts. An IPv4 address that is written as IPv6 counts as IPv4.
 */
export function addressKey(address: string | undefined): string {
  if (address === undefined) return 'unknown'
  const bare = address
    .slice(0, addressLengthMax)
    .replace(bracketedIpv6, '$1')
    .replace(ipv4Port, '$1')
    .replace(/%.*$/, '')
    .toLowerCase()
  return isIPv6(bare) ? networkOf(groupsOf(bare)) : bare
}

function networkOf(groups: readonly number[]): string {
  const isMapped = groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0)
  if (isMapped)
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 0xff])
      .join('.')
  const hex = groups.slice(0, 4).map((group) => group.toString(16))
  return `${hex.join(':')}::/64`
}

/** The eight groups, including the zeros that `::` abbreviates. */
function groupsOf(address: string): readonly number[] {
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').flatMap(parseGroup))
  return [...head, ...new Array(8 - head.length - tail.length).fill(0), ...tail]
}

/** Parses one group of an address. The last two groups may be written as an IPv4 address. */
function parseGroup(text: string): number[] {
  if (text === '') return []
  const bytes = text.split('.').map(Number)
  if (bytes.length === 1) return [Number.parseInt(text, 16)]
  const [first = 0, second = 0, third = 0, fourth = 0] = bytes
  return [first * 256 + second, third * 256 + fourth]
}

/**
 * The IPv4 ranges that are not public: private, local, shared, documentation and multicast ranges. Of IPv6, only
 * the ranges within `globalUnicast` are listed: reserved and documentation ranges, and addresses that contain
 * IPv4 addresses.
 */
const nonPublicRanges = new BlockList()
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  nonPublicRanges.addSubnet(network, bits, 'ipv4')
for (const [network, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  nonPublicRanges.addSubnet(network, bits, 'ipv6')

const globalUnicast = new BlockList()
globalUnicast.addSubnet('2000::', 3, 'ipv6')

/**
 * An IPv6 address is public only if it is global unicast. A mapped IPv4 address is not, so it is rejected as
 * well.
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv6(address)) return globalUnicast.check(address, 'ipv6') && !nonPublicRanges.check(address, 'ipv6')
  return isIP(address) === 4 && !nonPublicRanges.check(address, 'ipv4')
}

export interface AllowedReceivers {
  /** Returns why the URL must be rejected, as far as that is known without a DNS lookup. */
  problemOf(url: URL): string | undefined
  /**
   * Returns the lookup for the connection. It resolves only to public addresses, unless the operator has named
   * the receiver.
   */
  lookupFor(url: URL): LookupFunction
}

/** Allows https to public addresses, and receivers that the operator has named, such as `localhost:9000`. */
export function allowedReceivers(allowedNames: readonly string[]): AllowedReceivers {
  const lowerCaseNames = new Set(allowedNames.map((name) => name.toLowerCase()))
  const isNamed = ({ host, hostname }: URL) =>
    lowerCaseNames.has(host.toLowerCase()) || lowerCaseNames.has(hostname.toLowerCase())
  return {
    problemOf(url) {
      if (isNamed(url)) return undefined
      if (url.protocol !== 'https:') return 'must begin with https.'
      const literal = url.hostname.replace(/^\[|\]$/g, '')
      return isIP(literal) && !isPublicAddress(literal) ? 'must not be a private address.' : undefined
    },
    lookupFor: (url) => (isNamed(url) ? lookup : publicLookup) as LookupFunction,
  }
}

/**
 * A name is rejected if any of its addresses is private, because the response of a name server is not
 * trustworthy. An unknown name gets the same message, so that the names of internal hosts are not revealed.
 */
const publicLookup: LookupFunction = (hostname, options, callback) =>
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const [first] = addresses ?? []
    if (error || !first || !addresses.every(({ address }) => isPublicAddress(address)))
      return callback(new Error(unreachableName, { cause: error ?? undefined }), '')
    if (options.all) callback(null, addresses)
    else callback(null, first.address, first.family)
  })

const unreachableName = 'The name leads to no public address.'

/** The origin of a request for the history and the logs. */
export const requestOriginOf = ({ ip, id }: FastifyRequest): RequestOrigin => ({
  address: ip.slice(0, addressLengthMax),
  requestId: id,
})

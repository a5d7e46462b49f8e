import { isIPv6 } from 'node:net'

/** The longest way to write an IPv6 address with a zone; what a proxy sends may be longer. */
export const addressLengthMax = 64
const ipv4Port = /^(\d+\.\d+\.\d+\.\d+):\d+$/
const bracketedIpv6 = /^\[([^\]]+)\](?::\d+)?$/

/**
 * One key per client, however the operating system or a proxy writes its address. Who has one IPv6 address has all of its
 * /64, so the first half counts; an IPv4 address written as IPv6 stays what it is.
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

/** The eight groups, with the zeros that `::` stands for. */
function groupsOf(address: string): readonly number[] {
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').flatMap(readGroup))
  return [...head, ...new Array(8 - head.length - tail.length).fill(0), ...tail]
}

/** The last four bytes may be written as in IPv4. */
function readGroup(text: string): number[] {
  if (text === '') return []
  const bytes = text.split('.').map(Number)
  if (bytes.length === 1) return [Number.parseInt(text, 16)]
  const [first = 0, second = 0, third = 0, fourth = 0] = bytes
  return [first * 256 + second, third * 256 + fourth]
}

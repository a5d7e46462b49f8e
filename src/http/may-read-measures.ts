import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { BlockList, isIPv6 } from 'node:net'

/**
 * Returns whether a request for `/metrics` may be answered. A configured token must be presented. Without one only programs on this
 * machine may read: the peer is a loopback address, and no header says that a proxy forwarded the request, because the proxy's
 * address says nothing about the client.
 */
export function mayReadMeasures({ headers, socket }: IncomingMessage, token: string | undefined): boolean {
  if (token !== undefined) return isEqual(bearerIn(headers.authorization), token)
  return (
    isLoopback(socket.remoteAddress ?? '') && forwardedHeaders.every((name) => headers[name] === undefined)
  )
}

const forwardedHeaders = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
]

const bearerIn = (header = ''): string => /^bearer +(\S{1,512})$/i.exec(header)?.[1] ?? ''

/** Compares digests, which all have one length, so the time reveals nothing about the token. */
const isEqual = (given: string, wanted: string): boolean => timingSafeEqual(digestOf(given), digestOf(wanted))
const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

const isLoopback = (address: string): boolean => loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')

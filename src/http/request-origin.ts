import type { FastifyRequest } from 'fastify'

/** Where a request comes from, as logs and lists of sign-ins tell it. */
export interface RequestOrigin {
  /** The client's, behind the proxies that are trusted. */
  readonly address: string
  readonly requestId: string
}

/** The longest way to write an IPv6 address with a zone; what a proxy sends may be longer. */
const addressLengthMax = 64

export const originOf = ({ ip, id }: FastifyRequest): RequestOrigin => ({
  address: ip.slice(0, addressLengthMax),
  requestId: id,
})

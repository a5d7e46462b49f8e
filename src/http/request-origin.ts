import type { FastifyRequest } from 'fastify'
import type { RequestOrigin } from '../model/caller.ts'

/** The longest way to write an IPv6 address with a zone; what a proxy sends may be longer. */
const addressLengthMax = 64

export const originOf = ({ ip, id }: FastifyRequest): RequestOrigin => ({
  address: ip.slice(0, addressLengthMax),
  requestId: id,
})

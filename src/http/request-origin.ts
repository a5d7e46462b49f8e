import type { FastifyRequest } from 'fastify'
import type { RequestOrigin } from '../model/caller.ts'
import { addressLengthMax } from './address-key.ts'

export const originOf = ({ ip, id }: FastifyRequest): RequestOrigin => ({
  address: ip.slice(0, addressLengthMax),
  requestId: id,
})

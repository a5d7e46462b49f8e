import type { FastifyReply } from 'fastify'
import { type Deprecation, midnightOf } from '../model/deprecation.ts'

/** The headers of RFC 9745 and RFC 8594. Of several the one that ends first counts. */
export function announceDeprecations(reply: FastifyReply, deprecations: readonly Deprecation[]): void {
  const [first] = deprecations.toSorted((one, other) => midnightOf(one.until) - midnightOf(other.until))
  if (first === undefined) return
  reply.header('deprecation', `@${midnightOf(first.since) / 1000}`)
  reply.header('sunset', new Date(midnightOf(first.until)).toUTCString())
}

/** Of the fields that a body names. */
export const deprecationsIn = (
  body: unknown,
  fields: Readonly<Record<string, Deprecation>> = {},
): readonly Deprecation[] =>
  Object.entries(fields).flatMap(([name, deprecation]) =>
    typeof body === 'object' && body !== null && Object.hasOwn(body, name) ? [deprecation] : [],
  )

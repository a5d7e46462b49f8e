import type { FastifyReply } from 'fastify'
import { type Deprecation, deprecationProblems, midnightOf } from '../model/deprecation.ts'

export type Schema = Readonly<Record<string, unknown>>

/** What every host's document says of an operation, and what is needed to register it. */
export interface Operation {
  /** Readable and named after its feature, such as `UpdateProject`. */
  readonly id: string
  readonly tag: string
  readonly summary: string
  /** What a caller has to know beyond the summary. */
  readonly description: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  /** Of the query; of the form for an operation that takes one. */
  readonly parameters?: readonly Parameter[]
  /** The statuses of refusals, besides those that every operation of the host has. */
  readonly refusals: readonly number[]
  /** Sent with every answer of the operation, refusals too. */
  readonly deprecation?: Deprecation
}

export interface Parameter {
  readonly name: string
  readonly description: string
  readonly required?: true
  /** Where the parameter is sent; in the query unless given. */
  readonly in?: 'path'
  readonly schema?: Schema
}

/** Throws before a route is served whose end comes too early. */
export function checkDeprecation({ id, path, deprecation }: Operation): void {
  if (deprecation === undefined) return
  const edition = path.startsWith('/ext/') ? 'ext' : 'v1'
  const [problem] = deprecationProblems(id, deprecation, edition)
  if (problem !== undefined) throw new Error(problem)
}

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

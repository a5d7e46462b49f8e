import type { FastifyReply } from 'fastify'
import { type Deprecation, deprecationProblems, startOfDay } from '../model/field.ts'

export type Schema = Readonly<Record<string, unknown>>

/** An operation as a document describes it, and the data for its registration. */
export interface Operation {
  /** Readable and named after its feature, such as `UpdateProject`. */
  readonly id: string
  readonly tag: string
  readonly summary: string
  /** Details beyond the summary for callers. */
  readonly description: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  /** Parameters of the query, or of the form for an operation that takes one. */
  readonly parameters?: readonly Parameter[]
  /** Statuses of its errors, in addition to those that every operation of the host has. */
  readonly errors: readonly number[]
  /** Sent with every response of the operation, including errors. */
  readonly deprecation?: Deprecation
}

export interface Parameter {
  readonly name: string
  readonly description: string
  readonly required?: true
  /** The place of the parameter; the default is the query. */
  readonly in?: 'path'
  readonly schema?: Schema
}

/** Throws before a route is served if it is retired too early. */
export function checkDeprecation({ id, path, deprecation }: Operation): void {
  if (deprecation === undefined) return
  const edition = path.startsWith('/ext/') ? 'ext' : 'v1'
  const [problem] = deprecationProblems(id, deprecation, edition)
  if (problem !== undefined) throw new Error(problem)
}

/** The headers of RFC 9745 and RFC 8594. The earliest end among several counts. */
export function announceDeprecations(reply: FastifyReply, deprecations: readonly Deprecation[]): void {
  const [first] = deprecations.toSorted((one, other) => startOfDay(one.until) - startOfDay(other.until))
  if (first === undefined) return
  reply.header('deprecation', `@${startOfDay(first.since) / 1000}`)
  reply.header('sunset', new Date(startOfDay(first.until)).toUTCString())
}

/** The deprecated fields that a body uses. */
export const deprecationsIn = (
  body: unknown,
  fields: Readonly<Record<string, Deprecation>> = {},
): readonly Deprecation[] =>
  Object.entries(fields).flatMap(([name, deprecation]) =>
    typeof body === 'object' && body !== null && Object.hasOwn(body, name) ? [deprecation] : [],
  )

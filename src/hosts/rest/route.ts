import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Authenticated } from '../../authentication/authenticate.ts'
import type { Caller } from '../../model/caller.ts'
import type { Tracker } from '../../operations/tracker.ts'

export type Schema = Readonly<Record<string, unknown>>

/** What the document says of an operation, and all that is needed to register it. */
export interface Operation {
  /** Readable and named after its feature, such as `UpdateProject`. */
  readonly id: string
  readonly tag: string
  readonly summary: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly query?: readonly QueryKey[]
  readonly body?: Schema
  readonly answer: Schema
  /** The statuses of refusals, besides those that every operation has. */
  readonly refusals: readonly number[]
  /** Answers with validators, and with 304 to whoever holds the same already. */
  readonly isConditional?: true
  /** Takes `If-Match`: the ETags of the rows that it changes. */
  readonly hasPrecondition?: true
  /** Also answers `Accept: text/event-stream` with a live listing. */
  readonly isLive?: true
}

export interface QueryKey {
  readonly name: string
  readonly description: string
  readonly required?: true
  readonly schema: Schema
}

/** One request with the account it acts for. */
export interface Exchange {
  /** Where a POST works: under an Idempotency-Key its writes are a part of the transaction that keeps the answer. */
  readonly tracker: Tracker
  readonly caller: Caller
  readonly session: Authenticated
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

export interface Answer {
  readonly body: unknown
  /** When anything the answer depends on changed last, in seconds since 1970. */
  readonly lastChangeSecond?: number | null
}

export interface Route extends Operation {
  /** Nothing, when the handler has taken over the connection. */
  handle(exchange: Exchange): Promise<Answer | undefined>
}

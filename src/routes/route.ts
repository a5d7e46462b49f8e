import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Authenticated } from '../auth/authenticate.ts'
import type { FairQueue } from '../db/fair-queue.ts'
import type { Operation as HttpOperation, Schema } from '../http/operation.ts'
import type { Caller } from '../model/caller.ts'
import type { Deprecation } from '../model/deprecation.ts'
import type { Tracker } from '../records/context.ts'

/** What the document says of an operation of this host. */
export interface Operation extends HttpOperation {
  readonly body?: Schema
  /** Fields of the body that should no longer be used: a request that names one gets the headers. */
  readonly deprecatedFields?: Readonly<Record<string, Deprecation>>
  readonly answer: Schema
  /** JSON where nothing else is said. */
  readonly answerTypes?: readonly string[]
  /** Answers with validators, and with 304 to a client that holds the same already. */
  readonly isConditional?: true
  /** Answers with a tag for `If-Match` alone. */
  readonly hasTag?: true
  /** Takes `If-Match`: the ETags of the rows that it changes. */
  readonly hasPrecondition?: true
  /** The largest body, where it is not that of every other route. */
  readonly bodyBytesMax?: number
  /** By name, the events of a stream that is no live listing. */
  readonly events?: Readonly<Record<string, Schema>>
  /** Needs no token: what the body says is all that is known of the caller. */
  readonly isOpen?: true
  /** For people at the web client alone: it makes what outlasts the tokens of apps. */
  readonly isForOwnClient?: true
  /** Gives or takes logins and passwords, perhaps beside much else. */
  readonly changesAccounts?: true
  /** Ends in somebody having a password; refused where these are switched off. */
  readonly isForPasswords?: true
  /** Also answers `Accept: text/event-stream` with a live listing. */
  readonly isLive?: true
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
  readonly body?: unknown
  /** Instead of a body: what is JSON already. */
  readonly json?: string
  /** When anything the answer depends on changed last, in seconds since 1970. */
  readonly lastChangeSecond?: number | null
}

/** Takes an Idempotency-Key, which belongs to an account. */
export const isKeyed = ({ method, isOpen }: Operation): boolean => method === 'POST' && !isOpen

/** All that `access/` decides about. */
export const forTokens = (routes: readonly Route[]): Route[] =>
  routes.map((route) => ({ ...route, isForTokens: true }))

export interface Route extends Operation {
  /**
   * Personal tokens may ask it: what they see and change, `access/` limits. Every other route wants a sign-in, and to change
   * anything the web client's own or a service client's.
   */
  readonly isForTokens?: true
  /** Where its requests wait before their bodies are read. */
  readonly turns?: FairQueue
  /** Rejects callers before anything of their requests but the token is looked at. */
  admit?(caller: Caller): Promise<void>
  /** Nothing, when the handler has taken over the connection. */
  handle(exchange: Exchange): Promise<Answer | undefined>
}

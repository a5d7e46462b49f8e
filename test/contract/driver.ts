import type { Database } from '../../src/db/database.ts'
import type { AccountOptions } from '../support/insert-account.ts'
import type { Entity } from './resources.ts'

/** Calls a host that serves the resources. Every wire format has the same verbs and outcomes. */
export interface Driver<H extends Host = Host> {
  readonly name: string
  /** Whether its messages are typed, so that a field for whole numbers cannot contain a fraction. */
  readonly hasTypedFields: boolean
  /** Whether its messages contain the names of keys, so that a client can send an undeclared key. */
  readonly hasNamedKeys: boolean
  start(): Promise<H>
}

export interface Host {
  create(entity: Entity, input: Input, as: Caller): Promise<Outcome>
  get(entity: Entity, id: string, as: Caller): Promise<Outcome>
  list(entity: Entity, query: Query, as: Caller): Promise<Outcome>
  update(entity: Entity, input: Input, as: Caller): Promise<Outcome>
  remove(entity: Entity, ids: unknown, as: Caller): Promise<Outcome>
  signUp(options?: Omit<AccountOptions, 'passwordHash'>): Promise<Person>
  readonly administrator: Person
  /** For tests that need a state to which no request leads. */
  readonly database: Database
  stop(): Promise<void>
}

export interface Person {
  readonly id: string
  readonly login: string
  readonly name: string
  readonly token: string
}

/** Undefined is a caller who is not signed in. */
export type Caller = Pick<Person, 'token'> | undefined

export type Input = Readonly<Record<string, unknown>>

export type Query = Readonly<Record<string, string | number>>

export interface Outcome {
  /** Every kind that the answer may stand for, because some hosts give the same answer for several. */
  readonly kinds: readonly Kind[]
  readonly message: string
  /** Sentences by camelCase field. */
  readonly errors: Readonly<Record<string, readonly string[]>>
  readonly record?: Row
  readonly page?: Page
}

export type Kind =
  | 'ok'
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'missing'
  | 'duplicate'
  | 'inUse'
  | 'stale'
  | 'retry'

export interface Row {
  readonly id: string
  readonly [field: string]: unknown
}

export interface Page {
  readonly data: readonly Row[]
  readonly totalCount: number
  readonly pageNumber: number
  readonly pageSize: number
  readonly totalPages: number
}

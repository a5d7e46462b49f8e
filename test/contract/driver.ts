import type { Database } from '../../src/db/database.ts'
import type { AccountOptions } from '../support/insert-account.ts'
import type { Entity } from './resources.ts'

/** How a test speaks to a host that serves the resources: six verbs over the network, answers in the same words. */
export interface Driver<H extends Host = Host> {
  readonly name: string
  /** Its messages have types: a fraction where a whole number belongs cannot even be said. */
  readonly isTyped: boolean
  /** Its messages carry the names of keys: one that no message declares can be sent. */
  readonly hasNamedKeys: boolean
  start(): Promise<H>
}

export interface Host {
  create(entity: Entity, input: Input, as: Caller): Promise<Outcome>
  get(entity: Entity, id: string, as: Caller): Promise<Outcome>
  list(entity: Entity, query: Query, as: Caller): Promise<Outcome>
  update(entity: Entity, input: Input, as: Caller): Promise<Outcome>
  remove(entity: Entity, ids: unknown, as: Caller): Promise<Outcome>
  /** A signed-in account. */
  signUp(options?: Omit<AccountOptions, 'passwordHash'>): Promise<Person>
  readonly administrator: Person
  /** For states that no request leads to. */
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
  /** What the answer may mean: some hosts say several of these in the same way. */
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

import type { Passwords } from '../accounts/passwords.ts'
import type { AccessRule } from '../model/access-rule.ts'
import type { Caller } from '../model/caller.ts'
import { type Field, labelOf, type ValueOf } from '../model/field.ts'
import type { FieldErrors } from '../model/problem.ts'
import type { Queries } from '../store/database.ts'
import type { Row, Values } from '../store/rows.ts'

type Fields = Readonly<Record<string, Field>>

/** What one resource is. Routes, commands, SQL, filters and documents are all derived from it. */
export interface Resource extends Listed {
  /** As people write it: assignment impediment. */
  readonly noun: string
  /** Rules over one body, such as the order of two dates. */
  readonly checks: readonly Check<Values>[]
  readonly rules: Rules
}

/** What can be listed: all that a list and its document have to know of it. */
export interface Listed {
  /** camelCase, as in the route and in the answer: `assignmentImpediment`. */
  readonly name: string
  readonly plural: string
  /** PascalCase, as in messages and in the names of commands. */
  readonly title: string
  readonly pluralTitle: string
  readonly pluralNoun: string
  readonly table: string
  readonly fields: Fields
  /** What a record shows, in this order, and what a list may be sorted by. */
  readonly columns: readonly string[]
  readonly access: AccessRule
  readonly filters: readonly Filter<string>[]
  /** The only column it is ever sorted by; without it, the request chooses. */
  readonly sortedBy?: string
}

/** Equal to a column, a moment within the range of dates, or a period that overlaps it. */
export type Filter<Column> =
  | Column
  | { readonly moment: Column }
  | { readonly period: readonly [start: Column, end: Column] }

/** Gets every field that could be read, so that all violations are reported at once. */
export type Check<Input> = (input: Partial<Input>) => FieldErrors | undefined

/** The four places where a resource may differ from the others. A fifth needs a written decision. */
export interface Rules {
  /** Turns what was read into what is stored; runs before the transaction. */
  readonly prepare?: (input: Values, passwords: Passwords) => Promise<Values>
  readonly afterCreate?: (transaction: Queries, caller: Caller, created: Row) => Promise<void>
  readonly beforeUpdate?: (transaction: Queries, before: Row, input: Values) => Promise<void>
  readonly afterUpdate?: (transaction: Queries, before: Row, after: Row, input: Values) => Promise<void>
}

export type InputOf<F extends Fields> = { readonly [K in keyof F]: ValueOf<F[K]> }

/** A resource whose name and fields the compiler knows too. */
export interface Declared<Name extends string, F extends Fields> extends Resource {
  readonly name: Name
  readonly fields: F
}

interface Declaration<Name extends string, F extends Fields> {
  readonly name: Name
  readonly table: string
  readonly fields: F
  readonly access: AccessRule
  readonly filters?: readonly Filter<keyof F & string>[]
  readonly checks?: readonly Check<InputOf<F>>[]
  readonly rules?: Rules
}

export function defineResource<const Name extends string, const F extends Fields>(
  declaration: Declaration<Name, F>,
): Declared<Name, F> {
  const { filters = [], checks = [], rules = {}, ...rest } = declaration
  const plural = `${declaration.name}s`
  return {
    ...rest,
    plural,
    title: labelOf(declaration.name),
    pluralTitle: labelOf(plural),
    noun: nounOf(declaration.name),
    pluralNoun: nounOf(plural),
    columns: ['id', ...ownColumns(declaration.fields), 'createdAt', 'updatedAt', 'deletedAt', 'active'],
    filters,
    rules,
    // Each check is typed by its own fields here and only ever receives what those fields have read.
    checks: checks as Resource['checks'],
  }
}

/** The fields that are stored as they are and shown again. */
const ownColumns = (fields: Fields): string[] =>
  Object.keys(fields).filter((name) => fields[name]?.presence !== 'updateOnly' && !fields[name]?.isSecret)

const nounOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

import type { Passwords } from '../accounts/passwords.ts'
import type { Condition } from '../db/conditional-write.ts'
import type { Queries } from '../db/database.ts'
import type { UniqueKey } from '../db/failures.ts'
import type { Counter, Placeholders } from '../db/logged-write.ts'
import type { RelatedRow, Row, Values } from '../db/rows.ts'
import type { AccessRule } from '../model/access-rule.ts'
import type { Caller } from '../model/caller.ts'
import { capitalize, type Field, type Reference, type ValueOf } from '../model/field.ts'
import type { FieldErrors } from '../model/problem.ts'

type Fields = Readonly<Record<string, Field>>

/**
 * `v1` is the contract, which never changes. `ext` is everything under `/ext/` and in the second package of
 * commands.
 */
export type Edition = 'v1' | 'ext'

/** Everything that defines a resource. Routes, commands, SQL, filters and documents are derived from it. */
export interface Resource extends ListedResource {
  /** The name in running text, for example `assignment impediment`. */
  readonly noun: string
  /** Numbers and names of former fields. A number is never assigned again. */
  readonly retired: Readonly<Record<number, string>>
  /** A unique index in addition to the primary key. */
  readonly unique?: UniqueKey
  readonly projectRules?: ProjectRules
  readonly counter?: Counter
  /** Checks of one body, such as the order of two dates. */
  readonly checks: readonly Check<Values>[]
  readonly hooks: Hooks
  /** A separate route creates the rows. */
  readonly withoutCreate?: true
}

/**
 * Rules about several rows of a project. A write locks the project and checks them in a transaction
 * (`src/records/project-rules.ts`).
 */
export interface ProjectRules<Columns extends string = string> {
  /**
   * If set, the rules apply only to rows with a value in this column. They are checked when a write sets the
   * column, but not on a restore.
   */
  readonly onlyWith?: Columns
  /** Limits the number of active rows that have the same value in the column `per`. */
  readonly rowsMax: { readonly per: Columns; readonly max: number; readonly message: string }
  /**
   * These references must lead to rows of one project. If the row itself has a project, it must be the same.
   * When a referenced row moves to another project, an optional reference to it becomes null, and a row with
   * a required reference is removed.
   */
  readonly sameProject?: readonly Columns[]
  /** Checks any other rule after the rows were written. */
  readonly check?: (transaction: Queries, ids: readonly string[]) => Promise<void>
}

/** Everything that a list and its documentation need to know. */
export interface ListedResource {
  /** The name in routes and responses, in camelCase: `assignmentImpediment`. */
  readonly name: string
  /** The edition to which the resource belongs. The tables of `ext` are not used if the extensions are off. */
  readonly edition: Edition
  /**
   * The edition that shows these fields. A v1 resource with fields of extensions exists in both editions
   * (`derived.ts`).
   */
  readonly shownIn: Edition
  readonly plural: string
  /** PascalCase, as in sentences and schemas. */
  readonly title: string
  readonly pluralTitle: string
  /**
   * The name of its messages. All commands share one namespace, so a form with fields of extensions has the
   * prefix `Ext`.
   */
  readonly typeName: string
  readonly pluralTypeName: string
  readonly pluralNoun: string
  /** Describes a row in the documentation. */
  readonly about?: string
  readonly table: string
  readonly fields: Fields
  /** The properties of a record, in this order. A list may be sorted by any of them. */
  readonly columns: readonly string[]
  /** The columns that the history records, if they differ from `columns`. */
  readonly historyColumns?: readonly string[]
  readonly access: AccessRule
  readonly filters: readonly Filter[]
  readonly placeholders?: Placeholders
  /** If set, lists are always sorted by this column. */
  readonly fixedSortColumn?: string
}

/**
 * A filter compares a reference with an id, or a timestamp or a period with `dateFrom` and `dateTo`. Resources
 * of assignments may also have the filter `projectId`.
 */
export type Filter<Relation extends string = string, Timestamp extends string = string> =
  | Relation
  | { readonly instant: Timestamp }
  | { readonly period: readonly [start: Timestamp, end: Timestamp] }

/** Receives every field that could be parsed, so all violations are reported together. */
export type Check<Input> = (input: Partial<Input>) => FieldErrors | undefined

/** Special rules of a resource. A seventh hook needs a decision record. */
export interface Hooks {
  /** Converts the parsed input to the stored values. Runs before the transaction. */
  readonly prepare?: (input: Values, passwords: Passwords) => Promise<Values>
  /** Returns rows of other tables that the same statement inserts. */
  readonly relatedRows?: (caller: Caller, id: string) => readonly RelatedRow[]
  /** Returns further conditions of an update. They refer to the stored row as `before`. */
  readonly updateConditions?: (input: Values) => readonly Condition[]
  /**
   * Rejects an update by a check that SQL cannot express. This hook and `afterUpdate` require a transaction.
   */
  readonly beforeUpdate?: (before: Row, input: Values) => void
  readonly afterUpdate?: (transaction: Queries, before: Row, after: Row, input: Values) => Promise<void>
  readonly afterRemove?: (transaction: Queries, ids: readonly string[]) => Promise<void>
}

export type InputOf<F extends Fields> = { readonly [K in keyof F]: ValueOf<F[K]> }

type ReferenceColumnOf<F> = {
  [K in keyof F]: F[K] extends { readonly references: Reference } ? K : never
}[keyof F] &
  string

type TimestampColumn<F> = {
  [K in keyof F]: F[K] extends { readonly wire: 'timestamp'; readonly presence: 'required' } ? K : never
}[keyof F] &
  string

type FilterOf<F extends Fields> = Filter<
  ReferenceColumnOf<F> | ('assignmentId' extends keyof F ? 'projectId' : never),
  TimestampColumn<F>
>

/** If two fields have the same number, the compiler reports this text. */
type DistinctNumbers<F extends Fields> = {
  readonly [K in keyof F]: F[K]['number'] extends F[Exclude<keyof F, K>]['number']
    ? 'Another field of the resource has this number.'
    : unknown
}

/** A resource whose name, fields and filters the compiler knows. */
export interface Declared<
  Name extends string,
  E extends Edition,
  F extends Fields,
  Filters extends readonly Filter[],
> extends Resource {
  readonly name: Name
  readonly edition: E
  readonly fields: F
  readonly filters: Filters
}

interface Declaration<
  Name extends string,
  E extends Edition,
  F extends Fields,
  Filters extends readonly FilterOf<F>[],
> {
  readonly name: Name
  readonly edition: E
  readonly table: string
  readonly about?: string
  readonly fields: F & DistinctNumbers<F>
  readonly retired?: Readonly<Record<number, string>>
  readonly access: AccessRule<keyof F & string>
  readonly filters?: Filters
  readonly unique?: UniqueKey
  readonly projectRules?: ProjectRules<keyof F & string>
  readonly counter?: Counter
  readonly placeholders?: Placeholders<keyof F & string>
  readonly checks?: readonly Check<InputOf<F>>[]
  readonly hooks?: Hooks
  readonly withoutCreate?: true
}

export function defineResource<
  const Name extends string,
  const E extends Edition,
  const F extends Fields,
  const Filters extends readonly FilterOf<F>[] = readonly [],
>(declaration: Declaration<Name, E, F, Filters>): Declared<Name, E, F, Filters> {
  const { filters = [], retired = {}, checks = [], hooks = {}, ...rest } = declaration
  const plural = pluralOf(declaration.name)
  const title = capitalize(declaration.name)
  const pluralTitle = capitalize(plural)
  const isExtended = declaration.edition === 'v1' && hasExtensions(declaration.fields)
  const prefix = isExtended ? 'Ext' : ''
  return {
    ...rest,
    shownIn: isExtended ? 'ext' : declaration.edition,
    plural,
    title,
    pluralTitle,
    typeName: `${prefix}${title}`,
    pluralTypeName: `${prefix}${pluralTitle}`,
    noun: nounOf(declaration.name),
    pluralNoun: nounOf(plural),
    columns: columnsOf(declaration.fields),
    filters: filters as Filters,
    retired,
    hooks,
    // Each check receives only values of its own fields.
    checks: checks as Resource['checks'],
  }
}

const hasExtensions = (fields: Fields): boolean =>
  Object.values(fields).some(({ isExtension }) => isExtension)

export const columnsOf = (fields: Fields): string[] => [
  'id',
  ...ownColumns(fields),
  'createdAt',
  'updatedAt',
  'deletedAt',
  'active',
]

/** The fields that are stored and serialized unchanged. */
const ownColumns = (fields: Fields): string[] =>
  Object.keys(fields).filter((name) => fields[name]?.presence !== 'updateOnly' && !fields[name]?.isSecret)

const pluralOf = (name: string): string => `${name.replace(/y$/, 'ie')}s`

const nounOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

/** The keys of every list, with their permanent numbers in the Pagination of a command. */
export const pagingNumbers = {
  pageNumber: 1,
  pageSize: 2,
  sortColumn: 3,
  sortOrder: 4,
  search: 5,
  ids: 6,
} as const

/**
 * Every column that lists may be filtered by. A new filter takes the next number (`dateNumbers` has 12 and
 * 13).
 */
export const idFilterNumbers = {
  organizationId: 7,
  projectId: 8,
  assignmentId: 9,
  userId: 10,
  workflowId: 11,
  labelId: 14,
  blockedById: 15,
  parentId: 16,
} as const

export const dateNumbers = { dateFrom: 12, dateTo: 13 } as const

export type PagingKey = keyof typeof pagingNumbers
export type IdFilterName = keyof typeof idFilterNumbers
export type DateKey = keyof typeof dateNumbers

export const idFilterNames = Object.keys(idFilterNumbers) as IdFilterName[]
export const dateKeys = Object.keys(dateNumbers) as DateKey[]

export const idFilterNumberOf = (column: string): number | undefined =>
  Object.entries(idFilterNumbers).find(([name]) => name === column)?.[1]

/** The columns that rows of this resource are filtered by. */
export const idFiltersOf = ({ filters }: Pick<ListedResource, 'filters'>): string[] =>
  filters.filter((filter) => typeof filter === 'string')

export const supportsDates = ({ filters }: Pick<ListedResource, 'filters'>): boolean =>
  filters.some((filter) => typeof filter !== 'string')

/** The filters of these resources, in the order of their numbers. */
export const idFiltersOfAll = (resources: readonly ListedResource[]): string[] => {
  const filters = resources.flatMap(idFiltersOf)
  return Object.keys(idFilterNumbers).filter((name) => filters.includes(name))
}

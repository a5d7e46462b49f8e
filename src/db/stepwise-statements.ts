import { type Sql, stepwiseStatement } from './sql.ts'

// These are the reads, and the changes of messages, that a sharded store executes in several steps, each with
// the type of its input.

/** A page of rows, their total count, and the time of the last change that can affect them. */
export const pageOfList = stepwiseStatement<{
  readonly record: Sql
  readonly rows: Sql
  /** Sorts the rows and selects the page. */
  readonly orderAndLimit: Sql
  /** Selected as `lastChangeSecond`. */
  readonly lastChange: Sql
}>('page of a list')

/** One row, if it exists, and the time of the last change that can affect it. */
export const rowWithLastChange = stepwiseStatement<{
  readonly row: () => Sql
  /** Selected as `lastChangeSecond`. */
  readonly lastChange: () => Sql
}>('dated row')

/** A page with the rows it refers to. */
export const pageOfQuery = stepwiseStatement<{
  /** Selected as `lastChangeSecond`. */
  readonly lastChange: Sql
  /** Selected as `totalCount`. Undefined if the request did not ask for it. */
  readonly count: Sql | undefined
  readonly page: () => Sql
  readonly references: () => readonly Reference[]
}>('page of a query')

/** Describes a column that refers to other rows, and how these rows are read with the page. */
export interface Reference {
  /** The column that holds the id. */
  readonly column: string
  readonly rowsOf: (ids: readonly string[]) => Sql
  /** The columns to return, with names that begin with `alias`. */
  readonly columns: readonly string[]
  readonly alias: string
  readonly references: readonly Reference[]
}

/** The rows that changed, in their current state. */
export const changedRows = stepwiseStatement<{
  /** The text after `from`: rows of the change log called `logged`, and of the history called `entry`. */
  readonly changes: Sql
  /** Selected as `fields`. */
  readonly fields: Sql
  readonly countMax: number
  readonly tables: () => readonly {
    readonly resource: string
    readonly table: string
    /** Selects the `id` and the `current` values of all its rows. */
    readonly rows: Sql
  }[]
}>('changed rows')

/** The rows of a resource whose history a caller may read. The condition selects rows. */
export type ReadAccess = 'all' | 'none' | { readonly table: Sql; readonly condition: Sql }

export type ReadAccessOf = (resource: string) => ReadAccess

/** The newest entries that a caller may read. */
export const newestEntries = stepwiseStatement<{
  readonly accessOf: ReadAccessOf
  readonly count: number
  readonly before: number | undefined
  /** Selects this many entries before the given one, without checking access. */
  readonly entries: (count: number, before: number | undefined) => Sql
}>('newest entries')

/** The given entries that a caller may read. */
export const readableAmong = stepwiseStatement<{
  readonly accessOf: ReadAccessOf
  readonly entries: () => Sql
}>('readable entries')

/**
 * A page of the feed. Each row has the bounds of the page and an entry. If there is no entry, one row has
 * only the bounds.
 */
export const pageOfFeed = stepwiseStatement<{
  readonly accessOf: ReadAccessOf
  readonly pageSize: number
  /** All entries in the range, without checking access. */
  readonly entries: () => Sql
}>('page of the feed')

/** Messages about rows, each with `isReadable`. */
export const messagesAbout = stepwiseStatement<{
  readonly accessOf: ReadAccessOf
  readonly messages: () => Sql
}>('messages')

/** Changes the messages that a caller may read. */
export const changeMessages = stepwiseStatement<{
  readonly accessOf: ReadAccessOf
  readonly messages: () => Sql
  readonly change: (ids: readonly unknown[]) => Sql
}>('change messages')

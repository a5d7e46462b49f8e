import { namedStatement, type Sql } from './sql.ts'

/** Statements of records and features that a store may execute in its own way, with the pieces of each. */

/** A page of rows, their total count, and the time of the last change to anything behind them. */
export const pageOfList = namedStatement<{
  /** Serializes each row of `rows`. */
  readonly record: Sql
  readonly rows: Sql
  /** Sorts the rows and cuts out the page. */
  readonly cut: Sql
  readonly lastChange: Sql
}>('page of a list')

/** One row, if it exists, and the time of the last change to anything behind it. */
export const datedRow = namedStatement<{
  readonly row: Sql
  /** Selected as `lastChangeSecond`. */
  readonly lastChange: Sql
}>('dated row')

/** A page with the rows it refers to. */
export const pageOfQuery = namedStatement<{
  /** Selected as `lastChangeSecond`. */
  readonly lastChange: Sql
  /** Selected as `totalCount`; undefined where it was not requested. */
  readonly count: Sql | undefined
  readonly page: () => Sql
  readonly references: () => readonly Reference[]
}>('page of a query')

/** Describes how rows get one of the rows that they refer to. */
export interface Reference {
  /** Holds the id. */
  readonly column: string
  readonly rowsOf: (ids: readonly string[]) => Sql
  /** The columns to show, under the name of `alias`. */
  readonly columns: readonly string[]
  readonly alias: string
  readonly references: readonly Reference[]
}

/** The rows that changed, in their current state. */
export const changedRows = namedStatement<{
  /** Follows `from`: lines of the change log called `logged`, and of the history called `entry`. */
  readonly changes: Sql
  /** Selected as `fields`. */
  readonly fields: Sql
  readonly countMax: number
  readonly tables: () => readonly {
    readonly resource: string
    readonly table: string
    /** Selects `id` and `now` of all its rows. */
    readonly rows: Sql
  }[]
}>('changed rows')

/** The rows of a resource whose history a caller may read: all, none, or those that meet a condition. */
export type ReadableRows = (
  resource: string,
) => 'all' | 'none' | { readonly table: Sql; readonly condition: Sql }

/** The newest entries that a caller may read. */
export const newestEntries = namedStatement<{
  readonly rows: ReadableRows
  readonly count: number
  readonly before: number | undefined
  /** Selects this many entries before the given one, without checking access. */
  readonly entries: (count: number, before: number | undefined) => Sql
}>('newest entries')

/** Those of the given entries that a caller may read. */
export const readableAmong = namedStatement<{
  readonly rows: ReadableRows
  readonly entries: () => Sql
}>('readable entries')

/**
 * A page of the feed: each row has its bounds and an entry that the caller may read; without any such entry,
 * there is one row that has only the bounds.
 */
export const pageOfFeed = namedStatement<{
  readonly rows: ReadableRows
  readonly pageSize: number
  /** All entries in the range, without checking access. */
  readonly entries: () => Sql
}>('page of the feed')

/** Messages about rows, each with `isReadable`. */
export const messagesAbout = namedStatement<{
  readonly rows: ReadableRows
  readonly messages: () => Sql
}>('messages')

/** Changes the messages that a caller may read. */
export const changeMessages = namedStatement<{
  readonly rows: ReadableRows
  readonly messages: () => Sql
  readonly change: (ids: readonly unknown[]) => Sql
}>('change messages')

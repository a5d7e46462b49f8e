import { namedStatement, type Sql } from './sql.ts'

/** Statements of records and features that a store may execute in a way of its own, with the pieces each is made of. */

/** A page, how many rows there are, and when anything behind them changed last. */
export const pageOfList = namedStatement<{
  /** Each row as text, from `rows`. */
  readonly record: Sql
  readonly rows: Sql
  /** Sorts the rows and leaves those of the page. */
  readonly cut: Sql
  readonly lastChange: Sql
}>('page of a list')

/** One row, if it is there, and when anything behind it changed last. */
export const datedRow = namedStatement<{
  readonly row: Sql
  /** Selected as `lastChangeSecond`. */
  readonly lastChange: Sql
}>('dated row')

/** A page with the rows it refers to. */
export const pageOfQuery = namedStatement<{
  /** Selected as `lastChangeSecond`. */
  readonly lastChange: Sql
  /** Selected as `totalCount`; undefined where it is not asked for. */
  readonly count: Sql | undefined
  readonly page: () => Sql
  readonly references: () => readonly Reference[]
}>('page of a query')

/** How rows get one of the rows that they refer to. */
export interface Reference {
  /** Holds the id. */
  readonly column: string
  readonly rowsOf: (ids: readonly string[]) => Sql
  /** The columns that are shown, under the name of `alias`. */
  readonly columns: readonly string[]
  readonly alias: string
  readonly references: readonly Reference[]
}

/** The rows that changed, as they are now. */
export const changedRows = namedStatement<{
  /** What follows `from`: lines of the change log called `logged`, and of the history called `entry`. */
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

/** The rows of a resource whose entries in the history a caller may read: all, none, or those that such a `row` has to be. */
export type ReadableRows = (
  resource: string,
) => 'all' | 'none' | { readonly table: Sql; readonly condition: Sql }

/** The newest entries that a caller may read. */
export const newestEntries = namedStatement<{
  readonly rows: ReadableRows
  readonly count: number
  readonly before: number | undefined
  /** As many as these, before this one, whoever may read them. */
  readonly entries: (count: number, before: number | undefined) => Sql
}>('newest entries')

/** All of these entries that a caller may read. */
export const readableAmong = namedStatement<{
  readonly rows: ReadableRows
  readonly entries: () => Sql
}>('readable entries')

/** A page of the feed: its bounds, and in each row an entry that the caller may read; one row without an entry where there is none. */
export const pageOfFeed = namedStatement<{
  readonly rows: ReadableRows
  readonly pageSize: number
  /** Everything that was looked at, whoever may read it. */
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

import type { Connection as DriverConnection, Submittable } from 'pg'

/** The columns of a row, as text. */
export type Row = readonly (string | null)[]

/**
 * A prepared statement that answers one row of text, as the driver lets others submit queries: three messages in one
 * packet, and none of what the driver makes of an answer besides (a result, its fields and their parsers, a promise with
 * a stack), which is garbage on the way of every transaction.
 */
export class PreparedCall implements Submittable {
  readonly name: string
  readonly text: string
  /** Replaced by the driver with one that clears its time limit. */
  callback: (error: unknown, row?: Row) => void
  readonly #values: readonly string[]
  #row: Row | undefined

  constructor(
    name: string,
    text: string,
    values: readonly string[],
    callback: (error: unknown, row?: Row) => void,
  ) {
    this.name = name
    this.text = text
    this.#values = values
    this.callback = callback
  }

  submit(connection: DriverConnection): void {
    connection.stream.cork()
    // The driver notes what the database has parsed, and forgets what it has refused.
    const { parsedStatements } = connection as RememberingConnection
    if (parsedStatements[this.name] === undefined)
      connection.parse({ name: this.name, text: this.text, types: [] }, true)
    connection.bind({ statement: this.name, values: [...this.#values] }, true)
    connection.execute(null, true)
    connection.sync()
    connection.stream.uncork()
  }

  handleDataRow({ fields }: { readonly fields: Row }): void {
    this.#row = fields
  }

  handleReadyForQuery(): void {
    this.callback(null, this.#row)
  }

  handleError(error: unknown): void {
    this.callback(error)
  }

  handleRowDescription(): void {}
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
}

/** What the driver's connection has besides its declared members. */
interface RememberingConnection extends DriverConnection {
  readonly parsedStatements: Readonly<Record<string, string | undefined>>
}

import pg from 'pg'
import { pgTypeParsers } from './columns.ts'

/**
 * Sends a statement and returns its rows. The column metadata of a prepared statement are fetched once per
 * connection, which saves a third of the cost of a small statement. The server rejects the statement if its
 * columns have changed.
 */
export async function queryRows<Row>(client: pg.ClientBase, statement: pg.QueryConfig): Promise<Row[]> {
  const { name } = statement
  if (name === undefined) return (await client.query(statement)).rows as Row[]
  const query = new NamedQuery<Row>({ ...statement, name })
  client.query(query)
  try {
    return await query.answer.promise
  } catch (error) {
    // Replaces the stack of the socket event with the stack of the caller.
    if (error instanceof Error) Error.captureStackTrace(error)
    throw error
  }
}

interface Columns {
  readonly names: readonly string[]
  readonly parsers: readonly ((text: string) => unknown)[]
  /** Copied for each row, so that all rows have the same hidden class. */
  readonly emptyRow: Readonly<Record<string, unknown>>
}

const preparedByConnection = new WeakMap<pg.Connection, PreparedStatements>()

interface PreparedStatements {
  /** Keyed by the name of the statement. */
  readonly columns: Map<string, Columns>
  /** The same connection, except that the driver does not request column metadata on it. */
  readonly withoutDescribe: pg.Connection
}

function rememberConnection(connection: pg.Connection): PreparedStatements {
  const withoutDescribe: pg.Connection = Object.assign(Object.create(connection), { describe() {} })
  const created = { columns: new Map<string, Columns>(), withoutDescribe }
  preparedByConnection.set(connection, created)
  return created
}

interface Field {
  readonly name: string
  readonly dataTypeID: number
}

function columnsOf(fields: readonly Field[]): Columns {
  const names = fields.map(({ name }) => name)
  return {
    names,
    parsers: fields.map(({ dataTypeID }) => pgTypeParsers.getTypeParser(dataTypeID, 'text')),
    emptyRow: Object.fromEntries(names.map((name) => [name, null])),
  }
}

/** The types of the driver do not declare its class for queries. */
const { Query } = pg as unknown as {
  readonly Query: new (
    statement: pg.QueryConfig & { readonly name: string },
  ) => pg.Submittable & { readonly name: string; prepare(connection: pg.Connection): void }
}

class NamedQuery<Row> extends Query {
  readonly answer = Promise.withResolvers<Row[]>()
  readonly #rows: Row[] = []
  #columns: Columns | undefined
  #prepared: PreparedStatements | undefined
  #failure: unknown

  override prepare(connection: pg.Connection): void {
    this.#prepared = preparedByConnection.get(connection) ?? rememberConnection(connection)
    this.#columns = this.#prepared.columns.get(this.name)
    super.prepare(this.#columns ? this.#prepared.withoutDescribe : connection)
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    this.#columns = columnsOf(fields)
    this.#prepared?.columns.set(this.name, this.#columns)
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const { names, parsers, emptyRow } = this.#columns as Columns
    const row: Record<string, unknown> = { ...emptyRow }
    try {
      for (let index = 0; index < names.length; index += 1) {
        const text = fields[index] as string | null
        if (text !== null) row[names[index] as string] = parsers[index]?.(text)
      }
      this.#rows.push(row as Row)
    } catch (error) {
      this.#failure ??= error
    }
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    if (this.#failure === undefined) this.answer.resolve(this.#rows)
    else this.answer.reject(this.#failure)
  }

  handleError(error: unknown): void {
    this.answer.reject(error)
  }
}

/** The columns of a row, as text. */
export type TextRow = readonly (string | null)[]

interface PreparedStatement {
  readonly name: string
  readonly text: string
  readonly values: readonly string[]
}

/** Sends a statement that returns at most one row, on a connection that is not in pipeline mode. */
export const queryOneRow = (client: pg.Client, statement: PreparedStatement): Promise<TextRow | undefined> =>
  new Promise((resolve, reject) => {
    client.query(new PreparedCall(statement, (error, row) => (error ? reject(error) : resolve(row))))
  })

/**
 * A prepared statement that returns one row of text. It sends three messages in one packet and creates no
 * objects per query (a result, its fields and parsers), because these would be garbage for every transaction.
 */
class PreparedCall implements pg.Submittable {
  readonly name: string
  readonly text: string
  /** The driver replaces this with a wrapper that clears its timeout. */
  callback: (error: unknown, row?: TextRow) => void
  readonly #values: readonly string[]
  #row: TextRow | undefined

  constructor({ name, text, values }: PreparedStatement, callback: (error: unknown, row?: TextRow) => void) {
    this.name = name
    this.text = text
    this.#values = values
    this.callback = callback
  }

  submit(connection: pg.Connection): void {
    connection.stream.cork()
    // The driver records the statements that the database has parsed and removes those it rejected.
    const { parsedStatements } = connection as ConnectionWithStatements
    if (parsedStatements[this.name] === undefined)
      connection.parse({ name: this.name, text: this.text, types: [] }, true)
    connection.bind({ statement: this.name, values: [...this.#values] }, true)
    connection.execute(null, true)
    connection.sync()
    connection.stream.uncork()
  }

  handleDataRow({ fields }: { readonly fields: TextRow }): void {
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

/** A member of the driver's connection that its types do not declare. */
interface ConnectionWithStatements extends pg.Connection {
  readonly parsedStatements: Readonly<Record<string, string | undefined>>
}

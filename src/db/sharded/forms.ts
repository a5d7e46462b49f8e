import { type Sql, sql } from '../sql.ts'

export type Query = <Row>(statement: Sql) => Promise<Row[]>

export interface Forms {
  /** Runs a statement as it is, or by its `inTurn` where the store is distributed. */
  run<Row>(query: Query, statement: Sql): Promise<Row[]>
  /** Whether it would be run by its `inTurn`. */
  isInTurn(statement: Sql): Promise<boolean>
  /** False until the store was asked, too. */
  isKnownWhole(): boolean
}

/** The one place that chooses. The store is asked once, at the first statement that has an `inTurn`. */
export function chooseForms(ask: Query): Forms {
  let isDistributed: boolean | undefined
  const askStore = async () => {
    const [row] = await ask<{ isDistributed: boolean }>(question)
    isDistributed = row?.isDistributed === true
    return isDistributed
  }
  const isInTurn = async (statement: Sql) =>
    statement.inTurn !== undefined && (isDistributed ?? (await askStore()))
  async function runEither<Row>(query: Query, statement: Sql): Promise<Row[]> {
    const inTurn = (await isInTurn(statement)) ? statement.inTurn : undefined
    if (!inTurn) return query<Row>(statement)
    return (await inTurn({ query: (one) => run(query, one) })) as Row[]
  }
  const run: Forms['run'] = (query, statement) =>
    statement.inTurn === undefined || isDistributed === false ? query(statement) : runEither(query, statement)
  return { run, isInTurn, isKnownWhole: () => isDistributed === false }
}

/** `distribute` makes this table. */
const question = sql`select to_regclass('row_places') is not null as "isDistributed"`

import type { Queries } from '../../src/db/database.ts'
import { sql } from '../../src/db/sql.ts'

export interface StoredTable {
  readonly table: string
  readonly columns: ReadonlyMap<string, StoredColumn>
  /** The text of every check. */
  readonly checks: readonly string[]
  /** Referenced tables, by column. */
  readonly foreignKeys: ReadonlyMap<string, string>
  readonly indexes: readonly StoredIndex[]
}

export interface StoredColumn {
  /** The type with its precision, such as numeric(8,2). */
  readonly type: string
  readonly isNullable: boolean
  readonly default?: string | null
}

interface StoredIndex {
  readonly name: string
  readonly isUnique: boolean
  /** The first column. Null for an expression. */
  readonly column: string | null
  readonly method: string
  /** The condition of a partial index. Empty if the index has all rows. */
  readonly condition: string
}

export async function readStoredTable(database: Queries, table: string): Promise<StoredTable | undefined> {
  const columns = await database.query<StoredColumn & { name: string }>(sql`
    select column_name::text as name, is_nullable = 'YES' as "isNullable", column_default::text as default,
      case when data_type = 'numeric' then format('numeric(%s,%s)', numeric_precision, numeric_scale)
      else data_type::text end as type
    from information_schema.columns where table_schema = 'public' and table_name = ${table}`)
  if (columns.length === 0) return undefined
  const checks = await database.query<{ text: string }>(sql`
    select pg_get_constraintdef(oid) as text from pg_constraint
    where contype = 'c' and conrelid = ${table}::regclass`)
  const foreignKeys = await database.query<{ column: string; target: string }>(sql`
    select used.column_name::text as column, target.table_name::text as target
    from information_schema.referential_constraints as rule
    join information_schema.key_column_usage as used using (constraint_schema, constraint_name)
    join information_schema.table_constraints as target
      on target.constraint_schema = rule.unique_constraint_schema
      and target.constraint_name = rule.unique_constraint_name
    where used.table_name = ${table}`)
  const indexes = await database.query<StoredIndex>(sql`
    select pg_class.relname::text as name, indisunique as "isUnique", attname::text as column, amname::text as method,
      coalesce(pg_get_expr(indpred, indrelid), '') as condition
    from pg_index
    join pg_class on pg_class.oid = indexrelid
    join pg_am on pg_am.oid = relam
    left join pg_attribute on attrelid = indrelid and attnum = indkey[0]
    where indrelid = ${table}::regclass`)
  return {
    table,
    columns: new Map(columns.map(({ name, ...column }) => [name, column])),
    checks: checks.map(({ text }) => text),
    foreignKeys: new Map(foreignKeys.map(({ column, target }) => [column, target])),
    indexes,
  }
}

export const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

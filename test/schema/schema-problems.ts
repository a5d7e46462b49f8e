import type { Field } from '../../src/model/field.ts'
import { idFiltersOf, type Resource } from '../../src/resources/define-resource.ts'
import { hasCascadeParent, referencesFrom, searchColumns } from '../../src/resources/derived.ts'
import { type StoredColumn, type StoredTable, snakeCase } from './stored-table.ts'

/** Columns that only a resource's own rules write: its declaration does not name them. */
const otherColumns: Readonly<Record<string, readonly string[]>> = {
  users: ['password_hash', 'security_stamp'],
}

/** Returns how the store differs from a declaration, one sentence for each difference. */
export function schemaProblems(resource: Resource, stored: StoredTable | undefined): string[] {
  const { name, table } = resource
  if (!stored) return [`${name}: the store has no table ${table}. Is its migration missing?`]
  const wanted = wantedColumns(resource)
  const unknown = [...stored.columns.keys()].filter(
    (column) => !wanted.has(column) && !otherColumns[table]?.includes(column),
  )
  return [
    ...[...wanted].flatMap(([column, want]) =>
      columnProblems(`${table}.${column}`, want, stored.columns.get(column)),
    ),
    ...unknown.map((column) => `${table}.${column}: ${name} declares no such column.`),
    ...lengthProblems(resource, stored),
    ...foreignKeyProblems(resource, stored),
    ...indexProblems(resource, stored),
    ...uniqueProblems(resource, stored),
  ]
}

const timestamp = (isNullable: boolean): StoredColumn => ({ type: 'timestamp with time zone', isNullable })

const types: Readonly<Record<Field['wire'], string>> = {
  text: 'text',
  uuid: 'uuid',
  timestamp: 'timestamp with time zone',
  number: 'numeric(8,2)',
  integer: 'integer',
  boolean: 'boolean',
}

function wantedColumns(resource: Resource): ReadonlyMap<string, StoredColumn> {
  const own = ownFields(resource).map(([name, field]): [string, StoredColumn] => [
    snakeCase(name),
    { type: types[field.wire], isNullable: field.presence === 'optional' },
  ])
  return new Map([
    ['id', { type: 'uuid', isNullable: false }],
    ...own,
    ['created_at', { ...timestamp(false), default: "date_trunc('milliseconds'::text, now())" }],
    ['updated_at', timestamp(true)],
    ['deleted_at', timestamp(true)],
    ['active', { type: 'boolean', isNullable: false }],
    ...(hasCascadeParent(resource) ? [['removed_with', { type: 'uuid', isNullable: true }] as const] : []),
  ])
}

const ownFields = ({ fields, columns }: Resource): [string, Field][] =>
  Object.entries(fields).filter(([name]) => columns.includes(name))

function columnProblems(where: string, want: StoredColumn, found: StoredColumn | undefined): string[] {
  if (!found) return [`${where}: the store has no such column. Is its migration missing?`]
  return [
    ...(found.type === want.type ? [] : [`${where} is ${found.type} and should be ${want.type}.`]),
    ...(found.isNullable === want.isNullable
      ? []
      : [`${where} ${found.isNullable ? 'may' : 'may not'} be null, and its declaration says otherwise.`]),
    ...(want.default === undefined || found.default === want.default
      ? []
      : [`${where} has the default ${found.default} and should have ${want.default}.`]),
  ]
}

/** Returns a problem for each field whose length or words the store does not check as declared. */
function lengthProblems(resource: Resource, { table, checks }: StoredTable): string[] {
  return ownFields(resource).flatMap(([name, { wire, schema }]) => {
    const words = Array.isArray(schema.enum) && schema.enum.map((word) => `'${word}'::text`).join(', ')
    const check = words
      ? `${snakeCase(name)} = ANY (ARRAY[${words}])`
      : `char_length(${snakeCase(name)}) <= ${schema.maxLength}`
    return wire !== 'text' || checks.some((text) => text.includes(check))
      ? []
      : [`${table}.${snakeCase(name)} has no check (${check}).`]
  })
}

function foreignKeyProblems(resource: Resource, { table, foreignKeys }: StoredTable): string[] {
  return referencesFrom(resource).flatMap(({ column, parent }) => {
    const target = foreignKeys.get(snakeCase(column))
    return target === parent.table
      ? []
      : [
          `${table}.${snakeCase(column)} references ${target ?? 'nothing'} and should reference ${parent.table}.`,
        ]
  })
}

interface WantedIndex {
  readonly column: string
  /** Completes the message: `for the search`. */
  readonly purpose: string
  readonly condition: RegExp
  readonly method?: string
}

/** The index must begin with this column. It may have further columns. */
function indexProblems(resource: Resource, { table, indexes }: StoredTable): string[] {
  return wantedIndexes(resource).flatMap(({ column, purpose, condition, method = 'btree' }) =>
    indexes.some(
      (index) => index.column === column && index.method === method && condition.test(index.condition),
    )
      ? []
      : [`${table}.${column} has no ${method} index ${purpose}.`],
  )
}

const uniqueProblems = ({ unique }: Resource, { table, indexes }: StoredTable): string[] =>
  !unique ||
  indexes.some(
    ({ name, isUnique, condition }) =>
      name === unique.index && isUnique && (condition === 'active' || !condition),
  )
    ? []
    : [`${table} has no unique index ${unique.index} over active rows or all rows.`]

const active = /^$|^active$/
/** The index of an optional reference may omit the rows without it. */
const activeOrGiven = /^$|^active$|^\(?\w+ IS NOT NULL\)?$/

function wantedIndexes(resource: Resource): WantedIndex[] {
  // The filter by the project of an assignment has no column.
  const filtered = idFiltersOf(resource)
    .filter((column) => column in resource.fields)
    .map((column) => ({
      column,
      purpose: 'for its filter',
      ...(resource.fields[column]?.presence === 'optional' && { condition: activeOrGiven }),
    }))
  const dated = resource.filters.flatMap((filter) =>
    typeof filter === 'string'
      ? []
      : [
          {
            column: 'instant' in filter ? filter.instant : filter.period[1],
            purpose: 'for the filter by dates',
          },
        ],
  )
  const parents = referencesFrom(resource)
    .filter(({ onRemove }) => onRemove !== 'keep')
    .map(({ column }) => ({ column, purpose: 'for the removal of its parent' }))
  const searched = searchColumns(resource).map((column) => ({
    column,
    purpose: 'for the search',
    method: 'gin',
  }))
  return [
    ...[...filtered, ...dated, ...parents, ...searched].map((index) => ({
      condition: active,
      ...index,
      column: snakeCase(index.column),
    })),
    { column: 'deleted_at', purpose: 'for the list of removed rows', condition: /^\(?NOT active\)?$/ },
    ...(hasCascadeParent(resource)
      ? [
          {
            column: 'removed_with',
            purpose: 'for rows restored with a parent',
            condition: /removed_with IS NOT NULL|^$/,
          },
        ]
      : []),
  ]
}

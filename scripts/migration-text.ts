import { columnName } from '../src/db/columns.ts'
import type { Field, WireKind } from '../src/model/field.ts'
import type { Resource } from '../src/resources/define-resource.ts'
import { hasCascadeParent, isOfAssignment, referencesFrom, searchColumns } from '../src/resources/derived.ts'

/** Returns the migration that creates the table of a resource, with its indexes. */
export function tableMigration(resource: Resource): string {
  const { table, columns, fields } = resource
  const declared = Object.keys(fields).filter((name) => columns.includes(name))
  const isCascaded = hasCascadeParent(resource)
  const lines = [
    'id uuid primary key',
    ...declared.map((name) => columnLine(resource, name)),
    "created_at timestamptz not null default date_trunc('milliseconds', now())",
    'updated_at timestamptz',
    'deleted_at timestamptz',
    'active boolean not null default true',
    ...(isCascaded ? ['removed_with uuid'] : []),
  ]
  return textOf([
    [`create table ${table} (\n  ${lines.join(',\n  ')}\n)`],
    [
      `create index ${table}_live on ${table} (id) where active`,
      ...declared.flatMap((name) => indexesOf(resource, name)),
      `create index ${table}_removed on ${table} (deleted_at desc, id) where not active`,
      ...(isCascaded
        ? [`create index ${table}_removed_with on ${table} (removed_with) where removed_with is not null`]
        : []),
    ],
    isOfAssignment(resource) ? [`select keep_with_assignment('${table}')`] : [],
    searchIndexes(resource, declared),
  ])
}

/** Returns the migration that adds a column. A sharded store requires a statement for each constraint. */
export function columnMigration(resource: Resource, name: string): string {
  const { table, columns, fields } = resource
  const field = fields[name]
  if (!field || !columns.includes(name)) throw new Error(`${resource.name} has no column ${name}.`)
  const parent = parentOf(resource, name)
  const check = checkOf(name, field)
  const presence = field.presence === 'optional' ? '' : ` not null default ${valueOfExistingRows(field)}`
  const add = `alter table ${table} add`
  const constraint = `${add} constraint ${table}_${columnName(name)}`
  return textOf([
    [
      `${add} column ${sqlName(name)} ${types[field.wire]}${presence}`,
      ...(check ? [`${constraint} check (${check})`] : []),
      ...(parent ? [`${constraint}_fkey foreign key (${sqlName(name)}) references ${parent}`] : []),
    ],
    indexesOf(resource, name),
    searchIndexes(resource, [name]),
  ])
}

const textOf = (groups: readonly (readonly string[])[]): string =>
  groups
    .filter((statements) => statements.length > 0)
    .map((statements) => statements.map((statement) => `${statement};\n`).join(''))
    .join('\n')

/** Reserved words of SQL that could be names of fields. */
const reserved =
  /^(all|any|check|column|default|end|from|group|limit|offset|order|primary|references|table|to|user|when|where)$/

const sqlName = (name: string): string => columnName(name).replace(reserved, '"$&"')

const types: Readonly<Record<WireKind, string>> = {
  text: 'text',
  uuid: 'uuid',
  timestamp: 'timestamptz',
  number: 'numeric(8, 2)',
  integer: 'integer',
  boolean: 'boolean',
}

function columnLine(resource: Resource, name: string): string {
  const field = resource.fields[name] as Field
  const parent = parentOf(resource, name)
  // `keep_with_assignment` adds this reference, because a sharded store has to distribute the table first.
  const isAddedLater = name === 'assignmentId' && isOfAssignment(resource)
  const check = checkOf(name, field)
  return [
    `${sqlName(name)} ${types[field.wire]}`,
    field.presence !== 'optional' && 'not null',
    field.defaultValue !== undefined && `default ${valueOfExistingRows(field)}`,
    parent && !isAddedLater && `references ${parent}`,
    check && `check (${check})`,
  ]
    .filter(Boolean)
    .join(' ')
}

const parentOf = (resource: Resource, name: string): string | undefined =>
  referencesFrom(resource).find(({ column }) => column === name)?.parent.table

function checkOf(name: string, { wire, schema }: Field): string {
  const column = sqlName(name)
  if (Array.isArray(schema.enum)) return `${column} in (${schema.enum.map((word) => `'${word}'`).join(', ')})`
  if (wire === 'text') return `char_length(${column}) <= ${schema.maxLength}`
  const { minimum, exclusiveMinimum, maximum } = schema
  return [
    minimum !== undefined && `${column} >= ${minimum}`,
    exclusiveMinimum !== undefined && `${column} > ${exclusiveMinimum}`,
    maximum !== undefined && `${column} <= ${maximum}`,
  ]
    .filter(Boolean)
    .join(' and ')
}

/** The default stays in the table, because hosts of the previous release insert rows without the column. */
function valueOfExistingRows({ wire, schema, defaultValue }: Field): string {
  if (typeof defaultValue === 'boolean' || typeof defaultValue === 'number') return String(defaultValue)
  if (wire === 'uuid')
    throw new Error('Existing rows have no value for a required reference: make it optional.')
  if (Array.isArray(schema.enum)) return `'${schema.enum[0]}'`
  if (wire === 'text') return "''"
  if (wire === 'timestamp') return "date_trunc('milliseconds', now())"
  return String(schema.minimum ?? 1)
}

/**
 * Indexes of references include removed rows, because a purge looks for these, too. Indexes of dates are for
 * lists only.
 */
function indexesOf(resource: Resource, name: string): string[] {
  const { table, filters } = resource
  const index = `create index ${table}_${columnName(name).replace(/_id$/, '')} on ${table}`
  if (parentOf(resource, name)) return [`${index} (${sqlName(name)}, active, id)`]
  return filters.flatMap((filter) => {
    if (typeof filter === 'string') return []
    const columns = 'instant' in filter ? [filter.instant] : filter.period.toReversed()
    return columns[0] === name ? [`${index} (${columns.map(sqlName).join(', ')}) where active`] : []
  })
}

/** The indexes need the extension pg_trgm. Without it, a search reads every row. */
function searchIndexes(resource: Resource, names: readonly string[]): string[] {
  const { table } = resource
  const searched = searchColumns(resource).filter((name) => names.includes(name))
  if (searched.length === 0) return []
  const statements = searched.map(
    (name) =>
      `  create index ${table}_${columnName(name)}_search on ${table} using gin (${sqlName(name)} gin_trgm_ops) where active;`,
  )
  return [
    `do $$
begin
${statements.join('\n')}
exception when undefined_object then
  raise notice 'pg_trgm is not available: search reads every row.';
end $$`,
  ]
}

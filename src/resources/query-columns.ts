import type { WireKind } from '../model/field.ts'
import { resourceNamed } from './all.ts'
import type { ListedResource } from './define-resource.ts'
import { referencesFrom } from './derived.ts'
import { person } from './user.ts'

/** A column that queries may compare or sort by, and the kind of its values. */
export interface QueryColumn {
  readonly name: string
  readonly shape: 'text' | 'uuid' | 'timestamp' | 'number' | 'boolean'
  readonly isNullable: boolean
  /** True if its values are short enough for a cursor. */
  readonly isSortable: boolean
  /** True if it contains ids of accounts. */
  readonly isAccount: boolean
}

const shapes: Readonly<Record<WireKind, QueryColumn['shape']>> = {
  text: 'text',
  uuid: 'uuid',
  timestamp: 'timestamp',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
}

/** Four sort values of this length fit into a cursor (`cursorCharactersMax`). */
const sortableCharactersMax = 256

const defaults = { isNullable: false, isSortable: true, isAccount: false } as const

const commonColumns: readonly QueryColumn[] = [
  { ...defaults, name: 'createdAt', shape: 'timestamp' },
  { ...defaults, name: 'updatedAt', shape: 'timestamp', isNullable: true },
]

/** Leaves out `active` and `deletedAt`, which are the same in every row that queries read. */
export const queryColumns = ({ columns, fields, table }: ListedResource): readonly QueryColumn[] => [
  { ...defaults, name: 'id', shape: 'uuid', isAccount: table === 'users' },
  ...Object.entries(fields).flatMap(([name, { wire, presence, schema, references }]) =>
    columns.includes(name)
      ? [
          {
            name,
            shape: shapes[wire],
            isNullable: presence === 'optional',
            isSortable:
              wire !== 'text' ||
              schema.enum !== undefined ||
              Number(schema.maxLength) <= sortableCharactersMax,
            isAccount: references?.resource === 'user',
          },
        ]
      : [],
  ),
  ...commonColumns.filter(({ name }) => columns.includes(name)),
]

export interface Expandable {
  /** The name of the column without its `Id`. */
  readonly name: string
  readonly column: string
  readonly parent: ListedResource
}

/** Returns the references that a query may expand. An account is expanded to a person: its id and name. */
export const expandable = (resource: ListedResource): readonly Expandable[] =>
  referencesFrom(resource).map(({ column, parent }) => ({
    name: column.replace(/Id$/, ''),
    column,
    parent: parent === resourceNamed('user') ? person : parent,
  }))

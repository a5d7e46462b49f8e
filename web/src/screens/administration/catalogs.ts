import type { Text } from '../../texts/text.ts'

/** Lists that administrators maintain for all users; each entry is a name and a few more fields. */
export interface Catalog {
  readonly resource: 'user' | 'organization' | 'workflow' | 'assignmentType' | 'impediment'
  /** The last part of its address. */
  readonly path: string
  readonly label: Text
  readonly searchLabel: Text
  readonly newLabel: Text
  readonly noneYet: Text
  readonly noneFits: Text
  readonly about: Text
  readonly sortColumn: string
  /** Its rows are ordered, and arrows move them. */
  readonly isOrdered?: true
  readonly fields: readonly CatalogField[]
}

export interface CatalogField {
  readonly name: 'login' | 'password' | 'description'
  readonly label: Text
  readonly hint?: Text
  readonly required: boolean
}

export const catalogs: readonly Catalog[] = [
  {
    resource: 'user',
    path: 'users',
    label: 'Users',
    searchLabel: 'Search users',
    newLabel: 'New user',
    noneYet: 'No users yet',
    noneFits: 'No users match “{text}”',
    about:
      'Everyone who may sign in. A user without assignments and entries can be removed. New people create their own accounts with a link from the members of a project.',
    sortColumn: 'name',
    fields: [
      {
        name: 'login',
        label: 'Login',
        required: true,
        hint: 'An e-mail address, or anything that is easy to remember.',
      },
      { name: 'password', label: 'Password', required: true },
    ],
  },
  {
    resource: 'organization',
    path: 'organizations',
    label: 'Organizations',
    searchLabel: 'Search organizations',
    newLabel: 'New organization',
    noneYet: 'No organizations yet',
    noneFits: 'No organizations match “{text}”',
    about: 'Every project belongs to one.',
    sortColumn: 'name',
    fields: [{ name: 'description', label: 'Description', required: false }],
  },
  {
    resource: 'workflow',
    path: 'workflows',
    label: 'Workflow stages',
    searchLabel: 'Search workflow stages',
    newLabel: 'New workflow stage',
    noneYet: 'No workflow stages yet',
    noneFits: 'No workflow stages match “{text}”',
    about:
      'The columns of every board, from left to right. A new stage is added at the end; the arrows move it. The stage called Done, or otherwise the last one, means done.',
    sortColumn: 'order',
    isOrdered: true,
    fields: [],
  },
  {
    resource: 'assignmentType',
    path: 'types',
    label: 'Assignment types',
    searchLabel: 'Search assignment types',
    newLabel: 'New assignment type',
    noneYet: 'No assignment types yet',
    noneFits: 'No assignment types match “{text}”',
    about: 'The kinds of work.',
    sortColumn: 'name',
    fields: [],
  },
  {
    resource: 'impediment',
    path: 'impediments',
    label: 'Kinds of impediments',
    searchLabel: 'Search kinds of impediments',
    newLabel: 'New kind of impediment',
    noneYet: 'No kinds of impediments yet',
    noneFits: 'No kinds of impediments match “{text}”',
    about: 'Whatever can block an assignment.',
    sortColumn: 'name',
    fields: [],
  },
]

/** A row of any catalog, as far as the screens need it. */
export interface CatalogRow {
  readonly id: string
  readonly name: string
  readonly login?: string
  readonly description?: string | null
  readonly order?: number
}

export type CatalogValues = Readonly<Record<string, string>> & { readonly name: string }

export const valuesOf = (
  { fields, isOrdered }: Catalog,
  row: CatalogRow | undefined,
  nextOrder: number,
): CatalogValues => ({
  name: row?.name ?? '',
  ...(isOrdered && { order: String(row?.order ?? nextOrder) }),
  ...Object.fromEntries(fields.map(({ name }) => [name, name === 'password' ? '' : (row?.[name] ?? '')])),
})

/** The body of a request; login and password are only included when they change, because that ends the user's sessions. */
export function bodyOf(values: CatalogValues, row: CatalogRow | undefined): Record<string, unknown> {
  const { login, password, order, description, ...others } = values
  return {
    ...others,
    ...(row && { id: row.id }),
    ...(login !== undefined && login !== row?.login && { login }),
    ...(password !== undefined && !(row && password === '') && { password }),
    ...(description !== undefined && { description: description.trim() || null }),
    ...(order !== undefined && { order: Number(order) }),
  }
}

import type { Text } from '../../texts/text.ts'

/** What administrators keep for everybody; each is a name and a little more. */
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
  /** Its rows have places, which arrows change. */
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
    noneYet: 'There is no user yet',
    noneFits: 'No user fits “{text}”',
    about:
      'Everyone who may sign in. A user whom no assignment or entry needs any more can be removed. People make accounts of their own by a link, from the members of a project.',
    sortColumn: 'name',
    fields: [
      {
        name: 'login',
        label: 'Login',
        required: true,
        hint: 'An e-mail address, or what else is easy to remember.',
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
    noneYet: 'There is no organization yet',
    noneFits: 'No organization fits “{text}”',
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
    noneYet: 'There is no workflow stage yet',
    noneFits: 'No workflow stage fits “{text}”',
    about:
      'The columns of every board, from left to right. A new one is the last; the arrows move it. The one called Done, else the last, means done.',
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
    noneYet: 'There is no assignment type yet',
    noneFits: 'No assignment type fits “{text}”',
    about: 'What kinds of work there are.',
    sortColumn: 'name',
    fields: [],
  },
  {
    resource: 'impediment',
    path: 'impediments',
    label: 'Kinds of impediments',
    searchLabel: 'Search kinds of impediments',
    newLabel: 'New kind of impediment',
    noneYet: 'There is no kind of impediment yet',
    noneFits: 'No kind of impediment fits “{text}”',
    about: 'What may stand in the way of an assignment.',
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

export type CatalogValues = Readonly<Record<string, string>>

export const valuesOf = (
  { fields, isOrdered }: Catalog,
  row: CatalogRow | undefined,
  nextOrder: number,
): CatalogValues => ({
  name: row?.name ?? '',
  ...(isOrdered && { order: String(row?.order ?? nextOrder) }),
  ...Object.fromEntries(fields.map(({ name }) => [name, name === 'password' ? '' : (row?.[name] ?? '')])),
})

/** What is sent; a login and a password only when they change, because their change ends the person's sessions. */
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

import { refuse } from '../../forms/use-form.ts'

/** What administrators keep for everybody; each is a name and a little more. */
export interface Catalog {
  readonly resource: 'user' | 'organization' | 'workflow' | 'assignmentType' | 'impediment'
  /** The last part of its address. */
  readonly path: string
  readonly label: string
  readonly singular: string
  readonly about: string
  readonly sortColumn: string
  readonly fields: readonly CatalogField[]
}

export interface CatalogField {
  readonly name: 'login' | 'password' | 'description' | 'order'
  readonly label: string
  readonly hint?: string
  readonly required: boolean
}

export const catalogs: readonly Catalog[] = [
  {
    resource: 'user',
    path: 'users',
    label: 'Users',
    singular: 'user',
    about: 'Everyone who may sign in. A user whom no assignment or entry needs any more can be removed.',
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
    singular: 'organization',
    about: 'Every project belongs to one.',
    sortColumn: 'name',
    fields: [{ name: 'description', label: 'Description', required: false }],
  },
  {
    resource: 'workflow',
    path: 'workflows',
    label: 'Workflow stages',
    singular: 'workflow stage',
    about: 'The columns of every board, from left to right.',
    sortColumn: 'order',
    fields: [
      {
        name: 'order',
        label: 'Place in the order',
        required: true,
        hint: 'Smaller numbers stand further left.',
      },
    ],
  },
  {
    resource: 'assignmentType',
    path: 'types',
    label: 'Assignment types',
    singular: 'assignment type',
    about: 'What kinds of work there are.',
    sortColumn: 'name',
    fields: [],
  },
  {
    resource: 'impediment',
    path: 'impediments',
    label: 'Kinds of impediments',
    singular: 'kind of impediment',
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

export const valuesOf = ({ fields }: Catalog, row: CatalogRow | undefined, order: number): CatalogValues => ({
  name: row?.name ?? '',
  ...Object.fromEntries(
    fields.map(({ name }) => [
      name,
      name === 'password' ? '' : String((row ?? { order })[name as 'order'] ?? ''),
    ]),
  ),
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
    ...(order !== undefined && { order: readOrder(order) }),
  }
}

function readOrder(text: string): number | undefined {
  if (text.trim() === '') return undefined
  const number = Number(text)
  return Number.isNaN(number) ? refuse({ order: ['Order is a whole number, such as 3.'] }) : number
}

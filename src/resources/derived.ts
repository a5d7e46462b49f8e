import { describeDeprecation, type Field, type Reference, type WireKind } from '../model/field.ts'
import { resourceNamed, resources } from './all.ts'
import {
  columnsOf,
  dateKeys,
  type Edition,
  idFiltersOfAll,
  type ListedResource,
  pagingNumbers,
  type Resource,
} from './define-resource.ts'
import { person } from './user.ts'

/** Everything in this file is derived from the declarations. */

/**
 * Returns the resources of an edition. A v1 resource with fields of extensions is in both: the extensions show
 * all its fields, and v1 only its own.
 */
export const resourcesOf = (edition: Edition, all: readonly Resource[] = resources): readonly Resource[] =>
  edition === 'ext'
    ? all.filter(({ shownIn }) => shownIn === 'ext').map(extensionForm)
    : all.filter((resource) => resource.edition === 'v1').map(contractForm)

export const allForms = (all: readonly Resource[] = resources): readonly Resource[] => [
  ...resourcesOf('v1', all),
  ...resourcesOf('ext', all),
]

const contractForm = cachedForm((resource) => {
  const { title, pluralTitle, columns } = resource
  const fields = Object.fromEntries(Object.entries(resource.fields).filter(([, field]) => !field.isExtension))
  return {
    ...resource,
    shownIn: 'v1',
    typeName: title,
    pluralTypeName: pluralTitle,
    fields,
    columns: columnsOf(fields),
    historyColumns: columns,
    filters: resource.filters.filter((filter) => typeof filter !== 'string' || filter in fields),
  }
})

/** In the extensions, an update of a v1 resource needs only the fields that change. */
export const extensionForm = cachedForm((resource) => ({
  ...resource,
  fields: Object.fromEntries(
    Object.entries(resource.fields).map(([name, field]) => [name, withOptionalUpdate(field)]),
  ),
}))

const withOptionalUpdate = (field: Field): Field =>
  field.presence === 'required' ? { ...field, presence: 'requiredOnCreate' } : field

/**
 * Derives a form of each v1 resource with fields of extensions. Other resources have a single form. SQL is
 * cached per object, so a form must always be the same object.
 */
function cachedForm(derive: (resource: Resource) => Resource): (resource: Resource) => Resource {
  const forms = new WeakMap<Resource, Resource>()
  return (resource) => {
    if (resource.shownIn === resource.edition) return resource
    const form = forms.get(resource) ?? derive(resource)
    forms.set(resource, form)
    return form
  }
}

export interface ReferenceColumn {
  readonly column: string
  readonly parent: Resource
  readonly onRemove: Reference['onRemove']
}

const cachedReferences = new WeakMap<ListedResource, readonly ReferenceColumn[]>()

/** Returns the columns of `child` that refer to other rows, in the order in which the parents are locked. */
export function referencesFrom(child: ListedResource): readonly ReferenceColumn[] {
  const cached = cachedReferences.get(child)
  if (cached) return cached
  const columns = Object.entries(child.fields)
    .flatMap(([column, { references }]) =>
      references
        ? [{ column, parent: resourceNamed(references.resource), onRemove: references.onRemove }]
        : [],
    )
    .sort((first, second) => resources.indexOf(first.parent) - resources.indexOf(second.parent))
  cachedReferences.set(child, columns)
  return columns
}

/**
 * Returns the columns that refer to `parent`. `onRemove` determines what happens to their rows when the
 * parent is removed.
 */
export const referencesTo = (parent: Resource) =>
  resources.flatMap((child) =>
    referencesFrom(child).flatMap((reference) =>
      reference.parent.name === parent.name ? [{ child, ...reference }] : [],
    ),
  )

/**
 * Returns whether rows of this resource are removed with a parent. They record the parent in `removed_with`,
 * and are restored with it.
 */
export const hasCascadeParent = (resource: ListedResource): boolean =>
  referencesFrom(resource).some(({ onRemove }) => onRemove === 'cascade')

interface LinkColumn {
  readonly link: Resource
  readonly column: string
}

const linksByParent = new Map<string, readonly LinkColumn[]>()

/** Returns the columns that refer to `parent` and whose rows must be in its project (`sameProject`). */
export function linksWithinProjectOf(parent: ListedResource): readonly LinkColumn[] {
  const cached = linksByParent.get(parent.name)
  if (cached) return cached
  const columns = resources.flatMap((link) =>
    (link.projectRules?.sameProject ?? [])
      .filter((column) => link.fields[column]?.references?.resource === parent.name)
      .map((column) => ({ link, column })),
  )
  linksByParent.set(parent.name, columns)
  return columns
}

/** Returns whether rows belong to an assignment, whose project is their project. */
export const isOfAssignment = ({ access }: ListedResource): boolean =>
  access.kind === 'projectMembers' && access.projectPath.length === 2

export const searchableNames: readonly string[] = ['name', 'description', 'login', 'text']

export const searchColumns = ({ fields }: ListedResource): string[] =>
  searchableNames.filter((name) => name in fields)

/** Returns whether an update may contain an expected version. */
export const isVersioned = ({ fields }: Resource): boolean => 'expectedVersion' in fields

/**
 * The names by which at least one list can be filtered, and all fields of all resources. A list rejects a
 * filter that it does not support, because otherwise it would return unwanted rows. v1 ignores names that
 * only extensions have, so that a new extension does not change v1.
 */
export const filterNames: Readonly<Record<Edition, ReadonlySet<string>>> = {
  v1: filterNamesOf(resourcesOf('v1')),
  ext: filterNamesOf(resources),
}

function filterNamesOf(servedResources: readonly Resource[]): ReadonlySet<string> {
  const names = [
    ...idFiltersOfAll(servedResources),
    ...dateKeys,
    ...servedResources.flatMap(({ columns, fields }) => [...columns, ...Object.keys(fields)]),
  ]
  return new Set(names.filter((name) => !Object.hasOwn(pagingNumbers, name)))
}

export const describeField = (field: Field): string =>
  [field.about, describeContent(field), field.deprecation && describeDeprecation(field.deprecation)]
    .filter(Boolean)
    .join(' ')

function describeContent({ schema, references, about }: Field): string {
  if (references) return about ? 'A UUID.' : `The id of the ${resourceNamed(references.resource).noun}.`
  const { type, format, maxLength, minimum, maximum, description } = schema
  if (typeof description === 'string') return description
  if (format === 'uuid') return 'A UUID.'
  if (format === 'date-time') return 'A timestamp in UTC.'
  if (format === 'password') return `A password of at most ${maxLength} characters.`
  if (type === 'boolean') return ''
  if (type === 'integer') return `A whole number from ${minimum} to ${maximum}.`
  return `Text of at most ${maxLength} characters.`
}

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

/** `active` and `deletedAt` are omitted, because they are the same in all rows of queries. */
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

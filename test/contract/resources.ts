import { resources as declared } from '../../src/resources/all.ts'
import { referencesFrom } from '../../src/resources/derived.ts'
import { contractLinks, contractTable, type Entity, type Resource } from './contract-table.ts'
import { declaredTable } from './declared-table.ts'

export type { ContractEntity, Entity } from './contract-table.ts'

/** Every resource that a host serves. */
export const resources: Readonly<Record<Entity, Resource>> = { ...declaredTable, ...contractTable }

/** Links between two rows of the same project. */
export const withinProject: readonly Entity[] = ['assignmentLabel', 'assignmentDependency']

export const entities = Object.keys(resources) as Entity[]

/** The resources whose rows are created from a request body. */
export const creatable = entities.filter((entity) => resources[entity].byServer.length === 0)

export const commonFields = ['id', 'createdAt', 'updatedAt', 'deletedAt', 'active']

/** Every column that refers to another table, with its resource and the resource of that table. */
export const references = entities.flatMap((entity) =>
  Object.entries(resources[entity].references).map(([column, parent]) => ({ entity, column, parent })),
)

interface CascadingReference {
  readonly parent: Entity
  readonly link: Entity
  readonly column: string
}

const declaredCascades: readonly (CascadingReference & { readonly otherColumns: readonly string[] })[] =
  declared
    .filter(({ edition }) => edition === 'ext')
    .flatMap((child) => {
      const cascading = referencesFrom(child).filter(({ onRemove }) => onRemove === 'cascade')
      return cascading.map(({ column, parent }) => ({
        parent: parent.name as Entity,
        link: child.name as Entity,
        column,
        otherColumns: cascading.map((reference) => reference.column).filter((name) => name !== column),
      }))
    })

/** The rows that are removed and restored together with either of two parents. */
export const links: readonly (CascadingReference & { readonly otherColumn: string })[] = [
  ...contractLinks,
  ...declaredCascades.flatMap(({ otherColumns: [otherColumn], ...reference }) =>
    otherColumn ? [{ ...reference, otherColumn }] : [],
  ),
]

/** The rows that are removed and restored together with their one parent. */
export const belongings: readonly CascadingReference[] = declaredCascades.filter(
  ({ otherColumns }) => otherColumns.length === 0,
)

export const requiredOnCreate = (entity: Entity): string[] => [
  ...resources[entity].required,
  ...Object.keys(resources[entity].references).filter(
    (column) => !resources[entity].byCaller.includes(column),
  ),
]

/** Returns the path of the routes for one row. */
export const pathOf = (entity: Entity) => `${resources[entity].root}/${entity}`
export const listPathOf = (entity: Entity) => `${resources[entity].root}/${resources[entity].list}`

/** The fields that a resource of the contract has only under `/ext/`, by the name of the resource. */
const extended = new Map(
  declared
    .filter(({ edition, shownIn }) => edition !== shownIn)
    .map(({ name, fields }) => [name, Object.keys(fields).filter((field) => fields[field]?.isExtension)]),
)

/** Returns the fields that only extensions show. */
export const extensionFieldsOf = (entity: Entity): readonly string[] => extended.get(entity) ?? []

/** Returns the path of the list whose rows have all fields. */
export const extensionListPathOf = (entity: Entity) =>
  extended.has(entity) ? `/ext/${resources[entity].list}` : listPathOf(entity)

export const pascalCase = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`

/** Returns the name with its article, for test titles: an appointment, a project. */
export const a = (entity: Entity) => `${/^[aio]/.test(entity) ? 'an' : 'a'} ${entity}`

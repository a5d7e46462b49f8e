import { resources as declared } from '../../src/resources/all.ts'
import { referencesFrom } from '../../src/resources/derived.ts'
import { contractLinks, contractTable, type Entity, type Resource } from './contract-table.ts'
import { declaredTable } from './declared-table.ts'

export type { ContractEntity, Entity } from './contract-table.ts'

/** Every resource that a host serves. */
export const resources: Readonly<Record<Entity, Resource>> = { ...declaredTable, ...contractTable }

/** Links whose two rows are of one project. */
export const withinProject: readonly Entity[] = ['assignmentLabel', 'assignmentDependency']

export const entities = Object.keys(resources) as Entity[]

/** The resources whose rows are created by a body. */
export const creatable = entities.filter((entity) => resources[entity].byServer.length === 0)

export const commonFields = ['id', 'createdAt', 'updatedAt', 'deletedAt', 'active']

/** Every column of the table that points at another one, with the resource it points at. */
export const references = entities.flatMap((entity) =>
  Object.entries(resources[entity].references).map(([column, parent]) => ({ entity, column, parent })),
)

interface Along {
  readonly parent: Entity
  readonly link: Entity
  readonly column: string
}

const declaredAlong: readonly (Along & { readonly others: readonly string[] })[] = declared
  .filter(({ edition }) => edition === 'ext')
  .flatMap((child) => {
    const along = referencesFrom(child).filter(({ onRemove }) => onRemove === 'cascade')
    return along.map(({ column, parent }) => ({
      parent: parent.name as Entity,
      link: child.name as Entity,
      column,
      others: along.map((one) => one.column).filter((one) => one !== column),
    }))
  })

/** The rows that go with either of two parents, and come back with it. */
export const links: readonly (Along & { readonly otherColumn: string })[] = [
  ...contractLinks,
  ...declaredAlong.flatMap(({ others: [otherColumn], ...along }) =>
    otherColumn ? [{ ...along, otherColumn }] : [],
  ),
]

/** The rows that go with their one parent, and come back with it. */
export const belongings: readonly Along[] = declaredAlong.filter(({ others }) => others.length === 0)

export const requiredOnCreate = (entity: Entity): string[] => [
  ...resources[entity].required,
  ...Object.keys(resources[entity].references).filter(
    (column) => !resources[entity].byCaller.includes(column),
  ),
]

/** Where its rows are got, and where its list is. */
export const pathOf = (entity: Entity) => `${resources[entity].root}/${entity}`
export const listPathOf = (entity: Entity) => `${resources[entity].root}/${resources[entity].list}`

/** Resources of the contract that have more fields under `/ext/`, by name. */
const extended = new Map(
  declared
    .filter(({ edition, shownIn }) => edition !== shownIn)
    .map(({ name, fields }) => [name, Object.keys(fields).filter((field) => fields[field]?.isExtension)]),
)

/** The fields that only extensions show. */
export const extensionFieldsOf = (entity: Entity): readonly string[] => extended.get(entity) ?? []

/** The list with all fields. */
export const extensionListPathOf = (entity: Entity) =>
  extended.has(entity) ? `/ext/${resources[entity].list}` : listPathOf(entity)

export const pascalCase = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`

/** As the names of tests write it: an appointment, a project. */
export const a = (entity: Entity) => `${/^[aio]/.test(entity) ? 'an' : 'a'} ${entity}`

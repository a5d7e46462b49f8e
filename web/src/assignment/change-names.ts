import type { Change } from '#tracker-client'
import type { ResourceName } from '../api/api.ts'
import { assignmentKey } from '../api/assignment-key.ts'
import { loadByIds } from '../api/load-all.ts'
import { useLoaded } from '../data/use-loaded.ts'
import { useServices } from '../services/services.ts'

/**
 * Returns the name of the record with the id that a property such as `workflowId` has, or, for `keyProperty`,
 * the key of the assignment. Returns undefined if the user can no longer see the record.
 */
export type NameOf = (property: string, id: string) => string | undefined

/** `NameOf` returns the key of an assignment for this property, which no record has. */
export const keyProperty = 'assignmentKey'

/** Resources with names, in addition to people. */
const namedResources = [
  'workflow',
  'assignmentType',
  'impediment',
  'organization',
  'project',
  'assignment',
  'label',
] as const

/**
 * A record with a name. The key of an assignment consists of the `key` of its project and its own `number`.
 */
interface NamedRecord {
  readonly name: string
  readonly projectId?: string
  readonly number?: number
  readonly key?: string
}

/** Returns a function that names changed and related records; undefined until the names are loaded. */
export function useChangeNames(changes: readonly Change[]): NameOf | undefined {
  const { api, people } = useServices()
  const ids = new Map(namedResources.map((resource) => [`${resource}Id`, idsIn(changes, resource)]))
  const namesKey = `names-${[...ids.values()].map((resourceIds) => resourceIds.join()).join(';')}`
  const { value, problem } = useLoaded(namesKey, [], async (signal) => {
    const records = await Promise.all(
      namedResources.map(async (resource) => {
        const rows = await loadByIds(api, resource, ids.get(`${resource}Id`) ?? [], signal)
        return [...rows.values()]
      }),
    )
    await people.waitForNames(userIdsIn(changes))
    return new Map(records.flat().map((record): [string, NamedRecord] => [record.id, record]))
  })
  const namesInChanges = new Map(
    changes.flatMap(({ rowId, before, after }) => nameIn(rowId, after) ?? nameIn(rowId, before) ?? []),
  )
  if (value === undefined && !problem) return undefined
  return (property, id) => {
    if (property === 'userId') return people.findName(id) || undefined
    const record = value?.get(id)
    if (property !== keyProperty) return record?.name ?? namesInChanges.get(id)
    return record && assignmentKey(value?.get(record.projectId ?? '')?.key, record)
  }
}

/** Needed for removed records, whose names are only in their history. */
const nameIn = (id: string, values: Change['before']): [readonly [string, string]] | undefined =>
  typeof values?.name === 'string' ? [[id, values.name]] : undefined

const userIdsIn = (changes: readonly Change[]): string[] =>
  changes
    .flatMap(({ before, after }) => [before?.userId, after?.userId])
    .filter((id) => typeof id === 'string')

const idsIn = (changes: readonly Change[], resource: ResourceName): string[] => [
  ...new Set(
    changes.flatMap((change) =>
      [
        change.resource === resource ? change.rowId : undefined,
        change.before?.[`${resource}Id`],
        change.after?.[`${resource}Id`],
        ...(resource === 'assignment'
          ? ['blockedById', 'parentId'].flatMap((name) => [change.before?.[name], change.after?.[name]])
          : []),
        // The key of a project is a part of the keys of its assignments.
        resource === 'project' &&
        (change.resource === 'assignment' || change.after?.assignmentId !== undefined)
          ? change.projectId
          : undefined,
      ].filter((id) => typeof id === 'string'),
    ),
  ),
]

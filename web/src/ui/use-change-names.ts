import type { ResourceName } from '../api/api.ts'
import { loadByIds } from '../api/load-all.ts'
import type { Change } from '../api/types.ts'
import { useLoaded } from '../data/use-loaded.ts'
import { useServices } from '../services/services.ts'

/** What the id in a property such as `workflowId` is called; nothing where it cannot be seen any more. */
export type NameOf = (property: string, id: string) => string | undefined

/** Those that have names, beside people. */
const named = ['workflow', 'assignmentType', 'impediment', 'organization', 'project', 'assignment'] as const

/** The names of what changes refer to, and of what was changed itself; nothing before they are asked for. */
export function useChangeNames(changes: readonly Change[]): NameOf | undefined {
  const { api, people } = useServices()
  const ids = new Map(named.map((resource) => [`${resource}Id`, idsIn(changes, resource)]))
  const key = `names-${[...ids.values()].map((some) => some.join()).join(';')}`
  const { value, problem } = useLoaded(key, [], async (signal) => {
    const found = await Promise.all(
      named.map(async (resource) => {
        const rows = await loadByIds(api, resource, ids.get(`${resource}Id`) ?? [], signal)
        return [...rows.values()].map(({ id, name }) => [id, name] as const)
      }),
    )
    await people.known(userIdsIn(changes))
    return new Map(found.flat())
  })
  const told = new Map(
    changes.flatMap(({ rowId, before, after }) => nameIn(rowId, after) ?? nameIn(rowId, before) ?? []),
  )
  if (value === undefined && !problem) return undefined
  return (property, id) =>
    property === 'userId' ? people.findName(id) || undefined : (value?.get(id) ?? told.get(id))
}

/** Of a record that is gone only its history tells the name. */
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
      ].filter((id) => typeof id === 'string'),
    ),
  ),
]

import { loadAll, loadByIds } from '../../api/load-all.ts'
import { useLoaded } from '../../data/use-loaded.ts'
import { useServices } from '../../services/services.ts'
import { normalizeName } from './items.ts'
import type { MatchingTargets } from './matching.ts'

/** The records of a project with which names in a file are matched. */
export interface ProjectValues extends MatchingTargets {
  /** The id of the user who imports. */
  readonly ownId: string
  /** The ids of labels by normalized name. */
  readonly labels: ReadonlyMap<string, string>
  /** The prefix of the keys of its assignments, such as MBA in MBA-12. */
  readonly key: string | undefined
}

/** The limit for each catalog, in pages of 100 rows. Further members are not offered. */
const pagesMax = 5

export function useProjectValues(projectId: string) {
  const { api, configuration, people, session } = useServices()
  const user = session.person.value
  const ownId = user?.id ?? ''
  const resources = ['workflow', 'assignmentType', 'userProject', 'label'] as const
  return useLoaded(`import-${projectId}`, resources, async (signal): Promise<ProjectValues | undefined> => {
    if (!configuration.extensions) return undefined
    const options = { pagesMax, signal }
    const [project, stages, types, members, labels] = await Promise.all([
      api.get('project', projectId),
      loadAll(api, 'workflow', { sortColumn: 'order' }, options),
      loadAll(api, 'assignmentType', { sortColumn: 'name' }, options),
      loadAll(api, 'userProject', { projectId, sortColumn: 'createdAt' }, options),
      loadAll(api, 'label', { projectId, sortColumn: 'name' }, options),
    ])
    const ids = [...new Set([...members.rows.map(({ userId }) => userId), ownId])]
    // Only administrators can read the logins of others.
    const [users] = await Promise.all([
      user?.isAdministrator ? loadByIds(api, 'user', ids, signal) : undefined,
      people.waitForNames(ids),
    ])
    const loginOf = (id: string) => (id === ownId ? user?.login : users?.get(id)?.login) ?? ''
    return {
      stages: stages.rows,
      types: types.rows,
      people: ids
        .map((id) => ({ id, name: people.findName(id) ?? '', login: loginOf(id) }))
        .filter(({ name }) => name !== '')
        .sort((a, b) => a.name.localeCompare(b.name)),
      ownId,
      key: project?.key,
      labels: new Map(labels.rows.map(({ id, name }) => [normalizeName(name), id])),
    }
  })
}

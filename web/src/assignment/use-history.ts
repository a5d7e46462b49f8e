import { useState } from 'preact/hooks'
import type { Change } from '#tracker-client'
import type { Api, ResourceName } from '../api/api.ts'
import { byId, loadByIds, rowsMax } from '../api/load-all.ts'
import { sentenceOf } from '../api/problems.ts'
import { assignmentKey } from '../data/assignments.ts'
import { loadStages, type StageLook, stageLooksOf } from '../data/project-stages.ts'
import { useLoaded } from '../data/use-loaded.ts'
import { useServices } from '../services/services.ts'
import { doneStagesOf } from './assignment-values.ts'
import { linkResources, namesInChanges, valuesOfCreated } from './group-changes.ts'

/** Changes, the newest first, and the cursor of the next page. */
interface Changes {
  readonly data: readonly Change[]
  readonly next: string | null
}

const noChanges: Changes = { data: [], next: null }

interface HistoryQuery {
  readonly projectId?: string
  readonly assignmentId?: string
  /** Only changes of records of this resource. */
  readonly resource?: ResourceName | undefined
  readonly pageSize: number
}

const relatedResources = [
  'appointment',
  'comment',
  'attachment',
  'label',
  'assignmentLabel',
  'assignmentDependency',
  'assignmentImpediment',
  'userAssignment',
  'userProject',
] as const

/**
 * Loads the newest changes of a project or an assignment, and older changes on request. A change of the
 * assignment itself loads them again because its `version` changes.
 */
export function useHistory(query: HistoryQuery, version?: number) {
  const { api, people, toasts, tracker } = useServices()
  const load = async (before?: string, signal?: AbortSignal): Promise<Changes> => {
    const { result } = await tracker.call('GET /ext/history', { query: { ...query, before } }, { signal })
    const [data] = await Promise.all([
      withMissingValues(api, result.data, signal),
      people.waitForNames(result.data.flatMap(({ callerId }) => callerId ?? [])),
    ])
    return { ...result, data }
  }
  const subject = `${query.assignmentId ?? query.projectId} ${query.resource ?? ''}`
  const resources = version === undefined ? (['assignment', ...relatedResources] as const) : relatedResources
  const newest = useLoaded(`history-${subject} ${version}`, resources, async (signal) => ({
    subject,
    changes: await load(undefined, signal),
  }))
  const [loaded, setLoaded] = useState({ subject, changes: noChanges })
  const changes =
    newest.value && newest.value.subject === subject
      ? joinChanges(newest.value.changes, loaded.subject === subject ? loaded.changes : noChanges)
      : undefined
  return {
    /** Undefined until the first page is loaded. */
    changes: changes?.data,
    hasOlder: changes?.next !== undefined && changes.next !== null,
    problem: newest.problem,
    reload: newest.reload,
    async loadOlder() {
      if (!changes) return
      try {
        const older = await load(changes.next ?? undefined)
        setLoaded({ subject, changes: { data: [...changes.data, ...older.data], next: older.next } })
      } catch (error) {
        toasts.show({ kind: 'problem', text: sentenceOf(error) })
      }
    },
  }
}

/** Records without names of their own. The lines of their changes name the records that they refer to. */
const referringResources: ReadonlySet<string> = new Set([
  ...linkResources,
  'appointment',
  'attachment',
  'comment',
])

/** Records whose names are known as long as they are not removed. */
const namedWhileKept: ReadonlySet<string> = new Set(['assignment', 'label'])

/**
 * Adds the values of records whose creation is on an older page, if their lines need them, because later changes
 * contain only the changed fields.
 */
async function withMissingValues(
  api: Api,
  changes: readonly Change[],
  signal: AbortSignal | undefined,
): Promise<readonly Change[]> {
  const created = valuesOfCreated(changes)
  const isIncomplete = ({ resource, rowId, action }: Change) =>
    !created.has(rowId) &&
    (referringResources.has(resource) || (action === 'remove' && namedWhileKept.has(resource)))
  const byResource = [
    ...Map.groupBy(changes.filter(isIncomplete), ({ resource }) => resource as ResourceName),
  ]
  const loads = byResource.flatMap(([resource, some]) => {
    const query = { ids: [...new Set(some.map(({ rowId }) => rowId))].join(), pageSize: rowsMax }
    return [
      api.list(resource, query, signal),
      // Only those who may restore records may list removed ones. Others see their changes without names.
      api.removed(resource, query, signal).catch(() => ({ data: [] })),
    ]
  })
  const rows = byId((await Promise.all(loads)).flatMap(({ data }) => data))
  return changes.map((change) =>
    isIncomplete(change) ? { ...change, before: { ...rows.get(change.rowId), ...change.before } } : change,
  )
}

/** Joins the newest page with the loaded changes. Returns only the page if they do not overlap. */
function joinChanges(newest: Changes, loaded: Changes): Changes {
  const lastId = newest.data.at(-1)?.id
  const end = loaded.data.findIndex(({ id }) => id === lastId)
  return end === -1 ? newest : { data: [...newest.data, ...loaded.data.slice(end + 1)], next: loaded.next }
}

/**
 * Returns the name of the record to which a property such as `workflowId` refers. For `keyProperty`, returns
 * the key of the assignment. Returns undefined if the user can no longer see the record.
 */
export type NameOf = (property: string, id: string) => string | undefined

/** For this property, which no record has, `NameOf` returns the key of an assignment. */
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
  readonly id: string
  readonly name: string
  readonly projectId?: string
  readonly number?: number
  readonly key?: string
  readonly color?: string | null
}

/** The names, looks and colors of other records that the lines of changes show. */
export interface ChangeNames {
  readonly nameOf: NameOf
  /** The looks of the stages of the project, by their ids. */
  readonly looks: ReadonlyMap<string, StageLook>
  colorOf(id: string): string | undefined
  /** True while the names of the newest changes are being loaded. */
  readonly isStale: boolean
}

/** Loads the names of changed and related records. Undefined until they are loaded. */
export function useChangeNames(changes: readonly Change[]): ChangeNames | undefined {
  const services = useServices()
  const { api, people } = services
  const ids = new Map(namedResources.map((resource) => [`${resource}Id`, idsIn(changes, resource)]))
  const namesKey = `names-${[...ids.values()].map((resourceIds) => resourceIds.join()).join(';')}`
  const projectId = ids.get('workflowId')?.length ? changes[0]?.projectId : undefined
  const { value, isStale, problem } = useLoaded(namesKey, [], async (signal) => {
    if (changes.length === 0) return undefined
    const [stages, ...records] = await Promise.all([
      projectId ? loadStages(services, projectId, signal) : [],
      ...namedResources.map(async (resource): Promise<readonly NamedRecord[]> => {
        const rows = await loadByIds(api, resource, ids.get(`${resource}Id`) ?? [], signal)
        return [...rows.values()]
      }),
    ])
    await people.waitForNames(userIdsIn(changes))
    return { stages, records: byId(records.flat()) }
  })
  const changedNames = namesInChanges(changes)
  const created = valuesOfCreated(changes)
  if (value === undefined && !problem && changes.length > 0) return undefined
  const { stages = [], records } = value ?? {}
  return {
    nameOf(property, id) {
      if (property === 'userId') return people.findName(id) || undefined
      const record = records?.get(id)
      if (property !== keyProperty) return record?.name ?? changedNames.get(id)
      const removal = changes.find(({ rowId, action }) => rowId === id && action === 'remove')
      const { projectId: ownerId, number } = record ?? created.get(id) ?? removal?.before ?? {}
      return assignmentKey(records?.get(String(ownerId))?.key, {
        number: typeof number === 'number' ? number : undefined,
      })
    },
    looks: stageLooksOf(stages, doneStagesOf(projectId ?? '', stages)),
    colorOf: (id) => records?.get(id)?.color ?? undefined,
    isStale,
  }
}

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
        (change.resource === 'assignment' || { ...change.before, ...change.after }.assignmentId !== undefined)
          ? change.projectId
          : undefined,
      ].filter((id) => typeof id === 'string'),
    ),
  ),
]

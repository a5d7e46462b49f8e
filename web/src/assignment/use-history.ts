import { useState } from 'preact/hooks'
import type { Change } from '#tracker-client'
import type { ResourceName } from '../api/api.ts'
import { sentenceOf } from '../api/problems.ts'
import { useLoaded } from '../data/use-loaded.ts'
import { useServices } from '../services/services.ts'

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
 * Loads the newest changes of a project or an assignment, and older ones on request. A change of the
 * assignment itself reloads them by its new `version`, so that the announced write does not reload them, too.
 */
export function useHistory(query: HistoryQuery, version?: number) {
  const { people, toasts, tracker } = useServices()
  const load = async (before?: string, signal?: AbortSignal): Promise<Changes> => {
    const { result } = await tracker.call('GET /ext/history', { query: { ...query, before } }, { signal })
    await people.waitForNames(result.data.flatMap(({ callerId }) => callerId ?? []))
    return result
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

/** Joins the newest page with the loaded changes. Returns only the page if they do not overlap. */
function joinChanges(newest: Changes, loaded: Changes): Changes {
  const lastId = newest.data.at(-1)?.id
  const end = loaded.data.findIndex(({ id }) => id === lastId)
  return end === -1 ? newest : { data: [...newest.data, ...loaded.data.slice(end + 1)], next: loaded.next }
}

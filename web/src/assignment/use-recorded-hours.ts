import { useMemo } from 'preact/hooks'
import { useLoaded } from '../data/use-loaded.ts'
import { useServices } from '../services/services.ts'
import { sumHours } from '../time/hours.ts'
import { loadRecordedHours, type RecordedScope } from './load-recorded-hours.ts'
import { type QueuedChange, queuedChanges } from './queue.ts'

/** The recorded hours by assignment. Assignments without any are missing. */
export type RecordedHours = ReadonlyMap<string, number>

/**
 * Returns the recorded hours of a project, with those that wait for the network. They are loaded as soon as
 * they are needed, and again when hours are recorded anywhere. Without the extensions there are none.
 */
export function useRecordedHours({ projectId, stages }: RecordedScope, isNeeded: boolean): RecordedHours {
  const { configuration, tracker } = useServices()
  const isLoaded = configuration.extensions && isNeeded
  const { value } = useLoaded(
    `${projectId} ${isLoaded}`,
    ['appointment'],
    async (signal) => (isLoaded ? loadRecordedHours(tracker, { projectId, stages }, signal) : undefined),
    { cacheName: 'recorded hours' },
  )
  const queued = queuedChanges.value
  return useMemo(() => withQueued(value, queued), [value, queued])
}

/** Adds the hours that wait for the network. */
export function withQueued(
  loaded: Iterable<readonly [assignmentId: string, hours: number]> | undefined,
  queued: readonly QueuedChange[],
): RecordedHours {
  const recorded = new Map(loaded)
  for (const change of queued) {
    // The report already has hours that were sent. It also has the former hours of an entry that is changed.
    if (change.kind !== 'hours' || !change.isNew || change.isSent) continue
    const { assignmentId, amountHours } = change.entry
    recorded.set(assignmentId, sumHours([{ amountHours: recorded.get(assignmentId) ?? 0 }, { amountHours }]))
  }
  return recorded
}

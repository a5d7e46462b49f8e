import { useMemo } from 'preact/hooks'
import { useLoaded } from '../data/use-loaded.ts'
import { useServices } from '../services/services.ts'
import {
  loadRecordedHours,
  type RecordedHours,
  type RecordedScope,
  withQueued,
} from './load-recorded-hours.ts'
import { queuedChanges } from './queue.ts'

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

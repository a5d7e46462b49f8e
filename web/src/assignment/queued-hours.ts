import type { RecordOf } from '../api/api.ts'
import {
  type HoursChange,
  type QueuedChange,
  type QueueServices,
  queuedChanges,
  sendHours,
  sendOrQueue,
} from './queue.ts'

type Appointment = RecordOf<'appointment'>

/** Records hours, or keeps them until there is a network. Returns whether they were recorded. */
export const recordHours = (
  services: QueueServices,
  change: HoursChange,
  assignment: QueuedChange['assignment'],
): Promise<boolean> => sendOrQueue(services, change, assignment, () => sendHours(services, change))

/** Adds the matching queued hours to the entries, and replaces the entries that they change. */
export function withQueuedHours(
  entries: readonly Appointment[],
  matches: (entry: HoursChange['entry']) => boolean,
): readonly Appointment[] {
  if (queuedChanges.value.length === 0) return entries
  const byId = new Map(entries.map((entry) => [entry.id, entry]))
  // Sent changes come last in the queue. Here they come first, because unsent changes of the same entry are
  // newer.
  for (const change of queuedChanges.value.toReversed())
    if (change.kind === 'hours' && matches(change.entry))
      byId.set(change.entry.id, { ...newEntry(change.at), ...byId.get(change.entry.id), ...change.entry })
  return [...byId.values()]
}

const newEntry = (at: number) => ({
  description: null,
  createdAt: new Date(at).toISOString(),
  updatedAt: null,
  deletedAt: null,
  active: true,
})

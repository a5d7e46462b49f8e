import { requireRole } from '../../access/require-write.ts'
import type { Caller } from '../../model/caller.ts'
import { changed, invalid, Problem } from '../../model/problem.ts'
import { idTaken } from '../../store/duplicates.ts'
import { newId } from '../../store/new-id.ts'
import { readIds } from '../read-ids.ts'
import { readInput } from '../read-input.ts'
import type { Tracker } from '../tracker.ts'
import type { BatchItem, Outcome, ReadyItem } from './batch-item.ts'

/** Reads each item as the single operation would, and refuses what it would refuse before it asks the store. */
export function prepareItems(tracker: Tracker, caller: Caller, items: readonly BatchItem[]) {
  const written = new Set<string>()
  const ready: ReadyItem[] = []
  const refused: Outcome[] = []
  for (const item of items) {
    try {
      const read = prepareItem(tracker, caller, item)
      requireOnce(read, written)
      ready.push(read)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      refused.push({ index: item.index, refusal: error })
    }
  }
  return { ready, refused }
}

function prepareItem(tracker: Tracker, caller: Caller, item: BatchItem): ReadyItem {
  const { operation, resource, body, ifMatch } = item
  const isNew = operation === 'create' || operation === 'restore'
  // No tag can name a row that is not there yet.
  if (isNew && ifMatch !== undefined && ifMatch.trim() !== '') throw changed(resource.title)
  requireRole(resource, caller, 'write')
  if (operation === 'create' || operation === 'update') {
    const { id = newId(), values } = readInput(resource, body, operation, tracker, caller.id)
    return { ...item, ids: [id], values, stored: values }
  }
  const ids = readIds(body, operation === 'remove' ? 'ignored' : 'refused')
  return { ...item, ids, values: {}, stored: {} }
}

/** Two items that do the same with one row would hide each other's outcome. */
function requireOnce({ operation, resource, ids }: ReadyItem, written: Set<string>): void {
  const keys = ids.map((id) => `${operation} ${resource.name} ${id}`)
  if (!keys.some((key) => written.has(key))) {
    for (const key of keys) written.add(key)
    return
  }
  if (operation === 'create') throw idTaken()
  if (operation === 'update') throw invalid({ id: ['Id is that of another item.'] })
  throw invalid({ ids: ['Ids contains one of another item.'] })
}

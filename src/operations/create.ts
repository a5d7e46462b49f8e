import { requireRole } from '../access/require-write.ts'
import type { Caller } from '../model/caller.ts'
import type { Resource } from '../resources/define-resource.ts'
import { newId } from '../store/new-id.ts'
import { insertRow, type Row } from '../store/rows.ts'
import { createGathered } from './gathered.ts'
import { noteAccountChange } from './note-account-change.ts'
import { readInput } from './read-input.ts'
import { referenceConditions } from './reference-conditions.ts'
import type { Tracker } from './tracker.ts'
import { createConditions } from './write-conditions.ts'

/** One statement: it locks the parents, asks what must hold, and inserts. What others create meanwhile may be in it. */
export async function create(
  tracker: Tracker,
  resource: Resource,
  caller: Caller,
  body: unknown,
): Promise<Row> {
  const { rules } = resource
  requireRole(resource, caller, 'write')
  const { id = newId(), values } = readInput(resource, body, 'create', tracker, caller.id)
  const stored = (await rules.prepare?.(values, tracker.passwords)) ?? values
  const { single } = tracker.database
  const alone = () =>
    insertRow(
      single,
      resource,
      caller,
      { id, ...stored },
      {
        conditions: createConditions(
          resource,
          caller,
          values,
          referenceConditions(resource, [values], { caller }),
        ),
        also: rules.alsoCreate?.(caller, id) ?? [],
      },
    )
  const created = await createGathered(single, resource, { caller, id, values, stored }, alone)
  noteAccountChange(tracker.securityLog, resource, caller, 'create', [created.id])
  return created
}

import { membershipConditions, ownerConditions, requireRole } from '../access/require-write.ts'
import type { Caller } from '../model/caller.ts'
import type { Resource } from '../resources/define-resource.ts'
import type { Condition } from '../store/conditional-write.ts'
import { newId } from '../store/new-id.ts'
import { insertRow, type Row, type Values } from '../store/rows.ts'
import { noteAccountChange } from './note-account-change.ts'
import { readInput } from './read-input.ts'
import { referenceConditions } from './reference-conditions.ts'
import type { Tracker } from './tracker.ts'

/** One statement: it locks the parents, asks what must hold, and inserts. */
export async function create(
  tracker: Tracker,
  resource: Resource,
  caller: Caller,
  body: unknown,
): Promise<Row> {
  const { rules } = resource
  requireRole(resource, caller, 'write')
  const { id = newId(), values } = readInput(resource, body, 'create', tracker)
  const prepared = (await rules.prepare?.(values, tracker.passwords)) ?? values
  const created = await insertRow(
    tracker.database.single,
    resource,
    caller,
    { id, ...prepared },
    {
      conditions: createConditions(resource, caller, values, referenceConditions(resource, [values])),
      also: rules.alsoCreate?.(caller, id) ?? [],
    },
  )
  noteAccountChange(tracker.securityLog, resource, caller, 'create', [created.id])
  return created
}

/** The conditions of a new row, in the order in which they refuse. */
export const createConditions = (
  resource: Resource,
  caller: Caller,
  values: Values,
  references: readonly Condition[],
): Condition[] => [
  ...references,
  ...ownerConditions(resource, caller, values),
  ...membershipConditions(resource, caller, values),
]

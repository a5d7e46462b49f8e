import { requireMembership, requireOwner, requireRole } from '../access/require-write.ts'
import type { Caller } from '../model/caller.ts'
import type { Resource } from '../resources/define-resource.ts'
import { newId } from '../store/new-id.ts'
import { insertRow, type Row } from '../store/rows.ts'
import { noteAccountChange } from './note-account-change.ts'
import { readInput } from './read-input.ts'
import { requireActiveReferences } from './require-active-references.ts'
import type { Tracker } from './tracker.ts'

export async function create(
  tracker: Tracker,
  resource: Resource,
  caller: Caller,
  body: unknown,
): Promise<Row> {
  const { access, rules } = resource
  const anyoneMayCreate = access.kind === 'projectMembers' && access.anyoneMayCreate === true
  requireRole(resource, caller, 'write')
  const { id = newId(), values } = readInput(resource, body, 'create', tracker)
  const prepared = (await rules.prepare?.(values, tracker.passwords)) ?? values
  const created = await tracker.database.transaction(async (transaction) => {
    await requireActiveReferences(transaction, resource, [values])
    requireOwner(resource, caller, [values])
    if (!anyoneMayCreate) await requireMembership(transaction, resource, caller, values)
    const row = await insertRow(transaction, resource, caller, { id, ...prepared })
    await rules.afterCreate?.(transaction, caller, row)
    return row
  })
  noteAccountChange(tracker.securityLog, resource, caller, 'create', [created.id])
  return created
}

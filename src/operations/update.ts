import { isMoved, requireMembership, requireOwner, requireRole } from '../access/require-write.ts'
import type { Caller } from '../model/caller.ts'
import type { Resource } from '../resources/define-resource.ts'
import { referencesFrom } from '../resources/derived.ts'
import { type Row, updateRow, type Values } from '../store/rows.ts'
import { lockVisible } from './lock-visible.ts'
import { noteAccountChange, notePasswordChange } from './note-account-change.ts'
import { readInput } from './read-input.ts'
import { requireActiveReferences } from './require-active-references.ts'
import { type RequiredVersions, requireVersions } from './required-versions.ts'
import type { Tracker } from './tracker.ts'

export async function update(
  tracker: Tracker,
  resource: Resource,
  caller: Caller,
  body: unknown,
  versions: RequiredVersions = new Map(),
): Promise<Row> {
  const { fields, rules } = resource
  requireRole(resource, caller, 'write')
  const { id = '', values } = readInput(resource, body, 'update', tracker)
  const prepared = (await rules.prepare?.(values, tracker.passwords)) ?? values
  const stored = Object.fromEntries(
    Object.entries(prepared).filter(([name]) => fields[name]?.presence !== 'updateOnly'),
  )
  const updated = await tracker.database.transaction(async (transaction) => {
    const lock = { state: 'active', strength: 'no key update' } as const
    // One id was asked for, and a row that is missing was refused.
    const [before] = (await lockVisible(transaction, resource, caller, [id], lock)) as [Row]
    await requireActiveReferences(transaction, resource, [changedReferences(resource, before, values)])
    const wanted = { ...before, ...values }
    requireOwner(resource, caller, [before, wanted])
    if (isMoved(resource, before, wanted)) await requireMembership(transaction, resource, caller, wanted)
    requireVersions(resource, [before], versions)
    await rules.beforeUpdate?.(transaction, before, values)
    const after = await updateRow(transaction, resource, caller, id, stored)
    await rules.afterUpdate?.(transaction, before, after, stored)
    return after
  })
  noteAccountChange(tracker.securityLog, resource, caller, 'update', [id])
  if ('passwordHash' in stored) notePasswordChange(tracker.securityLog, caller, id)
  return updated
}

/** A reference that does not change is not checked again. */
function changedReferences(resource: Resource, before: Row, values: Values): Values {
  const changed = referencesFrom(resource).filter(({ column }) => values[column] !== before[column])
  return Object.fromEntries(changed.map(({ column }) => [column, values[column]]))
}

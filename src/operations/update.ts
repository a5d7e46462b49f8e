import { membershipConditions, ownerConditions, requireRole } from '../access/require-write.ts'
import type { Caller } from '../model/caller.ts'
import { missing } from '../model/problem.ts'
import type { Resource } from '../resources/define-resource.ts'
import type { Condition } from '../store/conditional-write.ts'
import type { Database } from '../store/database.ts'
import { type Row, updateRow, type Values } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import { lockVisible, visibleForLock } from './lock-visible.ts'
import { noteAccountChange, notePasswordChange } from './note-account-change.ts'
import { readInput } from './read-input.ts'
import { referenceConditions } from './reference-conditions.ts'
import { type RequiredVersions, versionConditions } from './required-versions.ts'
import type { Tracker } from './tracker.ts'

/** One statement: it locks the row, asks what must hold, and writes. */
export async function update(
  tracker: Tracker,
  resource: Resource,
  caller: Caller,
  body: unknown,
  versions: RequiredVersions = new Map(),
): Promise<Row> {
  const { rules } = resource
  requireRole(resource, caller, 'write')
  const { id = '', values } = readInput(resource, body, 'update', tracker)
  const prepared = (await rules.prepare?.(values, tracker.passwords)) ?? values
  const stored = storedOf(resource, prepared)
  const updated = await writeUpdate(tracker.database, resource, caller, { id, values, stored, versions })
  noteAccountChange(tracker.securityLog, resource, caller, 'update', [id])
  if ('passwordHash' in stored) notePasswordChange(tracker.securityLog, caller, id)
  return updated
}

interface Wanted {
  readonly id: string
  readonly values: Values
  readonly stored: Values
  readonly versions: RequiredVersions
}

export function writeUpdate(
  database: Database,
  resource: Resource,
  caller: Caller,
  { id, values, stored, versions }: Wanted,
): Promise<Row> {
  const { beforeUpdate, afterUpdate } = resource.rules
  const conditions = updateConditions(resource, caller, {
    ids: [id],
    values,
    references: referenceConditions(resource, [values], { before: 'before' }),
    versions: versionConditions(resource, id, versions),
  })
  if (!beforeUpdate && !afterUpdate)
    return updateRow(database.single, resource, caller, id, stored, conditions)
  return database.transaction(async (transaction) => {
    // One id was asked for, and a row that is missing was refused.
    const [before] = (await lockVisible(transaction, resource, caller, [id], toUpdate)) as [Row]
    beforeUpdate?.(before, values)
    const after = await updateRow(transaction, resource, caller, id, stored, conditions)
    await afterUpdate?.(transaction, before, after, stored)
    return after
  })
}

const toUpdate = { state: 'active', strength: 'no key update' } as const

interface Updating {
  readonly ids: readonly string[]
  readonly values: Values
  readonly references: readonly Condition[]
  readonly versions: readonly Condition[]
}

/** The conditions of an update, in the order in which they refuse. The row as it was is called `before`. */
export function updateConditions(
  resource: Resource,
  caller: Caller,
  { ids, values, references, versions }: Updating,
): Condition[] {
  const before = { before: 'before' }
  return [
    {
      locks: { name: 'before', rows: visibleForLock(resource, caller, ids, toUpdate) },
      refusedIf: sql`before.id is null`,
      refusal: () => missing(resource.title),
    },
    ...references,
    ...ownerConditions(resource, caller, values, before),
    ...membershipConditions(resource, caller, values, before),
    ...versions,
    ...(resource.rules.updateConditions?.(values) ?? []),
  ]
}

/** Fields that are asked for and not stored are not here. */
export const storedOf = ({ fields }: Resource, prepared: Values): Values =>
  Object.fromEntries(Object.entries(prepared).filter(([name]) => fields[name]?.presence !== 'updateOnly'))

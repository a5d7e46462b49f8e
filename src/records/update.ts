import { recordPasswordChange } from '../accounts/change-password.ts'
import { beforeCte } from '../db/conditional-write.ts'
import type { Database, Queries } from '../db/database.ts'
import { type Row, updateRow, type Values } from '../db/rows.ts'
import type { Caller } from '../model/caller.ts'
import type { Resource } from '../resources/define-resource.ts'
import type { Context } from './context.ts'
import { updateInGroup } from './create.ts'
import {
  leavesProjectProblem,
  needsProjectRules,
  removeLinksOfMovedRow,
  requireProjectRules,
} from './project-rules.ts'
import { parseBody } from './record-json.ts'
import { isAccountResource, recordAccountChange, requireAccess } from './rights.ts'
import {
  lockVisible,
  type RequiredVersions,
  referenceConditions,
  updateConditions,
  updateLock,
  versionConditions,
} from './write-conditions.ts'

/**
 * Updates a row in one statement, which may also include concurrent changes by other callers. Runs a
 * transaction instead if hooks or project rules need several statements, or if the row moves to another
 * project.
 */
export async function update(
  context: Context,
  resource: Resource,
  caller: Caller,
  body: unknown,
  versions: RequiredVersions = new Map(),
): Promise<Row> {
  const { hooks } = resource
  requireAccess(resource, caller, 'write')
  const { id = '', values } = parseBody(resource, body, 'update', context)
  const prepared = (await hooks.prepare?.(values, context.passwords)) ?? values
  const stored = storedValues(resource, prepared)
  const updated = await writeUpdate(context.database, resource, caller, { id, values, stored, versions })
  if (isAccountResource(resource)) recordAccountChange(context.securityLog, caller, 'update', [id])
  if ('passwordHash' in stored) recordPasswordChange(context.securityLog, caller, id)
  return updated
}

interface UpdateRequest {
  readonly id: string
  readonly values: Values
  readonly stored: Values
  readonly versions: RequiredVersions
}

/** Whether an update needs several statements, because hooks or project rules check each row. */
export const needsTransaction = (resource: Resource, values: Values): boolean =>
  resource.hooks.beforeUpdate !== undefined ||
  resource.hooks.afterUpdate !== undefined ||
  needsProjectRules(resource, values)

export function writeUpdate(
  database: Database,
  resource: Resource,
  caller: Caller,
  { id, values, stored, versions }: UpdateRequest,
): Promise<Row> {
  const { hooks } = resource
  const write = (queries: Queries, { toStore = stored, canLeaveProject = false } = {}) =>
    updateRow(
      queries,
      resource,
      caller,
      id,
      toStore,
      updateConditions(resource, caller, {
        ids: [id],
        values,
        references: referenceConditions(resource, values, { before: beforeCte, caller }),
        versions: versionConditions(resource, id, versions),
        canLeaveProject,
      }),
    )
  const writeInTransaction = () =>
    database.transaction(async (transaction) => {
      // A single id was given, and a missing row would have thrown.
      const [before] = (await lockVisible(transaction, resource, caller, [id], updateLock)) as [Row]
      hooks.beforeUpdate?.(before, values)
      const clearedReferences = await removeLinksOfMovedRow(transaction, resource, caller, before, values)
      const after = await write(transaction, {
        toStore: { ...clearedReferences, ...stored },
        canLeaveProject: true,
      })
      await hooks.afterUpdate?.(transaction, before, after, stored)
      if (needsProjectRules(resource, values)) await requireProjectRules(transaction, resource, [id])
      return after
    })
  if (needsTransaction(resource, values)) return writeInTransaction()
  const { singleWrites } = database
  return updateInGroup(singleWrites, resource, { caller, id, values, stored, versions }, () =>
    write(singleWrites).catch((error: unknown) => {
      // Links of a row that moves to another project can be removed only in a transaction.
      if (error !== leavesProjectProblem) throw error
      return writeInTransaction()
    }),
  )
}

/** Leaves out fields that are parsed but not stored. */
export const storedValues = ({ fields }: Resource, prepared: Values): Values =>
  Object.fromEntries(Object.entries(prepared).filter(([name]) => fields[name]?.presence !== 'updateOnly'))

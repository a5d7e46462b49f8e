import type { Caller } from '../model/caller.ts'
import { stale } from '../model/problem.ts'
import type { Queries } from '../store/database.ts'
import { newId } from '../store/new-id.ts'
import { insertRow, type Row, type Values } from '../store/rows.ts'
import { userProject } from './user-project.ts'

/** Whoever creates a project becomes its first member; without this they could not see it. */
export async function addCreatorAsMember(transaction: Queries, caller: Caller, { id }: Row) {
  await insertRow(transaction, userProject, caller, { id: newId(), userId: caller.id, projectId: id })
}

/** The version is the moment of the last change. Without `expectedVersion` the last write wins. */
export async function refuseStaleVersion(_transaction: Queries, before: Row, { expectedVersion }: Values) {
  const current = before.updatedAt ?? before.createdAt
  if (typeof expectedVersion === 'string' && expectedVersion !== current) throw stale('Project')
}

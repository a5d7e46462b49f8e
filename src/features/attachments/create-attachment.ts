import type { Queries } from '../../db/database.ts'
import { insertRow, type Row, type Values } from '../../db/rows.ts'
import { raw, sql } from '../../db/sql.ts'
import type { Caller } from '../../model/caller.ts'
import { contended, invalid } from '../../model/problem.ts'
import type { Context } from '../../records/context.ts'
import { projectsOf } from '../../records/visible-rows.ts'
import { createConditions, referenceConditions } from '../../records/write-conditions.ts'
import { attachment } from '../../resources/attachment.ts'

/** Returns the project of an assignment to which the caller may attach files. */
export async function requireAssignment(
  { database }: Context,
  caller: Caller,
  assignmentId: string,
): Promise<string> {
  const isMember = caller.isAdministrator ? raw('true') : sql`project_id in ${projectsOf(caller, 'active')}`
  const [found] = await database.query<{ projectId: string }>(
    sql`select project_id as "projectId" from assignments where id = ${assignmentId} and active and ${isMember}`,
  )
  if (!found) throw invalid({ assignmentId: ['AssignmentId must refer to an active assignment.'] })
  return found.projectId
}

/** Rejects a file for which the project has no room at the moment, before a byte of it is read. */
export async function requireRoom(
  { database }: Context,
  caller: Caller,
  { projectId, bytes, bytesMax }: { projectId: string; bytes: number; bytesMax: number },
): Promise<void> {
  const [found] = await database.listReads.query<{ bytes: number }>(storedBytes(projectId), caller.id)
  if ((found?.bytes ?? 0) + countedBytes(bytes) > bytesMax) throw projectIsFull(bytesMax)
}

/** A disk needs as much for a small file; so the quota also limits the number of files. */
const countedBytesMin = 4096
const countedBytes = (bytes: number): number => Math.max(bytes, countedBytesMin)

/** Removed rows count, because their files can be restored until they are purged. */
const storedBytes = (projectId: string) => sql`
  select coalesce(sum(greatest(row.size, ${countedBytesMin}::int)), 0)::float8 as bytes from attachments as row
  join assignments as holder on holder.id = row.assignment_id where holder.project_id = ${projectId}`

const projectIsFull = (bytesMax: number) =>
  invalid({
    generalErrors: [
      `The files of a project may have at most ${bytesMax / 1024 ** 2} MiB together, removed ones included.`,
    ],
  })

export interface NewAttachment {
  readonly id: string
  readonly projectId: string
  readonly values: Values & { readonly assignmentId: string; readonly size: number }
}

/**
 * Creates the row of a file that is stored already. Creates in one project wait for each other by an advisory lock, so that its
 * files stay within the quota. The line of the file is locked, so that a sweep cannot delete the file.
 */
export async function createAttachment(
  { database }: Pick<Context, 'database'>,
  caller: Caller,
  { id, projectId, values }: NewAttachment,
  bytesMax: number,
): Promise<Row> {
  return database.transaction(async (transaction) => {
    await transaction.query(
      sql`select pg_advisory_xact_lock(hashtextextended(${`attachments ${projectId}`}, 0))`,
    )
    await lockFile(transaction, id)
    // A statement after the lock sees all rows that were committed before.
    const [found] = await transaction.query<{ bytes: number }>(storedBytes(projectId))
    if ((found?.bytes ?? 0) + countedBytes(values.size) > bytesMax) throw projectIsFull(bytesMax)
    const conditions = createConditions(attachment, caller, values, [
      ...referenceConditions(attachment, values, { caller }),
      // The lock is that of another project if the assignment was moved in the meantime.
      {
        rejectIf: sql`(select project_id from assignments where id = ${values.assignmentId}) <> ${projectId}`,
        problem: contended,
      },
    ])
    return insertRow(transaction, attachment, caller, { id, ...values }, { conditions })
  })
}

async function lockFile(transaction: Queries, id: string): Promise<void> {
  const [file] = await transaction.query(
    sql`select from attachment_files where id = ${id} and not is_deleting for share`,
  )
  if (!file) throw contended()
}

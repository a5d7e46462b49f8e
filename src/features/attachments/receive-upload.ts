import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { errorCodes } from 'fastify'
import type { Database, Queries } from '../../db/database.ts'
import { insertRow, newId, type Row, type Values } from '../../db/rows.ts'
import { raw, sql } from '../../db/sql.ts'
import { exemptBodyFromTimeout } from '../../http/broken-requests.ts'
import { releaseAll, takeAll } from '../../model/budget.ts'
import type { Caller } from '../../model/caller.ts'
import { fileName, isNullOrBlank } from '../../model/field-kinds.ts'
import {
  busy,
  collectViolations,
  contended,
  invalid,
  Problem,
  unauthenticated,
  type Violations,
} from '../../model/problem.ts'
import { nameCharactersMax, sanitizeFileName, shortenFileName } from '../../model/text.ts'
import type { Context } from '../../records/context.ts'
import { parseUuid } from '../../records/list-query.ts'
import { requireAccess } from '../../records/rights.ts'
import { projectsOf } from '../../records/visible-rows.ts'
import { createConditions, referenceConditions } from '../../records/write-conditions.ts'
import { attachment } from '../../resources/assignment-records.ts'
import type { Exchange, ReceivedBody } from '../../routes/route.ts'
import type { UploadedFile } from './file-store.ts'
import { deleteFile, type Files } from './files.ts'
import { emptyFile, type ReceivedFile, receiveFile, SlowBodyError } from './receive-file.ts'

/** A stored file without a row yet. */
interface Upload extends NewAttachment {
  /** True if the row exists, or may exist. */
  isKept: boolean
  /** Returns the values that must be equal in repeated requests with one Idempotency-Key. */
  toJSON(): object
}

/**
 * Stores the file of a request. The body is not read before the rights of the caller, the quota of the
 * project and the budgets allow it. If the request ends without a row, the file is deleted.
 */
export async function receiveUpload(files: Files, exchange: Exchange): Promise<ReceivedBody> {
  const { context, caller, request } = exchange
  const { limits, budgets } = files
  requireAccess(attachment, caller, 'write')
  const { assignmentId, name } = parseUploadQuery(request.query as UploadQuery)
  const projectId = await requireAssignment(context, caller, assignmentId)
  const { body, bytes } = announcedBody(exchange, limits.fileBytesMax)
  await requireRoom(context, caller, { projectId, bytes, bytesMax: limits.projectBytesMax })
  const shares = [{ budget: budgets.uploadsOfAccount, holder: caller.id }, { budget: budgets.uploads }]
  if (!takeAll(shares)) throw busy(retryAfterSeconds)
  try {
    const id = newId()
    const { type, ...file } = await receiveBody(files, exchange, body, id)
    await storeFile(files, context.database, id, file)
    const { size, sha256 } = file
    const upload: Upload = {
      id,
      projectId,
      values: { name, type, size, sha256, assignmentId, userId: caller.id },
      isKept: false,
      toJSON: () => ({ assignmentId, name, size, sha256 }),
    }
    return {
      body: upload,
      async release() {
        // If the deletion fails, the sweep deletes the file later.
        if (!upload.isKept) await deleteFile(context.database, files.store, id).catch(() => undefined)
      },
    }
  } finally {
    releaseAll(shares)
  }
}

/** Creates the row of the file that `receiveUpload` has stored. */
export async function createFromUpload(files: Files, exchange: Exchange): Promise<Row> {
  const { context, caller, session, request } = exchange
  const upload = request.body as Upload
  // The body may have taken minutes, in which the session may have ended.
  if (!(await session.recheck())) throw unauthenticated()
  try {
    const row = await createAttachment(context, caller, upload, files.limits.projectBytesMax)
    upload.isKept = true
    files.bytes.stored += upload.values.size
    return row
  } catch (error) {
    // The row may exist, unless the database has certainly rejected it. The sweep finds out later.
    upload.isKept = !(error instanceof Problem) || error.kind === 'uncertain'
    throw error
  }
}

/** One of the uploads in progress has probably ended after this time. */
const retryAfterSeconds = 5

type UploadQuery = Readonly<Record<string, unknown>>

function parseUploadQuery(query: UploadQuery) {
  const violations = collectViolations()
  const assignmentId = parseUuid('assignmentId', query.assignmentId, violations)
  if (query.assignmentId === undefined) violations.add('assignmentId', 'AssignmentId is required.')
  const name = parseName(query.name, violations)
  violations.throwIfAny()
  return { assignmentId: assignmentId as string, name: name as string }
}

const nameKind = fileName({ max: nameCharactersMax })

function parseName(input: unknown, violations: Violations): string | undefined {
  const name = typeof input === 'string' ? shortenFileName(sanitizeFileName(input), nameCharactersMax) : input
  const parsed = isNullOrBlank(input) ? { problems: ['Name is required.'] } : nameKind.parse(name, 'Name')
  if ('value' in parsed) return parsed.value
  violations.add('name', ...parsed.problems)
  return undefined
}

/** Returns the unread body and its length, according to `content-length`. Without that header, the length is 1. */
function announcedBody({ request }: Exchange, bytesMax: number) {
  const bytes = Number(request.headers['content-length'] ?? 1)
  if (bytes > bytesMax) throw new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE()
  if (!(request.body instanceof Readable)) throw emptyFile()
  return { body: request.body, bytes }
}

async function receiveBody(
  { limits, uploadDirectory }: Files,
  { request, reply }: Exchange,
  body: Readable,
  id: string,
): Promise<ReceivedFile> {
  exemptBodyFromTimeout(request, reply)
  try {
    return await receiveFile(body, join(uploadDirectory, `${id}${uploadExtension}`), {
      bytesMax: limits.fileBytesMax,
      milliseconds: limits.uploadMilliseconds,
    })
  } catch (error) {
    // Closes the connection after the response, instead of waiting for the rest of a slow body.
    if (error instanceof SlowBodyError) reply.raw.once('finish', () => request.raw.destroy())
    throw error
  }
}

/** The extension of the files in the directory of uploads. */
const uploadExtension = '.part'

/**
 * The row in `attachment_files` is committed before the file is stored, so that the sweep finds a file that
 * a crash leaves behind.
 */
async function storeFile(
  { store }: Files,
  database: Database,
  id: string,
  file: UploadedFile,
): Promise<void> {
  try {
    await database.singleWrites.query(sql`insert into attachment_files (id) values (${id}) returning 1`)
    await store.put(id, file)
  } catch (error) {
    // The first error is reported. The sweep deletes the rest.
    await rm(file.path, { force: true }).catch(() => undefined)
    await deleteFile(database, store, id).catch(() => undefined)
    throw error
  }
}

/** Returns the project of an assignment to which the caller may attach files. */
async function requireAssignment(
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

/** Rejects a file that would exceed the quota of the project, before a byte of it is read. */
async function requireRoom(
  { database }: Context,
  caller: Caller,
  { projectId, bytes, bytesMax }: { projectId: string; bytes: number; bytesMax: number },
): Promise<void> {
  const [found] = await database.listReads.query<{ bytes: number }>(storedBytes(projectId), caller.id)
  if ((found?.bytes ?? 0) + countedBytes(bytes) > bytesMax) throw projectIsFull(bytesMax)
}

/** Even a small file takes this much on a disk. Counting it also limits the number of files. */
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

interface NewAttachment {
  readonly id: string
  readonly projectId: string
  readonly values: Values & { readonly assignmentId: string; readonly size: number }
}

/**
 * Creates the row of a stored file. An advisory lock serializes the uploads of a project, so that its files
 * stay within the quota. The record of the file is locked, so that a sweep cannot delete the file.
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
      // If the assignment was moved in the meantime, the lock above is the lock of its former project.
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

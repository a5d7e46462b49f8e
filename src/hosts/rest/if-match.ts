import type { FastifyRequest } from 'fastify'
import { entityTag, matchesStrongly } from '../../http/conditional.ts'
import type { Caller } from '../../model/caller.ts'
import { isMissing, uuid } from '../../model/field-kinds.ts'
import { changed, Problem } from '../../model/problem.ts'
import { get } from '../../operations/get.ts'
import { idsMax } from '../../operations/limits.ts'
import { type RequiredVersions, versionOf } from '../../operations/required-versions.ts'
import { showRecord } from '../../operations/show-record.ts'
import type { Tracker } from '../../operations/tracker.ts'
import type { Resource } from '../../resources/define-resource.ts'
import type { Row } from '../../store/rows.ts'
import type { Exchange } from './route.ts'

/** The JSON of one row, which its ETag is made from. */
export const rowAnswer = (resource: Resource, row: Row) => ({ [resource.name]: showRecord(resource, row) })

/**
 * The versions that rows must have under a write with `If-Match`: those of the rows whose ETags it names. They are read
 * before the write and compared again when the rows are locked, so nothing can change in between.
 */
export async function readIfMatch(
  tracker: Tracker,
  resource: Resource,
  { caller, request }: Exchange,
  ids: unknown,
): Promise<RequiredVersions> {
  const ifMatch = request.headers['if-match']
  const given: readonly unknown[] = Array.isArray(ids) ? ids : [ids]
  // Any row will do; one that is missing is refused anyhow, and so are too many.
  if (ifMatch === undefined || ifMatch.trim() === '*' || given.length > idsMax) return new Map()
  const versions = given.map(async (id) => {
    const reading = uuid.read(id, 'Id')
    if ('problems' in reading) return []
    const row = await findRow(tracker, resource, caller, reading.value)
    return [[reading.value, row && isNamed(ifMatch, resource, caller, row) ? versionOf(row) : null] as const]
  })
  return new Map((await Promise.all(versions)).flat())
}

/** Of a write that makes a row: there is none yet that a tag could name. */
export function refuseIfMatch({ title }: Resource, request: FastifyRequest): void {
  if (!isMissing(request.headers['if-match'])) throw changed(title)
}

const isNamed = (ifMatch: string, resource: Resource, caller: Caller, row: Row): boolean =>
  matchesStrongly(
    ifMatch,
    entityTag(caller.id, caller.isAdministrator, JSON.stringify(rowAnswer(resource, row))),
  )

/** Why it cannot be had is for the write to say. */
async function findRow(tracker: Tracker, resource: Resource, caller: Caller, id: string) {
  try {
    return (await get(tracker, resource, caller, id)).row
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}

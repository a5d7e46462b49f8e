import type { FastifyRequest } from 'fastify'
import { selectColumns, tableOf } from '../db/columns.ts'
import type { Row } from '../db/rows.ts'
import { sql } from '../db/sql.ts'
import { entityTag, matchesStrongly } from '../http/conditional.ts'
import type { Caller } from '../model/caller.ts'
import { isNullOrBlank, uuid } from '../model/field-kinds.ts'
import { changed } from '../model/problem.ts'
import type { Context } from '../records/context.ts'
import { idsMax } from '../records/list-query.ts'
import { serializeRecord } from '../records/record-json.ts'
import { visibleRows } from '../records/visible-rows.ts'
import { type RequiredVersions, versionOf } from '../records/write-conditions.ts'
import { resourceNamed } from '../resources/all.ts'
import type { Resource } from '../resources/define-resource.ts'
import { allForms } from '../resources/derived.ts'
import type { Exchange } from './route.ts'

/** Returns the body of a response with one row. Its JSON determines the ETag. */
export const recordBody = (resource: Resource, row: Row) => ({
  [resource.name]: serializeRecord(resource, row),
})

/**
 * Returns the versions that rows must still have for a write with `If-Match`: those of the rows whose ETags
 * it names. They are read before the write and compared again when the rows are locked, so a concurrent
 * change cannot be missed.
 */
export async function readIfMatchVersions(
  context: Context,
  resource: Resource,
  { caller, request }: Exchange,
  ids: unknown,
): Promise<RequiredVersions> {
  const ifMatch = request.headers['if-match']
  const idList: readonly unknown[] = Array.isArray(ids) ? ids : [ids]
  // Without tags any version is accepted. Missing rows and too many ids are rejected later.
  if (ifMatch === undefined || ifMatch.trim() === '*' || idList.length > idsMax) return new Map()
  const expectedTags = new Map(
    idList.flatMap((id) => {
      const parsedId = uuid.parse(id, 'Id')
      return 'value' in parsedId ? [[parsedId.value, ifMatch] as const] : []
    }),
  )
  return readExpectedVersions(context, resource, caller, expectedTags)
}

/**
 * Maps each id to the version that the row must still have under its own `If-Match`. The write itself reports
 * why a row cannot be changed.
 */
export async function readExpectedVersions(
  { database }: Context,
  resource: Resource,
  caller: Caller,
  expectedTags: ReadonlyMap<string, string>,
): Promise<RequiredVersions> {
  if (expectedTags.size === 0) return new Map()
  // A tag may be from v1 or from an extension, which shows more fields.
  const forms = allForms().filter(({ name }) => name === resource.name)
  const rows = await database.query<Row>(sql`
    select ${selectColumns(resourceNamed(resource.name))} from ${tableOf(resource)} as row
    where row.id = any(${[...expectedTags.keys()]}::uuid[]) and row.active and ${visibleRows(resource, caller)}`)
  const byId = new Map(rows.map((row) => [row.id, row]))
  return new Map(
    [...expectedTags].map(([id, ifMatch]) => {
      const row = byId.get(id)
      const isNamed = row && forms.some((form) => matchesStrongly(ifMatch, etagOf(form, caller, row)))
      return [id, isNamed ? versionOf(row) : null]
    }),
  )
}

/** Rejects `If-Match` for a create, because no row exists yet that a tag could name. */
export function rejectIfMatchHeader({ title }: Resource, request: FastifyRequest): void {
  if (!isNullOrBlank(request.headers['if-match'])) throw changed(title)
}

/** Returns the tag that a read of this row by its id would return. */
export const etagOf = (resource: Resource, caller: Caller, row: Row): string =>
  etagOfBody(caller, recordBody(resource, row))

export const etagOfBody = ({ id, isAdministrator }: Caller, body: unknown): string =>
  entityTag(id, isAdministrator, JSON.stringify(body))

/** Returns whether `If-Match` is absent or names this body. It is for bodies that are not records. */
export function matchesIfMatch({ caller, request }: Exchange, body: unknown): boolean {
  const ifMatch = request.headers['if-match']
  if (ifMatch === undefined || ifMatch.trim() === '*') return true
  return matchesStrongly(ifMatch, etagOfBody(caller, body))
}

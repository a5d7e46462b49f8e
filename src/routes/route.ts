import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Authenticated } from '../auth/authenticate.ts'
import { selectColumns, tableOf } from '../db/columns.ts'
import type { FairQueue } from '../db/fair-queue.ts'
import type { LastChange } from '../db/modification-dates.ts'
import type { Row } from '../db/rows.ts'
import { sql } from '../db/sql.ts'
import type { Operation as HttpOperation, Schema } from '../http/openapi.ts'
import { entityTag, matchesStrongly } from '../http/representations.ts'
import type { Caller } from '../model/caller.ts'
import type { Deprecation } from '../model/field.ts'
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

/** An operation of this host as its document describes it. */
export interface Operation extends HttpOperation {
  readonly body?: Schema
  /** The media type of the body in the document; JSON by default. */
  readonly bodyType?: string
  /** Deprecated fields of the body. A request that uses one gets the headers of a deprecation. */
  readonly deprecatedFields?: Readonly<Record<string, Deprecation>>
  readonly response: Schema
  /** The media types of the response; JSON by default. */
  readonly responseTypes?: readonly string[]
  /** Also serves `Accept: text/csv` with a table. */
  readonly hasTable?: true
  /** Responds with validators, and with 304 to a client that has the same body already. */
  readonly isConditional?: true
  /** Takes `Range` and `If-None-Match`, and responds with a part of the body or with 304. */
  readonly hasRanges?: true
  /** Responds with a tag for `If-Match` only. */
  readonly hasETag?: true
  /** True if the route takes `If-Match` with the ETags of the rows that it changes. */
  readonly hasPrecondition?: true
  /** The largest body, if not the common limit. */
  readonly bodyBytesMax?: number
  /** The events of a stream that is not a live listing, by name. */
  readonly events?: Readonly<Record<string, Schema>>
  /** Needs no token, so the caller is unknown. */
  readonly isPublic?: true
  /**
   * True for a route that creates credentials that outlast the tokens of apps. It requires a session of the
   * web client.
   */
  readonly requiresWebClient?: true
  /** Belongs to a resource of accounts. Its writes require a session that is active now, despite the cache. */
  readonly changesAccounts?: true
  /** Sets a password, or invites users to set one, so it is rejected where passwords are switched off. */
  readonly requiresPasswords?: true
  /** Also serves `Accept: text/event-stream` with a live listing. */
  readonly isLive?: true
  /** A POST that takes no Idempotency-Key, because its handler takes over the response. */
  readonly withoutIdempotencyKey?: true
}

/** One request and the account it acts for. */
export interface Exchange {
  /**
   * The context of the request. Under an Idempotency-Key, its writes belong to the transaction that stores
   * the response. For changes of credentials, each transaction checks the session.
   */
  readonly context: Context
  readonly caller: Caller
  readonly session: Authenticated
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

export interface RouteResponse extends LastChange {
  readonly body?: unknown
  /** Text that is JSON already, in place of a body. */
  readonly json?: string
}

/** A body that was received by the route itself. */
export interface ReceivedBody {
  /** Becomes the body of the request. Its JSON is compared under an Idempotency-Key. */
  readonly body: object
  /** Called when the request has been handled, or has failed. */
  release(): Promise<void>
}

/**
 * Returns whether an operation takes an Idempotency-Key. Keys belong to accounts, so public operations take
 * none.
 */
export const acceptsIdempotencyKey = ({ method, isPublic, withoutIdempotencyKey }: Operation): boolean =>
  method === 'POST' && !isPublic && !withoutIdempotencyKey

/** Makes routes accept personal access tokens, whose rights `src/records/` checks on every row. */
export const acceptPersonalAccessTokens = (routes: readonly Route[]): Route[] =>
  routes.map((route) => ({ ...route, acceptsPersonalAccessTokens: true }))

export interface Route extends Operation {
  /**
   * True if the route accepts personal access tokens. Other routes require a session, and for changes a
   * session of the web client or a service client.
   */
  readonly acceptsPersonalAccessTokens?: true
  /** Takes the token from the parameter `token` if there is no Authorization header. */
  readonly acceptsTokenInQuery?: true
  /** Returns the `WWW-Authenticate` challenge, if it contains more than the scheme. */
  challenge?(request: FastifyRequest): string
  /** The queue in which its requests wait before their bodies are read. */
  readonly queue?: FairQueue
  /** Rejects callers by their token, before their bodies are read. */
  admit?(caller: Caller): Promise<void>
  /** Receives the body before the request is handled. The body is an unread stream of any content type. */
  receive?(exchange: Exchange): Promise<ReceivedBody>
  /** Returns nothing when the handler has taken over the connection. */
  handle(exchange: Exchange): Promise<RouteResponse | undefined>
}

/** Returns the body of a response with one row. Its JSON determines the ETag. */
export const recordBody = (resource: Resource, row: Row) => ({
  [resource.name]: serializeRecord(resource, row),
})

/**
 * Returns the versions that rows must have for a write with `If-Match`. They are read before the write and
 * compared when the rows are locked, so a concurrent change is noticed.
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
 * Maps each id to the version of its row if the row matches the `If-Match` of this id, and otherwise to null,
 * which matches no version. The write itself reports why a row cannot be changed.
 */
export async function readExpectedVersions(
  { database }: Context,
  resource: Resource,
  caller: Caller,
  expectedTags: ReadonlyMap<string, string>,
): Promise<RequiredVersions> {
  if (expectedTags.size === 0) return new Map()
  // A tag may be from v1 or from an extension. The extension has more fields.
  const forms = allForms().filter(({ name }) => name === resource.name)
  const rows = await database.query<Row>(sql`
    select ${selectColumns(resourceNamed(resource.name))} from ${tableOf(resource)} as row
    where row.id = any(${[...expectedTags.keys()]}::uuid[]) and row.active and ${visibleRows(resource, caller)}`)
  const byId = new Map(rows.map((row) => [row.id, row]))
  return new Map(
    [...expectedTags].map(([id, ifMatch]) => {
      const row = byId.get(id)
      const isMatch = row && forms.some((form) => matchesStrongly(ifMatch, etagOf(form, caller, row)))
      return [id, isMatch ? versionOf(row) : null]
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

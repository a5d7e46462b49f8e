import type { Queries } from '../../db/database.ts'
import { raw, type Sql, sql } from '../../db/sql.ts'
import type { Caller } from '../../model/caller.ts'
import { forbidden, notFound } from '../../model/problem.ts'
import { historyVisibleRow, readableEntries } from '../../records/visible-rows.ts'
import { project } from '../../resources/project.ts'

/**
 * A message belongs to an account that could read its contents. Whenever it is shown or sent, the access of
 * the account to the row is checked again. This check holds no lock, so when a membership ends, messages that
 * have just passed it may still arrive.
 */
export interface KeptMessage {
  /** A text such as `assignment.update`, or `test` for a message about no row. */
  readonly type: string
  readonly rowId: string
}

/** The condition under which the caller may read the message of a row called `delivery`. */
export const isReadable = (caller: Caller): Sql =>
  caller.isAdministrator
    ? raw('true')
    : sql`(delivery.type = 'test' or exists (
        select 1 from (select split_part(delivery.type, '.', 1) as resource, delivery.row_id) as entry
        where ${readableEntries(caller)}))`

/**
 * Removes what this reader may not see. The message was created for the owner, who may have been an
 * administrator then. A reader who is not an administrator sees the session and the request only of their own changes.
 */
export function bodyFor(reader: Caller, body: string): string {
  if (reader.isAdministrator) return body
  const { data, ...message } = JSON.parse(body) as { data: Record<string, unknown> }
  if (data.callerId === reader.id || !('sessionId' in data)) return body
  return JSON.stringify({ ...message, data: { ...data, sessionId: null, requestId: null } })
}

/** The condition under which the caller may see and change a webhook called `hook`. */
export const isVisibleWebhook = (caller: Caller): Sql =>
  caller.isAdministrator ? raw('true') : sql`hook.user_id = ${caller.id}`

export async function requireVisibleWebhook(queries: Queries, caller: Caller, id: string): Promise<void> {
  const [found] = await queries.query(
    sql`select 1 from webhooks as hook where hook.id = ${id} and ${isVisibleWebhook(caller)}`,
  )
  if (!found) throw notFound('Webhook')
}

/**
 * Throws if the caller can no longer read the project of the webhook. Called before a webhook is updated,
 * its secret is rotated, or a test or a replay is queued.
 */
export async function requireReadableProject(queries: Queries, caller: Caller, id: string): Promise<void> {
  const [found] = await queries.query<{ isReadable: boolean }>(sql`
    select hook.project_id is null or exists (
        select 1 from projects as row where row.id = hook.project_id and ${historyVisibleRow(project, caller)}
      ) as "isReadable"
    from webhooks as hook where hook.id = ${id} and ${isVisibleWebhook(caller)}`)
  if (!found) throw notFound('Webhook')
  if (!found.isReadable)
    throw forbidden('You can no longer read the project of this webhook. It can only be removed.')
}

import { newId } from '../db/columns.ts'
import type { Database, Queries } from '../db/database.ts'
import { deleteInBatches } from '../db/purge.ts'
import { raw, type Sql, sql } from '../db/sql.ts'
import { gone } from '../model/problem.ts'
import { hashOfToken, linkPrefix, newTokenText } from './parse-fields.ts'
import { requireSignIn } from './sign-ins.ts'

export type LinkPurpose = 'invitation' | 'password'

export const invitationHours = 72

export interface LinkOptions {
  readonly purpose: LinkPurpose
  readonly madeBy: string
  readonly hours: number
  readonly projectId?: string | undefined
  readonly userId?: string
  readonly securityStamp?: string
  /** The session that creates the link; undefined if the program itself creates it. */
  readonly sessionId?: string | undefined
  /** The creator's security stamp at the time a mail was requested; defaults to the current stamp. */
  readonly makerStamp?: string | undefined
}

export interface Link {
  readonly id: string
  readonly madeBy: string
  readonly projectId: string | null
  readonly userId: string | null
  readonly createdAt: string
  readonly expiresAt: string
}

export interface MadeLink {
  readonly link: Link
  /** Returned only once; the store keeps its hash. */
  readonly secret: string
}

export const linkColumns = raw(`link.id, link.made_by as "madeBy", link.project_id as "projectId",
  link.user_id as "userId", link.created_at as "createdAt", link.expires_at as "expiresAt"`)

/**
 * True if the row aliased as `link` is unused and valid. Any new password ends the links for its account and
 * the links created by that account.
 */
export const isOpen = raw(`link.used_at is null and link.ended_at is null and link.expires_at > now()
  and (link.user_id is null or exists (
    select 1 from users as account where account.id = link.user_id and account.active
      and account.security_stamp = link.security_stamp))
  and (link.maker_stamp is null or exists (
    select 1 from users as maker where maker.id = link.made_by and maker.security_stamp = link.maker_stamp))`)

export async function makeLink(transaction: Queries, requested: LinkOptions): Promise<MadeLink> {
  // A mail's session was checked when the mail was requested and may have ended since.
  if (requested.makerStamp === undefined) await requireSignIn(transaction, requested.sessionId)
  const secret = newTokenText(linkPrefix)
  const [link] = await transaction.query<Link>(sql`
    insert into account_links as link (id, purpose, hash, made_by, maker_session_id, maker_stamp, project_id, user_id,
      security_stamp, expires_at)
    select ${newId()}::uuid, ${requested.purpose}, ${hashOfToken(secret, linkPrefix)}::bytea, maker.id, ${requested.sessionId ?? null},
      coalesce(${requested.makerStamp ?? null}, maker.security_stamp), ${requested.projectId ?? null}::uuid,
      ${requested.userId ?? null}::uuid, ${requested.securityStamp ?? null}, now() + make_interval(hours => ${requested.hours}::int)
    from users as maker where maker.id = ${requested.madeBy}
    returning ${linkColumns}`)
  return { link: link as Link, secret }
}

/** Ends the unused links that these sessions created, and the mails with links that they requested. */
export async function endLinksOf(transaction: Queries, sessionIds: readonly string[]): Promise<void> {
  await endLinks(transaction, sql`maker_session_id = any(${sessionIds}::text[])`)
}

/** Ends an account's links and mails regardless of session state, except those of one session. */
export async function endLinksOfAccount(
  transaction: Queries,
  accountId: string,
  keptSessionId?: string,
): Promise<void> {
  await endLinks(
    transaction,
    sql`made_by = ${accountId} and maker_session_id is distinct from ${keptSessionId ?? ''}`,
  )
}

async function endLinks(transaction: Queries, which: Sql): Promise<void> {
  await transaction.query(
    sql`update account_links set ended_at = now() where ${which} and used_at is null and ended_at is null`,
  )
  // Mails without a link are still sent.
  await transaction.query(
    sql`update mails set ended_at = now() where ${which} and purpose <> 'factors' and ended_at is null`,
  )
}

/** This lookup precedes password hashing, so only a valid link can cause that cost. */
export async function findOpenLink(queries: Queries, purpose: LinkPurpose, secret: string): Promise<Link> {
  const hash = hashOfToken(secret, linkPrefix)
  const [link] = hash
    ? await queries.query<Link>(sql`
        select ${linkColumns} from account_links as link
        where link.hash = ${hash} and link.purpose = ${purpose} and ${isOpen}`)
    : []
  if (!link) throw linkExpired()
  return link
}

/**
 * The row's lock lets one of two concurrent uses through; a later error rolls back and leaves the link
 * unused.
 */
export async function useLink(transaction: Queries, { id }: Link): Promise<void> {
  const [used] = await transaction.query(
    sql`update account_links as link set used_at = now() where link.id = ${id} and ${isOpen} returning true`,
  )
  if (!used) throw linkExpired()
}

/** Links this old are long expired: no request needs them and no list shows them. */
export const purgeLinks = (database: Database): Promise<void> =>
  deleteInBatches(database, { table: 'account_links' }, sql`expires_at < now() - interval '30 days'`)

/** The project or other target of an invitation, named as users know it. */
export interface InvitedInto {
  readonly project: string
  readonly organization: string
}

export const invitedInto = (projectId: string): Sql => sql`
  select project.name as project, organization.name as organization
  from projects as project join organizations as organization on organization.id = project.organization_id
  where project.id = ${projectId} and project.active`

export const linkExpired = () =>
  gone('This link has been used, has ended, or never was one. Ask for a new one.')

import { newId } from '../db/columns.ts'
import type { Database, Queries } from '../db/database.ts'
import { deleteInBatches } from '../db/purge.ts'
import { raw, type Sql, sql } from '../db/sql.ts'
import { gone } from '../model/problem.ts'
import { hashOfToken, linkPrefix, newTokenText } from './read-fields.ts'
import { requireSignIn } from './sign-ins.ts'

export type LinkPurpose = 'invitation' | 'password'

export const invitationHours = 72

export interface LinkWish {
  readonly purpose: LinkPurpose
  readonly madeBy: string
  readonly hours: number
  readonly projectId?: string | undefined
  readonly userId?: string
  readonly securityStamp?: string
  /** The sign-in by which it is made; none where the program makes it. */
  readonly sessionId?: string | undefined
  /** That of its maker when a mail was asked for; otherwise as it is now. */
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
  /** Shown this once; the store has its hash. */
  readonly secret: string
}

export const linkColumns = raw(`link.id, link.made_by as "madeBy", link.project_id as "projectId",
  link.user_id as "userId", link.created_at as "createdAt", link.expires_at as "expiresAt"`)

/** A link called `link` that nobody has used. A new password, no matter who gave it, ends those of its account and those made by it. */
export const isOpen = raw(`link.used_at is null and link.ended_at is null and link.expires_at > now()
  and (link.user_id is null or exists (
    select 1 from users as account where account.id = link.user_id and account.active
      and account.security_stamp = link.security_stamp))
  and (link.maker_stamp is null or exists (
    select 1 from users as maker where maker.id = link.made_by and maker.security_stamp = link.maker_stamp))`)

export async function makeLink(transaction: Queries, wish: LinkWish): Promise<MadeLink> {
  // For a mail that was asked for the sign-in stood then, and may have been left since.
  if (wish.makerStamp === undefined) await requireSignIn(transaction, wish.sessionId)
  const secret = newTokenText(linkPrefix)
  const [link] = await transaction.query<Link>(sql`
    insert into account_links as link (id, purpose, hash, made_by, maker_session_id, maker_stamp, project_id, user_id,
      security_stamp, expires_at)
    select ${newId()}::uuid, ${wish.purpose}, ${hashOfToken(secret, linkPrefix)}::bytea, maker.id, ${wish.sessionId ?? null},
      coalesce(${wish.makerStamp ?? null}, maker.security_stamp), ${wish.projectId ?? null}::uuid,
      ${wish.userId ?? null}::uuid, ${wish.securityStamp ?? null}, now() + make_interval(hours => ${wish.hours}::int)
    from users as maker where maker.id = ${wish.madeBy}
    returning ${linkColumns}`)
  return { link: link as Link, secret }
}

/** The links that these sign-ins have made and nobody has used yet, and the mails with links that they have asked for. */
export async function endLinksOf(transaction: Queries, sessionIds: readonly string[]): Promise<void> {
  await endLinks(transaction, sql`maker_session_id = any(${sessionIds}::text[])`)
}

/** The same of an account, whatever has become of its sign-ins, but for those of one. */
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
  // Mails without a link go on.
  await transaction.query(
    sql`update mails set ended_at = now() where ${which} and purpose <> 'factors' and ended_at is null`,
  )
}

/** Asked before a password is hashed, which nobody can cause without a link that works. */
export async function findOpenLink(queries: Queries, purpose: LinkPurpose, secret: string): Promise<Link> {
  const hash = hashOfToken(secret, linkPrefix)
  const [link] = hash
    ? await queries.query<Link>(sql`
        select ${linkColumns} from account_links as link
        where link.hash = ${hash} and link.purpose = ${purpose} and ${isOpen}`)
    : []
  if (!link) throw linkOver()
  return link
}

/** Of two who use it at once, the row's lock lets one through; what is refused afterwards leaves it unused. */
export async function useLink(transaction: Queries, { id }: Link): Promise<void> {
  const [used] = await transaction.query(
    sql`update account_links as link set used_at = now() where link.id = ${id} and ${isOpen} returning true`,
  )
  if (!used) throw linkOver()
}

/** Long over: nobody asks for them, and no list shows them. */
export const forgetOldLinks = (database: Database): Promise<void> =>
  deleteInBatches(database, { table: 'account_links' }, sql`expires_at < now() - interval '30 days'`)

/** What an invitation leads into, as people call it. */
export interface InvitedInto {
  readonly project: string
  readonly organization: string
}

export const invitedInto = (projectId: string): Sql => sql`
  select project.name as project, organization.name as organization
  from projects as project join organizations as organization on organization.id = project.organization_id
  where project.id = ${projectId} and project.active`

export const linkOver = () => gone('This link has been used, has ended, or never was one. Ask for a new one.')

import type { Database, Queries } from '../db/database.ts'
import { deleteInBatches } from '../db/purge.ts'
import { newId } from '../db/rows.ts'
import { raw, type Sql, sql } from '../db/sql.ts'
import { text } from '../model/field-kinds.ts'
import { gone } from '../model/problem.ts'
import { lockActiveSession } from './sessions.ts'
import { generateToken, hashOfToken, linkTokenPrefix } from './token-text.ts'

type LinkPurpose = 'invitation' | 'password'

export const invitationHours = 72
export const passwordLinkHours = 1

export const linkSecretCharactersMax = 100
/** The field of a request that has the secret of a link. */
export const linkSecretField = text({ max: linkSecretCharactersMax })

interface LinkOptions {
  readonly purpose: LinkPurpose
  readonly creatorId: string
  readonly hours: number
  readonly projectId?: string | undefined
  readonly userId?: string
  /** The current security stamp of the account `userId`. */
  readonly securityStamp?: string
  /** The session that creates the link. Undefined without a session, as on the command line. */
  readonly sessionId?: string | undefined
  /**
   * The security stamp of the creator when the mail with the link was requested. The default is the current
   * stamp.
   */
  readonly creatorStamp?: string | undefined
  /** The mail address to which the link is sent. Undefined if it is not mailed. */
  readonly mailedTo?: string
  /** The name of the invited person, as the inviter typed it. */
  readonly recipientName?: string | undefined
}

/** A link, as responses show it. Its creator is `madeBy` in the API. */
export interface Link {
  readonly id: string
  readonly madeBy: string
  readonly projectId: string | null
  readonly userId: string | null
  readonly recipientName: string | null
  readonly createdAt: string
  readonly expiresAt: string
}

export interface CreatedLink {
  readonly link: Link
  /** Returned only once, because the database has only its hash. */
  readonly secret: string
}

/** SQL: the columns of a `Link`. */
export const linkColumns = raw(`link.id, link.made_by as "madeBy", link.project_id as "projectId",
  link.user_id as "userId", link.recipient_name as "recipientName", link.created_at as "createdAt", link.expires_at as "expiresAt"`)

/**
 * SQL: true if the link in the row called `link` can be used. A new password changes the security stamp, and
 * thereby ends the links of the account.
 */
export const isLinkOpenSql = raw(`link.used_at is null and link.ended_at is null and link.expires_at > now()
  and (link.user_id is null or exists (
    select 1 from users as account where account.id = link.user_id and account.active
      and account.security_stamp = link.security_stamp))
  and (link.maker_stamp is null or exists (
    select 1 from users as creator where creator.id = link.made_by and creator.security_stamp = link.maker_stamp))`)

export async function createLink(transaction: Queries, options: LinkOptions): Promise<CreatedLink> {
  // A mail may be sent after its session has ended. The session was checked when the mail was requested.
  if (options.creatorStamp === undefined) await lockActiveSession(transaction, options.sessionId)
  const secret = generateToken(linkTokenPrefix)
  const [link] = await transaction.query<Link>(sql`
    insert into account_links as link (id, purpose, hash, made_by, maker_session_id, maker_stamp, project_id, user_id,
      security_stamp, mailed_to, recipient_name, expires_at)
    select ${newId()}::uuid, ${options.purpose}, ${hashOfToken(secret, linkTokenPrefix)}::bytea, creator.id, ${options.sessionId ?? null},
      coalesce(${options.creatorStamp ?? null}, creator.security_stamp), ${options.projectId ?? null}::uuid,
      ${options.userId ?? null}::uuid, ${options.securityStamp ?? null}, ${options.mailedTo ?? null}::text,
      ${options.recipientName ?? null}::text,
      now() + make_interval(hours => ${options.hours}::int)
    from users as creator where creator.id = ${options.creatorId}
    returning ${linkColumns}`)
  return { link: link as Link, secret }
}

/**
 * Finds a link that can be used, or throws. Called before a password is hashed, so that invalid links do not
 * cause that cost.
 */
export async function findOpenLink(queries: Queries, purpose: LinkPurpose, secret: string): Promise<Link> {
  const hash = hashOfToken(secret, linkTokenPrefix)
  const [link] = hash
    ? await queries.query<Link>(sql`
        select ${linkColumns} from account_links as link
        where link.hash = ${hash} and link.purpose = ${purpose} and ${isLinkOpenSql}`)
    : []
  if (!link) throw linkExpired()
  return link
}

/**
 * Marks the link as used, and returns the address to which it was mailed, if any. Because of the row lock,
 * only one of two concurrent uses succeeds.
 */
export async function redeemLink(transaction: Queries, { id }: Link): Promise<string | undefined> {
  const [used] = await transaction.query<{ mailedTo: string | null }>(sql`
    update account_links as link set used_at = now() where link.id = ${id} and ${isLinkOpenSql}
    returning link.mailed_to as "mailedTo"`)
  if (!used) throw linkExpired()
  return used.mailedTo ?? undefined
}

/** Deletes links that expired 30 days ago. */
export const purgeLinks = (database: Database): Promise<void> =>
  deleteInBatches(database, { table: 'account_links' }, sql`expires_at < now() - interval '30 days'`)

/** The names of the project of an invitation and of its organization. */
export interface InvitationTarget {
  readonly project: string
  readonly organization: string
}

export const invitationTargetQuery = (projectId: string): Sql => sql`
  select project.name as project, organization.name as organization
  from projects as project join organizations as organization on organization.id = project.organization_id
  where project.id = ${projectId} and project.active`

export const linkExpired = () =>
  gone('This link was already used, has expired or is invalid. Ask for a new one.')

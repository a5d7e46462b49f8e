import { gone } from '../model/problem.ts'
import type { Queries } from '../store/database.ts'
import { newId } from '../store/new-id.ts'
import { raw, sql } from '../store/sql.ts'
import { hashOfToken, linkPrefix, newTokenText } from './token-text.ts'

export type LinkPurpose = 'invitation' | 'password'

export interface LinkWish {
  readonly purpose: LinkPurpose
  readonly madeBy: string
  readonly hours: number
  readonly projectId?: string | undefined
  readonly userId?: string
  readonly securityStamp?: string
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

/** A link called `link` that nobody has used. A new password, no matter who gave it, ends those of its account. */
export const isOpen = raw(`link.used_at is null and link.ended_at is null and link.expires_at > now()
  and (link.user_id is null or exists (
    select 1 from users as account where account.id = link.user_id and account.active
      and account.security_stamp = link.security_stamp))`)

export async function makeLink(transaction: Queries, wish: LinkWish): Promise<MadeLink> {
  const secret = newTokenText(linkPrefix)
  const [link] = await transaction.query<Link>(sql`
    insert into account_links as link (id, purpose, hash, made_by, project_id, user_id, security_stamp, expires_at)
    values (${newId()}, ${wish.purpose}, ${hashOfToken(secret, linkPrefix)}, ${wish.madeBy}, ${wish.projectId ?? null},
      ${wish.userId ?? null}, ${wish.securityStamp ?? null}, now() + make_interval(hours => ${wish.hours}::int))
    returning ${linkColumns}`)
  return { link: link as Link, secret }
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

export const linkOver = () => gone('This link has been used, has ended, or never was one. Ask for a new one.')

import type { Queries } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import type { Language } from '../model/language.ts'
import { isAccountDeactivatedSql } from './deactivation.ts'
import { findLanguage } from './language.ts'
import { createLink, type InvitationTarget, invitationTargetQuery, isOpenLink } from './links.ts'
import { isMailAddress, type QueuedMail } from './mail-queue.ts'
import { passwordLinkHours } from './password-links.ts'
import { generateToken, hashOfToken, linkTokenPrefix } from './token-text.ts'

/** A mail ready to send. The secret of its link, if it has one, exists nowhere else. */
export interface MailToSend {
  readonly to: string
  readonly secret: string | undefined
  readonly accountId: string | undefined
  /** The recipient's language; for an invitation, the inviter's, because the recipient's is unknown. */
  readonly language: Language
  /** Only set for an invitation. */
  readonly inviter: string | undefined
  readonly project: string | undefined
  readonly organization: string | undefined
}

/**
 * Creates the link of a mail that is about to be sent; undefined if there is nothing to send or no recipient.
 */
export const prepareMail = (
  transaction: Queries,
  mail: QueuedMail & { readonly purpose: keyof typeof preparations },
): Promise<MailToSend | undefined> => preparations[mail.purpose](transaction, mail)

type Prepare = (transaction: Queries, mail: QueuedMail) => Promise<MailToSend | undefined>

const preparations = {
  password: preparePasswordMail,
  invitation: prepareInvitationMail,
  factors: prepareFactorNotice,
} as const satisfies Partial<Record<QueuedMail['purpose'], Prepare>>

const noInvitation = { inviter: undefined, project: undefined, organization: undefined }

/** A notice contains no link: users should not learn to follow links in mails that they did not request. */
async function prepareFactorNotice(
  transaction: Queries,
  { madeBy }: QueuedMail,
): Promise<MailToSend | undefined> {
  const [account] = await transaction.query<{ login: string }>(
    sql`select trim(login) as login from users where id = ${madeBy} and active`,
  )
  if (!account || madeBy === null || !isMailAddress(account.login)) return undefined
  const language = await findLanguage(transaction, madeBy)
  return { to: account.login, accountId: madeBy, language, secret: undefined, ...noInvitation }
}

/**
 * Like a link created by an administrator, it ends earlier links and is ended by any new password. A link
 * that a stranger may have requested ends only others of its own kind, never one that an administrator
 * created.
 */
async function preparePasswordMail(
  transaction: Queries,
  { login, madeBy, sessionId, makerStamp }: QueuedMail,
): Promise<MailToSend | undefined> {
  const accounts = await transaction.query<{ id: string; login: string; stamp: string }>(sql`
    select account.id, account.login, account.security_stamp as stamp from users as account
    where lower(trim(account.login)) = lower(trim(${login})) and account.active and not ${isAccountDeactivatedSql}
    limit 2 for no key update`)
  const [account] = accounts
  if (!account || accounts.length > 1 || !isMailAddress(account.login.trim())) return undefined
  await transaction.query(sql`
    update account_links set ended_at = now()
    where user_id = ${account.id} and used_at is null and ended_at is null
      and (${madeBy !== null} or (made_by = user_id and maker_session_id is null))`)
  const { secret } = await createLink(transaction, {
    purpose: 'password',
    madeBy: madeBy ?? account.id,
    sessionId: sessionId ?? undefined,
    makerStamp: makerStamp ?? undefined,
    hours: passwordLinkHours,
    userId: account.id,
    securityStamp: account.stamp,
    mailedTo: account.login.trim(),
  })
  const language = await findLanguage(transaction, account.id)
  return { to: account.login.trim(), secret, accountId: account.id, language, ...noInvitation }
}

/**
 * A mail may be sent again because it is unknown whether the first arrived. It then has a new secret and the
 * earlier one ends.
 */
async function prepareInvitationMail(
  transaction: Queries,
  { linkId, recipient }: QueuedMail,
): Promise<MailToSend | undefined> {
  const secret = generateToken(linkTokenPrefix)
  const [link] = await transaction.query<{ inviter: string; projectId: string | null; madeBy: string }>(sql`
    update account_links as link set hash = ${hashOfToken(secret, linkTokenPrefix)}, mailed_to = ${recipient}
    where link.id = ${linkId} and ${isOpenLink}
    returning (select name from users where id = link.made_by) as inviter, link.project_id as "projectId",
      link.made_by as "madeBy"`)
  if (!link || recipient === null) return undefined
  const { inviter, projectId, madeBy } = link
  const language = await findLanguage(transaction, madeBy)
  const invitation = { to: recipient, secret, accountId: madeBy, language, inviter }
  if (projectId === null) return { ...noInvitation, ...invitation }
  const [into] = await transaction.query<InvitationTarget>(invitationTargetQuery(projectId))
  // The target was removed meanwhile, so the link would lead nowhere.
  return into && { ...invitation, ...into }
}

import { budgetLimits } from '../config/budgets.ts'
import type { Database, Queries } from '../db/database.ts'
import { deleteInBatches } from '../db/purge.ts'
import { newId } from '../db/rows.ts'
import { type Sql, sql } from '../db/sql.ts'
import type { Language } from '../model/language.ts'
import {
  createLink,
  type InvitationTarget,
  invitationTargetQuery,
  isLinkOpenSql,
  passwordLinkHours,
} from './links.ts'
import { findLanguage, isAccountDeactivatedSql } from './sign-in.ts'
import { generateToken, hashOfToken, linkTokenPrefix } from './token-text.ts'

/** A row of the queue. Its purpose determines which columns are set. */
export interface QueuedMail {
  readonly id: string
  readonly purpose: 'password' | 'invitation' | 'factors' | 'notifications'
  readonly login: string | null
  /** The account that requested the mail. For factors and notifications, the account that receives it. */
  readonly creatorId: string | null
  readonly sessionId: string | null
  readonly creatorStamp: string | null
  readonly linkId: string | null
  readonly recipient: string | null
  /** The batches of notifications in the mail. */
  readonly firstBatch: string | null
  readonly lastBatch: string | null
  readonly attempts: number
  /** True on the last attempt. */
  readonly isLast: boolean
}

/** Accepts common mail addresses, but no characters that could begin another header or recipient. */
export const isMailAddress = (text: string): boolean => text.length <= 254 && mailPattern.test(text)

const mailPattern = /^[^\s@<>()[\]\\,;:"\p{Cc}]{1,64}@[a-z0-9-]+(\.[a-z0-9-]+)*$/iu

export type MailRequest =
  /** A user who is not signed in requests a password-reset link from this network address. */
  | { readonly purpose: 'password'; readonly login: string; readonly address: string }
  /** An administrator requests a password-reset link for another user. */
  | {
      readonly purpose: 'password'
      readonly login: string
      readonly creatorId: string
      readonly sessionId: string | undefined
    }
  | {
      readonly purpose: 'invitation'
      readonly creatorId: string
      readonly linkId: string
      readonly recipient: string
    }
  /** Notifies the account that its authentication factors have changed. */
  | { readonly purpose: 'factors'; readonly creatorId: string }
  /** Contains the unread notifications of the account. */
  | {
      readonly purpose: 'notifications'
      readonly creatorId: string
      readonly firstBatch: string
      readonly lastBatch: string
    }

/** A queue that is full has room again within a minute, unless the mail server is down. */
const queueFullSeconds = 60

/**
 * Queues the mail if all budgets have room. Otherwise returns the seconds after which to retry. The result
 * does not reveal whether an account has the login. A lock prevents concurrent requests from exceeding a
 * budget.
 */
export async function queueMail(transaction: Queries, request: MailRequest): Promise<number | undefined> {
  await transaction.query(sql`select from pg_advisory_xact_lock(hashtextextended('mails', 0))`)
  const { purpose, login, address, creatorId, sessionId, linkId, recipient, firstBatch, lastBatch } = {
    ...absentValues,
    ...request,
  }
  const isNotification = purpose === 'notifications'
  const { mailsWaiting, mailsOfAccount, notificationMailsWaiting, notificationMailsOfAccount } = budgetLimits
  const waitingMax = isNotification ? notificationMailsWaiting.max : mailsWaiting.max
  const ofAccountMax = isNotification ? notificationMailsOfAccount.max : mailsOfAccount.max
  // Mails that strangers have requested are counted separately, so that they cannot exhaust the budget of
  // administrators.
  const ofLogin = sql`lower(trim(login)) = lower(trim(${login})) and (made_by is null) = (${creatorId}::uuid is null)`
  // Each kind of mail has its own budget.
  const ofCreator = sql`made_by = ${creatorId} and ${budgetOf(sql`purpose`)} = ${budgetOf(sql`${purpose}`)}`
  const [queued] = await transaction.query(sql`
    insert into mails (id, purpose, login, address, made_by, maker_session_id, maker_stamp, link_id, recipient,
      first_batch, last_batch)
    select ${newId()}, ${purpose}, ${login}, ${address}, ${creatorId}, ${sessionId ?? null},
      (select security_stamp from users where id = ${creatorId}), ${linkId}, ${recipient},
      ${firstBatch}::bigint, ${lastBatch}::bigint
    where (select count(*) from mails where ended_at is null
        and (purpose = 'notifications') = (${purpose} = 'notifications')) < ${waitingMax}::int
      and (select count(*) from mails where address = ${address} and created_at > now() - interval '1 hour')
        < ${budgetLimits.passwordMailsOfAddress.max}::int
      and (select count(*) from mails where ${ofLogin} and created_at > now() - interval '1 hour')
        < ${budgetLimits.passwordMailsOfAccount.max}::int
      and (select count(*) from mails where ${ofCreator} and created_at > now() - interval '1 day')
        < ${ofAccountMax}::int
    returning true`)
  if (queued) return undefined
  // An exhausted budget has room again when its oldest counted mail leaves the hour or the day. If no budget
  // is exhausted, the queue itself is full.
  const roomAt = (hours: number, condition: Sql, max: number) => sql`
    (select created_at + make_interval(hours => ${hours}::int) from mails
      where ${condition} and created_at > now() - make_interval(hours => ${hours}::int)
      order by created_at desc offset ${max - 1}::int limit 1)`
  const [wait] = await transaction.query<{ seconds: number | null }>(sql`
    select ceil(extract(epoch from greatest(
      ${roomAt(1, sql`address = ${address}`, budgetLimits.passwordMailsOfAddress.max)},
      ${roomAt(1, ofLogin, budgetLimits.passwordMailsOfAccount.max)},
      ${roomAt(24, ofCreator, ofAccountMax)}) - now()))::int as seconds`)
  return Math.max(1, wait?.seconds ?? queueFullSeconds)
}

/** The values of the columns that a request does not set. */
const absentValues = {
  login: null,
  address: null,
  creatorId: null,
  sessionId: null,
  linkId: null,
  recipient: null,
  firstBatch: null,
  lastBatch: null,
}

/** SQL: returns the name of the budget. */
const budgetOf = (purpose: Sql) =>
  sql`case when ${purpose} in ('factors', 'notifications') then ${purpose} else 'links' end`

/**
 * The pauses after each attempt. Even the shortest pause is longer than an attempt, so no other instance
 * sends the mail in the meantime.
 */
const retrySeconds = [60, 120, 300, 900, 3600]
/** A mail is given up after these hours. The hours of invitations apply to all purposes except passwords. */
const hoursMax = { password: 1, invitation: 24 }

/**
 * Claims the mails that are due, each for one instance. Notifications come last, because users wait for the
 * other mails.
 */
export const claimMails = (transaction: Queries, count: number): Promise<QueuedMail[]> =>
  transaction.query<QueuedMail>(sql`
    with due as (
      select id, now() + make_interval(secs =>
          (${retrySeconds}::int[])[least(attempts + 1, ${retrySeconds.length}::int)]) as retry_at,
        created_at < now() - make_interval(hours =>
          case when purpose = 'password' then ${hoursMax.password}::int else ${hoursMax.invitation}::int end) as "isLast"
      from mails where ended_at is null and next_attempt_at <= now()
      order by purpose = 'notifications', next_attempt_at limit ${count}::int for update skip locked
    )
    update mails set attempts = attempts + 1, next_attempt_at = due.retry_at from due where mails.id = due.id
    returning mails.id, purpose, login, made_by as "creatorId",
      maker_session_id as "sessionId", maker_stamp as "creatorStamp", link_id as "linkId", recipient,
      first_batch as "firstBatch", last_batch as "lastBatch", attempts, "isLast"`)

/**
 * Ends a mail before it is sent, so that it is sent at most once. Returns false if another instance has
 * already ended it.
 */
export async function endBeforeSending(queries: Queries, id: string): Promise<boolean> {
  const ended = await queries.query(
    sql`update mails set ended_at = now() where id = ${id} and ended_at is null returning 1`,
  )
  return ended.length > 0
}

/** Reopens a mail for a retry. It must be certain that the mail server has not accepted the mail. */
export async function retryMail(queries: Queries, id: string): Promise<void> {
  await queries.query(sql`update mails set ended_at = null where id = ${id}`)
}

/** Ends a mail that was sent or given up. Deletes personal data of recipients who may have no account. */
export async function endMail(
  queries: Queries,
  id: string,
  { hasAccount = true }: { readonly hasAccount?: boolean } = {},
): Promise<void> {
  await queries.query(sql`
    update mails set ended_at = now(), recipient = null, login = case when ${hasAccount}::boolean then login end
    where id = ${id}`)
}

/** Deletes ended mails that are more than a day old. No budget counts them any more. */
export const purgeMails = (database: Database): Promise<void> =>
  deleteInBatches(
    database,
    { table: 'mails' },
    sql`ended_at is not null and created_at < now() - interval '1 day'`,
  )

/** A mail that is ready to be sent. The database stores only a hash of its secret. */
export interface MailToSend {
  readonly to: string
  readonly secret: string | undefined
  /** The account of the recipient. For an invitation, the account of the inviter. */
  readonly accountId: string | undefined
  /** The language of this account. */
  readonly language: Language
  /** Only set for an invitation. */
  readonly inviter: string | undefined
  /** Only set for an invitation into a project. */
  readonly project: string | undefined
  readonly organization: string | undefined
}

/**
 * Prepares a mail and creates its link. Returns undefined if the mail is no longer needed, for example
 * because its account was removed.
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

/** The mail has no link, because users should not follow links in mails that they did not request. */
async function prepareFactorNotice(
  transaction: Queries,
  { creatorId }: QueuedMail,
): Promise<MailToSend | undefined> {
  const [account] = await transaction.query<{ login: string }>(
    sql`select trim(login) as login from users where id = ${creatorId} and active`,
  )
  if (!account || creatorId === null || !isMailAddress(account.login)) return undefined
  const language = await findLanguage(transaction, creatorId)
  return { to: account.login, accountId: creatorId, language, secret: undefined, ...noInvitation }
}

/**
 * Creates a link for a new password and ends earlier links. A link that a stranger has requested does not end
 * the link of an administrator.
 */
async function preparePasswordMail(
  transaction: Queries,
  { login, creatorId, sessionId, creatorStamp }: QueuedMail,
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
      and (${creatorId !== null} or (made_by = user_id and maker_session_id is null))`)
  const { secret } = await createLink(transaction, {
    purpose: 'password',
    creatorId: creatorId ?? account.id,
    sessionId: sessionId ?? undefined,
    creatorStamp: creatorStamp ?? undefined,
    hours: passwordLinkHours,
    userId: account.id,
    securityStamp: account.stamp,
    mailedTo: account.login.trim(),
  })
  const language = await findLanguage(transaction, account.id)
  return { to: account.login.trim(), secret, accountId: account.id, language, ...noInvitation }
}

/**
 * Creates a new secret, because only a hash of the earlier secret is stored. Earlier mails of this invitation
 * become invalid.
 */
async function prepareInvitationMail(
  transaction: Queries,
  { linkId, recipient }: QueuedMail,
): Promise<MailToSend | undefined> {
  const secret = generateToken(linkTokenPrefix)
  const [link] = await transaction.query<{
    inviter: string
    inviterId: string
    projectId: string | null
  }>(sql`
    update account_links as link set hash = ${hashOfToken(secret, linkTokenPrefix)}, mailed_to = ${recipient}
    where link.id = ${linkId} and ${isLinkOpenSql}
    returning (select name from users where id = link.made_by) as inviter, link.project_id as "projectId",
      link.made_by as "inviterId"`)
  if (!link || recipient === null) return undefined
  const { inviter, inviterId, projectId } = link
  const language = await findLanguage(transaction, inviterId)
  const invitation = { to: recipient, secret, accountId: inviterId, language, inviter }
  if (projectId === null) return { ...noInvitation, ...invitation }
  const [target] = await transaction.query<InvitationTarget>(invitationTargetQuery(projectId))
  // The project may have been removed in the meantime.
  return target && { ...invitation, ...target }
}

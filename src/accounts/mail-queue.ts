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

/** A queued mail: its purpose and its recipient. */
export interface QueuedMail {
  readonly id: string
  readonly purpose: 'password' | 'invitation' | 'factors' | 'notifications'
  readonly login: string | null
  readonly madeBy: string | null
  readonly sessionId: string | null
  readonly creatorStamp: string | null
  readonly linkId: string | null
  readonly recipient: string | null
  /** Only set for notifications: the batches that the mail covers. */
  readonly firstBatch: string | null
  readonly lastBatch: string | null
  readonly attempts: number
  /** True on the last attempt before the mail is given up. */
  readonly isLast: boolean
}

/** Accepts the common subset of mail addresses and nothing that could start another header. */
export const isMailAddress = (text: string): boolean => text.length <= 254 && mailPattern.test(text)

const mailPattern = /^[^\s@<>()[\]\\,;:"\p{Cc}]{1,64}@[a-z0-9-]+(\.[a-z0-9-]+)*$/iu

export type MailRequest =
  | { readonly purpose: 'password'; readonly login: string; readonly address: string }
  | {
      readonly purpose: 'password'
      readonly login: string
      readonly madeBy: string
      readonly sessionId: string | undefined
    }
  | {
      readonly purpose: 'invitation'
      readonly madeBy: string
      readonly linkId: string
      readonly recipient: string
    }
  /** Notifies the account that its authentication factors have changed. */
  | { readonly purpose: 'factors'; readonly madeBy: string }
  /** Has what happened to the assignments of the account. */
  | {
      readonly purpose: 'notifications'
      readonly madeBy: string
      readonly firstBatch: string
      readonly lastBatch: string
    }

/** The next mails are sent every second, so the queue has room again soon. */
const queueFullSeconds = 60

/**
 * Returns the seconds after which to retry when a budget is exhausted, otherwise undefined. Requests are serialized so that budgets
 * hold under concurrency; the result does not reveal whether an account exists, because none is looked up here.
 */
export async function queueMail(transaction: Queries, request: MailRequest): Promise<number | undefined> {
  await transaction.query(sql`select from pg_advisory_xact_lock(hashtextextended('mails', 0))`)
  const { purpose, login, address, madeBy, sessionId, linkId, recipient, firstBatch, lastBatch } = {
    ...noValues,
    ...request,
  }
  const [waitingMax, ofAccountMax] =
    purpose === 'notifications'
      ? [budgetLimits.notificationMailsWaiting.max, budgetLimits.notificationMailsOfAccount.max]
      : [budgetLimits.mailsWaiting.max, budgetLimits.mailsOfAccount.max]
  // Each has its own budget: requests of strangers must not exhaust that of administrators, nor one kind of mail another's.
  const ofLogin = sql`lower(trim(login)) = lower(trim(${login})) and (made_by is null) = (${madeBy}::uuid is null)`
  const ofMaker = sql`made_by = ${madeBy} and ${budgetOf(sql`purpose`)} = ${budgetOf(sql`${purpose}`)}`
  const [queued] = await transaction.query(sql`
    insert into mails (id, purpose, login, address, made_by, maker_session_id, maker_stamp, link_id, recipient,
      first_batch, last_batch)
    select ${newId()}, ${purpose}, ${login}, ${address}, ${madeBy}, ${sessionId ?? null},
      (select security_stamp from users where id = ${madeBy}), ${linkId}, ${recipient},
      ${firstBatch}::bigint, ${lastBatch}::bigint
    where (select count(*) from mails where ended_at is null
        and (purpose = 'notifications') = (${purpose} = 'notifications')) < ${waitingMax}::int
      and (select count(*) from mails where address = ${address} and created_at > now() - interval '1 hour')
        < ${budgetLimits.passwordMailsOfAddress.max}::int
      and (select count(*) from mails where ${ofLogin} and created_at > now() - interval '1 hour')
        < ${budgetLimits.passwordMailsOfAccount.max}::int
      and (select count(*) from mails where ${ofMaker} and created_at > now() - interval '1 day')
        < ${ofAccountMax}::int
    returning true`)
  if (queued) return undefined
  // The oldest mail that counts leaves the hour or the day; with room there, the queue itself is full.
  const oldestOf = (hours: number, which: Sql, max: number) => sql`
    (select created_at + make_interval(hours => ${hours}::int) from mails
      where ${which} and created_at > now() - make_interval(hours => ${hours}::int)
      order by created_at desc offset ${max - 1}::int limit 1)`
  const [wait] = await transaction.query<{ seconds: number | null }>(sql`
    select ceil(extract(epoch from greatest(
      ${oldestOf(1, sql`address = ${address}`, budgetLimits.passwordMailsOfAddress.max)},
      ${oldestOf(1, ofLogin, budgetLimits.passwordMailsOfAccount.max)},
      ${oldestOf(24, ofMaker, ofAccountMax)}) - now()))::int as seconds`)
  return Math.max(1, wait?.seconds ?? queueFullSeconds)
}

const noValues = {
  ...{ login: null, address: null, madeBy: null, sessionId: null, linkId: null, recipient: null },
  ...{ firstBatch: null, lastBatch: null },
}

/** SQL: mails of these purposes are counted together. */
const budgetOf = (purpose: Sql) =>
  sql`case when ${purpose} in ('factors', 'notifications') then ${purpose} else 'links' end`

/**
 * Each delay is longer than a send may take, so no other instance sends the same mail meanwhile; delays grow
 * up to an hour.
 */
const retrySeconds = [60, 120, 300, 900, 3600]
/** A mail for a new password is useless a day later, so retries end before that. Other mails are retried like invitations. */
const hoursMax = { password: 1, invitation: 24 }

/**
 * Claims the mails that are due. Each is claimed by one instance, and is claimed again later unless it is
 * ended. Mails that a person waits for come before notifications.
 */
export const claimMails = (transaction: Queries, count: number): Promise<QueuedMail[]> =>
  transaction.query<QueuedMail>(sql`
    with due as (
      select id, now() + make_interval(secs =>
          (${retrySeconds}::int[])[least(attempts + 1, ${retrySeconds.length}::int)]) as again,
        created_at < now() - make_interval(hours =>
          case when purpose = 'password' then ${hoursMax.password}::int else ${hoursMax.invitation}::int end) as "isLast"
      from mails where ended_at is null and next_attempt_at <= now()
      order by purpose = 'notifications', next_attempt_at limit ${count}::int for update skip locked
    )
    update mails set attempts = attempts + 1, next_attempt_at = due.again from due where mails.id = due.id
    returning mails.id, purpose, login, made_by as "madeBy",
      maker_session_id as "sessionId", maker_stamp as "creatorStamp", link_id as "linkId", recipient,
      first_batch as "firstBatch", last_batch as "lastBatch", attempts, "isLast"`)

/**
 * Ends a mail before it is sent, so that it is sent at most once; false if it was ended already. The row lock lets one of two
 * instances through that have claimed it, the second one after a long pause of the first.
 */
export async function endBeforeSending(queries: Queries, id: string): Promise<boolean> {
  const ended = await queries.query(
    sql`update mails set ended_at = now() where id = ${id} and ended_at is null returning 1`,
  )
  return ended.length > 0
}

/** Takes the end back after the server has certainly not accepted the mail, so that it is retried. */
export async function retryMail(queries: Queries, id: string): Promise<void> {
  await queries.query(sql`update mails set ended_at = null where id = ${id}`)
}

/**
 * Ends a mail that was sent or given up. For an address without an account, only the fact that it was
 * requested is kept.
 */
export async function endMail(queries: Queries, id: string, hasAccount = true): Promise<void> {
  await queries.query(sql`
    update mails set ended_at = now(), recipient = null, login = case when ${hasAccount}::boolean then login end
    where id = ${id}`)
}

/** Budgets look back one day, so older mails are no longer counted. */
export const purgeMails = (database: Database): Promise<void> =>
  deleteInBatches(
    database,
    { table: 'mails' },
    sql`ended_at is not null and created_at < now() - interval '1 day'`,
  )

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
  { login, madeBy, sessionId, creatorStamp }: QueuedMail,
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
    where link.id = ${linkId} and ${isLinkOpenSql}
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

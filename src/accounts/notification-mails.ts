import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Queries } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import { uuidPattern } from '../model/field-kinds.ts'
import type { Language } from '../model/language.ts'

export const notificationKinds = [
  'assigned',
  'mentioned',
  'commented',
  'blocked',
  'unblocked',
  'dependencyDone',
  'stageChanged',
  'dueTomorrow',
  'overdue',
] as const

export type NotificationKind = (typeof notificationKinds)[number]

/** Notifications are mailed soon (bundled over some minutes), in one digest a day, or not at all. */
export const mailFrequencies = ['soon', 'daily', 'none'] as const

export type MailFrequency = (typeof mailFrequencies)[number]

/** The settings of an account that has not chosen any yet. */
export const mailDefaults = { frequency: 'soon', hour: 8, timeZone: 'UTC' } as const

/** The contents of a mail with notifications. Names are as users have written them. */
export interface NotificationsToSend {
  readonly to: string
  readonly accountId: string
  readonly language: Language
  readonly unsubscribeToken: string
  /** The assignments that the notifications are about, the newest first. */
  readonly groups: readonly NotificationGroup[]
  /** The number of all notifications, even if the groups contain fewer. */
  readonly count: number
  /** The number of notifications that the groups leave out. */
  readonly moreCount: number
}

export interface NotificationLine {
  readonly kind: NotificationKind
  /** Absent for reminders, and for work of the system. */
  readonly actor: string | undefined
  /** The name of the stage that the assignment was moved to. */
  readonly stage?: string | undefined
}

export interface NotificationGroup {
  readonly assignment: string
  readonly project: string
  /** The path of the assignment in the web client. */
  readonly path: string
  readonly lines: readonly NotificationLine[]
}

/**
 * The page of the identity host that unsubscribes from mails. It needs no session, because mail programs post
 * to it (RFC 8058).
 */
export const unsubscribePath = '/ext/unsubscribe'

const keyBytes = 32

/**
 * Signs the id of the account with a key of the account. The first call creates the key. Two concurrent calls
 * get the same key.
 */
export async function createUnsubscribeToken(queries: Queries, accountId: string): Promise<string> {
  const [row] = await queries.query<{ key: Buffer }>(sql`
    insert into account_settings as existing (user_id, unsubscribe_key) values (${accountId}, ${randomBytes(keyBytes)})
    on conflict (user_id) do update set unsubscribe_key = coalesce(existing.unsubscribe_key, excluded.unsubscribe_key)
    returning unsubscribe_key as key`)
  if (!row) throw new Error('The unsubscribe key was not stored.')
  return `${accountId}.${signatureOf(row.key, accountId).toString('base64url')}`
}

/**
 * Signs the purpose, too, so that a signature of the same key for another purpose would not be accepted here.
 */
const signatureOf = (key: Buffer, accountId: string): Buffer =>
  createHmac('sha256', key).update(`notification mails of ${accountId}`).digest()

/**
 * Returns the account of a valid token. An unknown account takes as long as a wrong signature, so that timing
 * does not reveal which accounts exist.
 */
export async function findSubscriber(queries: Queries, token: string): Promise<string | undefined> {
  const [accountId = '', signature = ''] = token.split('.', 2)
  if (!uuidPattern.test(accountId)) return undefined
  const [settings] = await queries.query<{ key: Buffer | null }>(
    sql`select unsubscribe_key as key from account_settings where user_id = ${accountId}`,
  )
  const expected = signatureOf(settings?.key ?? randomBytes(keyBytes), accountId)
  const actual = Buffer.from(signature, 'base64url')
  return actual.length === expected.length && timingSafeEqual(actual, expected) ? accountId : undefined
}

/** Ends mails about notifications until the user chooses otherwise. */
export async function stopNotificationMails(queries: Queries, accountId: string): Promise<void> {
  await queries.query(
    sql`update account_settings set notification_mails = 'none' where user_id = ${accountId}`,
  )
}

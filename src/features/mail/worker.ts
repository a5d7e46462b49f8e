import { createTransport } from 'nodemailer'
import { invitationHours, passwordLinkHours } from '../../accounts/links.ts'
import {
  claimMails,
  endBeforeSending,
  endMail,
  type MailToSend,
  prepareMail,
  purgeMails,
  type QueuedMail,
  retryMail,
} from '../../accounts/mail-queue.ts'
import { type NotificationsToSend, unsubscribePath } from '../../accounts/notification-mails.ts'
import { budgetLimits } from '../../config/budgets.ts'
import type { MailSettings } from '../../config/host-settings.ts'
import type { Database } from '../../db/database.ts'
import type { Log } from '../../http/log.ts'
import type { Language } from '../../model/language.ts'
import { repeat } from '../../model/repeat.ts'
import type { SecurityLog } from '../../observability/security-log.ts'
import { en, type MailText, type MailTexts, ptBr } from './texts.ts'

export interface MailWorker {
  /** Sends everything that is due now. */
  poll(): Promise<void>
  stop(): Promise<void>
}

export interface MailWorkerOptions {
  readonly database: Database
  readonly settings: MailSettings
  readonly log: Log
  readonly securityLog: SecurityLog
  /** Composes a mail about notifications when it is sent. Returns undefined if there is nothing to send. */
  readonly composeNotifications: (mail: QueuedMail) => Promise<NotificationsToSend | undefined>
  /** The mail server may be silent for this long. */
  readonly silentMilliseconds?: number
}

const pollMilliseconds = 1000
const purgeMilliseconds = 60 * 60_000

/** Sends the queued mails, so that no request waits for a mail server. Instances share the work. */
export function startMailWorker(options: MailWorkerOptions): MailWorker {
  const { database, log } = options
  const poll = async () => {
    const due = await database.transaction((transaction) =>
      claimMails(transaction, budgetLimits.mailsAtOnce.max),
    )
    await Promise.all(due.map((mail) => sendMail(options, mail)))
  }
  const onFailure = (error: unknown) => log.warn({ err: error }, 'Mails wait for the store.')
  const polling = repeat({ everyMilliseconds: pollMilliseconds, onFailure }, poll)
  const purging = repeat({ everyMilliseconds: purgeMilliseconds, onFailure }, () => purgeMails(database))
  return {
    poll,
    async stop() {
      await Promise.all([polling.stop(), purging.stop()])
    },
  }
}

/** The timeouts of one attempt are together shorter than the time after which a mail is retried. */
const silentMillisecondsDefault = 10_000

/** A remote server must use TLS with a valid certificate, unless its address says `ignoreTLS=true`. */
const transportOptions = ({ smtpUrl }: MailSettings, milliseconds: number) => {
  const { hostname, searchParams } = new URL(smtpUrl)
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  return {
    url: smtpUrl,
    requireTLS: !isLocal && searchParams.get('ignoreTLS') !== 'true',
    disableFileAccess: true,
    disableUrlAccess: true,
    connectionTimeout: milliseconds,
    greetingTimeout: milliseconds,
    socketTimeout: milliseconds,
    dnsTimeout: milliseconds,
  }
}

async function sendMail(options: MailWorkerOptions, mail: QueuedMail): Promise<void> {
  const { database, log } = options
  const details = { mail: mail.id, purpose: mail.purpose, attempts: mail.attempts }
  // Notifications must not arrive twice. Other mails may, because a missing link or warning would be worse.
  const isOnce = mail.purpose === 'notifications'
  const outgoing = await composeMail(options, mail)
  if (!outgoing) return endMail(database.singleWrites, mail.id, { hasAccount: false })
  // The mail is ended before it is sent, and reopened below if the server has certainly not accepted it.
  if (isOnce && !(await endBeforeSending(database.singleWrites, mail.id))) return
  const failure = await transmit(options, outgoing)
  if (!failure) {
    if (!isOnce) recordSentMail(options, mail, outgoing)
    return endMail(database.singleWrites, mail.id)
  }
  const { error, isUncertain } = failure
  const reason = reasonOf(error)
  if (!mail.isLast && !isFinal(error) && !(isOnce && isUncertain)) {
    if (isOnce) await retryMail(database.singleWrites, mail.id)
    log.warn({ ...details, ...reason }, 'A mail could not be sent, and is tried again.')
    return
  }
  log.error({ ...details, ...reason }, 'A mail could not be sent, and was given up.')
  return endMail(database.singleWrites, mail.id)
}

interface OutgoingMail extends MailText {
  readonly to: string
  readonly accountId: string | undefined
  readonly language: Language
  readonly headers?: Readonly<Record<string, string>>
}

async function composeMail(options: MailWorkerOptions, mail: QueuedMail): Promise<OutgoingMail | undefined> {
  const { database, settings } = options
  const { purpose } = mail
  if (purpose === 'notifications') {
    const notifications = await options.composeNotifications(mail)
    return notifications && notificationMail(notifications, settings)
  }
  const prepared = await database.transaction((transaction) => prepareMail(transaction, { ...mail, purpose }))
  return prepared && { ...prepared, ...mailText({ ...mail, purpose }, prepared, settings) }
}

interface Failure {
  readonly error: unknown
  /** True if the connection was lost before the server responded. The server may have accepted the mail. */
  readonly isUncertain: boolean
}

async function transmit(
  { settings, silentMilliseconds = silentMillisecondsDefault }: MailWorkerOptions,
  { to, language, headers, subject, text }: OutgoingMail,
): Promise<Failure | undefined> {
  const transport = createTransport(transportOptions(settings, silentMilliseconds))
  let hasBegun = false
  transport.use('stream', ({ message }, done) => {
    message.processFunc((content) => {
      hasBegun = true
      return content
    })
    done()
  })
  try {
    await transport.sendMail({
      from: settings.from,
      to: { name: '', address: to },
      subject,
      text,
      headers: { 'content-language': language, ...headers },
    })
  } catch (error) {
    const { responseCode = 0 } = error as SmtpFailure
    return { error, isUncertain: hasBegun && responseCode < 400 }
  } finally {
    transport.close()
  }
  return undefined
}

function recordSentMail(
  { securityLog }: MailWorkerOptions,
  { purpose, creatorId }: QueuedMail,
  { accountId }: OutgoingMail,
): void {
  const by = creatorId ?? accountId
  securityLog({ event: 'mail-sent', outcome: purpose, account: accountId, by })
}

interface SmtpFailure {
  readonly code?: string
  readonly responseCode?: number
}

/** Only the codes are logged, because the text of the server's response may contain the recipient. */
const reasonOf = (error: unknown) => {
  const { code, responseCode } = error as SmtpFailure
  return { code, responseCode }
}

/**
 * Returns whether a retry cannot succeed, because the server rejects the recipient or the mail (RFC 5321,
 * 4.2.1). Operators can correct wrong credentials and TLS errors, so these are retried.
 */
function isFinal(error: unknown): boolean {
  const { code = '', responseCode = 0 } = error as SmtpFailure
  return responseCode >= 500 && ['EENVELOPE', 'EMESSAGE'].includes(code)
}

export const mailTexts: Readonly<Record<Language, MailTexts>> = { en, 'pt-BR': ptBr }

/**
 * Writes plain text. The secret of a link is in its fragment. Browsers do not send it, so a program that
 * opens the links of mails does not use them up.
 */
function mailText(
  { purpose, creatorId }: QueuedMail & { readonly purpose: 'password' | 'invitation' | 'factors' },
  { secret, inviter, project, organization, language }: MailToSend,
  { linkOrigin: origin }: MailSettings,
): MailText {
  const texts = mailTexts[language]
  const linkTo = (path: string) => `${origin}${path}#${secret}`
  if (purpose === 'factors') return texts.factors({ origin })
  if (purpose === 'password')
    return texts.password({
      origin,
      link: linkTo('/new-password'),
      hours: passwordLinkHours,
      isByAdministrator: creatorId !== null,
    })
  return texts.invitation({
    origin,
    link: linkTo('/invitation'),
    days: invitationHours / 24,
    inviter: quoteName(inviter),
    into:
      project === undefined
        ? undefined
        : { project: quoteName(project), organization: quoteName(organization) },
  })
}

/**
 * Follows RFC 8058: mail programs post to the URL of `list-unsubscribe`, and people who open it get a page.
 */
function notificationMail(
  { to, accountId, language, unsubscribeToken, groups, count, moreCount }: NotificationsToSend,
  { linkOrigin: origin, identityUrl }: MailSettings,
): OutgoingMail {
  const unsubscribe = `${identityUrl}${unsubscribePath}?token=${unsubscribeToken}`
  const { subject, text } = mailTexts[language].notifications({
    origin,
    count,
    moreCount,
    unsubscribe,
    inbox: `${origin}/inbox`,
    settings: `${origin}/account`,
    groups: groups.map(({ assignment, project, path, lines }) => ({
      assignment: plainName(assignment),
      project: plainName(project),
      link: `${origin}${path}`,
      lines: lines.map(({ kind, actor, stage }) => ({
        kind,
        actor: actor === undefined ? undefined : plainName(actor),
        stage: stage === undefined ? undefined : plainName(stage),
      })),
    })),
  })
  const headers = {
    'list-unsubscribe': `<${unsubscribe}>`,
    'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
    // Automatic responders do not answer a mail with this header (RFC 3834).
    'auto-submitted': 'auto-generated',
  }
  return { to, accountId, language, headers, subject, text }
}

/**
 * Quotes a name for recipients outside the project. Mail programs must not turn any part of it into a link.
 */
const quoteName = (text = ''): string =>
  isolateRightToLeft(`“${oneLine(text.replaceAll(/[:/.@“”：／．＠。｡]/g, ' '))}”`)

/** For members of the project: the name has no quotes, and keeps its punctuation. */
const plainName = (text: string): string => isolateRightToLeft(oneLine(text))

/** Puts user-supplied text on one line, and removes characters that would reverse the surrounding text. */
const oneLine = (text: string): string => {
  const line = text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .replaceAll(/\p{Bidi_Control}/gu, '')
    .trim()
  return [...line].slice(0, nameCharactersShown).join('')
}

/** Longer names are cut off, because a mail must not carry messages to strangers. */
const nameCharactersShown = 80

/** Wraps a right-to-left name in the Unicode characters that isolate it. */
const isolateRightToLeft = (text: string): string =>
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u.test(text)
    ? `\u2068${text}\u2069`
    : text

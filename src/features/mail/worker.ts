import { createTransport } from 'nodemailer'
import { invitationHours, purgeLinks } from '../../accounts/links.ts'
import { claimMails, endMail, purgeMails, type QueuedMail } from '../../accounts/mail-queue.ts'
import { type MailToSend, prepareMail } from '../../accounts/mailed-links.ts'
import { passwordLinkHours } from '../../accounts/password-links.ts'
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
  /** The maximum silence of the server; tests use a shorter one. */
  readonly silentMilliseconds?: number
}

const pollMilliseconds = 1000
const purgeMilliseconds = 60 * 60_000

/** Sends mails that wait in the database. No request waits for it; several instances share the work. */
export function startMailWorker(options: MailWorkerOptions): MailWorker {
  const { database, log, settings, silentMilliseconds = silentMillisecondsDefault } = options
  const transport = createTransport(transportOptions(settings, silentMilliseconds))
  const poll = async () => {
    const due = await database.transaction((transaction) =>
      claimMails(transaction, budgetLimits.mailsAtOnce.max),
    )
    await Promise.all(due.map((mail) => sendMail(options, transport, mail)))
  }
  const onFailure = (error: unknown) => log.warn({ err: error }, 'Mails wait for the store.')
  const polling = repeat({ everyMilliseconds: pollMilliseconds, onFailure }, poll)
  const purging = repeat({ everyMilliseconds: purgeMilliseconds, onFailure }, async () => {
    await purgeMails(database)
    await purgeLinks(database)
  })
  return {
    poll,
    async stop() {
      await Promise.all([polling.stop(), purging.stop()])
      transport.close()
    },
  }
}

/** Together they are shorter than the time after which a mail is retried. */
const silentMillisecondsDefault = 10_000

/** A remote server must use TLS with a valid certificate, unless its address says `ignoreTLS=true`. */
const transportOptions = ({ smtpUrl }: MailSettings, milliseconds: number) => {
  const { hostname, searchParams } = new URL(smtpUrl)
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  return {
    url: smtpUrl,
    requireTLS: !isHere && searchParams.get('ignoreTLS') !== 'true',
    disableFileAccess: true,
    disableUrlAccess: true,
    connectionTimeout: milliseconds,
    greetingTimeout: milliseconds,
    socketTimeout: milliseconds,
    dnsTimeout: milliseconds,
  }
}

type Transport = ReturnType<typeof createTransport>

async function sendMail(options: MailWorkerOptions, transport: Transport, mail: QueuedMail): Promise<void> {
  const { database, log, settings } = options
  const details = { mail: mail.id, purpose: mail.purpose, attempts: mail.attempts }
  const prepared = await database.transaction((transaction) => prepareMail(transaction, mail))
  if (!prepared) return endMail(database.singleWrites, mail.id, false)
  try {
    await transport.sendMail({
      from: settings.from,
      to: { name: '', address: prepared.to },
      headers: { 'content-language': prepared.language },
      ...mailText(mail, prepared, settings),
    })
  } catch (error) {
    const reason = reasonOf(error)
    if (!mail.isLast && !isFinal(error)) {
      log.warn({ ...details, ...reason }, 'A mail could not be sent, and is tried again.')
      return
    }
    log.error({ ...details, ...reason }, 'A mail could not be sent, and was given up.')
    return endMail(database.singleWrites, mail.id)
  }
  record(options, mail, prepared)
  await endMail(database.singleWrites, mail.id)
}

function record(
  { securityLog }: MailWorkerOptions,
  { purpose, madeBy }: QueuedMail,
  { accountId }: MailToSend,
): void {
  const by = madeBy ?? accountId
  securityLog({ event: 'mail-sent', outcome: purpose, account: accountId, by })
}

interface SmtpFailure {
  readonly code?: string
  readonly responseCode?: number
}

/** Only the number of the server's response is kept: its text may repeat the recipient. */
const reasonOf = (error: unknown) => {
  const { code, responseCode } = error as SmtpFailure
  return { code, responseCode }
}

/**
 * True if a retry cannot succeed (RFC 5321, 4.2.1). Wrong credentials of ours and failing TLS can be
 * repaired, so they are retried.
 */
function isFinal(error: unknown): boolean {
  const { code = '', responseCode = 0 } = error as SmtpFailure
  return responseCode >= 500 && ['EENVELOPE', 'EMESSAGE'].includes(code)
}

export const mailTexts: Readonly<Record<Language, MailTexts>> = { en, 'pt-BR': ptBr }

/**
 * Plain text: nothing to load, nothing hidden. The fragment of a link goes to no server when it is opened, so that programs that
 * scan mails do not use it up.
 */
function mailText(
  { purpose, madeBy }: QueuedMail,
  { secret, inviter, project, organization, language }: MailToSend,
  { linkOrigin: place }: MailSettings,
): MailText {
  const texts = mailTexts[language]
  const linkTo = (path: string) => `${place}${path}#${secret}`
  if (purpose === 'factors') return texts.factors({ place })
  if (purpose === 'password')
    return texts.password({
      place,
      link: linkTo('/new-password'),
      hours: passwordLinkHours,
      isByAdministrator: madeBy !== null,
    })
  return texts.invitation({
    place,
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
 * Quotes user-supplied text on one line, without anything that a mail program would turn into a link or that
 * would reverse the surrounding text.
 */
const quoteName = (text = ''): string => {
  const words = text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .replaceAll(/[:/.@“”：／．＠。｡]/g, ' ')
    .replaceAll(/\p{Bidi_Control}/gu, '')
    .trim()
  return isolateRightToLeft(`“${[...words].slice(0, nameCharactersShown).join('')}”`)
}

/** The rest is cut off: a mail must not carry messages to strangers. */
const nameCharactersShown = 80

/** A right-to-left name is wrapped in the Unicode characters that isolate it. */
const isolateRightToLeft = (text: string): string =>
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u.test(text)
    ? `\u2068${text}\u2069`
    : text

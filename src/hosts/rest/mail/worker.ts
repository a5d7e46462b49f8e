import { createTransport } from 'nodemailer'
import { forgetOldLinks } from '../../../accounts/links.ts'
import { claimMails, endMail, forgetOldMails, type QueuedMail } from '../../../accounts/mail-queue.ts'
import { type MailToSend, prepareMail } from '../../../accounts/mailed-links.ts'
import { budgetLimits } from '../../../configuration/budgets.ts'
import type { MailSettings } from '../../../configuration/mail-settings.ts'
import type { Log } from '../../../http/log.ts'
import { repeat } from '../../../schedule/repeat.ts'
import type { SecurityLog } from '../../../security-log/security-log.ts'
import type { Database } from '../../../store/database.ts'
import { mailText } from './mail-text.ts'

export interface MailWorker {
  /** Sends whatever is due now. */
  look(): Promise<void>
  stop(): Promise<void>
}

export interface MailWorkerOptions {
  readonly database: Database
  readonly settings: MailSettings
  readonly log: Log
  readonly securityLog: SecurityLog
  /** How long the server may be silent; tests have no time for it. */
  readonly silentMilliseconds?: number
}

const lookMilliseconds = 1000
const forgetMilliseconds = 60 * 60_000

/** Sends mails that wait in the store. No request waits for it; several instances share the work. */
export function startMails(options: MailWorkerOptions): MailWorker {
  const { database, log, settings, silentMilliseconds = serverMilliseconds } = options
  const transport = createTransport(transportOptions(settings, silentMilliseconds))
  const look = async () => {
    const due = await database.transaction((transaction) =>
      claimMails(transaction, budgetLimits.mailsAtOnce.max),
    )
    await Promise.all(due.map((mail) => sendOne(options, transport, mail)))
  }
  const onFailure = (error: unknown) => log.warn({ err: error }, 'Mails wait for the store.')
  const looking = repeat({ everyMilliseconds: lookMilliseconds, onFailure }, look)
  const forgetting = repeat({ everyMilliseconds: forgetMilliseconds, onFailure }, async () => {
    await forgetOldMails(database)
    await forgetOldLinks(database)
  })
  return {
    look,
    async stop() {
      await Promise.all([looking.stop(), forgetting.stop()])
      transport.close()
    },
  }
}

/** Shorter together than the time after which a mail is tried again. */
const serverMilliseconds = 10_000

/** A server elsewhere must speak TLS with a certificate that holds, unless its address says `ignoreTLS=true`. */
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

async function sendOne(options: MailWorkerOptions, transport: Transport, mail: QueuedMail): Promise<void> {
  const { database, log, settings } = options
  const details = { mail: mail.id, purpose: mail.purpose, attempts: mail.attempts }
  const ready = await database.transaction((transaction) => prepareMail(transaction, mail))
  if (!ready) return endMail(database.single, mail.id, false)
  try {
    await transport.sendMail({
      from: settings.from,
      to: { name: '', address: ready.to },
      headers: { 'content-language': ready.language },
      ...mailText(mail, ready, settings),
    })
  } catch (error) {
    const reason = reasonOf(error)
    if (!mail.isLast && !isFinal(error)) {
      log.warn({ ...details, ...reason }, 'A mail could not be sent, and is tried again.')
      return
    }
    log.error({ ...details, ...reason }, 'A mail could not be sent, and was given up.')
    return endMail(database.single, mail.id)
  }
  note(options, mail, ready)
  await endMail(database.single, mail.id)
}

function note(
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

/** Of the server's own words only the number: they may repeat whom the mail was for. */
const reasonOf = (error: unknown) => {
  const { code, responseCode } = error as SmtpFailure
  return { code, responseCode }
}

/** The server will not take it tomorrow either (RFC 5321, 4.2.1). A wrong account of ours, or TLS that fails, can be mended. */
function isFinal(error: unknown): boolean {
  const { code = '', responseCode = 0 } = error as SmtpFailure
  return responseCode >= 500 && ['EENVELOPE', 'EMESSAGE'].includes(code)
}

import type { Settings } from './settings.ts'
import { readTrackerSettings } from './tracker-settings.ts'

/** How mails are sent; none where nothing is configured. */
export interface MailSettings {
  /** Of the server, with the account there: never written anywhere. */
  readonly smtpUrl: string
  readonly from: string
  /** The web client, where links lead: from the settings, never from a request. */
  readonly linkOrigin: string
}

/** Of the host that sends them. */
export function readMailSettings(settings: Settings): MailSettings | undefined {
  const smtpUrl = settings.get('SMTP_URL')
  const from = readMailSender(settings)
  if (smtpUrl !== undefined && !isSmtpUrl(smtpUrl))
    settings.reject(
      'SMTP_URL must be the address of a server, such as smtps://user:password@mail.example.com.',
    )
  if ((smtpUrl === undefined) !== (from === undefined))
    settings.reject('SMTP_URL and MAIL_FROM need each other: the server that sends mails, and their sender.')
  const { extensions, allowedOrigins } = readTrackerSettings(settings)
  if (!extensions || smtpUrl === undefined || from === undefined) return undefined
  return { smtpUrl, from, linkOrigin: allowedOrigins[0] ?? '' }
}

/** Hosts that only ask for mails know the sender by it, and no password of a server. */
export const canMail = (settings: Settings): boolean =>
  readMailSender(settings) !== undefined && readTrackerSettings(settings).extensions

function readMailSender(settings: Settings): string | undefined {
  const from = settings.get('MAIL_FROM')
  if (from !== undefined && !fromPattern.test(from))
    settings.reject(
      'MAIL_FROM must be a mail address, such as tracker@example.com, or Tracker <tracker@example.com>.',
    )
  return from
}

function isSmtpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return /^smtps?:$/.test(protocol) && hostname !== ''
}

const fromPattern = /^(?:[^<>\r\n"]{1,100} <[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/

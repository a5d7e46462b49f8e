import type { QueuedMail } from '../../../accounts/mail-queue.ts'
import type { MailToSend } from '../../../accounts/mailed-links.ts'
import { passwordLinkHours } from '../../../accounts/password-links.ts'
import type { MailSettings } from '../../../configuration/mail-settings.ts'
import { invitationHours } from '../../../operations/invitations.ts'

export interface MailText {
  readonly subject: string
  readonly text: string
}

/**
 * Plain text: nothing to load, nothing hidden. What stands behind the number sign goes to no server when the link is opened, so
 * that programs that look into mails do not use it up.
 */
export function mailText(
  { purpose, madeBy }: QueuedMail,
  { secret, inviter, project, organization }: MailToSend,
  { linkOrigin }: MailSettings,
): MailText {
  if (purpose === 'password')
    return {
      subject: 'Your new password',
      text: `${madeBy === null ? 'Somebody has' : 'An administrator has'} asked for a new password for your account at ${linkOrigin}.

Choose it here within ${passwordLinkHours} hour; the link works once:

${linkOrigin}/new-password#${secret}

If you want no new password, do nothing: the old one stays.
`,
    }
  if (purpose === 'factors')
    return {
      subject: 'How you sign in has changed',
      text: `How you sign in to your account at ${linkOrigin} has changed: a passkey, an app for codes, recovery codes or an account elsewhere
was added or taken away. After a change of passkeys, apps or codes your other sign-ins have ended.

If that was you, there is nothing to do. If not, choose a new password at once, look at what stands under "Second factor" and
"Sign in with" on the page "My account", and tell an administrator.
`,
    }
  const where = project === undefined ? '' : ` to the project ${line(project)} of ${line(organization)}`
  return {
    subject: 'You are invited',
    text: `${line(inviter)} invites you${where} at ${linkOrigin}.

Make your account here within ${invitationHours / 24} days, or join with the one you have; the link works once:

${linkOrigin}/invitation#${secret}

If you know nothing of it, do nothing.
`,
  }
}

/**
 * What people chose themselves, marked as such: one line, and nothing that a mail program would make a link of, or that would turn
 * the text around it round.
 */
const line = (text = ''): string => {
  const words = text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .replaceAll(/[:/.@“”：／．＠。｡]/g, ' ')
    .replaceAll(/\p{Bidi_Control}/gu, '')
    .trim()
  return isolated(`“${[...words].slice(0, nameCharactersShown).join('')}”`)
}

/** More is cut off: a mail is no place for what somebody wants to tell strangers. */
const nameCharactersShown = 80

/** Where a name is written from right to left, the characters of Unicode that keep it together. */
const isolated = (text: string): string =>
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u.test(text)
    ? `\u2068${text}\u2069`
    : text

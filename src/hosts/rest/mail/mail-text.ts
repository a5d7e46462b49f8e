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
  { secret, inviter, project }: MailToSend,
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
  const where = project === undefined ? '' : ` to the project ${line(project)}`
  return {
    subject: 'You are invited',
    text: `${line(inviter)} invites you${where} at ${linkOrigin}.

Make your account here within ${invitationHours / 24} days, or join with the one you have; the link works once:

${linkOrigin}/invitation#${secret}

If you know nothing of it, do nothing.
`,
  }
}

/** What people chose themselves: one line, and no address that a mail program would make a link of. */
const line = (text = 'Somebody'): string =>
  text
    .replaceAll(/\p{Cc}|\p{Zl}|\p{Zp}/gu, ' ')
    .replaceAll(/[:/.@]/g, ' ')
    .trim()
    .slice(0, 80)

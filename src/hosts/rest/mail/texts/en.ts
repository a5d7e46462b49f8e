import type { MailTexts } from './mail-texts.ts'

export const en: MailTexts = {
  password: ({ place, link, hours, isByAdministrator }) => ({
    subject: 'Your new password',
    text: `${isByAdministrator ? 'An administrator has' : 'Somebody has'} asked for a new password for your account at ${place}.

Choose it here within ${hours} hour; the link works once:

${link}

If you want no new password, do nothing: the old one stays.
`,
  }),
  factors: ({ place }) => ({
    subject: 'How you sign in has changed',
    text: `How you sign in to your account at ${place} has changed: a passkey, an app for codes, recovery codes or an account elsewhere
was added or taken away. After a change of passkeys, apps or codes your other sign-ins have ended.

If that was you, there is nothing to do. If not, choose a new password at once, look at what stands under "Second factor" and
"Accounts elsewhere" on the page "My account", and tell an administrator.
`,
  }),
  invitation: ({ place, link, days, inviter, into }) => ({
    subject: 'You are invited',
    text: `${inviter} invites you${into ? ` to the project ${into.project} of ${into.organization}` : ''} at ${place}.

Make your account here within ${days} days, or join with the one you have; the link works once:

${link}

If you know nothing of it, do nothing.
`,
  }),
}

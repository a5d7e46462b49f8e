import { mailPasswordLink } from '../../../accounts/password-links.ts'
import { readFields } from '../../../accounts/read-fields.ts'
import { invalid } from '../../../model/problem.ts'
import { invite } from '../../../operations/invitations.ts'
import { ref } from '../resource-schemas.ts'
import type { Route } from '../route.ts'
import { mailAddress } from './link-schemas.ts'

const isMailNeeded = () =>
  invalid({ generalErrors: ['No mail can be sent here. Make a link and pass it on.'] })

/** Where no mail can be sent they say so. */
export const mailedLinkRoutes = (hasMail: boolean): Route[] => [
  {
    tag: 'Links',
    path: '/ext/invitations/mail',
    id: 'MailInvitation',
    summary: 'Sends an invitation by mail, where the server can send any.',
    description: 'The same as making a link, but only the recipient of the mail sees it.',
    method: 'POST',
    body: ref('MailedInvitation'),
    answer: ref('MailedLink'),
    refusals: [400, 403, 404],
    isForOwnClient: true,
    async handle({ tracker, caller, request }) {
      if (!hasMail) throw isMailNeeded()
      const { mailTo } = readFields(request.body, { mailTo: mailAddress })
      return { body: { link: (await invite(tracker, caller, request.body, mailTo)).link } }
    },
  },
  {
    tag: 'Links',
    path: '/ext/password-links/mail',
    id: 'MailPasswordLink',
    isForPasswords: true,
    summary: 'Sends a link for a new password to the login of an account. Administrators only.',
    description: 'Where the server can send mails, and the login is an address.',
    method: 'POST',
    body: ref('PasswordLink'),
    answer: ref('Success'),
    refusals: [400, 403, 404],
    isForOwnClient: true,
    async handle({ tracker, caller, request }) {
      if (!hasMail) throw isMailNeeded()
      await mailPasswordLink(tracker, caller, request.body)
      return { body: { success: true } }
    },
  },
]

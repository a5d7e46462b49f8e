import type { Administrators } from '../../accounts/administrators.ts'
import { invitationHours, type MadeLink } from '../../accounts/links.ts'
import {
  mailPasswordLink,
  makePasswordLink,
  passwordLinkHours,
  usePasswordLink,
} from '../../accounts/password-links.ts'
import { readFields } from '../../accounts/read-fields.ts'
import type { Caller } from '../../model/caller.ts'
import { uuid } from '../../model/field-kinds.ts'
import { invalid } from '../../model/problem.ts'
import type { Tracker } from '../../records/context.ts'
import type { Route } from '../../routes/route.ts'
import { ref } from '../../routes/schemas.ts'
import {
  acceptInvitation,
  endInvitation,
  invite,
  joinByInvitation,
  listInvitations,
  readInvitation,
} from './invitations.ts'
import { mailAddress } from './schemas.ts'

const invitations = { tag: 'Links', path: '/ext/invitations' }
const passwordLinks = { tag: 'Links', path: '/ext/password-links' }

/** Links create an account or set a new password. The routes that use a link need no token. */
export const linkRoutes = (
  tracker: Tracker,
  { administrators, hasMail }: { readonly administrators: Administrators; readonly hasMail: boolean },
): Route[] => [
  ...invitationRoutes(tracker),
  readRoute(administrators),
  acceptRoute(administrators),
  joinRoute(administrators),
  ...passwordLinkRoutes(administrators),
  ...mailedLinkRoutes(hasMail),
]

/**
 * Both kinds of links are created only at the web client, and no cache keeps the response, because nothing else has the secret.
 */
const answeredWithSecret = (
  make: (tracker: Tracker, caller: Caller, body: unknown) => Promise<MadeLink>,
): Pick<Route, 'method' | 'answer' | 'refusals' | 'isForOwnClient' | 'handle'> => ({
  method: 'POST',
  answer: ref('NewLink'),
  refusals: [400, 403, 404],
  isForOwnClient: true,
  async handle({ tracker, caller, request, reply }) {
    reply.header('cache-control', 'no-store')
    return { body: await make(tracker, caller, request.body) }
  },
})

const invitationRoutes = (tracker: Tracker): Route[] => [
  {
    ...invitations,
    id: 'Invite',
    summary: 'Makes a link by which one person makes an account of their own, a member of the project.',
    description: `By a member into a project of theirs, by administrators into any or none. It is used once, within ${invitationHours} hours, and works only as long as the person who made it may invite.`,
    body: ref('Invitation'),
    ...answeredWithSecret(invite),
  },
  {
    ...invitations,
    id: 'ListInvitations',
    summary: 'Lists the own invitations that nobody has used, or those into a project of one’s own.',
    description: 'Without their secrets, which nobody can read again.',
    method: 'GET',
    parameters: [
      {
        name: 'projectId',
        description: 'Those into this project, by all of its members; by default the own ones.',
        schema: uuid.schema,
      },
    ],
    answer: ref('LinkList'),
    refusals: [400],
    handle: async ({ caller, request }) => ({
      body: {
        links: await listInvitations(tracker, caller, request.query as Readonly<Record<string, unknown>>),
      },
    }),
  },
  {
    ...invitations,
    id: 'EndInvitation',
    summary: 'Ends an invitation at once.',
    description:
      'One’s own, or any into a project of one’s own; administrators end all. To anybody else they are not found.',
    method: 'DELETE',
    body: ref('LinkId'),
    answer: ref('Success'),
    refusals: [404],
    async handle({ caller, request }) {
      await endInvitation(tracker, caller, request.body)
      return { body: { success: true } }
    },
  },
]

const readRoute = (administrators: Administrators): Route => ({
  ...invitations,
  path: '/ext/invitations/read',
  id: 'ReadInvitation',
  summary: 'Says who invites, and into what. It needs no token.',
  description: 'For somebody who has the link and wants to know before using it, which leaves it as it was.',
  method: 'POST',
  body: ref('InvitationQuestion'),
  answer: ref('ShownInvitation'),
  isOpen: true,
  refusals: [400, 410],
  async handle({ tracker, request, reply }) {
    reply.header('cache-control', 'no-store')
    return { body: await readInvitation(tracker, administrators, request.body) }
  },
})

const acceptRoute = (administrators: Administrators): Route => ({
  ...invitations,
  path: '/ext/invitations/accept',
  id: 'AcceptInvitation',
  isForPasswords: true,
  summary: 'Makes the account that somebody was invited to make. It needs no token.',
  description: 'The link is used up by it; what is refused leaves it as it was.',
  method: 'POST',
  body: ref('InvitationAnswer'),
  answer: ref('Success'),
  isOpen: true,
  refusals: [400, 409, 410],
  async handle({ tracker, caller, request }) {
    await acceptInvitation(tracker, administrators, caller.origin, request.body)
    return { body: { success: true } }
  },
})

const joinRoute = (administrators: Administrators): Route => ({
  ...invitations,
  path: '/ext/invitations/join',
  id: 'JoinByInvitation',
  summary: 'Makes the own account a member of the project that it was invited into.',
  description: 'For somebody who has an account already. The link is used up by it.',
  method: 'POST',
  body: ref('JoinAnswer'),
  answer: ref('JoinedProject'),
  isForOwnClient: true,
  refusals: [400, 403, 409, 410],
  handle: async ({ tracker, caller, request }) => ({
    body: await joinByInvitation(tracker, administrators, caller, request.body),
  }),
})

const passwordLinkRoutes = (administrators: Administrators): readonly Route[] => [
  {
    ...passwordLinks,
    id: 'MakePasswordLink',
    isForPasswords: true,
    summary:
      'Makes a link by which somebody who has lost the password chooses a new one. Administrators only.',
    description: `It is used once, within ${passwordLinkHours} hour. The one before it ends, and any new password ends it.`,
    body: ref('PasswordLink'),
    ...answeredWithSecret(makePasswordLink),
  },
  {
    ...passwordLinks,
    path: '/ext/password-links/use',
    id: 'UsePasswordLink',
    isForPasswords: true,
    summary: 'Gives the account of the link a new password. It needs no token.',
    description: 'Everything issued to the account before ends, as with any new password.',
    method: 'POST',
    body: ref('PasswordLinkAnswer'),
    answer: ref('Success'),
    isOpen: true,
    refusals: [400, 410],
    async handle({ tracker, caller, request }) {
      await usePasswordLink(tracker, administrators, caller.origin, request.body)
      return { body: { success: true } }
    },
  },
]

const isMailNeeded = () =>
  invalid({ generalErrors: ['No mail can be sent here. Make a link and pass it on.'] })

/** The routes report it if no mail can be sent. */
const mailedLinkRoutes = (hasMail: boolean): Route[] => [
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

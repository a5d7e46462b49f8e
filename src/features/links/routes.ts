import {
  createPasswordLink,
  redeemPasswordLink,
  requestPasswordMail,
} from '../../accounts/change-password.ts'
import {
  type CreatedLink,
  invitationHours,
  linkSecretCharactersMax,
  passwordLinkHours,
} from '../../accounts/links.ts'
import { isMailAddress } from '../../accounts/mail-queue.ts'
import type { Schema } from '../../http/openapi.ts'
import type { Caller } from '../../model/caller.ts'
import { parseFailure } from '../../model/field.ts'
import { newPassword, text, uuid } from '../../model/field-kinds.ts'
import { invalid, parseFields } from '../../model/problem.ts'
import { loginCharactersMax, nameCharactersMax } from '../../model/text.ts'
import type { Context } from '../../records/context.ts'
import type { Route } from '../../routes/route.ts'
import { dateTime, ref } from '../../routes/schemas.ts'
import {
  acceptInvitation,
  endInvitation,
  invitationsListedMax,
  invite,
  joinByInvitation,
  listInvitations,
  readInvitation,
} from './invitations.ts'

const invitations = { tag: 'Links', path: '/ext/invitations' }
const passwordLinks = { tag: 'Links', path: '/ext/password-links' }

/**
 * Routes that create links, and routes that use them to create an account, join a project or set a new
 * password. Of those that use a link, only joining a project needs a token.
 */
export const linkRoutes = ({ hasMail }: { readonly hasMail: boolean }): Route[] => [
  ...invitationRoutes,
  readRoute,
  acceptRoute,
  joinRoute,
  ...passwordLinkRoutes,
  ...mailedLinkRoutes(hasMail),
]

/**
 * Creates a link and responds with its secret. Only the web client may do so, and no cache may keep the
 * response.
 */
const linkCreation = (
  create: (context: Context, caller: Caller, body: unknown) => Promise<CreatedLink>,
): Pick<Route, 'method' | 'response' | 'errors' | 'requiresWebClient' | 'handle'> => ({
  method: 'POST',
  response: ref('LinkCreated'),
  errors: [400, 403, 404],
  requiresWebClient: true,
  async handle({ context, caller, request, reply }) {
    reply.header('cache-control', 'no-store')
    return { body: await create(context, caller, request.body) }
  },
})

const invitationRoutes: readonly Route[] = [
  {
    ...invitations,
    id: 'Invite',
    summary:
      'Creates an invitation link, with which one person can create an account that is a member of the project.',
    description: `Members invite into their own projects, administrators into any or none. The link works once, within ${invitationHours} hours, and only as long as its creator may invite.`,
    body: ref('Invitation'),
    ...linkCreation(invite),
  },
  {
    ...invitations,
    id: 'ListInvitations',
    summary:
      'Lists the open invitations that the caller has created, or all open invitations to one of the caller’s projects.',
    description: 'Their secrets are not stored and cannot be listed.',
    method: 'GET',
    parameters: [
      {
        name: 'projectId',
        description:
          'Lists the invitations to this project, whoever created them; by default those that the caller created.',
        schema: uuid.schema,
      },
    ],
    response: ref('LinkList'),
    errors: [400],
    handle: async ({ context, caller, request }) => ({
      body: {
        links: await listInvitations(context, caller, request.query as Readonly<Record<string, unknown>>),
      },
    }),
  },
  {
    ...invitations,
    id: 'EndInvitation',
    summary: 'Ends an invitation at once.',
    description:
      'Callers can end the invitations that they created and those to their projects; administrators can end all. Other callers get 404.',
    method: 'DELETE',
    body: ref('LinkId'),
    response: ref('Success'),
    errors: [404],
    async handle({ context, caller, request }) {
      await endInvitation(context, caller, request.body)
      return { body: { success: true } }
    },
  },
]

const readRoute: Route = {
  ...invitations,
  path: '/ext/invitations/read',
  id: 'ReadInvitation',
  summary: 'Returns the inviter and the project of an invitation. It needs no token.',
  description: 'Lets the recipient look at an invitation before accepting it; the link stays unused.',
  method: 'POST',
  body: ref('InvitationQuestion'),
  response: ref('ShownInvitation'),
  isPublic: true,
  errors: [400, 410],
  async handle({ context, request, reply }) {
    reply.header('cache-control', 'no-store')
    return { body: await readInvitation(context, request.body) }
  },
}

const acceptRoute: Route = {
  ...invitations,
  path: '/ext/invitations/accept',
  id: 'AcceptInvitation',
  requiresPasswords: true,
  summary: 'Accepts an invitation by creating a new account. It needs no token.',
  description: 'The link can be used once; a rejected request leaves it unused.',
  method: 'POST',
  body: ref('InvitationAnswer'),
  response: ref('Success'),
  isPublic: true,
  errors: [400, 409, 410],
  async handle({ context, caller, request }) {
    await acceptInvitation(context, caller.origin, request.body)
    return { body: { success: true } }
  },
}

const joinRoute: Route = {
  ...invitations,
  path: '/ext/invitations/join',
  id: 'JoinByInvitation',
  summary: 'Accepts an invitation with the caller’s account, which becomes a member of the project.',
  description: 'For users who already have an account. The link can be used once.',
  method: 'POST',
  body: ref('JoinAnswer'),
  response: ref('JoinedProject'),
  requiresWebClient: true,
  errors: [400, 403, 409, 410],
  handle: async ({ context, caller, request }) => ({
    body: await joinByInvitation(context, caller, request.body),
  }),
}

const passwordLinkRoutes: readonly Route[] = [
  {
    ...passwordLinks,
    id: 'MakePasswordLink',
    requiresPasswords: true,
    summary: 'Creates a password-reset link for a user. For administrators only.',
    description: `It works once, within ${passwordLinkHours} hour. Earlier links become invalid, and any new password invalidates it.`,
    body: ref('PasswordLink'),
    ...linkCreation(createPasswordLink),
  },
  {
    ...passwordLinks,
    path: '/ext/password-links/use',
    id: 'UsePasswordLink',
    requiresPasswords: true,
    summary: 'Sets a new password for the account of the link. It needs no token.',
    description: 'Everything issued to the account before becomes invalid, as with any password change.',
    method: 'POST',
    body: ref('PasswordLinkAnswer'),
    response: ref('Success'),
    isPublic: true,
    errors: [400, 410],
    async handle({ context, caller, request }) {
      await redeemPasswordLink(context, caller.origin, request.body)
      return { body: { success: true } }
    },
  },
]

const mailUnavailable = () =>
  invalid({ generalErrors: ['This server cannot send mail. Create a link and pass it on.'] })

/** Without a mail server, these routes respond with an error that says so. */
const mailedLinkRoutes = (hasMail: boolean): Route[] => [
  {
    tag: 'Links',
    path: '/ext/invitations/mail',
    id: 'MailInvitation',
    summary: 'Sends an invitation by mail, if the server can send mail.',
    description: 'Same as creating a link, but only the recipient of the mail sees it.',
    method: 'POST',
    body: ref('MailedInvitation'),
    response: ref('MailedLink'),
    errors: [400, 403, 404],
    requiresWebClient: true,
    async handle({ context, caller, request }) {
      if (!hasMail) throw mailUnavailable()
      const { mailTo } = parseFields(request.body, { mailTo: mailAddress })
      return { body: { link: (await invite(context, caller, request.body, mailTo)).link } }
    },
  },
  {
    tag: 'Links',
    path: '/ext/password-links/mail',
    id: 'MailPasswordLink',
    requiresPasswords: true,
    summary: 'Sends a password-reset link to the login of an account. For administrators only.',
    description: 'Works only if the server can send mail and the login is a mail address.',
    method: 'POST',
    body: ref('PasswordLink'),
    response: ref('Success'),
    errors: [400, 403, 404],
    requiresWebClient: true,
    async handle({ context, caller, request }) {
      if (!hasMail) throw mailUnavailable()
      await requestPasswordMail(context, caller, request.body)
      return { body: { success: true } }
    },
  },
]

/** RFC 5321, 4.5.3.1.3 limits a path, whose two brackets are not part of the address, to 256 characters. */
const address = text({ max: 254 })
const mailAddress: typeof address = {
  ...address,
  parse(input, label) {
    const parsed = address.parse(input, label)
    if (!('value' in parsed) || isMailAddress(parsed.value)) return parsed
    return parseFailure(`${label} must be a mail address.`)
  },
}
const nullableId = { ...uuid.schema, type: ['string', 'null'] }
const name = text({ max: nameCharactersMax }).schema
const nullableName = { ...name, type: ['string', 'null'] }
const recipientName = {
  ...nullableName,
  description: 'The person whom it is for, shown to them and in the list of open invitations.',
  examples: ['Nora'],
}
const secret = {
  type: 'string',
  minLength: 1,
  maxLength: linkSecretCharactersMax,
  description: 'The part of the link after the number sign.',
  examples: [`svl_${'0'.repeat(72)}`],
}

export const linkSchemas: Readonly<Record<string, Schema>> = {
  Link: {
    type: 'object',
    required: ['id', 'madeBy', 'projectId', 'userId', 'recipientName', 'createdAt', 'expiresAt'],
    properties: {
      id: { ...uuid.schema, description: 'Its id.' },
      madeBy: { ...uuid.schema, description: 'The account that created it.' },
      projectId: { ...nullableId, description: 'The project of an invitation.' },
      userId: { ...nullableId, description: 'The account whose password it resets.' },
      recipientName: {
        ...nullableName,
        description: 'The person whom an invitation is for: the given name, or the mail address.',
        examples: ['Nora'],
      },
      createdAt: { ...dateTime, description: 'The time it was created.' },
      expiresAt: { ...dateTime, description: 'The time it expires.' },
    },
  },
  LinkCreated: {
    type: 'object',
    required: ['link', 'secret'],
    properties: {
      link: ref('Link'),
      secret: {
        ...secret,
        description: 'The link is the URL of the web client with this secret. Shown only once.',
      },
    },
  },
  LinkList: {
    type: 'object',
    required: ['links'],
    properties: {
      links: {
        type: 'array',
        items: ref('Link'),
        maxItems: invitationsListedMax,
        description: 'Sorted from newest to oldest.',
      },
    },
  },
  LinkId: {
    type: 'object',
    required: ['id'],
    properties: { id: { ...uuid.schema, description: 'Its id.' } },
  },
  Invitation: {
    type: 'object',
    properties: {
      projectId: {
        ...nullableId,
        description: 'The project of the invitation; only administrators may omit it.',
      },
      recipientName,
    },
  },
  InvitationQuestion: { type: 'object', required: ['secret'], properties: { secret } },
  ShownInvitation: {
    type: 'object',
    required: ['inviter', 'recipientName', 'projectId', 'project', 'organization', 'expiresAt'],
    properties: {
      inviter: { ...name, description: 'The name of its creator.', examples: ['Mara Lindqvist'] },
      recipientName: {
        ...nullableName,
        description: 'The person whom it is for: the name that the inviter gave, or the mail address.',
        examples: ['Nora'],
      },
      projectId: { ...nullableId, description: 'The project, which new members can open at once.' },
      project: {
        ...nullableName,
        description: 'The name of the project.',
        examples: ['Moon landing'],
      },
      organization: {
        ...nullableName,
        description: 'The name of the organization the project belongs to.',
        examples: ['Space agency'],
      },
      expiresAt: { ...dateTime, description: 'The time it expires.' },
    },
  },
  InvitationAnswer: {
    type: 'object',
    required: ['secret', 'name', 'login', 'password'],
    properties: {
      secret,
      name: {
        ...name,
        minLength: 1,
        description: 'The new user’s display name.',
        examples: ['Mara Lindqvist'],
      },
      login: {
        ...text({ max: loginCharactersMax }).schema,
        minLength: 1,
        description: 'The new user’s login.',
        examples: ['mara@example.com'],
      },
      password: { ...newPassword.schema, description: 'The password of the new account.' },
    },
  },
  JoinAnswer: { type: 'object', required: ['secret'], properties: { secret } },
  JoinedProject: {
    type: 'object',
    required: ['projectId'],
    properties: { projectId: { ...uuid.schema, description: 'The project.' } },
  },
  MailedInvitation: {
    type: 'object',
    required: ['mailTo'],
    properties: {
      projectId: {
        ...nullableId,
        description: 'The project of the invitation; only administrators may omit it.',
      },
      recipientName,
      mailTo: {
        ...mailAddress.schema,
        description: 'The mail address of the invited user.',
        examples: ['mara@example.com'],
      },
    },
  },
  MailedLink: { type: 'object', required: ['link'], properties: { link: ref('Link') } },
  PasswordLink: {
    type: 'object',
    required: ['userId'],
    properties: { userId: { ...uuid.schema, description: 'The user who has lost the password.' } },
  },
  PasswordLinkAnswer: {
    type: 'object',
    required: ['secret', 'newPassword'],
    properties: { secret, newPassword: { ...newPassword.schema, description: 'The new password.' } },
  },
}

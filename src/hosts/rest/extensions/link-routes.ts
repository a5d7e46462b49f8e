import type { Administrators } from '../../../accounts/administrators.ts'
import {
  makePasswordLink,
  passwordLinkHours,
  secretCharactersMax,
  usePasswordLink,
} from '../../../accounts/password-links.ts'
import type { Schema } from '../../../http/operation.ts'
import { newPassword, text, uuid } from '../../../model/field-kinds.ts'
import { loginCharactersMax, nameCharactersMax } from '../../../model/text-limits.ts'
import {
  acceptInvitation,
  endInvitation,
  invitationHours,
  invitationsMax,
  invite,
  listInvitations,
} from '../../../operations/invitations.ts'
import type { Tracker } from '../../../operations/tracker.ts'
import { ref } from '../resource-schemas.ts'
import type { Route } from '../route.ts'

const moment = { type: 'string', format: 'date-time' }
const nullableId = { ...uuid.schema, type: ['string', 'null'] }
const secret = {
  type: 'string',
  minLength: 1,
  maxLength: secretCharactersMax,
  description: 'What the link has behind its number sign.',
  examples: [`svl_${'0'.repeat(72)}`],
}

export const linkSchemas: Readonly<Record<string, Schema>> = {
  Link: {
    type: 'object',
    required: ['id', 'madeBy', 'projectId', 'userId', 'createdAt', 'expiresAt'],
    properties: {
      id: { ...uuid.schema, description: 'Its id.' },
      madeBy: { ...uuid.schema, description: 'The account that made it.' },
      projectId: { ...nullableId, description: 'Of an invitation, the project that it leads into.' },
      userId: { ...nullableId, description: 'The account that it gives a new password.' },
      createdAt: { ...moment, description: 'When it was made.' },
      expiresAt: { ...moment, description: 'When it ends by itself.' },
    },
  },
  NewLink: {
    type: 'object',
    required: ['link', 'secret'],
    properties: {
      link: ref('Link'),
      secret: {
        ...secret,
        description: 'The link is the address of the web client with it. Shown this once.',
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
        maxItems: invitationsMax,
        description: 'The newest first.',
      },
    },
  },
  LinkId: {
    type: 'object',
    required: ['id'],
    properties: { id: { ...uuid.schema, description: 'Which one.' } },
  },
  Invitation: {
    type: 'object',
    properties: {
      projectId: {
        ...nullableId,
        description: 'The project that it leads into; none only for administrators.',
      },
    },
  },
  InvitationAnswer: {
    type: 'object',
    required: ['secret', 'name', 'login', 'password'],
    properties: {
      secret,
      name: {
        ...text({ max: nameCharactersMax }).schema,
        minLength: 1,
        description: 'What others call the new person.',
        examples: ['Mara Lindqvist'],
      },
      login: {
        ...text({ max: loginCharactersMax }).schema,
        minLength: 1,
        description: 'What the new person signs in with.',
        examples: ['mara@example.com'],
      },
      password: { ...newPassword.schema, description: 'The password of the new account.' },
    },
  },
  PasswordLink: {
    type: 'object',
    required: ['userId'],
    properties: { userId: { ...uuid.schema, description: 'Who has lost the password.' } },
  },
  PasswordLinkAnswer: {
    type: 'object',
    required: ['secret', 'newPassword'],
    properties: { secret, newPassword: { ...newPassword.schema, description: 'The new password.' } },
  },
}

const invitations = { tag: 'Links', path: '/ext/invitations' }
const passwordLinks = { tag: 'Links', path: '/ext/password-links' }

/** How people come, and come back. Whoever uses a link has no token yet. */
export const linkRoutes = (tracker: Tracker, administrators: Administrators): Route[] => [
  ...invitationRoutes(tracker, administrators),
  ...passwordLinkRoutes,
]

const invitationRoutes = (tracker: Tracker, administrators: Administrators): Route[] => [
  {
    ...invitations,
    id: 'Invite',
    isForPasswords: true,
    summary: 'Makes a link by which one person makes an account of their own, a member of the project.',
    description: `By a member into a project of theirs, by administrators into any or none. It is used once, within ${invitationHours} hours, and works only as long as whoever made it could still invite.`,
    method: 'POST',
    body: ref('Invitation'),
    answer: ref('NewLink'),
    refusals: [400, 403, 404],
    isForOwnClient: true,
    async handle({ tracker, caller, request, reply }) {
      reply.header('cache-control', 'no-store')
      return { body: await invite(tracker, caller, request.body) }
    },
  },
  {
    ...invitations,
    id: 'ListInvitations',
    summary: 'Lists the own invitations that nobody has used.',
    description: 'Without their secrets, which nobody can read again.',
    method: 'GET',
    answer: ref('LinkList'),
    refusals: [400],
    handle: async ({ caller }) => ({ body: { links: await listInvitations(tracker, caller) } }),
  },
  {
    ...invitations,
    id: 'EndInvitation',
    summary: 'Ends an invitation at once.',
    description: 'Those of others are for administrators to end; to anybody else they are not found.',
    method: 'DELETE',
    body: ref('LinkId'),
    answer: ref('Success'),
    refusals: [404],
    async handle({ caller, request }) {
      await endInvitation(tracker, caller, request.body)
      return { body: { success: true } }
    },
  },
  {
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
  },
]

const passwordLinkRoutes: readonly Route[] = [
  {
    ...passwordLinks,
    id: 'MakePasswordLink',
    isForPasswords: true,
    summary:
      'Makes a link by which somebody who has lost the password chooses a new one. Administrators only.',
    description: `It is used once, within ${passwordLinkHours} hour. The one before it ends, and any new password ends it.`,
    method: 'POST',
    body: ref('PasswordLink'),
    answer: ref('NewLink'),
    refusals: [400, 403, 404],
    isForOwnClient: true,
    async handle({ tracker, caller, request, reply }) {
      reply.header('cache-control', 'no-store')
      return { body: await makePasswordLink(tracker, caller, request.body) }
    },
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
      await usePasswordLink(tracker, caller.origin, request.body)
      return { body: { success: true } }
    },
  },
]

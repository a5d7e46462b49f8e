import { linkSecretCharactersMax } from '../../accounts/links.ts'
import { isMailAddress } from '../../accounts/mail-queue.ts'
import type { Schema } from '../../http/operation.ts'
import { parseFailure } from '../../model/field.ts'
import { newPassword, text, uuid } from '../../model/field-kinds.ts'
import { loginCharactersMax, nameCharactersMax } from '../../model/text.ts'
import { ref } from '../../routes/schemas.ts'
import { invitationsListedMax } from './invitations.ts'

const timestamp = { type: 'string', format: 'date-time' }
const address = text({ max: 254 })
export const mailAddress: typeof address = {
  ...address,
  parse(input, label) {
    const reading = address.parse(input, label)
    if (!('value' in reading) || isMailAddress(reading.value)) return reading
    return parseFailure(`${label} must be a mail address.`)
  },
}
const nullableId = { ...uuid.schema, type: ['string', 'null'] }
const name = text({ max: nameCharactersMax }).schema
const nullableName = { ...name, type: ['string', 'null'] }
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
    required: ['id', 'madeBy', 'projectId', 'userId', 'createdAt', 'expiresAt'],
    properties: {
      id: { ...uuid.schema, description: 'Its id.' },
      madeBy: { ...uuid.schema, description: 'The account that made it.' },
      projectId: { ...nullableId, description: 'The project of an invitation.' },
      userId: { ...nullableId, description: 'The account whose password it resets.' },
      createdAt: { ...timestamp, description: 'The time it was created.' },
      expiresAt: { ...timestamp, description: 'The time it expires.' },
    },
  },
  LinkCreated: {
    type: 'object',
    required: ['link', 'secret'],
    properties: {
      link: ref('Link'),
      secret: {
        ...secret,
        description: 'The link is the address of the web client with this secret. Shown only once.',
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
    },
  },
  InvitationQuestion: { type: 'object', required: ['secret'], properties: { secret } },
  ShownInvitation: {
    type: 'object',
    required: ['inviter', 'project', 'organization', 'expiresAt'],
    properties: {
      inviter: { ...name, description: 'The name of its creator.', examples: ['Mara Lindqvist'] },
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
      expiresAt: { ...timestamp, description: 'The time it expires.' },
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

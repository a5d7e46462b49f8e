import { changePassword } from '../../accounts/change-password.ts'
import type { Lockouts } from '../../accounts/lockouts.ts'
import { readOwnAccount, renameOwnAccount } from '../../accounts/own-account.ts'
import type { Schema } from '../../http/operation.ts'
import { newPassword, text, uuid } from '../../model/field-kinds.ts'
import { nameCharactersMax } from '../../model/text-limits.ts'
import type { Tracker } from '../../operations/tracker.ts'
import { isNamedBody, tagOfBody } from './if-match.ts'
import { ref } from './resource-schemas.ts'
import type { Route } from './route.ts'

const one = { tag: 'Account', path: '/api/me' }
const moment = { type: 'string', format: 'date-time' }

export const accountSchemas: Readonly<Record<string, Schema>> = {
  Account: {
    type: 'object',
    required: ['id', 'name', 'login', 'createdAt', 'updatedAt'],
    properties: {
      id: uuid.schema,
      name: { type: 'string' },
      login: { type: 'string' },
      createdAt: moment,
      updatedAt: { type: ['string', 'null'], format: 'date-time' },
    },
  },
  AccountUpdate: {
    type: 'object',
    required: ['name'],
    properties: { name: text({ max: nameCharactersMax }).schema },
  },
  PasswordChange: {
    type: 'object',
    required: ['currentPassword', 'newPassword'],
    properties: { currentPassword: { type: 'string', format: 'password' }, newPassword: newPassword.schema },
  },
}

/** The signed-in account itself, always taken from the token, never from a body. */
export const accountRoutes = ({ database }: Tracker, lockouts: Lockouts): Route[] => [
  {
    ...one,
    id: 'GetOwnAccount',
    summary: 'Shows the own account.',
    method: 'GET',
    answer: ref('Account'),
    refusals: [],
    hasTag: true,
    async handle({ caller, reply }) {
      const body = await readOwnAccount(database, caller)
      reply.header('etag', tagOfBody(caller, body)).header('cache-control', 'private, no-cache')
      return { body }
    },
  },
  {
    ...one,
    id: 'UpdateOwnAccount',
    summary: 'Changes the own name.',
    method: 'PATCH',
    body: ref('AccountUpdate'),
    answer: ref('Success'),
    hasPrecondition: true,
    refusals: [400, 412],
    async handle(exchange) {
      const { caller, request } = exchange
      await renameOwnAccount(database, caller, request.body, (account) => isNamedBody(exchange, account))
      return { body: { success: true } }
    },
  },
  {
    ...one,
    path: '/api/me/password',
    id: 'ChangeOwnPassword',
    summary: 'Changes the own password and ends every session of the account.',
    method: 'POST',
    body: ref('PasswordChange'),
    answer: ref('Success'),
    refusals: [400],
    async handle({ tracker, caller, request }) {
      // Wrong passwords are counted whatever becomes of the change.
      await changePassword({ ...tracker, lockouts }, caller, request.body)
      return { body: { success: true } }
    },
  },
]

import {
  administratorsMax,
  giveRole,
  listAdministrators,
  type Roles,
  takeRole,
} from '../../../accounts/administrator-roles.ts'
import type { Schema } from '../../../http/operation.ts'
import { uuid } from '../../../model/field-kinds.ts'
import { ref } from '../resource-schemas.ts'
import type { Route } from '../route.ts'

export const administratorSchemas: Readonly<Record<string, Schema>> = {
  Administrator: {
    type: 'object',
    required: ['userId', 'name', 'givenBy', 'givenAt'],
    properties: {
      userId: { ...uuid.schema, description: 'The account that has the role.' },
      name: { type: 'string', description: 'Its name.', examples: ['Mara Lindqvist'] },
      givenBy: { ...uuid.schema, description: 'The account that gave it the role.' },
      givenAt: { type: 'string', format: 'date-time', description: 'When that was.' },
    },
  },
  AdministratorList: {
    type: 'object',
    required: ['administrators'],
    properties: {
      administrators: {
        type: 'array',
        items: ref('Administrator'),
        maxItems: administratorsMax,
        description: 'By their names.',
      },
    },
  },
  AdministratorRole: {
    type: 'object',
    required: ['userId'],
    properties: { userId: { ...uuid.schema, description: 'Whose account.' } },
  },
}

const one = { tag: 'Administrators', path: '/ext/administrators' }

/** Who is an administrator by the store; those of SVC_ADMIN_LOGINS are none of it. */
export const administratorRoutes = (roles: Roles): Route[] => [
  {
    ...one,
    id: 'ListAdministrators',
    summary: 'Lists who was made an administrator by another one. Administrators only, like the others.',
    description: 'Administrators by the settings of the hosts are not listed.',
    method: 'GET',
    answer: ref('AdministratorList'),
    refusals: [400, 403],
    handle: async ({ caller }) => ({ body: { administrators: await listAdministrators(roles, caller) } }),
  },
  {
    ...one,
    id: 'GiveAdministratorRole',
    summary: 'Makes an account an administrator, from its next access token on.',
    description: 'It stays a role of the account until another administrator takes it away.',
    isForOwnClient: true,
    method: 'POST',
    body: ref('AdministratorRole'),
    answer: ref('Success'),
    refusals: [400, 403, 404],
    async handle({ tracker, caller, request }) {
      await giveRole({ ...roles, ...tracker }, caller, request.body)
      return { body: { success: true } }
    },
  },
  {
    ...one,
    id: 'TakeAdministratorRole',
    summary: 'Takes the role away again, within 30 seconds; nobody takes it from themselves.',
    description: 'An account that the settings of the hosts name stays an administrator.',
    method: 'DELETE',
    body: ref('AdministratorRole'),
    answer: ref('Success'),
    refusals: [400, 403, 404],
    async handle({ caller, request }) {
      await takeRole(roles, caller, request.body)
      return { body: { success: true } }
    },
  },
]

import {
  type Administrators,
  type Authorize,
  administratorsMax,
  giveAdministratorRole,
  lockAdministrators,
} from '../accounts/administrators.ts'
import { endLinksOfAccount } from '../accounts/links.ts'
import { parseFields } from '../accounts/parse-fields.ts'
import type { Database } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import type { Schema } from '../http/operation.ts'
import type { Caller } from '../model/caller.ts'
import { uuid } from '../model/field-kinds.ts'
import { forbidden, invalid, notFound } from '../model/problem.ts'
import { callerDetails, type SecurityLog } from '../observability/security-log.ts'
import type { Route } from '../routes/route.ts'
import { ref } from '../routes/schemas.ts'

interface RoleContext {
  readonly database: Database
  readonly administrators: Administrators
  readonly securityLog?: SecurityLog
}

/** An administrator whose role is stored in the database. */
export interface StoredAdministrator {
  readonly userId: string
  readonly name: string
  readonly givenBy: string
  readonly givenAt: string
}

const onlyAdministrators = () => forbidden('Only administrators may list and appoint administrators.')

function listAdministrators({ database }: RoleContext, caller: Caller): Promise<StoredAdministrator[]> {
  if (!caller.isAdministrator) throw onlyAdministrators()
  return database.query<StoredAdministrator>(sql`
    select role.user_id as "userId", account.name, role.given_by as "givenBy", role.given_at as "givenAt"
    from administrators as role join users as account on account.id = role.user_id and account.active
    order by account.name, account.id limit ${administratorsMax}::int`)
}

async function grantRole(context: RoleContext, caller: Caller, body: unknown): Promise<void> {
  if (!caller.isAdministrator) throw onlyAdministrators()
  const { userId } = parseFields(body, { userId: uuid })
  const isNew = await context.database.transaction((transaction) =>
    giveAdministratorRole(transaction, { userId, by: caller.id }, requireAdministrator(context, caller)),
  )
  if (isNew) recordRoleChange(context, caller, userId, 'given')
}

/** Admins cannot revoke their own role, so at least one always remains. */
async function revokeRole(context: RoleContext, caller: Caller, body: unknown): Promise<void> {
  if (!caller.isAdministrator) throw onlyAdministrators()
  const { userId } = parseFields(body, { userId: uuid })
  if (userId === caller.id)
    throw invalid({ userId: ['You cannot revoke your own role. Ask another administrator.'] })
  await context.database.transaction(async (transaction) => {
    await requireAdministrator(context, caller)(transaction)
    const [revoked] = await transaction.query(
      sql`delete from administrators where user_id = ${userId} returning true`,
    )
    if (!revoked) throw notFound('Administrator')
    await endLinksOfAccount(transaction, userId)
  })
  recordRoleChange(context, caller, userId, 'taken')
}

/** The role changes for no account until the transaction ends. */
const requireAdministrator =
  ({ administrators }: RoleContext, caller: Caller): Authorize =>
  async (transaction) => {
    if (!(await lockAdministrators(transaction, administrators, caller.id))) throw onlyAdministrators()
  }

const recordRoleChange = (
  { securityLog }: RoleContext,
  caller: Caller,
  account: string,
  outcome: 'given' | 'taken',
): void =>
  securityLog?.({ event: 'administrator-changed', outcome, ...callerDetails(caller), account, by: caller.id })

export const administratorSchemas: Readonly<Record<string, Schema>> = {
  Administrator: {
    type: 'object',
    required: ['userId', 'name', 'givenBy', 'givenAt'],
    properties: {
      userId: { ...uuid.schema, description: 'The account that has the role.' },
      name: { type: 'string', description: 'Its name.', examples: ['Mara Lindqvist'] },
      givenBy: { ...uuid.schema, description: 'The account that granted the role.' },
      givenAt: { type: 'string', format: 'date-time', description: 'The time it was granted.' },
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
        description: 'Sorted by name.',
      },
    },
  },
  AdministratorRole: {
    type: 'object',
    required: ['userId'],
    properties: { userId: { ...uuid.schema, description: 'The id of the account.' } },
  },
}

const base = { tag: 'Administrators', path: '/ext/administrators' }

/** Manages the administrators in the database; those of SVC_ADMIN_LOGINS are not among them. */
export const administratorRoutes: readonly Route[] = [
  {
    ...base,
    id: 'ListAdministrators',
    summary:
      'Lists the administrators appointed by another one. For administrators only, like the other operations.',
    description: 'Administrators named in the settings of the hosts are not listed.',
    method: 'GET',
    answer: ref('AdministratorList'),
    errors: [400, 403],
    handle: async ({ context, caller }) => ({
      body: { administrators: await listAdministrators(context, caller) },
    }),
  },
  {
    ...base,
    id: 'GiveAdministratorRole',
    summary: 'Makes an account an administrator, effective with its next access token.',
    description: 'The account keeps the role until another administrator revokes it.',
    requiresWebClient: true,
    method: 'POST',
    body: ref('AdministratorRole'),
    answer: ref('Success'),
    errors: [400, 403, 404],
    async handle({ context, caller, request }) {
      await grantRole(context, caller, request.body)
      return { body: { success: true } }
    },
  },
  {
    ...base,
    id: 'TakeAdministratorRole',
    summary: 'Revokes the role within 30 seconds; administrators cannot revoke their own.',
    description: 'An account named in the settings of the hosts stays an administrator.',
    method: 'DELETE',
    body: ref('AdministratorRole'),
    answer: ref('Success'),
    errors: [400, 403, 404],
    async handle({ context, caller, request }) {
      await revokeRole(context, caller, request.body)
      return { body: { success: true } }
    },
  },
]

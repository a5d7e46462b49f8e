import {
  type Administrators,
  type Authorize,
  administratorsMax,
  deactivateAccount,
  grantAdministratorRole,
  lockAdministrators,
  reactivateAccount,
} from '../accounts/administrators.ts'
import { endLinksOfAccount } from '../accounts/sessions.ts'
import type { Database } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import type { Schema } from '../http/openapi.ts'
import type { Caller } from '../model/caller.ts'
import { uuid } from '../model/field-kinds.ts'
import { forbidden, invalid, notFound, type Problem, parseFields } from '../model/problem.ts'
import { callerDetails, type SecurityLog } from '../observability/security-log.ts'
import { collectUuids } from '../records/list-query.ts'
import type { Route } from '../routes/route.ts'
import { dateTime, ref, someText } from '../routes/schemas.ts'

interface AdministrationContext {
  readonly database: Database
  readonly administrators: Administrators
  readonly securityLog?: SecurityLog
}

/** An administrator with a stored role. */
export interface StoredAdministrator {
  readonly userId: string
  readonly name: string
  readonly givenBy: string
  readonly givenAt: string
}

const forbiddenToAppoint = () => forbidden('Only administrators may list and appoint administrators.')

function listAdministrators(
  { database }: AdministrationContext,
  caller: Caller,
): Promise<StoredAdministrator[]> {
  if (!caller.isAdministrator) throw forbiddenToAppoint()
  return database.query<StoredAdministrator>(sql`
    select role.user_id as "userId", account.name, role.given_by as "givenBy", role.given_at as "givenAt"
    from administrators as role join users as account on account.id = role.user_id and account.active
    order by account.name, account.id limit ${administratorsMax}::int`)
}

async function grantRole(context: AdministrationContext, caller: Caller, body: unknown): Promise<void> {
  if (!caller.isAdministrator) throw forbiddenToAppoint()
  const { userId } = parseFields(body, { userId: uuid })
  const isNew = await context.database.transaction((transaction) =>
    grantAdministratorRole(
      transaction,
      { userId, by: caller.id },
      requireAdministrator(context, caller, forbiddenToAppoint),
    ),
  )
  if (isNew) recordRoleChange(context, caller, userId, 'given')
}

/** Admins cannot revoke their own role, so at least one always remains. */
async function revokeRole(context: AdministrationContext, caller: Caller, body: unknown): Promise<void> {
  if (!caller.isAdministrator) throw forbiddenToAppoint()
  const { userId } = parseFields(body, { userId: uuid })
  if (userId === caller.id)
    throw invalid({ userId: ['You cannot revoke your own role. Ask another administrator.'] })
  await context.database.transaction(async (transaction) => {
    await requireAdministrator(context, caller, forbiddenToAppoint)(transaction)
    const [revoked] = await transaction.query(
      sql`delete from administrators where user_id = ${userId} returning true`,
    )
    if (!revoked) throw notFound('Administrator')
    await endLinksOfAccount(transaction, userId)
  })
  recordRoleChange(context, caller, userId, 'taken')
}

/**
 * Returns a check that throws unless the caller is an administrator. From then on, no account gains or loses
 * the role until the transaction ends.
 */
const requireAdministrator =
  ({ administrators }: AdministrationContext, caller: Caller, problem: () => Problem): Authorize =>
  async (transaction) => {
    if (!(await lockAdministrators(transaction, administrators, caller.id))) throw problem()
  }

const recordRoleChange = (
  { securityLog }: AdministrationContext,
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
      givenAt: { ...dateTime, description: 'The time it was granted.' },
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

/** Routes for the administrators in the database. The logins of SVC_ADMIN_LOGINS are not among them. */
export const administratorRoutes: readonly Route[] = [
  {
    ...base,
    id: 'ListAdministrators',
    summary:
      'Lists the administrators that another administrator has appointed. For administrators only, like the other operations.',
    description: 'Administrators named in the settings of the hosts are not listed.',
    method: 'GET',
    response: ref('AdministratorList'),
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
    response: ref('Success'),
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
    response: ref('Success'),
    errors: [400, 403, 404],
    async handle({ context, caller, request }) {
      await revokeRole(context, caller, request.body)
      return { body: { success: true } }
    },
  },
]

interface Deactivation {
  readonly userId: string
  readonly deactivatedBy: string
  readonly deactivatedAt: string
}

/** The maximum number of accounts in one request. */
const deactivationIdsMax = 100

const forbiddenToDeactivate = () => forbidden('Only administrators may see and change who is deactivated.')

/** Returns which of these accounts are deactivated. */
function listDeactivations(
  { database }: AdministrationContext,
  caller: Caller,
  ids: readonly string[],
): Promise<Deactivation[]> {
  if (!caller.isAdministrator) throw forbiddenToDeactivate()
  return database.query<Deactivation>(sql`
    select user_id as "userId", deactivated_by as "deactivatedBy", deactivated_at as "deactivatedAt"
    from deactivated_accounts where user_id = any(${ids}::uuid[]) order by user_id`)
}

async function deactivate(context: AdministrationContext, caller: Caller, body: unknown): Promise<void> {
  if (!caller.isAdministrator) throw forbiddenToDeactivate()
  const { userId } = parseFields(body, { userId: uuid })
  if (userId === caller.id) throw invalid({ userId: ['You cannot deactivate your own account.'] })
  await context.database.transaction((transaction) =>
    deactivateAccount(
      transaction,
      { userId, by: caller.id },
      requireAdministrator(context, caller, forbiddenToDeactivate),
    ),
  )
  context.securityLog?.(changeEvent(caller, userId, 'deactivate'))
}

async function reactivate(context: AdministrationContext, caller: Caller, body: unknown): Promise<void> {
  if (!caller.isAdministrator) throw forbiddenToDeactivate()
  const { userId } = parseFields(body, { userId: uuid })
  await context.database.transaction(async (transaction) => {
    const authorize = requireAdministrator(context, caller, forbiddenToDeactivate)
    if (!(await reactivateAccount(transaction, userId, authorize))) throw notFound('Deactivation')
  })
  context.securityLog?.(changeEvent(caller, userId, 'reactivate'))
}

const changeEvent = (caller: Caller, account: string, outcome: 'deactivate' | 'reactivate') =>
  ({ event: 'account-changed', outcome, ...callerDetails(caller), account, by: caller.id }) as const

export const deactivationSchemas: Readonly<Record<string, Schema>> = {
  Deactivation: {
    type: 'object',
    required: ['userId', 'deactivatedBy', 'deactivatedAt'],
    properties: {
      userId: { ...uuid.schema, description: 'The deactivated account.' },
      deactivatedBy: { ...uuid.schema, description: 'The account of the administrator who deactivated it.' },
      deactivatedAt: { ...dateTime, description: 'The time of the deactivation.' },
    },
  },
  DeactivationList: {
    type: 'object',
    required: ['deactivations'],
    properties: {
      deactivations: {
        type: 'array',
        items: ref('Deactivation'),
        maxItems: deactivationIdsMax,
        description: 'Those of the requested accounts that are deactivated.',
      },
    },
  },
  DeactivatedAccount: {
    type: 'object',
    required: ['userId'],
    properties: { userId: { ...uuid.schema, description: 'The id of the account.' } },
  },
}

const deactivations = { tag: 'Administrators', path: '/ext/deactivations' }

/** A deactivated account cannot sign in, while its name, memberships and history stay. */
export const deactivationRoutes: readonly Route[] = [
  {
    ...deactivations,
    id: 'ListDeactivations',
    summary:
      'Returns which of these accounts are deactivated. For administrators only, like the other operations.',
    description: 'A deactivated account stays in lists, in projects and in history.',
    method: 'GET',
    parameters: [
      {
        name: 'ids',
        required: true,
        description: `The ids of up to ${deactivationIdsMax} accounts, separated by commas.`,
        schema: someText,
      },
    ],
    response: ref('DeactivationList'),
    errors: [400, 403],
    async handle({ context, caller, request }) {
      const ids = parseIds((request.query as Readonly<Record<string, unknown>>).ids)
      return { body: { deactivations: await listDeactivations(context, caller, ids) } }
    },
  },
  {
    ...deactivations,
    id: 'DeactivateAccount',
    summary: 'Deactivates an account: it can no longer sign in, and everything issued to it is invalidated.',
    description:
      'Its name, its memberships and everything it did stay as they are. You cannot deactivate your own account.',
    method: 'POST',
    body: ref('DeactivatedAccount'),
    response: ref('Success'),
    errors: [400, 403, 404],
    async handle({ context, caller, request }) {
      await deactivate(context, caller, request.body)
      return { body: { success: true } }
    },
  },
  {
    ...deactivations,
    id: 'ReactivateAccount',
    summary: 'Reactivates an account: it can sign in again with its previous password.',
    description: 'Everything issued to it before stays invalid.',
    method: 'DELETE',
    body: ref('DeactivatedAccount'),
    response: ref('Success'),
    errors: [400, 403, 404],
    async handle({ context, caller, request }) {
      await reactivate(context, caller, request.body)
      return { body: { success: true } }
    },
  },
]

function parseIds(input: unknown): readonly string[] {
  const items = typeof input === 'string' ? input.split(',', deactivationIdsMax + 1) : []
  const { distinct, areAllUuids } = collectUuids(items)
  if (!areAllUuids || distinct.length < 1 || items.length > deactivationIdsMax)
    throw invalid({
      ids: [`Ids must be 1 to ${deactivationIdsMax} ids of accounts, separated by commas.`],
    })
  return distinct
}

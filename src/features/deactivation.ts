import {
  type Administrators,
  type Authorize,
  deactivateAccount,
  lockAdministrators,
  reactivateAccount,
} from '../accounts/administrators.ts'
import { parseFields } from '../accounts/parse-fields.ts'
import type { Database } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import type { Schema } from '../http/operation.ts'
import type { Caller } from '../model/caller.ts'
import { uuid } from '../model/field-kinds.ts'
import { forbidden, invalid, notFound } from '../model/problem.ts'
import { callerDetails, type SecurityLog } from '../observability/security-log.ts'
import { collectUuids } from '../records/list-query.ts'
import type { Route } from '../routes/route.ts'
import { ref, someText } from '../routes/schemas.ts'

interface Deactivation {
  readonly userId: string
  readonly deactivatedBy: string
  readonly deactivatedAt: string
}

interface DeactivationContext {
  readonly database: Database
  readonly administrators: Administrators
  readonly securityLog?: SecurityLog
}

/** Accounts are listed by their ids; a request may name this many. */
const deactivationIdsMax = 100

const onlyAdministrators = () => forbidden('Only administrators may see and change who is deactivated.')

/** Returns those of the given accounts that are deactivated. */
function listDeactivations(
  { database }: DeactivationContext,
  caller: Caller,
  ids: readonly string[],
): Promise<Deactivation[]> {
  if (!caller.isAdministrator) throw onlyAdministrators()
  return database.query<Deactivation>(sql`
    select user_id as "userId", deactivated_by as "deactivatedBy", deactivated_at as "deactivatedAt"
    from deactivated_accounts where user_id = any(${ids}::uuid[]) order by user_id`)
}

async function deactivate(context: DeactivationContext, caller: Caller, body: unknown): Promise<void> {
  const userId = parseUserId(caller, body)
  if (userId === caller.id) throw invalid({ userId: ['You cannot deactivate your own account.'] })
  await context.database.transaction((transaction) =>
    deactivateAccount(transaction, { userId, by: caller.id }, requireAdministrator(context, caller)),
  )
  context.securityLog?.(changeEvent(caller, userId, 'deactivate'))
}

async function reactivate(context: DeactivationContext, caller: Caller, body: unknown): Promise<void> {
  const userId = parseUserId(caller, body)
  await context.database.transaction(async (transaction) => {
    if (!(await reactivateAccount(transaction, userId, requireAdministrator(context, caller))))
      throw notFound('Deactivation')
  })
  context.securityLog?.(changeEvent(caller, userId, 'reactivate'))
}

function parseUserId(caller: Caller, body: unknown): string {
  if (!caller.isAdministrator) throw onlyAdministrators()
  return parseFields(body, { userId: uuid }).userId
}

const requireAdministrator =
  ({ administrators }: DeactivationContext, caller: Caller): Authorize =>
  async (transaction) => {
    if (!(await lockAdministrators(transaction, administrators, caller.id))) throw onlyAdministrators()
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
      deactivatedAt: { type: 'string', format: 'date-time', description: 'The time of the deactivation.' },
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

const base = { tag: 'Administrators', path: '/ext/deactivations' }

/** A deactivated account cannot sign in, while its names, memberships and history stay. */
export const deactivationRoutes: readonly Route[] = [
  {
    ...base,
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
    answer: ref('DeactivationList'),
    errors: [400, 403],
    async handle({ context, caller, request }) {
      const ids = parseIds((request.query as Readonly<Record<string, unknown>>).ids)
      return { body: { deactivations: await listDeactivations(context, caller, ids) } }
    },
  },
  {
    ...base,
    id: 'DeactivateAccount',
    summary: 'Deactivates an account: it can no longer sign in, and everything issued to it is invalidated.',
    description:
      'Its name, its memberships and everything it did stay as they are. You cannot deactivate your own account.',
    method: 'POST',
    body: ref('DeactivatedAccount'),
    answer: ref('Success'),
    errors: [400, 403, 404],
    async handle({ context, caller, request }) {
      await deactivate(context, caller, request.body)
      return { body: { success: true } }
    },
  },
  {
    ...base,
    id: 'ReactivateAccount',
    summary: 'Reactivates an account: it can sign in again with its previous password.',
    description: 'Everything issued to it before stays invalid.',
    method: 'DELETE',
    body: ref('DeactivatedAccount'),
    answer: ref('Success'),
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

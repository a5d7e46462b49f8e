import {
  type Deactivating,
  deactivate,
  deactivationsListedMax,
  listDeactivations,
  reactivate,
} from '../accounts/deactivation.ts'
import type { Schema } from '../http/operation.ts'
import { uuid } from '../model/field-kinds.ts'
import { invalid } from '../model/problem.ts'
import { parseUuids } from '../records/list-query.ts'
import type { Route } from '../routes/route.ts'
import { ref } from '../routes/schemas.ts'

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
        maxItems: deactivationsListedMax,
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

const one = { tag: 'Administrators', path: '/ext/deactivations' }

/** A deactivated account cannot sign in, while its names, memberships and history stay. */
export const deactivationRoutes = (deactivating: Deactivating): Route[] => [
  {
    ...one,
    id: 'ListDeactivations',
    summary:
      'Returns which of these accounts are deactivated. For administrators only, like the other operations.',
    description: 'A deactivated account stays in lists, in projects and in history.',
    method: 'GET',
    parameters: [
      {
        name: 'ids',
        required: true,
        description: `The ids of up to ${deactivationsListedMax} accounts, separated by commas.`,
        schema: { type: 'string' },
      },
    ],
    answer: ref('DeactivationList'),
    errors: [400, 403],
    async handle({ caller, request }) {
      const ids = parseIds((request.query as Readonly<Record<string, unknown>>).ids)
      return { body: { deactivations: await listDeactivations(deactivating, caller, ids) } }
    },
  },
  {
    ...one,
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
    ...one,
    id: 'ReactivateAccount',
    summary: 'Reactivates an account: it can sign in again with its previous password.',
    description: 'Everything issued to it before stays invalid.',
    method: 'DELETE',
    body: ref('DeactivatedAccount'),
    answer: ref('Success'),
    errors: [400, 403, 404],
    async handle({ caller, request }) {
      await reactivate(deactivating, caller, request.body)
      return { body: { success: true } }
    },
  },
]

function parseIds(input: unknown): readonly string[] {
  const items = typeof input === 'string' ? input.split(',', deactivationsListedMax + 1) : []
  const { distinct, areAllUuids } = parseUuids(items)
  if (!areAllUuids || distinct.length < 1 || items.length > deactivationsListedMax)
    throw invalid({
      ids: [`Ids must be 1 to ${deactivationsListedMax} ids of accounts, separated by commas.`],
    })
  return distinct
}

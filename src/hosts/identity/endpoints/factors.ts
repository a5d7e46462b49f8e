import { readFields } from '../../../accounts/read-fields.ts'
import { sql } from '../../../db/sql.ts'
import type { Schema } from '../../../http/operation.ts'
import { uuid } from '../../../model/field-kinds.ts'
import { forbidden, invalid, missing } from '../../../model/problem.ts'
import {
  answering,
  bySignInOfLastMinutes,
  factorEndpoint,
  id,
  madeCodes,
  object,
  ref,
  required,
  success,
} from '../core/describe.ts'
import { type Endpoint, parseSingle } from '../core/endpoint.ts'
import type { Identity } from '../core/identity.ts'
import { type LiveSession, lockFactors } from '../core/sessions.ts'
import { findFactors, hasFactor, mustHaveFactor } from '../factors/account-factors.ts'
import { acceptApp, offerApp } from '../factors/authenticator-app.ts'
import {
  afterChange,
  changing,
  recordChange,
  removeAll,
  requireFactorCaller,
  requireFreshCaller,
} from '../factors/change-factors.ts'
import { listPasskeys, passkeysMax } from '../factors/passkeys.ts'
import { makeRecoveryCodes, recoveryCodesMade } from '../factors/recovery-codes.ts'

const timestamp = (description: string): Schema => ({
  type: ['string', 'null'],
  format: 'date-time',
  description,
})

export const showFactors: Endpoint = {
  ...factorEndpoint,
  id: 'ShowFactors',
  summary: 'What the own account proves itself with; of another one, whether it has a second factor.',
  description:
    'With the access token of the web client, as everything about factors. Of others administrators only.',
  method: 'GET',
  path: '/ext/factors',
  parameters: [{ name: 'userId', description: 'Another account.', schema: id }],
  answer: { oneOf: [ref('OwnFactors'), ref('FactorsOfOther')] },
  schemas: {
    OwnFactors: object({
      appSince: timestamp('Since when there is an app for codes; null: there is none.'),
      recoveryCodesLeft: {
        type: 'integer',
        description: 'Recovery codes that were not used.',
        examples: [recoveryCodesMade],
      },
      passkeys: {
        type: 'array',
        maxItems: passkeysMax,
        description: 'The oldest first.',
        items: object({
          id: { ...id, description: 'What it is renamed and removed by.' },
          name: { type: 'string', description: 'What its owner calls it.', examples: ['My phone'] },
          createdAt: { type: 'string', format: 'date-time', description: 'When it was added.' },
          lastUsedAt: timestamp('When somebody last signed in with it; null: never.'),
        }),
      },
      isRequired: { type: 'boolean', description: 'Whether the account must have a second factor.' },
      passkeyDomain: {
        type: ['string', 'null'],
        description: 'The domain that passkeys are bound to; null: there are none here.',
        examples: ['example.com'],
      },
    }),
    FactorsOfOther: object({
      hasFactor: { type: 'boolean', description: 'Whether the account has a second factor.' },
    }),
  },
  refusals: [400, 401, 403],
  handler: (identity) => async (call) => {
    const session = await requireFactorCaller(identity, call)
    const { userId } = parseSingle(call.parameters)
    if (userId === undefined || userId === session.accountId)
      return { body: await serializeFactors(identity, session) }
    requireAdministrator(identity, session)
    const { userId: id } = readFields({ userId }, { userId: uuid })
    return { body: { hasFactor: hasFactor(await findFactors(identity.database, id)) } }
  },
}

export const offerAuthenticatorApp: Endpoint = {
  ...factorEndpoint,
  id: 'OfferAuthenticatorApp',
  summary: 'A new secret for an app that makes codes, with its QR code.',
  description: `${bySignInOfLastMinutes} It is kept only when a code of it is confirmed, within half an hour.`,
  method: 'POST',
  path: '/ext/factors/app',
  ...answering(
    'AppOffer',
    object({
      offer: { type: 'string', description: 'To be sent back with the first code.' },
      secret: { type: 'string', description: 'For apps that read no pictures, in base 32.' },
      address: { type: 'string', description: 'The same as an address that apps open, `otpauth://…`.' },
      picture: {
        ...object({
          side: { type: 'integer', description: 'Squares of one side.', examples: [41] },
          path: {
            type: 'string',
            description: 'The dark ones, as the path of an SVG.',
            examples: ['M2 2h1v1h-1z'],
          },
        }),
        description: 'The address as a QR code.',
      },
    }),
  ),
  handler: (identity) => async (call) => {
    const { address, ...offer } = offerApp(identity, await requireFreshCaller(identity, call))
    return { body: { ...offer, address } }
  },
}

export const confirmAuthenticatorApp: Endpoint = {
  ...factorEndpoint,
  id: 'ConfirmAuthenticatorApp',
  summary: 'Keeps the offered app, in place of one there was.',
  description: bySignInOfLastMinutes,
  method: 'POST',
  path: '/ext/factors/app/confirm',
  parameters: [
    required('offer', 'As it came with the secret.'),
    required('code', 'What the app shows; spaces do not count.', {
      type: 'string',
      examples: ['123456'],
    }),
  ],
  ...madeCodes,
  handler: (identity) =>
    changing(
      identity,
      'app set up',
      async (transaction, { accountId }, { offer = '', code = '' }, before) => {
        const given = { offer, code: code.replaceAll(/\s/g, '') }
        if (!(await acceptApp(identity, transaction, accountId, given)))
          throw invalid({ code: ['Code is wrong. Wait for the next one that the app shows.'] })
        const isFirst = !hasFactor(before)
        return { recoveryCodes: isFirst ? await makeRecoveryCodes(transaction, accountId) : null }
      },
    ),
}

export const removeAuthenticatorApp: Endpoint = {
  ...factorEndpoint,
  id: 'RemoveAuthenticatorApp',
  summary: 'Removes the app for codes.',
  description: `${bySignInOfLastMinutes} The recovery codes go with the last second factor.`,
  method: 'POST',
  path: '/ext/factors/app/remove',
  ...success,
  refusals: [400, 401, 404],
  handler: (identity) =>
    changing(identity, 'app removed', async (transaction, { accountId }) => {
      const [removed] = await transaction.query(
        sql`delete from authenticator_apps where user_id = ${accountId} returning true`,
      )
      if (!removed) throw missing('App')
      return { success: true }
    }),
}

export const renewRecoveryCodes: Endpoint = {
  ...factorEndpoint,
  id: 'MakeRecoveryCodes',
  summary: 'New recovery codes in place of those there were.',
  description: `${bySignInOfLastMinutes} For accounts with a second factor. They are shown this once.`,
  method: 'POST',
  path: '/ext/factors/recovery-codes',
  ...madeCodes,
  handler: (identity) =>
    changing(identity, 'recovery codes made', async (transaction, { accountId }, _form, before) => {
      if (!hasFactor(before))
        throw invalid({ generalErrors: ['Recovery codes are for those who have a second factor.'] })
      return { recoveryCodes: await makeRecoveryCodes(transaction, accountId) }
    }),
}

export const takeFactorsAway: Endpoint = {
  ...factorEndpoint,
  id: 'TakeFactorsAway',
  summary: 'Takes the second factors of somebody away who has lost them.',
  description: `${bySignInOfLastMinutes} Administrators only.`,
  method: 'POST',
  path: '/ext/factors/take-away',
  parameters: [required('userId', 'The account.', id)],
  ...success,
  refusals: [400, 401, 403, 404],
  handler: (identity) => async (call) => {
    const administrator = await requireFreshCaller(identity, call)
    requireAdministrator(identity, administrator)
    const { userId } = readFields(parseSingle(call.parameters), { userId: uuid })
    await identity.database.transaction(async (transaction) => {
      await lockFactors(transaction, userId)
      requireAdministrator(identity, await requireFreshCaller(identity, call))
      if (!hasFactor(await findFactors(transaction, userId))) throw missing('Second factor')
      await removeAll(transaction, userId)
      const isOwn = userId === administrator.accountId
      await afterChange(identity, transaction, userId, isOwn ? administrator.sessionId : undefined)
    })
    recordChange(identity, call, administrator, 'taken away', userId)
    return { body: { success: true } }
  },
}

async function serializeFactors(identity: Identity, session: LiveSession) {
  const { appSince, recoveryCodesLeft } = await findFactors(identity.database, session.accountId)
  return {
    appSince,
    recoveryCodesLeft,
    passkeys: await listPasskeys(identity.database, session.accountId),
    isRequired: mustHaveFactor(identity, session),
    passkeyDomain: identity.settings.passkeys?.domain ?? null,
  }
}

function requireAdministrator({ administrators }: Identity, session: LiveSession): void {
  if (!administrators.isAdministrator(session))
    throw forbidden('Only administrators may see and take away the second factors of others.')
}

import { canSignIn, onlyWayToSignIn } from '../../../accounts/sign-in.ts'
import type { PasskeySettings } from '../../../config/host-settings.ts'
import { sql } from '../../../db/sql.ts'
import type { Schema } from '../../../http/openapi.ts'
import { text, uuid } from '../../../model/field-kinds.ts'
import { forbidden, invalid, notFound, parseFields } from '../../../model/problem.ts'
import { type Endpoint, type Identity, singleParameters } from '../core/endpoint.ts'
import {
  factorOperation,
  jsonResponse,
  object,
  recoveryCodesResponse,
  ref,
  required,
  requiresRecentSignIn,
  successResponse,
  uuidSchema,
} from '../core/operation-parts.ts'
import type { ActiveSession } from '../core/sessions.ts'
import {
  createFirstRecoveryCodes,
  createRecoveryCodes,
  factorChangeHandler,
  findFactors,
  hasFactor,
  mustHaveFactor,
  recordFactorChange,
  recoveryCodeCount,
  requireRecentSignIn,
  requireWebClientSession,
  resetFactors,
} from '../factors/account-factors.ts'
import { offerApp, registerApp } from '../factors/authenticator-app.ts'
import {
  createRegistrationDialog,
  listPasskeys,
  passkeyNameCharactersMax,
  passkeysMax,
  registerPasskey,
} from '../factors/passkeys.ts'

const nullableTimestamp = (description: string): Schema => ({
  type: ['string', 'null'],
  format: 'date-time',
  description,
})

export const showFactors: Endpoint = {
  ...factorOperation,
  id: 'ShowFactors',
  summary:
    "Lists the authentication factors of the caller's account; for another account, only whether it has a second factor.",
  description:
    'Requires an access token of the web client, like all operations on factors. For other accounts, administrators only.',
  method: 'GET',
  path: '/ext/factors',
  parameters: [
    { name: 'userId', description: "Another account; by default the caller's.", schema: uuidSchema },
  ],
  response: ref('FactorsAnswer'),
  schemas: {
    FactorsAnswer: { oneOf: [ref('OwnFactors'), ref('FactorsOfOther')] },
    OwnFactors: object({
      appSince: nullableTimestamp('The time the authenticator app was set up; null without one.'),
      recoveryCodesLeft: {
        type: 'integer',
        description: 'The number of unused recovery codes.',
        examples: [recoveryCodeCount],
      },
      passkeys: {
        type: 'array',
        maxItems: passkeysMax,
        description: 'Sorted from oldest to newest.',
        items: object({
          id: { ...uuidSchema, description: 'The id for renaming and removing it.' },
          name: { type: 'string', description: 'Its name, chosen by its owner.', examples: ['My phone'] },
          createdAt: { type: 'string', format: 'date-time', description: 'The time it was added.' },
          lastUsedAt: nullableTimestamp('The time of the last sign-in with it; null if there was none.'),
        }),
      },
      isRequired: { type: 'boolean', description: 'Whether the account must have a second factor.' },
      passkeyDomain: {
        type: ['string', 'null'],
        description: 'The domain to which passkeys are bound; null if passkeys are unavailable.',
        examples: ['example.com'],
      },
    }),
    FactorsOfOther: object({
      hasFactor: { type: 'boolean', description: 'Whether the account has a second factor.' },
    }),
  },
  errors: [400, 401, 403],
  createHandler: (identity) => async (call) => {
    const session = await requireWebClientSession(identity, call)
    const { userId } = singleParameters(call.parameters)
    if (userId === undefined || userId === session.accountId)
      return { body: await serializeFactors(identity, session) }
    requireAdministrator(identity, session)
    const { userId: id } = parseFields({ userId }, { userId: uuid })
    return { body: { hasFactor: hasFactor(await findFactors(identity.database, id)) } }
  },
}

export const offerAuthenticatorApp: Endpoint = {
  ...factorOperation,
  id: 'OfferAuthenticatorApp',
  summary: 'Creates a secret for an authenticator app, with its QR code.',
  description: `${requiresRecentSignIn} It is stored only when one of its codes is confirmed within 30 minutes.`,
  method: 'POST',
  path: '/ext/factors/app',
  ...jsonResponse(
    'AppOffer',
    object({
      offer: { type: 'string', description: 'To be returned with the first code.' },
      secret: { type: 'string', description: 'The secret in base 32, for typing into an app.' },
      address: { type: 'string', description: 'The secret as a link that apps open, `otpauth://…`.' },
      picture: {
        ...object({
          side: { type: 'integer', description: 'The number of modules per side.', examples: [41] },
          path: {
            type: 'string',
            description: 'The dark modules, as the path of an SVG.',
            examples: ['M2 2h1v1h-1z'],
          },
        }),
        description: 'The link as a QR code.',
      },
    }),
  ),
  createHandler: (identity) => async (call) => {
    const session = await requireRecentSignIn(identity, call)
    return { body: offerApp(identity, session) }
  },
}

export const confirmAuthenticatorApp: Endpoint = {
  ...factorOperation,
  id: 'ConfirmAuthenticatorApp',
  summary: 'Confirms the offered app, which replaces an existing one.',
  description: requiresRecentSignIn,
  method: 'POST',
  path: '/ext/factors/app/confirm',
  parameters: [
    required('offer', 'The value returned with the secret.'),
    required('code', 'The code shown by the app; spaces are ignored.', {
      type: 'string',
      examples: ['123456'],
    }),
  ],
  ...recoveryCodesResponse,
  createHandler: (identity) =>
    factorChangeHandler(
      identity,
      'app set up',
      async (transaction, { accountId }, { offer = '', code = '' }, before) => {
        const confirmation = { offer, code: code.replaceAll(/\s/g, '') }
        if (!(await registerApp(identity, transaction, accountId, confirmation)))
          throw invalid({ code: ['Code is wrong. Wait for the next code in the app.'] })
        return { recoveryCodes: await createFirstRecoveryCodes(transaction, accountId, before) }
      },
    ),
}

export const removeAuthenticatorApp: Endpoint = {
  ...factorOperation,
  id: 'RemoveAuthenticatorApp',
  summary: 'Removes the authenticator app.',
  description: `${requiresRecentSignIn} Removing the last second factor also removes the recovery codes.`,
  method: 'POST',
  path: '/ext/factors/app/remove',
  ...successResponse,
  errors: [400, 401, 404],
  createHandler: (identity) =>
    factorChangeHandler(identity, 'app removed', async (transaction, { accountId }) => {
      const [removed] = await transaction.query(
        sql`delete from authenticator_apps where user_id = ${accountId} returning true`,
      )
      if (!removed) throw notFound('App')
      return { success: true }
    }),
}

export const renewRecoveryCodes: Endpoint = {
  ...factorOperation,
  id: 'MakeRecoveryCodes',
  summary: 'Creates new recovery codes, which replace the existing ones.',
  description: `${requiresRecentSignIn} For accounts with a second factor. The codes are shown only once.`,
  method: 'POST',
  path: '/ext/factors/recovery-codes',
  ...recoveryCodesResponse,
  createHandler: (identity) =>
    factorChangeHandler(
      identity,
      'recovery codes made',
      async (transaction, { accountId }, _form, before) => {
        if (!hasFactor(before))
          throw invalid({ generalErrors: ['Recovery codes require a second factor. Set one up first.'] })
        return { recoveryCodes: await createRecoveryCodes(transaction, accountId) }
      },
    ),
}

export const removeFactors: Endpoint = {
  ...factorOperation,
  id: 'TakeFactorsAway',
  summary: 'Removes the second factors of a user who has lost them.',
  description: `${requiresRecentSignIn} For administrators only.`,
  method: 'POST',
  path: '/ext/factors/take-away',
  parameters: [required('userId', 'The account.', uuidSchema)],
  ...successResponse,
  errors: [400, 401, 403, 404],
  createHandler: (identity) => async (call) => {
    const administrator = await requireRecentSignIn(identity, call)
    requireAdministrator(identity, administrator)
    const { userId } = parseFields(singleParameters(call.parameters), { userId: uuid })
    const keptSessionId = userId === administrator.accountId ? administrator.sessionId : undefined
    await identity.database.transaction((transaction) =>
      // Checked again, because the session may have ended during the wait for the lock.
      resetFactors(identity, transaction, { accountId: userId, keptSessionId }, async () =>
        requireAdministrator(identity, await requireRecentSignIn(identity, call)),
      ),
    )
    recordFactorChange(identity, call, administrator, 'taken away', userId)
    return { body: { success: true } }
  },
}

async function serializeFactors(identity: Identity, session: ActiveSession) {
  const { appSince, recoveryCodesLeft } = await findFactors(identity.database, session.accountId)
  return {
    appSince,
    recoveryCodesLeft,
    passkeys: await listPasskeys(identity.database, session.accountId),
    isRequired: mustHaveFactor(identity, session),
    passkeyDomain: identity.settings.passkeys?.domain ?? null,
  }
}

function requireAdministrator({ administrators }: Identity, session: ActiveSession): void {
  if (!administrators.isAdministrator(session))
    throw forbidden('Only administrators may view and remove the second factors of other users.')
}

const nameParameter = required('name', 'Its name, chosen by its owner.', {
  type: 'string',
  maxLength: passkeyNameCharactersMax,
  examples: ['My phone'],
})
const passkeyName = text({ max: passkeyNameCharactersMax })

export const offerPasskey: Endpoint = {
  ...factorOperation,
  id: 'OfferPasskey',
  summary: 'Returns the options with which the browser creates a passkey.',
  description: `${requiresRecentSignIn} They are valid for 15 minutes.`,
  method: 'POST',
  path: '/ext/factors/passkey-options',
  ...jsonResponse(
    'PasskeyDialog',
    object({
      options: {
        type: 'object',
        description: 'For `PublicKeyCredential.parseCreationOptionsFromJSON` (WebAuthn).',
        additionalProperties: true,
      },
      challenge: { type: 'string', description: 'To be returned with the credential.' },
    }),
  ),
  createHandler: (identity) => async (call) => {
    const session = await requireRecentSignIn(identity, call)
    return { body: await createRegistrationDialog(identity, session, requirePasskeys(identity).domain) }
  },
}

export const addPasskey: Endpoint = {
  ...factorOperation,
  id: 'AddPasskey',
  summary: 'Stores the passkey that the browser has created.',
  description: `${requiresRecentSignIn} An account has at most ${passkeysMax}.`,
  method: 'POST',
  path: '/ext/factors/passkeys',
  parameters: [
    required('challenge', 'The value returned with the options.'),
    required('credential', 'The result of `toJSON()` of the new credential, as JSON.', {
      type: 'string',
      maxLength: 10_000,
    }),
    nameParameter,
  ],
  ...recoveryCodesResponse,
  createHandler: (identity) =>
    factorChangeHandler(identity, 'passkey added', async (transaction, { accountId }, form, before) => {
      const { name } = parseFields(form, { name: passkeyName })
      const { challenge = '', credential = '' } = form
      if (!(await registerPasskey(identity, transaction, accountId, { challenge, credential, name })))
        throw invalid({
          generalErrors: [
            `The passkey could not be saved. An account may have at most ${passkeysMax} passkeys.`,
          ],
        })
      return { recoveryCodes: await createFirstRecoveryCodes(transaction, accountId, before) }
    }),
}

export const renamePasskey: Endpoint = {
  ...factorOperation,
  id: 'RenamePasskey',
  summary: 'Renames a passkey.',
  description: requiresRecentSignIn,
  method: 'POST',
  path: '/ext/factors/passkeys/rename',
  parameters: [required('id', 'The passkey.', uuidSchema), nameParameter],
  ...successResponse,
  errors: [400, 401, 404],
  createHandler: (identity) =>
    factorChangeHandler(
      identity,
      'passkey renamed',
      async (transaction, { accountId }, form) => {
        const { id, name } = parseFields(form, { id: uuid, name: passkeyName })
        const [renamed] = await transaction.query(
          sql`update passkeys set name = ${name} where id = ${id} and user_id = ${accountId} returning true`,
        )
        if (!renamed) throw notFound('Passkey')
        return { success: true }
      },
      { changesCredentials: false },
    ),
}

export const removePasskey: Endpoint = {
  ...factorOperation,
  id: 'RemovePasskey',
  summary: 'Removes a passkey.',
  description: `${requiresRecentSignIn} Removing the last second factor also removes the recovery codes. Users cannot remove their last way to sign in.`,
  method: 'POST',
  path: '/ext/factors/passkeys/remove',
  parameters: [required('id', 'The passkey.', uuidSchema)],
  ...successResponse,
  errors: [400, 401, 404],
  createHandler: (identity) =>
    factorChangeHandler(identity, 'passkey removed', async (transaction, { accountId }, form) => {
      const { id } = parseFields(form, { id: uuid })
      const [removed] = await transaction.query(
        sql`delete from passkeys where id = ${id} and user_id = ${accountId} returning true`,
      )
      if (!removed) throw notFound('Passkey')
      if (!(await canSignIn(transaction, accountId, identity.settings)))
        throw invalid({ generalErrors: [onlyWayToSignIn] })
      return { success: true }
    }),
}

function requirePasskeys({ settings }: Identity): PasskeySettings {
  if (settings.passkeys) return settings.passkeys
  throw invalid({ generalErrors: ['Passkeys need HTTPS and a host name, which this server does not have.'] })
}

import { parseFields } from '../../../accounts/parse-fields.ts'
import { canSignIn, onlyWayToSignIn } from '../../../accounts/sign-in-methods.ts'
import type { PasskeySettings } from '../../../config/host-settings.ts'
import { sql } from '../../../db/sql.ts'
import { text, uuid } from '../../../model/field-kinds.ts'
import { invalid, notFound } from '../../../model/problem.ts'
import type { Endpoint } from '../core/endpoint.ts'
import type { Identity } from '../core/identity.ts'
import {
  factorOperation,
  jsonResponse,
  object,
  recoveryCodesResponse,
  required,
  requiresRecentSignIn,
  successResponse,
  uuidSchema,
} from '../core/operation-parts.ts'
import {
  createFirstRecoveryCodes,
  factorChangeHandler,
  requireRecentSignIn,
} from '../factors/change-factors.ts'
import { createRegistrationDialog } from '../factors/passkey-challenge.ts'
import { passkeyNameCharactersMax, passkeysMax, registerPasskey } from '../factors/passkeys.ts'

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
  handler: (identity) => async (call) => {
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
  handler: (identity) =>
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
  handler: (identity) =>
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
      'only a name',
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
  handler: (identity) =>
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

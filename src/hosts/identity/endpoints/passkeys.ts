import { parseFields } from '../../../accounts/parse-fields.ts'
import type { PasskeySettings } from '../../../config/host-settings.ts'
import { sql } from '../../../db/sql.ts'
import { text, uuid } from '../../../model/field-kinds.ts'
import { invalid, missing } from '../../../model/problem.ts'
import {
  answering,
  bySignInOfLastMinutes,
  factorEndpoint,
  id,
  madeCodes,
  object,
  required,
  success,
} from '../core/describe.ts'
import type { Endpoint } from '../core/endpoint.ts'
import type { Identity } from '../core/identity.ts'
import { changing, firstCodes, requireFreshCaller } from '../factors/change-factors.ts'
import { askForNewPasskey } from '../factors/passkey-challenge.ts'
import { acceptPasskey, passkeyNameCharactersMax, passkeysMax } from '../factors/passkeys.ts'

const nameParameter = required('name', 'Its name, chosen by its owner.', {
  type: 'string',
  maxLength: passkeyNameCharactersMax,
  examples: ['My phone'],
})
const passkeyName = text({ max: passkeyNameCharactersMax })

export const offerPasskey: Endpoint = {
  ...factorEndpoint,
  id: 'OfferPasskey',
  summary: 'Returns the options with which the browser creates a passkey.',
  description: `${bySignInOfLastMinutes} They are valid for 15 minutes.`,
  method: 'POST',
  path: '/ext/factors/passkey-options',
  ...answering(
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
    const session = await requireFreshCaller(identity, call)
    return { body: await askForNewPasskey(identity, session, requirePasskeys(identity).domain) }
  },
}

export const addPasskey: Endpoint = {
  ...factorEndpoint,
  id: 'AddPasskey',
  summary: 'Stores the passkey that the browser has created.',
  description: `${bySignInOfLastMinutes} An account has at most ${passkeysMax}.`,
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
  ...madeCodes,
  handler: (identity) =>
    changing(identity, 'passkey added', async (transaction, { accountId }, form, before) => {
      const { name } = parseFields(form, { name: passkeyName })
      const { challenge = '', credential = '' } = form
      if (!(await acceptPasskey(identity, transaction, accountId, { challenge, credential, name })))
        throw invalid({ generalErrors: [`The passkey could not be kept. There may be ${passkeysMax}.`] })
      return { recoveryCodes: await firstCodes(transaction, accountId, before) }
    }),
}

export const renamePasskey: Endpoint = {
  ...factorEndpoint,
  id: 'RenamePasskey',
  summary: 'Renames a passkey.',
  description: bySignInOfLastMinutes,
  method: 'POST',
  path: '/ext/factors/passkeys/rename',
  parameters: [required('id', 'The passkey.', id), nameParameter],
  ...success,
  errors: [400, 401, 404],
  handler: (identity) =>
    changing(
      identity,
      'passkey renamed',
      async (transaction, { accountId }, form) => {
        const { id, name } = parseFields(form, { id: uuid, name: passkeyName })
        const [renamed] = await transaction.query(
          sql`update passkeys set name = ${name} where id = ${id} and user_id = ${accountId} returning true`,
        )
        if (!renamed) throw missing('Passkey')
        return { success: true }
      },
      'only a name',
    ),
}

export const removePasskey: Endpoint = {
  ...factorEndpoint,
  id: 'RemovePasskey',
  summary: 'Removes a passkey.',
  description: `${bySignInOfLastMinutes} Removing the last second factor also removes the recovery codes.`,
  method: 'POST',
  path: '/ext/factors/passkeys/remove',
  parameters: [required('id', 'The passkey.', id)],
  ...success,
  errors: [400, 401, 404],
  handler: (identity) =>
    changing(identity, 'passkey removed', async (transaction, { accountId }, form) => {
      const { id } = parseFields(form, { id: uuid })
      const [removed] = await transaction.query(
        sql`delete from passkeys where id = ${id} and user_id = ${accountId} returning true`,
      )
      if (!removed) throw missing('Passkey')
      return { success: true }
    }),
}

function requirePasskeys({ settings }: Identity): PasskeySettings {
  if (settings.passkeys) return settings.passkeys
  throw invalid({ generalErrors: ['Passkeys need https and a name, which the addresses here have not.'] })
}

import { readFields } from '../../../accounts/read-fields.ts'
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

const nameParameter = required('name', 'What its owner calls it.', {
  type: 'string',
  maxLength: passkeyNameCharactersMax,
  examples: ['My phone'],
})
const passkeyName = text({ max: passkeyNameCharactersMax })

export const offerPasskey: Endpoint = {
  ...factorEndpoint,
  id: 'OfferPasskey',
  summary: 'What the browser is asked to make a passkey with.',
  description: `${bySignInOfLastMinutes} Good for a quarter of an hour.`,
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
      challenge: { type: 'string', description: 'To be sent back with the credential.' },
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
  summary: 'Keeps the passkey that the browser has made.',
  description: `${bySignInOfLastMinutes} An account has at most ${passkeysMax}.`,
  method: 'POST',
  path: '/ext/factors/passkeys',
  parameters: [
    required('challenge', 'As it came with the options.'),
    required('credential', 'What `toJSON()` of the new credential gives, as JSON.', {
      type: 'string',
      maxLength: 10_000,
    }),
    nameParameter,
  ],
  ...madeCodes,
  handler: (identity) =>
    changing(identity, 'passkey added', async (transaction, { accountId }, form, before) => {
      const { name } = readFields(form, { name: passkeyName })
      const { challenge = '', credential = '' } = form
      if (!(await acceptPasskey(identity, transaction, accountId, { challenge, credential, name })))
        throw invalid({ generalErrors: [`The passkey could not be kept. There may be ${passkeysMax}.`] })
      return { recoveryCodes: await firstCodes(transaction, accountId, before) }
    }),
}

export const renamePasskey: Endpoint = {
  ...factorEndpoint,
  id: 'RenamePasskey',
  summary: 'Calls a passkey something else.',
  description: bySignInOfLastMinutes,
  method: 'POST',
  path: '/ext/factors/passkeys/rename',
  parameters: [required('id', 'The passkey.', id), nameParameter],
  ...success,
  refusals: [400, 401, 404],
  handler: (identity) =>
    changing(
      identity,
      'passkey renamed',
      async (transaction, { accountId }, form) => {
        const { id, name } = readFields(form, { id: uuid, name: passkeyName })
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
  description: `${bySignInOfLastMinutes} The recovery codes go with the last second factor.`,
  method: 'POST',
  path: '/ext/factors/passkeys/remove',
  parameters: [required('id', 'The passkey.', id)],
  ...success,
  refusals: [400, 401, 404],
  handler: (identity) =>
    changing(identity, 'passkey removed', async (transaction, { accountId }, form) => {
      const { id } = readFields(form, { id: uuid })
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

import type { Parameter, Schema } from '../../../http/operation.ts'
import type { Operation } from '../route.ts'
import { ref } from '../schemas.ts'
import { passkeyNameCharactersMax, passkeysMax } from './passkeys.ts'
import { recoveryCodesMade } from './recovery-codes.ts'

const required = (name: string, description: string, schema?: Schema): Parameter => ({
  name,
  description,
  required: true,
  ...(schema && { schema }),
})

const id = { type: 'string', format: 'uuid' }
const passkeyName = required('name', 'What its owner calls it.', {
  type: 'string',
  maxLength: passkeyNameCharactersMax,
  examples: ['My phone'],
})

const common = { tag: 'Factors', security: [{ bearer: [] }], refusals: [400, 401] } as const
const fresh = 'By a sign-in of the last ten minutes.'

/** How people see and change what they prove themselves with. */
export const factorOperations = {
  showFactors: {
    ...common,
    id: 'ShowFactors',
    summary: 'What the own account proves itself with; of another one, whether it has a second factor.',
    description:
      'With the access token of the web client, as everything about factors. Of others administrators only.',
    method: 'GET',
    path: '/ext/factors',
    parameters: [{ name: 'userId', description: 'Another account.', schema: id }],
    answer: { oneOf: [ref('OwnFactors'), ref('FactorsOfOther')] },
    refusals: [400, 401, 403],
  },
  offerApp: {
    ...common,
    id: 'OfferAuthenticatorApp',
    summary: 'A new secret for an app that makes codes, with its QR code.',
    description: `${fresh} It is kept only when a code of it is confirmed, within half an hour.`,
    method: 'POST',
    path: '/ext/factors/app',
    answer: ref('AppOffer'),
  },
  confirmApp: {
    ...common,
    id: 'ConfirmAuthenticatorApp',
    summary: 'Keeps the offered app, in place of one there was.',
    description: fresh,
    method: 'POST',
    path: '/ext/factors/app/confirm',
    parameters: [
      required('offer', 'As it came with the secret.'),
      required('code', 'What the app shows; spaces do not count.', {
        type: 'string',
        examples: ['123456'],
      }),
    ],
    answer: ref('MadeCodes'),
  },
  removeApp: {
    ...common,
    id: 'RemoveAuthenticatorApp',
    summary: 'Removes the app for codes.',
    description: `${fresh} The recovery codes go with the last second factor.`,
    method: 'POST',
    path: '/ext/factors/app/remove',
    answer: ref('Success'),
    refusals: [400, 401, 404],
  },
  makeRecoveryCodes: {
    ...common,
    id: 'MakeRecoveryCodes',
    summary: 'New recovery codes in place of those there were.',
    description: `${fresh} For accounts with a second factor. They are shown this once.`,
    method: 'POST',
    path: '/ext/factors/recovery-codes',
    answer: ref('MadeCodes'),
  },
  offerPasskey: {
    ...common,
    id: 'OfferPasskey',
    summary: 'What the browser is asked to make a passkey with.',
    description: `${fresh} Good for a quarter of an hour.`,
    method: 'POST',
    path: '/ext/factors/passkey-options',
    answer: ref('PasskeyDialog'),
  },
  addPasskey: {
    ...common,
    id: 'AddPasskey',
    summary: 'Keeps the passkey that the browser has made.',
    description: `${fresh} An account has at most ${passkeysMax}.`,
    method: 'POST',
    path: '/ext/factors/passkeys',
    parameters: [
      required('challenge', 'As it came with the options.'),
      required('credential', 'What `toJSON()` of the new credential gives, as JSON.', {
        type: 'string',
        maxLength: 10_000,
      }),
      passkeyName,
    ],
    answer: ref('MadeCodes'),
  },
  renamePasskey: {
    ...common,
    id: 'RenamePasskey',
    summary: 'Calls a passkey something else.',
    description: fresh,
    method: 'POST',
    path: '/ext/factors/passkeys/rename',
    parameters: [required('id', 'The passkey.', id), passkeyName],
    answer: ref('Success'),
    refusals: [400, 401, 404],
  },
  removePasskey: {
    ...common,
    id: 'RemovePasskey',
    summary: 'Removes a passkey.',
    description: `${fresh} The recovery codes go with the last second factor.`,
    method: 'POST',
    path: '/ext/factors/passkeys/remove',
    parameters: [required('id', 'The passkey.', id)],
    answer: ref('Success'),
    refusals: [400, 401, 404],
  },
  takeFactorsAway: {
    ...common,
    id: 'TakeFactorsAway',
    summary: 'Takes the second factors of somebody away who has lost them.',
    description: `${fresh} Administrators only.`,
    method: 'POST',
    path: '/ext/factors/take-away',
    parameters: [required('userId', 'The account.', id)],
    answer: ref('Success'),
    refusals: [400, 401, 403, 404],
  },
} as const satisfies Readonly<Record<string, Operation>>

const moment = (description: string): Schema => ({
  type: ['string', 'null'],
  format: 'date-time',
  description,
})
const object = (properties: Readonly<Record<string, Schema>>): Schema => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
})

export const factorSchemas: Readonly<Record<string, Schema>> = {
  OwnFactors: object({
    appSince: moment('Since when there is an app for codes; null: there is none.'),
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
        lastUsedAt: moment('When somebody last signed in with it; null: never.'),
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
  AppOffer: object({
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
  MadeCodes: object({
    recoveryCodes: {
      type: ['array', 'null'],
      items: { type: 'string' },
      description: 'Shown this once; null where there are some already.',
      examples: [['abcd-efgh-ijkl-mnop']],
    },
  }),
  PasskeyDialog: object({
    options: {
      type: 'object',
      description: 'For `PublicKeyCredential.parseCreationOptionsFromJSON` (WebAuthn).',
      additionalProperties: true,
    },
    challenge: { type: 'string', description: 'To be sent back with the credential.' },
  }),
  Success: object({ success: { const: true, description: 'It was done.' } }),
}

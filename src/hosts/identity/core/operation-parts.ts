import type { Parameter, Schema } from '../../../http/openapi.ts'

export const optional = (name: string, description: string): Parameter => ({ name, description })

export const required = (name: string, description: string, schema?: Schema): Parameter => ({
  name,
  description,
  required: true,
  ...(schema && { schema }),
})

export const authRequestParameter = required('authRequest', 'The pending authorization request.')

/** The two fields that sign-in pages post, in addition to the pending request. */
export const credentialParameters = [
  required('login', 'At most 256 characters.'),
  required('password', 'At most 128 characters.', { type: 'string', format: 'password' }),
]

export const stepParameter = required('step', 'The sealed state of the sign-in between its steps.')

export const localesParameter = optional(
  'ui_locales',
  'The preferred languages of the page: language tags, separated by spaces.',
)

/** The outcome of the previous attempt, which the page shows. */
export const outcomeParameters = [
  optional('error', 'The error of the previous attempt.'),
  optional('retryAfter', 'Seconds until a locked login may try again.'),
]

export const passkeyParameters = [
  optional('challenge', 'The value from the page, if a passkey is used instead of a code.'),
  optional('credential', 'The response of the passkey, as JSON.'),
]

export const secondFactorParameters = [
  optional('code', 'A code from the app, or a recovery code.'),
  ...passkeyParameters,
]

/** A page of this host. */
export const pageOperation = { tag: 'Pages', method: 'GET', errors: [400] } as const

/** An endpoint for redirects to external providers and back. It is served only if the settings have providers. */
export const federationOperation = {
  tag: 'OutsideProviders',
  method: 'GET',
  errors: [400, 403, 404],
} as const

export const providerParameter = required('provider', 'The id of the provider in the settings.')

export const ownPageOnly = 'Only the page itself posts this form, from the origin of this host.'

/** A form that a page of this host posts. */
export const formOperation = {
  tag: 'Pages',
  method: 'POST',
  description: ownPageOnly,
  errors: [400, 403],
} as const

/** Confidential clients authenticate with their secret. Public clients have no secret. */
export const clientSecurity = [{ client: [] }, {}]
export const bearerSecurity = [{ bearer: [] }]

export const clientParameters: readonly Parameter[] = [
  optional('client_id', 'The client, unless it authenticates by Basic.'),
  optional('client_secret', 'Its secret, unless it authenticates by Basic or has none.'),
]

export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

/** Describes an endpoint's JSON response by a component of this name. */
export const jsonResponse = (name: string, schema: Schema) => ({
  response: ref(name),
  schemas: { [name]: schema },
})

export const text = (description: string, example?: string): Schema => ({
  type: 'string',
  description,
  ...(example !== undefined && { examples: [example] }),
})

export const integer = (description: string, example: number): Schema => ({
  type: 'integer',
  description,
  examples: [example],
})

export const hostUrl = (description: string, path: string): Schema =>
  text(description, `http://localhost:5200${path}`)

/** An object whose properties are all required. */
export const object = (properties: Readonly<Record<string, Schema>>): Schema => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
})

export const uuidSchema: Schema = { type: 'string', format: 'uuid' }

/** An endpoint for viewing or changing the second factors of an account. */
export const factorOperation = { tag: 'Factors', security: bearerSecurity, errors: [400, 401] } as const
export const requiresRecentSignIn = 'Requires a sign-in within the last ten minutes.'

export const recoveryCodesResponse = jsonResponse(
  'MadeCodes',
  object({
    recoveryCodes: {
      type: ['array', 'null'],
      items: { type: 'string' },
      description: 'Shown only once; null if there already are recovery codes.',
      examples: [['abcd-efgh-ijkl-mnop']],
    },
  }),
)
export const successResponse = jsonResponse(
  'Success',
  object({ success: { type: 'boolean', description: 'True: the request succeeded.' } }),
)

export const errorSchema: Schema = {
  type: 'object',
  required: ['statusCode', 'message'],
  properties: {
    statusCode: integer('The status of the response.', 400),
    message: text('The error, as a sentence for users.', 'One or more validation errors occurred.'),
    errors: {
      type: 'object',
      description: 'Messages by property name; `generalErrors` has those that concern no single property.',
      additionalProperties: { type: 'array', items: { type: 'string' } },
      examples: [{ grant_type: ['Grant_type is required.'] }],
    },
    error: { type: 'string', description: 'The error code for OAuth clients, on every path under /connect.' },
    error_description: text('The message, for OAuth clients.'),
  },
}

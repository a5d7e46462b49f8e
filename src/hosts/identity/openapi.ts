import { type DocumentParts, documentOf, queryParameters, type Schema } from '../../http/openapi.ts'
import type { Operation } from './core/endpoint.ts'
import { errorSchema, ref } from './core/operation-parts.ts'
import { contractEndpoints, extensionEndpoints } from './endpoints.ts'

/** Returns the content of `docs/contract/identity.v1.json`. */
export const identityDocument = (): Schema =>
  openApiOf(contractEndpoints, 'Error', {
    ...contractParts,
    schemas: { ...schemasOf(contractEndpoints), Error: errorSchema },
  })

/** Returns the content of `docs/contract/identity-extensions.v1.json`. */
export const identityExtensionsDocument = (): Schema =>
  openApiOf(extensionEndpoints, 'ErrorAnswer', {
    ...contractParts,
    title: 'Project tracking: identity, extensions',
    description:
      'Endpoints of the identity host beyond its contract: an API for programs, and pages for browsers.',
    tags: {
      Provider: 'The metadata of the provider.',
      SignIn: 'The endpoints that the sign-in pages call.',
      Factors: 'Users view and change their authentication factors.',
      Administration: 'Administrators view accounts and the sign-in policy.',
      Pages: 'The pages of this host.',
      OutsideProviders: 'Sign-in with accounts of external providers.',
    },
    securitySchemes: { bearer: contractParts.securitySchemes.bearer },
    schemas: extensionSchemas(),
  })

/** Keeps the order of the released document, so that its diff shows only changes; new schemas follow. */
const releasedOrder = [
  'Discovery',
  'ErrorAnswer',
  'OwnFactors',
  'FactorsOfOther',
  'AppOffer',
  'MadeCodes',
  'PasskeyDialog',
  'Success',
]

function extensionSchemas(): Readonly<Record<string, Schema>> {
  const schemas: Readonly<Record<string, Schema>> = {
    ...schemasOf(extensionEndpoints),
    ErrorAnswer: errorSchema,
  }
  const released = releasedOrder.map((name) => [name, schemas[name] ?? {}])
  return { ...Object.fromEntries(released), ...schemas }
}

const schemasOf = (operations: readonly Operation[]): Readonly<Record<string, Schema>> =>
  Object.assign({}, ...operations.map(({ schemas }) => schemas))

/**
 * The contract fixes `Error`. The other document avoids it, because code generators rename a type that the
 * language already has.
 */
type ErrorName = 'Error' | 'ErrorAnswer'

function openApiOf(operations: readonly Operation[], error: ErrorName, parts: DocumentParts): Schema {
  const forms = operations.filter(takesForm).map((operation) => [formName(operation), formSchema(operation)])
  const schemas = { ...parts.schemas, ...Object.fromEntries(forms) }
  return documentOf(operations, { ...parts, schemas }, (operation) => ({
    security: operation.security ?? [],
    ...(takesForm(operation) ? formBody(operation) : { parameters: queryParameters(operation.parameters) }),
    responses: { ...responsesOf(operation), ...errorResponsesOf(operation, error) },
  }))
}

const takesForm = ({ method, readsQueryOnly }: Operation): boolean => method === 'POST' && !readsQueryOnly

const formName = ({ id }: Operation): string => `${id}Form`

const contractParts = {
  title: 'Project tracking: identity',
  description: 'The OpenID Connect provider that issues the access tokens of the other hosts.',
  tags: {
    Provider: 'The metadata of the provider.',
    Authorization: 'The endpoints to which browsers are redirected to sign in and out.',
    Tokens: 'The endpoints that clients call directly.',
    SignIn: 'The endpoints that the sign-in pages call.',
  },
  securitySchemes: {
    bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
    client: { type: 'http', scheme: 'basic', description: 'The id and secret of a client.' },
  },
} satisfies Omit<DocumentParts, 'schemas'>

const text = { type: 'string' }

const formBody = (operation: Operation): Schema => ({
  requestBody: {
    required: operation.parameters?.some(({ required }) => required) ?? false,
    content: { 'application/x-www-form-urlencoded': { schema: ref(formName(operation)) } },
  },
})

const formSchema = ({ parameters = [] }: Operation): Schema => ({
  type: 'object',
  required: parameters.flatMap(({ name, required }) => (required ? [name] : [])),
  properties: Object.fromEntries(
    parameters.map(({ name, description, schema }) => [name, { ...text, ...schema, description }]),
  ),
})

function responsesOf({ response, method, page }: Operation): Readonly<Record<string, Schema>> {
  if (response)
    return { 200: { description: 'Success.', content: { 'application/json': { schema: response } } } }
  const redirect = {
    description: 'The browser is redirected, also after an error.',
    headers: { Location: { schema: text } },
  }
  return {
    ...(page !== undefined && { 200: { description: page, content: htmlContent } }),
    ...(method === 'GET' ? { 302: redirect } : { 303: redirect }),
  }
}

const htmlContent = { 'text/html': { schema: text } }

/** Nearly every endpoint has a rate limit. Every form has a maximum size and a content type. */
function errorResponsesOf(
  { errors, method, tag }: Operation,
  error: ErrorName,
): Readonly<Record<string, Schema>> {
  const hasPages = tag === 'Pages' || tag === 'OutsideProviders'
  const descriptions = tag === 'OutsideProviders' ? federationErrorDescriptions : errorDescriptions
  const statuses = [429, 431, 500, 503, 504, ...errors, ...(method === 'POST' ? [400, 413, 415] : [])]
  return Object.fromEntries(
    [...new Set(statuses)]
      .sort()
      .map((status) => [status, errorResponse(status, descriptions[status], error, hasPages)]),
  )
}

const errorResponse = (
  status: number,
  description: string | undefined,
  error: ErrorName,
  hasPages: boolean,
): Schema => ({
  description,
  ...([429, 503].includes(status) && { headers: { 'Retry-After': { schema: { type: 'integer' } } } }),
  content: {
    'application/json': { schema: ref(error) },
    ...(hasPages && [400, 403].includes(status) && htmlContent),
  },
})

const errorDescriptions: Readonly<Record<number, string>> = {
  400: 'The query or form is invalid.',
  401: 'The client or the access token is not accepted.',
  403: 'The sign-in comes from a foreign origin, or the token lacks a scope.',
  404: 'The error is unknown or too old.',
  413: 'The body is too large.',
  415: 'The body is no form, or not in UTF-8.',
  429: 'Too many requests.',
  431: 'The address and the headers together are longer than 16 KB.',
  500: 'An unexpected error.',
  503: 'The store is not available. Nothing was done, and the request can be sent again later.',
  504: 'The store failed before it was known whether this was done.',
}

const federationErrorDescriptions: Readonly<Record<number, string>> = {
  ...errorDescriptions,
  404: 'The settings name no such provider.',
}

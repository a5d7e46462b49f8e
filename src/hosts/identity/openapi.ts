import { type About, documentOf, queryParameters } from '../../http/openapi.ts'
import type { Schema } from '../../http/operation.ts'
import { extensionOperations, extensionSchemas } from './extension-operations.ts'
import { operations } from './operations.ts'
import type { Operation } from './route.ts'
import { ref, schemas } from './schemas.ts'

/** What `docs/contract/identity.v1.json` holds. */
export const identityDocument = (): Schema => openApiOf(Object.values(operations))

/** What `docs/contract/identity-extensions.v1.json` holds. */
export const identityExtensionsDocument = (): Schema =>
  openApiOf(Object.values(extensionOperations), {
    ...about,
    title: 'Project tracking: identity, extensions',
    description: 'What the identity host answers programs beyond its contract. Its pages are for browsers.',
    tags: {
      Provider: 'What clients and other hosts learn about the provider.',
      SignIn: 'What the pages of the sign-in talk to.',
    },
    securitySchemes: {},
    schemas: extensionSchemas,
  })

export const openApiOf = (operations: readonly Operation[], described = about): Schema =>
  documentOf(operations, described, (operation) => ({
    security: operation.security ?? [],
    ...(operation.method === 'GET'
      ? { parameters: queryParameters(operation.parameters) }
      : formSchema(operation)),
    responses: { ...answerOf(operation), ...refusalsOf(operation) },
  }))

const about: About = {
  title: 'Project tracking: identity',
  description: 'The OpenID Connect provider that issues the access tokens of the other hosts.',
  tags: {
    Provider: 'What clients and other hosts learn about the provider.',
    Authorization: 'Where browsers are sent to sign in and out.',
    Tokens: 'What clients ask for without a browser.',
    SignIn: 'What the pages of the sign-in talk to.',
  },
  securitySchemes: {
    bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
    client: { type: 'http', scheme: 'basic', description: 'The id and secret of a client.' },
  },
  schemas,
}

const text = { type: 'string' }

const formSchema = ({ parameters = [] }: Operation): Schema => ({
  requestBody: {
    required: parameters.some(({ required }) => required),
    content: {
      'application/x-www-form-urlencoded': {
        schema: {
          type: 'object',
          required: parameters.flatMap(({ name, required }) => (required ? [name] : [])),
          properties: Object.fromEntries(
            parameters.map(({ name, description, schema }) => [name, { ...text, ...schema, description }]),
          ),
        },
      },
    },
  },
})

function answerOf({ answer, method }: Operation): Readonly<Record<string, Schema>> {
  if (answer) return { 200: { description: 'Success.', content: { 'application/json': { schema: answer } } } }
  const redirect = {
    description: 'The browser is sent on, refusals of the sign-in included.',
    headers: { Location: { schema: text } },
  }
  return method === 'GET' ? { 302: redirect } : { 303: redirect }
}

/** Every request is limited; every body has a size and a type. */
function refusalsOf({ refusals, method }: Operation): Readonly<Record<string, Schema>> {
  const statuses = [429, 500, 503, ...refusals, ...(method === 'POST' ? [400, 413, 415] : [])]
  return Object.fromEntries([...new Set(statuses)].sort().map((status) => [status, refusal(status)]))
}

const refusal = (status: number): Schema => ({
  description: descriptions[status],
  ...([429, 503].includes(status) && { headers: { 'Retry-After': { schema: { type: 'integer' } } } }),
  content: { 'application/json': { schema: ref('Error') } },
})

const descriptions: Readonly<Record<number, string>> = {
  400: 'The query or form is invalid.',
  401: 'The client or the access token is not accepted.',
  403: 'The sign-in comes from a foreign origin, or the token lacks a scope.',
  404: 'The error is unknown or too old.',
  413: 'The body is too large.',
  415: 'The body is no form.',
  429: 'Too many requests.',
  500: 'An unexpected error.',
  503: 'The store is away; it may be tried again later.',
}

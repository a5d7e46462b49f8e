import { operations } from './operations.ts'
import type { Operation, Schema } from './route.ts'
import { ref, schemas } from './schemas.ts'

/** What `docs/contract/identity.v1.json` holds. */
export const identityDocument = (): Schema => openApiOf(Object.values(operations))

/** The document of the identity host: a pure function of the operations that are registered, so it can miss none. */
export const openApiOf = (operations: readonly Operation[]): Schema => ({
  openapi: '3.1.0',
  info: {
    title: 'Project tracking: identity',
    version: 'v1',
    description: 'The OpenID Connect provider that issues the access tokens of the other hosts.',
  },
  tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name })),
  paths: pathsOf(operations),
  components: {
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
      client: { type: 'http', scheme: 'basic', description: 'The id and secret of a client.' },
    },
    schemas,
  },
})

function pathsOf(operations: readonly Operation[]): Schema {
  const paths: Record<string, Record<string, Schema>> = {}
  for (const operation of operations) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: operationSchema(operation),
    }
  }
  return paths
}

const operationSchema = (operation: Operation): Schema => ({
  operationId: operation.id,
  tags: [operation.tag],
  summary: operation.summary,
  security: operation.security ?? [],
  ...(operation.method === 'GET' ? querySchema(operation) : formSchema(operation)),
  responses: { ...answerOf(operation), ...refusalsOf(operation) },
})

const querySchema = ({ parameters = [] }: Operation): Schema => ({
  parameters: parameters.map((parameter) => ({ in: 'query', schema: text, ...parameter })),
})

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

function answerOf({ answer, method }: Operation): Schema {
  if (answer) return { 200: { description: 'Success.', content: { 'application/json': { schema: answer } } } }
  const redirect = {
    description: 'The browser is sent on, refusals of the sign-in included.',
    headers: { Location: { schema: text } },
  }
  return method === 'GET' ? { 302: redirect } : { 303: redirect }
}

/** Every request is limited; every body has a size and a type. */
function refusalsOf({ refusals, method }: Operation): Schema {
  const statuses = [429, 500, ...refusals, ...(method === 'POST' ? [400, 413, 415] : [])]
  return Object.fromEntries([...new Set(statuses)].sort().map((status) => [status, refusal(status)]))
}

const refusal = (status: number): Schema => ({
  description: descriptions[status],
  ...(status === 429 && { headers: { 'Retry-After': { schema: { type: 'integer' } } } }),
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
}

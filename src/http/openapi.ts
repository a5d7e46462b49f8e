import { describeDeprecation } from '../model/field.ts'
import type { Operation, Parameter, Schema } from './operation.ts'

/** The parts of a document in addition to its operations. */
export interface DocumentParts {
  readonly title: string
  readonly description: string
  /** Each tag of an operation with its description. */
  readonly tags: Readonly<Record<string, string>>
  /** The default of operations without their own. */
  readonly security?: readonly Schema[]
  readonly securitySchemes: Schema
  readonly schemas: Readonly<Record<string, Schema>>
  readonly responses?: Readonly<Record<string, Schema>>
}

/** The description of an operation in addition to its name, tag and summary. */
export interface OperationDescription extends Schema {
  readonly responses: Readonly<Record<string, Schema>>
}

/** Builds the document of a host as a pure function of the registered operations, so it cannot miss one. */
export const documentOf = <O extends Operation>(
  operations: readonly O[],
  { title, description, tags, security, securitySchemes, schemas, responses }: DocumentParts,
  describe: (operation: O) => OperationDescription,
): Schema => ({
  openapi: '3.1.0',
  info: {
    title,
    version: 'v1',
    description,
    contact: { name: 'The Tracker authors' },
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: '/', description: 'The host that serves this document.' }],
  tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name, description: tags[name] })),
  ...(security && { security }),
  paths: pathsOf(operations, (operation) => withOperationExamples(describe(operation), schemas)),
  components: { securitySchemes, schemas, ...(responses && { responses }) },
})

/** Adds examples of requests and responses. */
const withOperationExamples = (
  { requestBody, responses, ...described }: OperationDescription,
  schemas: DocumentParts['schemas'],
) => ({
  ...described,
  ...(requestBody !== undefined && { requestBody: withContentExamples(requestBody as Schema, schemas) }),
  responses: Object.fromEntries(
    Object.entries(responses).map(([status, one]) => [status, withContentExamples(one, schemas)]),
  ),
})

const withContentExamples = (part: Schema, schemas: DocumentParts['schemas']): Schema =>
  part.content === undefined ? part : { ...part, content: withExamples(part.content as Schema, schemas) }

function pathsOf<O extends Operation>(
  operations: readonly O[],
  describe: (operation: O) => OperationDescription,
): Schema {
  const paths: Record<string, Record<string, Schema>> = {}
  for (const operation of operations) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: operationSchema(operation, describe(operation)),
    }
  }
  return paths
}

function operationSchema(
  { id, tag, summary, description, deprecation }: Operation,
  described: OperationDescription,
): Schema {
  const named = { operationId: id, tags: [tag], summary, description }
  if (deprecation === undefined) return { ...named, ...described }
  return {
    ...named,
    description: `${describeDeprecation(deprecation)} ${description}`,
    deprecated: true,
    ...described,
    responses: Object.fromEntries(
      Object.entries(described.responses).map(([status, response]) => [
        status,
        withDeprecationHeaders(response),
      ]),
    ),
  }
}

/** A shared response belongs to all operations, so it cannot have the headers of this one. */
const withDeprecationHeaders = (response: Schema): Schema =>
  '$ref' in response
    ? response
    : { ...response, headers: { ...(response.headers as Schema | undefined), ...deprecationHeaders } }

const deprecationHeaders = {
  Deprecation: {
    description: 'The date of the deprecation: @ and the seconds since 1970.',
    schema: { type: 'string' },
  },
  Sunset: { description: 'The end of support, as an HTTP date.', schema: { type: 'string' } },
}

export const queryParameters = (parameters: readonly Parameter[] = []): Schema[] =>
  parameters.map((parameter) => ({
    in: 'query',
    ...(parameter.schema ? parameter : { schema: text, ...parameter }),
  }))

const text = { type: 'string' }

type Schemas = Readonly<Record<string, Schema>>

/** Makes a value that the schema allows from the examples of its parts, so that no example is written twice. */
export function exampleOf(schema: Schema, schemas: Schemas): unknown {
  const { $ref, examples, example, enum: values, default: byDefault } = schema
  if (typeof $ref === 'string') return exampleOf(schemas[$ref.split('/').at(-1) ?? ''] ?? {}, schemas)
  if (Array.isArray(examples)) return examples[0]
  const candidates = [example, schema.const, byDefault, Array.isArray(values) ? values[0] : undefined]
  const [first] = candidates.filter((value) => value !== undefined)
  if (first !== undefined) return first
  const [choice] = [schema.oneOf, schema.anyOf].flatMap((choices) => (Array.isArray(choices) ? choices : []))
  return choice ? exampleOf(choice as Schema, schemas) : exampleOfType(schema, schemas)
}

function exampleOfType(schema: Schema, schemas: Schemas): unknown {
  const [type] = [schema.type].flat()
  if (type === 'object') return exampleOfObject(schema, schemas)
  if (type === 'array') return [exampleOf((schema.items ?? {}) as Schema, schemas)]
  if (type === 'boolean') return true
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1
  return formatExamples[String(schema.format)] ?? 'text'
}

const formatExamples: Readonly<Record<string, string>> = {
  date: '2026-01-05',
  'date-time': '2026-01-05T09:00:00Z',
  uri: 'https://example.com/',
  uuid: '0199a3c4-7d1e-7c52-9d0b-6f3a1c2e4b58',
}

function exampleOfObject({ properties = {} }: Schema, schemas: Schemas): Schema {
  return Object.fromEntries(
    Object.entries(properties as Schemas).map(([name, property]) => [name, exampleOf(property, schemas)]),
  )
}

/** Returns the same contents, each with an example of its schema. */
const withExamples = (content: Schema, schemas: Schemas): Schema =>
  Object.fromEntries(
    Object.entries(content as Readonly<Record<string, Schema>>).map(([type, media]) => [
      type,
      'example' in media || !hasJsonLikeContent(type)
        ? media
        : { ...media, example: exampleOf(media.schema as Schema, schemas) },
    ]),
  )

/**
 * True for types whose contents readers can use as examples; tables and streams are explained in their
 * descriptions instead.
 */
const hasJsonLikeContent = (type: string): boolean =>
  type === 'application/json' || type === 'application/x-www-form-urlencoded'

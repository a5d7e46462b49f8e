import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { type Deprecation, deprecationProblems, describeDeprecation, startOfDay } from '../model/field.ts'

export type Schema = Readonly<Record<string, unknown>>

/** An operation as a document describes it, and the data for its registration. */
export interface Operation {
  /** Readable and named after its feature, such as `UpdateProject`. */
  readonly id: string
  readonly tag: string
  readonly summary: string
  /** Details beyond the summary for callers. */
  readonly description: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  /** Parameters of the query, or of the form for an operation that takes one. */
  readonly parameters?: readonly Parameter[]
  /** Statuses of its errors, in addition to those that every operation of the host has. */
  readonly errors: readonly number[]
  /** Sent with every response of the operation, including errors. */
  readonly deprecation?: Deprecation
}

export interface Parameter {
  readonly name: string
  readonly description: string
  readonly required?: true
  /** The place of the parameter. The default is the query. */
  readonly in?: 'path'
  readonly schema?: Schema
}

/** Throws, before the route is served, if the operation is retired too early. */
export function checkDeprecation({ id, path, deprecation }: Operation): void {
  if (deprecation === undefined) return
  const edition = path.startsWith('/ext/') ? 'ext' : 'v1'
  const [problem] = deprecationProblems(id, deprecation, edition)
  if (problem !== undefined) throw new Error(problem)
}

/** Sets the headers of RFC 9745 and RFC 8594. Of several deprecations, the earliest end counts. */
export function announceDeprecations(reply: FastifyReply, deprecations: readonly Deprecation[]): void {
  const [first] = deprecations.toSorted((a, b) => startOfDay(a.until) - startOfDay(b.until))
  if (first === undefined) return
  reply.header('deprecation', `@${startOfDay(first.since) / 1000}`)
  reply.header('sunset', new Date(startOfDay(first.until)).toUTCString())
}

/** The deprecated fields that a body uses. */
export const deprecationsIn = (
  body: unknown,
  fields: Readonly<Record<string, Deprecation>> = {},
): readonly Deprecation[] =>
  Object.entries(fields).flatMap(([name, deprecation]) =>
    typeof body === 'object' && body !== null && Object.hasOwn(body, name) ? [deprecation] : [],
  )

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

/** The parts of an operation's description that come in addition to its name, tag and summary. */
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

const withOperationExamples = (
  { requestBody, responses, ...details }: OperationDescription,
  schemas: DocumentParts['schemas'],
) => ({
  ...details,
  ...(requestBody !== undefined && { requestBody: withContentExamples(requestBody as Schema, schemas) }),
  responses: Object.fromEntries(
    Object.entries(responses).map(([status, response]) => [status, withContentExamples(response, schemas)]),
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
  details: OperationDescription,
): Schema {
  const common = { operationId: id, tags: [tag], summary, description }
  if (deprecation === undefined) return { ...common, ...details }
  return {
    ...common,
    description: `${describeDeprecation(deprecation)} ${description}`,
    deprecated: true,
    ...details,
    responses: Object.fromEntries(
      Object.entries(details.responses).map(([status, response]) => [
        status,
        withDeprecationHeaders(response),
      ]),
    ),
  }
}

/** A shared response belongs to all operations, so it cannot have the headers of one operation. */
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

/** Builds an example of the schema from the examples of its parts, so that none is written twice. */
export function exampleOf(schema: Schema, schemas: Schemas): unknown {
  const { $ref, examples, example, enum: values, default: defaultValue } = schema
  if (typeof $ref === 'string') return exampleOf(schemas[$ref.split('/').at(-1) ?? ''] ?? {}, schemas)
  if (Array.isArray(examples)) return examples[0]
  const candidates = [example, schema.const, defaultValue, Array.isArray(values) ? values[0] : undefined]
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
 * Returns whether a body of this type can have a structured example. Tables and streams are explained in their
 * descriptions instead.
 */
const hasJsonLikeContent = (type: string): boolean =>
  type === 'application/json' || type === 'application/x-www-form-urlencoded'

export interface ApiDocument {
  readonly title: string
  /** Builds the OpenAPI document. Called for the first reader only, because most processes never serve it. */
  readonly document: () => object
}

export interface Documentation extends ApiDocument {
  /** The document and the page of everything beyond the contract. */
  readonly extensions?: ApiDocument
}

/** The interactive page at `/swagger`, and the document it shows. Nothing is loaded from other hosts. */
export function addDocumentation(app: FastifyInstance, { extensions, ...contract }: Documentation): void {
  const pages = [
    { ...contract, path: '/swagger', address: '/swagger/v1/swagger.json' },
    ...(extensions
      ? [{ ...extensions, path: '/swagger/extensions', address: '/swagger/extensions.v1.json' }]
      : []),
  ]
  for (const { title, document, path, address } of pages) {
    let text: string | undefined
    app.get(address, (_request, reply) => {
      text ??= JSON.stringify(document())
      return reply.type(types.json).send(text)
    })
    for (const pagePath of [path, `${path}/index.html`])
      app.get(pagePath, (_request, reply) => sendPage(reply, types.html, pageOf({ title, path }, pages)))
    app.get(`${path}/start.js`, (_request, reply) => sendPage(reply, types.js, startScript(address)))
  }
  for (const [name, type] of assets) {
    app.get(`/swagger/${name}`, async (_request, reply) =>
      sendPage(
        reply.header('cache-control', 'public, max-age=3600'),
        type,
        await readFile(join(assetDirectory(), name)),
      ),
    )
  }
}

const types = {
  json: 'application/json; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  png: 'image/png',
}

const assets = [
  ['swagger-ui.css', types.css],
  ['swagger-ui-bundle.js', types.js],
  ['favicon-32x32.png', types.png],
] as const

/** The plugin brings the files: the package `swagger-ui-dist` reports each installation to its authors. */
const assetDirectory = () =>
  join(dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui/package.json')), 'static')

const sendPage = (reply: FastifyReply, type: string, body: string | Buffer) =>
  reply.header('content-security-policy', documentationPolicy()).type(type).send(body)

interface Page {
  readonly title: string
  readonly path: string
}

const pageOf = ({ title, path }: Page, pages: readonly Page[]) => `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${title}</title>
  <link rel="icon" href="/swagger/favicon-32x32.png">
  <link rel="stylesheet" href="/swagger/swagger-ui.css">
</head>
<body>
${pages.length > 1 ? navigationOf(path, pages) : ''}  <div id="document"></div>
  <script src="/swagger/swagger-ui-bundle.js"></script>
  <script src="${path}/start.js"></script>
</body>
</html>
`

/** The contract comes first on every page. */
const navigationOf = (currentPath: string, pages: readonly Page[]): string => {
  const items = pages.map(({ title, path }) =>
    path === currentPath ? `<strong>${title}</strong>` : `<a href="${path}">${title}</a>`,
  )
  return `  <nav>${items.join(' · ')}</nav>\n`
}

const startScript = (address: string) => `SwaggerUIBundle({
  url: '${address}',
  dom_id: '#document',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  docExpansion: 'none',
})
`

/**
 * The content security policy of pages with scripts and styles; `connectTo` names the other origins that they
 * may call.
 */
export function documentationPolicy(connectTo: readonly string[] = []): string {
  return [
    "default-src 'self'",
    ["connect-src 'self'", ...connectTo].join(' '),
    "img-src 'self' data:",
    "style-src 'self' 'unsafe-inline'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

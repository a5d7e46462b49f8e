import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'

interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>
}

interface Operation {
  readonly operationId: string
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const directory = join(import.meta.dirname, '..', '..', 'docs', 'contract')
const read = (name: string): Document => JSON.parse(readFileSync(join(directory, name), 'utf8'))

/**
 * These names are in a released contract and stay. Generators rename `Error` in some languages, so clients
 * compile.
 */
const releasedNames: Readonly<Record<string, readonly string[]>> = {
  'rest.v1.json': ['Error'],
  'identity.v1.json': ['Error'],
}

/** Types that a generator adds to every client, and standard types of languages. */
const reservedNames = [
  'Client',
  'APIClient',
  'ApiClient',
  'ApiError',
  'ApiException',
  'ApiResponse',
  'Configuration',
  'Pair',
  'ClientInterface',
  'ClientOption',
  'ClientWithResponses',
  'HttpRequestDoer',
  'RequestEditorFn',
  'ServerConfiguration',
  'ServerVariable',
  'Unset',
  'UnexpectedStatus',
  'RequestOptions',
  'Options',
  'Any',
  'Array',
  'Boolean',
  'Byte',
  'Char',
  'Date',
  'DateTime',
  'Decimal',
  'Double',
  'Enum',
  'Error',
  'Event',
  'Exception',
  'File',
  'Float',
  'From',
  'Function',
  'Int',
  'Integer',
  'Iterator',
  'List',
  'Long',
  'Map',
  'Module',
  'Null',
  'Number',
  'Object',
  'Option',
  'Promise',
  'Record',
  'Result',
  'Self',
  'Set',
  'String',
  'Symbol',
  'System',
  'Task',
  'Thread',
  'Time',
  'TimeZone',
  'Type',
  'Uuid',
  'Vec',
  'Void',
]

/** Functions and types that generators derive from the name of a schema, an operation or a property. */
const reservedPatterns = [
  // Go has a function New{Schema} and a type Nullable{Schema}.
  /^New[A-Z]/,
  /^Nullable/,
  // Types of the requests and responses of operations.
  /(Request|Response|Params|RequestBody|JSONBody)$/,
  // Files of Go and Java whose names end like this are tests.
  /Test$/,
]

/** Named enumerations have one constant for each value, and in Go all constants share one scope. */
const isEnum = ({ enum: values }: Schema) => values !== undefined

/**
 * In Python, generated code confuses a class with its property of the same name, unless that is a plain
 * value.
 */
const hasPropertyLike = (name: string, { properties = {} }: Schema) =>
  Object.entries(properties).some(
    ([property, { type }]) =>
      property.toLowerCase() === name.toLowerCase() && (type === 'array' || type === 'object'),
  )

function collisionsIn({ paths, components }: Document, released: readonly string[] = []): string[] {
  const names = Object.keys(components.schemas)
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const ids = new Set(operations.map(({ operationId }) => operationId.toLowerCase()))
  const lower = names.map((name) => name.toLowerCase())
  return names.filter(
    (name) =>
      !released.includes(name) &&
      (reservedNames.some((reserved) => reserved.toLowerCase() === name.toLowerCase()) ||
        reservedPatterns.some((pattern) => pattern.test(name)) ||
        ids.has(name.toLowerCase()) ||
        lower.filter((other) => other === name.toLowerCase()).length > 1 ||
        hasPropertyLike(name, components.schemas[name] ?? {}) ||
        isEnum(components.schemas[name] ?? {})),
  )
}

/** Returns the operations with unnamed schemas, for which generators would invent names. */
const unnamedIn = ({ paths }: Document): string[] =>
  Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ operationId, requestBody = {}, responses }) =>
      [requestBody, ...Object.values(responses)]
        .flatMap(({ content = {} }) => [
          content['application/json']?.schema,
          content['application/x-www-form-urlencoded']?.schema,
        ])
        .filter((schema) => schema !== undefined && schema.$ref === undefined)
        .map(() => operationId),
    )

for (const name of ['rest.v1.json', 'extensions.v1.json', 'identity.v1.json', 'identity-extensions.v1.json'])
  describe(`The names in ${name}`, () => {
    const document = read(name)

    test('do not collide with names in generated clients', () => {
      assert.deepEqual(collisionsIn(document, releasedNames[name]), [])
    })

    test('exist for every body and JSON response', () => {
      assert.deepEqual(unnamedIn(document), [])
    })
  })

describe('A name that generators would change', () => {
  const document = read('extensions.v1.json')
  for (const name of [
    'NewLink',
    'error',
    'NullableToken',
    'MakeTokenResponse',
    'WebhookTest',
    'Ids',
    'MakeToken',
    'token',
  ])
    test(`${name} is found`, () => {
      const schemas = { ...document.components.schemas, [name]: { properties: { ids: { type: 'array' } } } }
      assert.ok(collisionsIn({ ...document, components: { schemas } }).includes(name))
    })
})

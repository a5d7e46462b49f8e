import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '..', '..')
const folder = join(root, 'docs', 'contract')
const names = ['rest.v1.json', 'extensions.v1.json', 'identity.v1.json', 'identity-extensions.v1.json']
const run = promisify(execFile)

interface Schema {
  readonly [keyword: string]: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
}

interface Content {
  readonly example?: unknown
}

interface Operation {
  readonly operationId: string
  readonly description?: string
  readonly parameters?: readonly { readonly name: string; readonly description?: string }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> }
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Content>> }>>
  readonly 'x-events'?: Readonly<Record<string, { readonly description?: string }>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly responses?: Operation['responses']
  }
}

/** Returns the paths of properties without a description. A property with `$ref` is described there. */
const undescribedIn = (where: string, { properties = {}, items }: Schema): string[] => [
  ...Object.entries(properties).flatMap(([name, property]) => [
    ...(property.$ref || property.description ? [] : [`${where}.${name}`]),
    ...undescribedIn(`${where}.${name}`, property),
  ]),
  ...(items ? undescribedIn(`${where}[]`, items) : []),
]

/** Returns the operation, its parameters and its events that have no description. */
function undescribedParts({
  operationId,
  description,
  parameters = [],
  'x-events': events = {},
}: Operation): string[] {
  const found: string[] = description ? [] : [operationId]
  for (const parameter of parameters)
    if (!parameter.description) found.push(`${operationId} ${parameter.name}`)
  for (const [name, event] of Object.entries(events))
    if (!event.description) found.push(`${operationId} ${name}`)
  return found
}

/** Returns the body and the responses of an operation that have no example. */
function partsWithoutExample({ operationId, requestBody, responses }: Operation): string[] {
  const found: string[] = hasExamples(requestBody?.content) ? [] : [`${operationId} body`]
  for (const [status, { content }] of Object.entries(responses))
    if (!hasExamples(content)) found.push(`${operationId} ${status}`)
  return found
}

const needsExample = (type: string): boolean => /json$|urlencoded$/.test(type) && !/ndjson/.test(type)

/** Returns whether all JSON and form contents have an example. Streams of NDJSON need none. */
const hasExamples = (content: Readonly<Record<string, Content>> = {}): boolean =>
  Object.entries(content).every(([type, { example }]) => !needsExample(type) || example !== undefined)

for (const name of names)
  describe(`The document ${name}`, { concurrency: true }, () => {
    const document: Document = JSON.parse(readFileSync(join(folder, name), 'utf8'))
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))

    test('describes every operation, parameter, property and event', () => {
      const undescribed = operations.flatMap(undescribedParts)
      const { schemas } = document.components
      const properties = Object.entries(schemas).flatMap(([title, schema]) => undescribedIn(title, schema))
      assert.deepEqual([...undescribed, ...properties], [])
    })

    test('has an example of every body, response and error', () => {
      const shared = Object.entries(document.components.responses ?? {})
        .filter(([, { content }]) => !hasExamples(content))
        .map(([title]) => title)
      assert.deepEqual([...operations.flatMap(partsWithoutExample), ...shared], [])
    })

    test('passes redocly without warnings', async () => {
      const found = await redocly()
      assert.doesNotMatch(found, /warning|error/i, found)
      assert.match(found, new RegExp(`${name}: validated`))
    })
  })

const redocly = once('redocly', ['lint', '--config', join(root, 'redocly.yaml')])

/** Runs a program once for all documents, because it takes longer to start than to check them. */
function once(program: string, options: readonly string[]): () => Promise<string> {
  let running: Promise<string> | undefined
  return () => {
    running ??= output(program, [...options, ...names.map((name) => join(folder, name))])
    return running
  }
}

/** Returns the output of a program, whether it succeeds or fails. */
async function output(program: string, options: readonly string[]): Promise<string> {
  const file = join(root, 'node_modules', '.bin', program)
  // The program must not check for a newer version of itself.
  const env = {
    ...process.env,
    NO_COLOR: '1',
    REDOCLY_TELEMETRY: 'off',
    REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    CI: '1',
  }
  const { stdout, stderr } = await run(process.execPath, [file, ...options], { env }).catch((error) => error)
  return `${stdout}${stderr}`
}

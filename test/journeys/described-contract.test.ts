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

/** Returns whether all JSON and form contents have an example. */
const hasExamples = (content: Readonly<Record<string, Content>> = {}): boolean =>
  Object.entries(content).every(
    ([type, { example }]) => !/json$|urlencoded$/.test(type) || /ndjson/.test(type) || example !== undefined,
  )

for (const name of names)
  describe(`The document ${name}`, { concurrency: true }, () => {
    const document: Document = JSON.parse(readFileSync(join(folder, name), 'utf8'))
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))

    test('describes every operation, parameter, property and event', () => {
      const undescribed = operations.flatMap(({ operationId, description, parameters = [], ...rest }) => [
        ...(description ? [] : [operationId]),
        ...parameters
          .filter((parameter) => !parameter.description)
          .map((parameter) => `${operationId} ${parameter.name}`),
        ...Object.entries(rest['x-events'] ?? {}).flatMap(([name, event]) =>
          event.description ? [] : [name],
        ),
      ])
      const { schemas } = document.components
      const properties = Object.entries(schemas).flatMap(([title, schema]) => undescribedIn(title, schema))
      assert.deepEqual([...undescribed, ...properties], [])
    })

    test('has an example of every body, response and error', () => {
      const shared = Object.entries(document.components.responses ?? {})
      const withoutExample = [
        ...operations.flatMap(({ operationId, requestBody, responses }) => [
          ...(hasExamples(requestBody?.content) ? [] : [`${operationId} body`]),
          ...Object.entries(responses)
            .filter(([, { content }]) => !hasExamples(content))
            .map(([status]) => `${operationId} ${status}`),
        ]),
        ...shared.filter(([, { content }]) => !hasExamples(content)).map(([title]) => title),
      ]
      assert.deepEqual(withoutExample, [])
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

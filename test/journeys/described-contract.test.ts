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

/** Where a property says nothing about itself; one that is of a named schema says it there. */
const silentIn = (where: string, { properties = {}, items }: Schema): string[] => [
  ...Object.entries(properties).flatMap(([name, property]) => [
    ...(property.$ref || property.description ? [] : [`${where}.${name}`]),
    ...silentIn(`${where}.${name}`, property),
  ]),
  ...(items ? silentIn(`${where}[]`, items) : []),
]

const isExplained = (content: Readonly<Record<string, Content>> = {}): boolean =>
  Object.entries(content).every(
    ([type, { example }]) => !/json$|urlencoded$/.test(type) || /ndjson/.test(type) || example !== undefined,
  )

for (const name of names)
  describe(`The document ${name}`, { concurrency: true }, () => {
    const document: Document = JSON.parse(readFileSync(join(folder, name), 'utf8'))
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))

    test('describes every operation, parameter, property and event', () => {
      const silent = operations.flatMap(({ operationId, description, parameters = [], ...rest }) => [
        ...(description ? [] : [operationId]),
        ...parameters.filter((one) => !one.description).map((one) => `${operationId} ${one.name}`),
        ...Object.entries(rest['x-events'] ?? {}).flatMap(([event, about]) =>
          about.description ? [] : [event],
        ),
      ])
      const { schemas } = document.components
      const properties = Object.entries(schemas).flatMap(([title, schema]) => silentIn(title, schema))
      assert.deepEqual([...silent, ...properties], [])
    })

    test('has an example of every body, response and error', () => {
      const shared = Object.entries(document.components.responses ?? {})
      const without = [
        ...operations.flatMap(({ operationId, requestBody, responses }) => [
          ...(isExplained(requestBody?.content) ? [] : [`${operationId} body`]),
          ...Object.entries(responses)
            .filter(([, { content }]) => !isExplained(content))
            .map(([status]) => `${operationId} ${status}`),
        ]),
        ...shared.filter(([, { content }]) => !isExplained(content)).map(([title]) => title),
      ]
      assert.deepEqual(without, [])
    })

    test('is clean for redocly, warnings included', async () => {
      const found = await redocly()
      assert.doesNotMatch(found, /warning|error/i, found)
      assert.match(found, new RegExp(`${name}: validated`))
    })
  })

const redocly = once('redocly', ['lint', '--config', join(root, 'redocly.yaml')])

/** Started for all documents together: the programs take longer to load than to read them. */
function once(program: string, words: readonly string[]): () => Promise<string> {
  let running: Promise<string> | undefined
  return () => {
    running ??= output(program, [...words, ...names.map((name) => join(folder, name))])
    return running
  }
}

/** What the program prints, whether it succeeds or fails. */
async function output(program: string, words: readonly string[]): Promise<string> {
  const file = join(root, 'node_modules', '.bin', program)
  // Neither checks for a newer version of itself.
  const env = {
    ...process.env,
    NO_COLOR: '1',
    REDOCLY_TELEMETRY: 'off',
    REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    CI: '1',
  }
  const { stdout, stderr } = await run(process.execPath, [file, ...words], { env }).catch((error) => error)
  return `${stdout}${stderr}`
}

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fixture } from '../support/fixture.ts'
import { startRestUnderTest } from '../support/rest-host.ts'

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly minLength?: number
  readonly properties?: Readonly<Record<string, Schema>>
}

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly {
    readonly in: string
    readonly name: string
    readonly schema: Schema
    readonly required?: true
  }[]
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema; readonly example: object }>>
  }
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** Returns whether the schema excludes an empty text, by `minLength`, a format or an enum. */
const excludesEmpty = ({ format, enum: values, minLength = 0 }: Schema): boolean =>
  minLength > 0 || values !== undefined || (format !== undefined && format !== 'password')

const isText = ({ type }: Schema): boolean => [type].flat().includes('string')

/** A request with one empty text. */
interface Probe {
  readonly name: string
  readonly where: string
  readonly method: string
  readonly path: string
  readonly body?: object
}

interface Described {
  readonly path: string
  readonly method: string
  readonly operation: Operation
}

const operationsOf = ({ paths }: Document): Described[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )

const keyProbes = ({ path, method, operation: { operationId, parameters = [] } }: Described): Probe[] =>
  parameters
    .filter((parameter) => parameter.in === 'query' && mayBeEmpty(parameter.schema))
    .map(({ name }) => ({ name, where: `${operationId} ${name}`, method, path: `${path}?${name}=` }))

function bodyProbes({ components }: Document, { path, method, operation }: Described): Probe[] {
  const { schema, example } = operation.requestBody?.content['application/json'] ?? {}
  const { properties = {} } = components.schemas[schema?.$ref?.split('/').at(-1) ?? ''] ?? {}
  return Object.entries(properties)
    .filter(([, property]) => mayBeEmpty(property))
    .map(([name]) => {
      const body = { ...example, [name]: '' }
      return { name, where: `${operation.operationId} ${name}`, method, path, body }
    })
}

const mayBeEmpty = (schema: Schema): boolean => isText(schema) && !excludesEmpty(schema)

describe('An empty text that is rejected', { concurrency: true }, () => {
  const rest = fixture(startRestUnderTest)
  for (const address of ['/swagger/v1/swagger.json', '/swagger/extensions.v1.json'])
    test(`is excluded by the schemas of ${address}`, async () => {
      const document: Document = (await rest.call('GET', address)).body
      const probes = operationsOf(document).flatMap((described) => [
        ...keyProbes(described),
        ...bodyProbes(document, described),
      ])
      assert.ok(probes.length > 0)
      const notExcluded: string[] = []
      for (const { name, where, method, path, body } of probes) {
        const answer = await rest.administrator.call(method, path, body)
        assert.notEqual(answer.status, 429)
        if (answer.status === 400 && Object.hasOwn(answer.body.errors ?? {}, name)) notExcluded.push(where)
      }
      assert.deepEqual(notExcluded, [])
    })
})

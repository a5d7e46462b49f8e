import type { Schema } from './operation.ts'

type Schemas = Readonly<Record<string, Schema>>

/** A value that the schema allows, made of the examples of its parts: no example is written down a second time. */
export function exampleOf(schema: Schema, schemas: Schemas): unknown {
  const { $ref, examples, example, enum: values, default: byDefault } = schema
  if (typeof $ref === 'string') return exampleOf(schemas[$ref.split('/').at(-1) ?? ''] ?? {}, schemas)
  if (Array.isArray(examples)) return examples[0]
  const given = [example, schema.const, byDefault, Array.isArray(values) ? values[0] : undefined]
  const [first] = given.filter((value) => value !== undefined)
  if (first !== undefined) return first
  const [choice] = [schema.oneOf, schema.anyOf].flatMap((choices) => (Array.isArray(choices) ? choices : []))
  return choice ? exampleOf(choice as Schema, schemas) : ofType(schema, schemas)
}

function ofType(schema: Schema, schemas: Schemas): unknown {
  const [type] = [schema.type].flat()
  if (type === 'object') return ofObject(schema, schemas)
  if (type === 'array') return [exampleOf((schema.items ?? {}) as Schema, schemas)]
  if (type === 'boolean') return true
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1
  return byFormat[String(schema.format)] ?? 'text'
}

const byFormat: Readonly<Record<string, string>> = {
  date: '2026-01-05',
  'date-time': '2026-01-05T09:00:00Z',
  uri: 'https://example.com/',
  uuid: '0199a3c4-7d1e-7c52-9d0b-6f3a1c2e4b58',
}

function ofObject({ properties = {} }: Schema, schemas: Schemas): Schema {
  return Object.fromEntries(
    Object.entries(properties as Schemas).map(([name, property]) => [name, exampleOf(property, schemas)]),
  )
}

/** The same contents, each with an example of its schema. */
export const withExamples = (content: Schema, schemas: Schemas): Schema =>
  Object.fromEntries(
    Object.entries(content as Readonly<Record<string, Schema>>).map(([type, media]) => [
      type,
      'example' in media || !isReadable(type)
        ? media
        : { ...media, example: exampleOf(media.schema as Schema, schemas) },
    ]),
  )

/** What a table or a stream looks like says its description. */
const isReadable = (type: string): boolean =>
  type === 'application/json' || type === 'application/x-www-form-urlencoded'

/** The part of an OpenAPI document that the types are made from. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>
}

export interface Operation {
  readonly summary?: string
  readonly parameters?: readonly {
    readonly in: string
    readonly name: string
    readonly description?: string
    readonly required?: boolean
    readonly schema?: Schema
  }[]
  readonly requestBody?: Content
  readonly responses?: Readonly<Record<string, Content>>
}

export interface Schema {
  readonly type?: string | readonly string[]
  readonly $ref?: string
  readonly description?: string
  readonly enum?: readonly string[]
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly minLength?: number
  readonly maxLength?: number
  readonly maximum?: number
  readonly maxItems?: number
  readonly additionalProperties?: Schema | boolean
}

/** What the web client knows of the interface, as TypeScript: every schema, and the resources with their routes. */
export function apiTypesOf(document: OpenApi, extensions: OpenApi): string {
  const schemas = { ...extensions.components.schemas, ...document.components.schemas }
  const named = Object.keys(schemas).filter((name) => !/(Page|QueryRow)$/.test(name))
  return [
    '// Made from docs/contract/ by npm run contract. Not to be changed by hand.',
    ...named.map((name) => declarationOf(name, schemas[name] ?? {})),
    resourcesOf([...resourcesIn(document, '/api'), ...resourcesIn(extensions, '/ext')]),
    limitsOf([document, extensions]),
  ]
    .join('\n\n')
    .concat('\n')
}

export const declarationOf = (name: string, schema: Schema) => `export interface ${name} ${bodyOf(schema)}`

function bodyOf({ properties = {}, required = [] }: Schema, indent = ''): string {
  const lines = Object.entries(properties).map(
    ([name, schema]) =>
      `${indent}  readonly ${name}${required.includes(name) ? '' : '?'}: ${typeOf(schema, `${indent}  `)}\n`,
  )
  return `{\n${lines.join('')}${indent}}`
}

export function typeOf(schema: Schema, indent: string): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? 'unknown'
  if (schema.anyOf !== undefined) return schema.anyOf.map((one) => typeOf(one, indent)).join(' | ')
  if (schema.enum !== undefined) return schema.enum.map((value) => `'${value}'`).join(' | ')
  return [schema.type ?? 'unknown']
    .flat()
    .map((type) => simpleTypeOf(type, schema, indent))
    .join(' | ')
}

function simpleTypeOf(type: string, schema: Schema, indent: string): string {
  if (type === 'integer') return 'number'
  if (type === 'array') return `readonly ${itemType(schema.items ?? {}, indent)}[]`
  if (type !== 'object') return type
  if (typeof schema.additionalProperties === 'object')
    return `Readonly<Record<string, ${typeOf(schema.additionalProperties, indent)}>>`
  if (schema.additionalProperties === true) return 'Readonly<Record<string, unknown>>'
  return bodyOf(schema, indent)
}

function itemType(items: Schema, indent: string): string {
  const type = typeOf(items, indent)
  return items.enum ? `(${type})` : type
}

interface ApiResource {
  readonly name: string
  readonly record: string
  /** Where its list and its rows are got: `/api` or `/ext`. */
  readonly root: string
  readonly listRoute: string
  readonly keys: string
}

/** A resource is what can be created, and its list route is where its pages are got. */
function resourcesIn({ paths, components: { schemas } }: OpenApi, root: string): ApiResource[] {
  const names = Object.keys(schemas).flatMap((name) => (name.endsWith('Page') ? [name.slice(0, -4)] : []))
  return names.flatMap((record) => {
    const name = record.charAt(0).toLowerCase() + record.slice(1)
    const listRoute = `${name}s`
    const list = paths[`${root}/${listRoute}`]?.get
    if (!list || !schemas[`${record}Create`]) return []
    const query = (list.parameters ?? []).filter((one) => one.in === 'query')
    return [{ name, record, root, listRoute, keys: query.map((one) => `'${one.name}'`).join(' | ') }]
  })
}

function resourcesOf(resources: readonly ApiResource[]): string {
  const types = resources.map(
    ({ name, record, keys }) =>
      `  readonly ${name}: {\n    readonly record: ${record}\n    readonly create: ${record}Create\n    readonly update: ${record}Update\n    readonly query: ${keys}\n  }\n`,
  )
  const routes = resources.map(({ name, listRoute }) => `  ${name}: '${listRoute}',\n`)
  const roots = resources.map(({ name, root }) => `  ${name}: '${root}',\n`)
  return [
    `export interface Resources {\n${types.join('')}}`,
    `/** The last path segment of each resource's list route. */\nexport const listRoutes = {\n${routes.join('')}} as const`,
    `/** The path prefix of each resource's routes. */\nexport const roots = {\n${roots.join('')}} as const`,
  ].join('\n\n')
}

interface Limit {
  /** The schema or the path that declares it. */
  readonly where: string
  readonly name: string
  readonly limit: number | undefined
}

/** By the name of a property or a key, which has the same limit everywhere: a name with two limits is refused. */
function limitsOf(documents: readonly OpenApi[]): string {
  const known = new Map<string, Limit>()
  for (const one of documents.flatMap((document) => [
    ...limitsOfSchemas(document),
    ...limitsOfKeys(document),
  ])) {
    if (one.limit === undefined) continue
    const other = known.get(one.name) ?? one
    if (other.limit !== one.limit)
      throw new Error(
        `${one.name} is limited to ${other.limit} in ${other.where} and to ${one.limit} in ${one.where}: the web client asks for limits by name, so give it one limit, or another name.`,
      )
    known.set(one.name, other)
  }
  const lines = [...known].map(([name, { limit }]) => `  ${name}: ${limit},\n`).sort()
  return `/** The limits of texts, of lists of ids, and of pages. */\nexport const limits = {\n${lines.join('')}} as const`
}

const limitsOfSchemas = ({ components }: OpenApi): Limit[] =>
  Object.entries(components.schemas).flatMap(([where, { properties = {} }]) =>
    Object.entries(properties).flatMap(([name, { maxLength, maxItems, minLength }]) => [
      { where, name, limit: maxLength ?? maxItems },
      { where, name: `${name}Min`, limit: minLength },
    ]),
  )

const limitsOfKeys = ({ paths }: OpenApi): Limit[] =>
  Object.entries(paths).flatMap(([where, methods]) =>
    Object.values(methods)
      .flatMap(({ parameters = [] }) => parameters.filter((one) => one.in === 'query'))
      .map(({ name, schema = {} }) => ({ where, name, limit: schema.maxLength ?? schema.maximum })),
  )

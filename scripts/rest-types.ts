/** The part of an OpenAPI document from which the types are generated. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>
}

interface Operation {
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

interface Schema {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly $ref?: string
  readonly description?: string
  readonly enum?: readonly (string | null)[]
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

/** Returns the TypeScript of the REST interface: schemas, operations by path, resources and limits. */
export function restTypesOf(document: OpenApi, extensions: OpenApi): string {
  const extended = withOwnNames(extensions, document)
  const schemas = { ...extended.components.schemas, ...document.components.schemas }
  // The client throws errors with a class of its own.
  const named = Object.keys(schemas).filter((name) => name !== 'Error' && name !== 'ErrorAnswer')
  const operations = [document, extended].flatMap(operationsIn).filter((operation) => !isDownload(operation))
  const resources = resourcesIn(operations, schemas)
  return [
    '// Generated from docs/contract/ by npm run contract; do not edit.',
    ...named.map((name) => declarationOf(name, schemas[name] ?? {})),
    `/** Every operation by its method and path. */\nexport interface Operations {\n${operations.map(operationType).join('')}}`,
    `/** The resources, by the last part of the path of their list. */\nexport interface Resources {\n${resources.map(resourceType).join('')}}`,
    `/** For each resource, the root of its paths, and its name in the singular and in the plural. */\nexport const resourcePaths = {\n${resources.map(({ key, plural, root, name }) => `  ${key}: { root: '${root}', name: '${name}', plural: '${plural}' },\n`).join('')}} as const`,
    limitsOf([document, extended]),
  ]
    .join('\n\n')
    .concat('\n')
}

/**
 * Renames schemas of extensions that differ from the contract's schema of the same name. `ExtProject`, for
 * example, has more fields than `Project`.
 */
function withOwnNames(extensions: OpenApi, { components: { schemas: known } }: OpenApi): OpenApi {
  const extended = extensions.components.schemas
  const refTo = (name: string) => `"$ref":"#/components/schemas/${name}"`
  const differing = new Set(
    Object.keys(extended).filter(
      (name) => known[name] && JSON.stringify(extended[name]) !== JSON.stringify(known[name]),
    ),
  )
  // A schema that refers to a differing schema differs, too. The loop also visits the names that it adds.
  for (const changed of differing)
    for (const [name, schema] of Object.entries(extended))
      if (known[name] && JSON.stringify(schema).includes(refTo(changed))) differing.add(name)
  let text = JSON.stringify(extensions)
  for (const name of differing)
    text = text.replaceAll(refTo(name), refTo(`Ext${name}`)).replaceAll(`"${name}":{`, `"Ext${name}":{`)
  return JSON.parse(text) as OpenApi
}

const declarationOf = (name: string, schema: Schema) => `export interface ${name} ${bodyOf(schema)}`

function bodyOf({ properties = {}, required = [] }: Schema, indent = ''): string {
  const lines = Object.entries(properties).map(
    ([name, schema]) =>
      `${indent}  readonly ${name}${required.includes(name) ? '' : '?'}: ${typeOf(schema, `${indent}  `)}\n`,
  )
  return `{\n${lines.join('')}${indent}}`
}

function typeOf(schema: Schema, indent: string): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? 'unknown'
  if (schema.format === 'binary') return 'Blob'
  if (schema.anyOf !== undefined)
    return schema.anyOf.map((alternative) => typeOf(alternative, indent)).join(' | ')
  if (schema.enum !== undefined)
    return schema.enum.map((value) => (value === null ? 'null' : `'${value}'`)).join(' | ')
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

interface LocatedOperation extends Operation {
  readonly method: string
  readonly path: string
}

const operationsIn = ({ paths }: OpenApi): LocatedOperation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  )

/** Downloads have a separate function in the client, because `call` reads responses as JSON or text. */
const isDownload = ({ responses }: LocatedOperation): boolean =>
  schemaOf(responses?.['200']?.content).format === 'binary'

const schemaOf = (content: Readonly<Record<string, { readonly schema?: Schema }>> | undefined): Schema =>
  // Content types other than JSON are text.
  content?.['application/json']?.schema ?? Object.values(content ?? {})[0]?.schema ?? {}

function operationType(operation: LocatedOperation): string {
  const { method, path, summary, requestBody, responses } = operation
  const answer = typeOf(schemaOf(responses?.['200']?.content), '    ')
  return [
    `  /** ${summary} */\n  '${method} ${path}': {\n${queryType(operation)}`,
    requestBody ? `    readonly body: ${typeOf(schemaOf(requestBody.content), '    ')}\n` : '',
    `    readonly answer: ${answer}\n  }\n`,
  ].join('')
}

function queryType({ parameters = [] }: Operation): string {
  const keys = parameters.filter((parameter) => parameter.in === 'query')
  if (keys.length === 0) return ''
  const lines = keys.map(
    ({ name, description, required, schema = {} }) =>
      `${description ? `      /** ${description} */\n` : ''}      readonly ${name}${required ? '' : '?'}: ${typeOf(schema, '      ')}\n`,
  )
  return `    readonly query: {\n${lines.join('')}    }\n`
}

interface KnownResource {
  readonly name: string
  /** The property of the TypeScript client that sends its requests. */
  readonly key: string
  readonly plural: string
  readonly title: string
  readonly typeName: string
  /** The beginning of its paths: `/api` or `/ext`. */
  readonly root: string
  /** False if a separate route creates its rows. */
  readonly isCreatable: boolean
}

/**
 * Returns the resources: everything that can be changed and has a list with the same root. A resource to
 * which extensions add fields is there twice.
 */
function resourcesIn(operations: readonly LocatedOperation[], schemas: OpenApi['components']['schemas']) {
  return operations.flatMap(({ method, path }): KnownResource[] => {
    const [, root = '', name = ''] = /^(\/(?:api|ext))\/(\w+)$/.exec(path) ?? []
    const title = name.charAt(0).toUpperCase() + name.slice(1)
    const plural = `${name.replace(/y$/, 'ie')}s`
    const isExtended = root === '/ext' && schemas[`Ext${title}Update`] !== undefined
    const typeName = isExtended ? `Ext${title}` : title
    const key = isExtended ? `ext${plural.charAt(0).toUpperCase()}${plural.slice(1)}` : plural
    const isResource = method === 'PATCH' && schemas[`${typeName}Update`] && schemas[`${title}QueryRow`]
    const isCreatable = schemas[`${typeName}Create`] !== undefined
    return isResource ? [{ name, key, plural, title, typeName, root, isCreatable }] : []
  })
}

const resourceType = ({ key, plural, title, typeName, root, isCreatable }: KnownResource): string =>
  `  readonly ${key}: {
    readonly record: ${typeName}
    readonly create: ${isCreatable ? `${typeName}Create` : 'never'}
    readonly update: ${typeName}Update
    readonly page: ${typeName}Page['result']
    readonly list: Operations['GET ${root}/${plural}']['query']
    readonly removed: Operations['GET /ext/removed/${plural}']['query']
    readonly export: Omit<Operations['GET /ext/export/${plural}']['query'], 'format'>
    readonly row: ${title}QueryRow
  }
`

interface Limit {
  /** The schema or the path that declares it. */
  readonly where: string
  readonly name: string
  readonly limit: number | undefined
}

/** Schemas whose texts have other limits. Names of their limits begin with the prefix, such as `labelName`. */
const ownLimits = { schemas: /^Label/, prefix: 'label' } as const

/**
 * Returns the limits by the name of a property or a query key. Throws if a name has two limits.
 */
function limitsOf(documents: readonly OpenApi[]): string {
  const known = new Map<string, Limit>()
  for (const entry of documents.flatMap((document) => [
    ...limitsOfSchemas(document),
    ...limitsOfKeys(document),
  ])) {
    if (entry.limit === undefined) continue
    const first = known.get(entry.name) ?? entry
    if (first.limit !== entry.limit)
      throw new Error(
        `${entry.name} is limited to ${first.limit} in ${first.where} and to ${entry.limit} in ${entry.where}: clients look up limits by name, so give it one limit, or another name.`,
      )
    known.set(entry.name, first)
  }
  const lines = [...known].map(([name, { limit }]) => `  ${name}: ${limit},\n`).sort()
  return `/** The limits of texts, lists and pages, by the name of their property or query key. */\nexport const limits = {\n${lines.join('')}} as const`
}

const limitsOfSchemas = ({ components }: OpenApi): Limit[] =>
  Object.entries(components.schemas).flatMap(([where, { properties = {} }]) =>
    Object.entries(properties).flatMap(([name, { maxLength, maxItems, minLength }]) => [
      { where, name: limitNameOf(where, name), limit: maxLength ?? maxItems },
      { where, name: `${name}Min`, limit: minLength },
    ]),
  )

const limitNameOf = (schema: string, name: string): string =>
  ownLimits.schemas.test(schema) ? `${ownLimits.prefix}${name.charAt(0).toUpperCase()}${name.slice(1)}` : name

const limitsOfKeys = ({ paths }: OpenApi): Limit[] =>
  Object.entries(paths).flatMap(([where, methods]) =>
    Object.values(methods)
      .flatMap(({ parameters = [] }) => parameters.filter((parameter) => parameter.in === 'query'))
      .map(({ name, schema = {} }) => ({ where, name, limit: schema.maxLength ?? schema.maximum })),
  )

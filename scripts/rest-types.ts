import { declarationOf, type OpenApi, type Operation, type Schema, typeOf } from './api-types.ts'

/** What programs know of the interface, as TypeScript: schemas, operations by method and path, and the resources. */
export function restTypesOf(document: OpenApi, extensions: OpenApi): string {
  const schemas = { ...extensions.components.schemas, ...document.components.schemas }
  // Refusals are thrown, as an error of the client's own.
  const named = Object.keys(schemas).filter((name) => name !== 'Error')
  const operations = [document, extensions].flatMap(operationsIn)
  const resources = resourcesIn(operations, schemas)
  return [
    '// Made from docs/contract/ by npm run contract; a test compares. Not to be changed by hand.',
    ...named.map((name) => declarationOf(name, schemas[name] ?? {})),
    `/** Every operation by its method and path. */\nexport interface Operations {\n${operations.map(operationType).join('')}}`,
    `/** By the last part of its list's path, what a resource is. */\nexport interface Resources {\n${resources.map(resourceType).join('')}}`,
    `/** By the same, where its rows and its list are. */\nexport const paths = {\n${resources.map(({ plural, root, name }) => `  ${plural}: { row: '${root}/${name}', list: '${root}/${plural}', name: '${name}' },\n`).join('')}} as const`,
  ]
    .join('\n\n')
    .concat('\n')
}

interface Known extends Operation {
  readonly method: string
  readonly path: string
}

const operationsIn = ({ paths }: OpenApi): Known[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  )

const schemaOf = (content: Readonly<Record<string, { readonly schema?: Schema }>> | undefined): Schema =>
  // Anything but JSON is text.
  content?.['application/json']?.schema ?? Object.values(content ?? {})[0]?.schema ?? {}

function operationType(operation: Known): string {
  const { method, path, summary, requestBody, responses } = operation
  const answer = typeOf(schemaOf(responses?.['200']?.content), '    ')
  return [
    `  /** ${summary} */\n  '${method} ${path}': {\n${queryType(operation)}`,
    requestBody ? `    readonly body: ${typeOf(schemaOf(requestBody.content), '    ')}\n` : '',
    `    readonly answer: ${answer}\n  }\n`,
  ].join('')
}

function queryType({ parameters = [] }: Operation): string {
  const keys = parameters.filter((one) => one.in === 'query')
  if (keys.length === 0) return ''
  const lines = keys.map(
    ({ name, description, required, schema = {} }) =>
      `${description ? `      /** ${description} */\n` : ''}      readonly ${name}${required ? '' : '?'}: ${typeOf(schema, '      ')}\n`,
  )
  return `    readonly query: {\n${lines.join('')}    }\n`
}

interface KnownResource {
  readonly name: string
  readonly plural: string
  readonly title: string
  readonly root: string
}

/** A resource is what can be created, and its list stands beside it under the same root. */
function resourcesIn(operations: readonly Known[], schemas: OpenApi['components']['schemas']) {
  return operations.flatMap(({ method, path }): KnownResource[] => {
    const [, root = '', name = ''] = /^(\/(?:api|ext))\/(\w+)$/.exec(path) ?? []
    const title = name.charAt(0).toUpperCase() + name.slice(1)
    const isResource = method === 'POST' && schemas[`${title}Create`] && schemas[`${title}QueryRow`]
    return isResource ? [{ name, plural: `${name}s`, title, root }] : []
  })
}

const resourceType = ({ plural, title, root }: KnownResource): string =>
  `  readonly ${plural}: {
    readonly record: ${title}
    readonly create: ${title}Create
    readonly update: ${title}Update
    readonly page: ${title}Page['result']
    readonly list: Operations['GET ${root}/${plural}']['query']
    readonly removed: Operations['GET /ext/removed/${plural}']['query']
    readonly export: Omit<Operations['GET /ext/export/${plural}']['query'], 'format'>
    readonly row: ${title}QueryRow
  }
`

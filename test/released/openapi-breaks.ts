export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly security?: readonly Security[]
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly responses?: Readonly<Record<string, Answer>>
    readonly securitySchemes?: Readonly<Record<string, unknown>>
  }
}

export interface Operation {
  readonly operationId: string
  readonly tags?: readonly string[]
  readonly security?: readonly Security[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Contents }
  readonly responses: Readonly<Record<string, Answer>>
}

interface Parameter {
  readonly in: string
  readonly name: string
  readonly required?: boolean
  readonly schema: Schema
}

interface Answer {
  readonly $ref?: string
  readonly headers?: Readonly<Record<string, unknown>>
  readonly content?: Contents
}

type Contents = Readonly<Record<string, { readonly schema?: Schema }>>
type Security = Readonly<Record<string, readonly string[]>>

/**
 * Returns a sentence for each change that breaks a client of the released document.
 * docs/contract-released/README.md has the rules.
 */
export function openApiBreaks(released: Document, current: Document): string[] {
  return [
    ...Object.keys(released.components.schemas).flatMap((name) =>
      current.components.schemas[name] ? [] : [`The schema ${name} is gone`],
    ),
    ...operationsOf(released).flatMap(({ title, path, method, operation }) => {
      const now = current.paths[path]?.[method]
      return now ? operationBreaks(title, { released, current, operation, now }) : [`${title} is gone`]
    }),
  ]
}

const operationsOf = ({ paths }: Document) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      title: `${method.toUpperCase()} ${path}`,
      path,
      method,
      operation,
    })),
  )

interface Pair {
  readonly released: Document
  readonly current: Document
  readonly operation: Operation
  readonly now: Operation
}

const operationBreaks = (title: string, pair: Pair): string[] => [
  ...identityBreaks(title, pair),
  ...parameterBreaks(title, pair),
  ...bodyBreaks(title, pair),
  ...answerBreaks(title, pair),
]

/**
 * Code generators name functions and classes after the operation id and the tags. The credentials are part of
 * the contract.
 */
function identityBreaks(title: string, { released, current, operation, now }: Pair): string[] {
  const had = JSON.stringify([operation.operationId, operation.tags])
  const has = JSON.stringify([now.operationId, now.tags])
  const credentials = JSON.stringify(operation.security ?? released.security ?? [])
  const credentialsNow = JSON.stringify(now.security ?? current.security ?? [])
  return [
    ...(had === has ? [] : [`${title}: its operation id or tag was ${had} and is ${has}`]),
    ...(credentials === credentialsNow
      ? []
      : [`${title}: its security was ${credentials} and is ${credentialsNow}`]),
  ]
}

function parameterBreaks(title: string, pair: Pair): string[] {
  const { operation, now } = pair
  const nameOf = (parameter: Parameter) => `${parameter.in} ${parameter.name}`
  const findIn = (parameters: readonly Parameter[] = [], name: string) =>
    parameters.find((parameter) => nameOf(parameter) === name)
  const added = (now.parameters ?? []).filter(
    (parameter) => parameter.required && !findIn(operation.parameters, nameOf(parameter)),
  )
  return [
    ...added.map((parameter) => `${title}, ${nameOf(parameter)}: is new and required`),
    ...(operation.parameters ?? []).flatMap((parameter) => {
      const where = `${title}, ${nameOf(parameter)}`
      const found = findIn(now.parameters, nameOf(parameter))
      if (!found) return [`${where}: is gone`]
      return [
        ...(found.required && !parameter.required ? [`${where}: is required now`] : []),
        ...schemaBreaks(parameter.schema, found.schema, comparisonOf(pair, 'request', where)),
      ]
    }),
  ]
}

function bodyBreaks(title: string, pair: Pair): string[] {
  const { operation, now } = pair
  const where = `${title}, body`
  if (!operation.requestBody) return now.requestBody?.required ? [`${where}: is required now`] : []
  if (!now.requestBody) return [`${where}: is gone`]
  const isNewlyRequired = now.requestBody.required && !operation.requestBody.required
  return [
    ...(isNewlyRequired ? [`${where}: is required now`] : []),
    ...contentBreaks(
      operation.requestBody.content,
      now.requestBody.content,
      comparisonOf(pair, 'request', where),
    ),
  ]
}

/** A new error status is an addition. A new success status is not, because clients would not expect it. */
function answerBreaks(title: string, pair: Pair): string[] {
  const { released, current, operation, now } = pair
  const added = Object.keys(now.responses).filter(
    (status) => Number(status) < 400 && !operation.responses[status],
  )
  return [
    ...added.map((status) => `${title}, answer ${status}: is new`),
    ...Object.entries(operation.responses).flatMap(([status, answer]) => {
      const where = `${title}, answer ${status}`
      const found = now.responses[status]
      if (!found) return [`${where}: is gone`]
      const [before, after] = [answerIn(released, answer), answerIn(current, found)]
      const lost = Object.keys(before.headers ?? {}).filter((name) => after.headers?.[name] === undefined)
      return [
        ...lost.map((name) => `${where}: the header ${name} is gone`),
        ...contentBreaks(before.content, after.content, comparisonOf(pair, 'answer', where)),
      ]
    }),
  ]
}

type ComparisonHere = ReturnType<typeof comparisonOf>

function contentBreaks(before: Contents = {}, after: Contents = {}, comparison: ComparisonHere): string[] {
  return Object.entries(before).flatMap(([type, { schema }]) => {
    const found = after[type]
    if (!found) return [`${comparison.where}: ${type} is gone`]
    return schema ? schemaBreaks(schema, found.schema ?? {}, comparison) : []
  })
}

const comparisonOf = ({ released, current }: Pair, direction: 'request' | 'answer', where: string) => ({
  direction,
  where,
  resolveReleased: (schema: Schema) => schemaIn(released, schema),
  resolveCurrent: (schema: Schema) => schemaIn(current, schema),
  isNewResource: (name: unknown) => {
    const path = `/ext/${String(name)}`
    return current.paths[path] !== undefined && released.paths[path] === undefined
  },
})

const lastPart = (reference: string) => reference.split('/').at(-1) ?? ''

const schemaIn = ({ components }: Document, schema: Schema): Schema =>
  schema.$ref === undefined ? schema : (components.schemas[lastPart(schema.$ref)] ?? {})

const answerIn = ({ components }: Document, answer: Answer): Answer =>
  answer.$ref === undefined ? answer : (components.responses?.[lastPart(answer.$ref)] ?? {})

/** A schema as our documents write it. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  readonly [keyword: string]: unknown
}

/** The schemas of requests may only become wider, those of answers only narrower. */
export type Direction = 'request' | 'answer'

export interface Comparison {
  readonly direction: Direction
  /** The location of the schemas, for the sentence. */
  readonly where: string
  resolveReleased(schema: Schema): Schema
  resolveCurrent(schema: Schema): Schema
  /** Whether a resource of this name was added since the release. */
  isNewResource(name: unknown): boolean
}

/** Returns a sentence for each thing that a client of the released schema could no longer send or read. */
export function schemaBreaks(released: Schema, current: Schema, comparison: Comparison): string[] {
  const before = comparison.resolveReleased(released)
  const now = comparison.resolveCurrent(current)
  return [
    ...nameBreaks(released, current, comparison),
    ...typeBreaks(before, now, comparison),
    ...enumBreaks(before, now, comparison),
    ...limitBreaks(before, now, comparison),
    ...requiredBreaks(before, now, comparison),
    ...propertyBreaks(before, now, comparison),
    ...itemBreaks(before, now, comparison),
  ]
}

/** Code generators name types after schemas. */
function nameBreaks(released: Schema, current: Schema, { where }: Comparison): string[] {
  if (released.$ref === undefined || released.$ref === current.$ref) return []
  return [`${where}: its schema was ${released.$ref} and is ${current.$ref ?? 'without a name'}`]
}

function typeBreaks(before: Schema, now: Schema, { direction, where }: Comparison): string[] {
  const [had, has] = [typesOf(before), typesOf(now)]
  const gone = had.filter((type) => !has.includes(type))
  const added = has.filter((type) => !had.includes(type))
  if (direction === 'request') return gone.map((type) => `${where}: ${type} is no longer taken`)
  return [
    ...added.map((type) => `${where}: may now be ${type}`),
    ...(has.length > 0 && had.length > 0 && gone.length === had.length
      ? [`${where}: is no longer ${gone.join(' or ')}`]
      : []),
  ]
}

const typesOf = ({ type = [] }: Schema): readonly string[] => [type].flat()

/** A new resource adds its name to the answers that name the resource of a row: clients skip unknown ones. */
function enumBreaks(before: Schema, now: Schema, { direction, where, isNewResource }: Comparison): string[] {
  if (direction === 'answer') {
    if (before.enum === undefined) return []
    if (now.enum === undefined) return [`${where}: is no longer one of ${before.enum.join(', ')}`]
    return now.enum.flatMap((value) =>
      before.enum?.includes(value) || isNewResource(value) ? [] : [`${where}: may now be ${String(value)}`],
    )
  }
  if (now.enum === undefined) return []
  if (before.enum === undefined) return [`${where}: must now be one of ${now.enum.join(', ')}`]
  return before.enum.flatMap((value) =>
    now.enum?.includes(value) ? [] : [`${where}: ${String(value)} is no longer taken`],
  )
}

/**
 * Keywords that make a schema narrower. A greater upper limit or a smaller lower one is wider. Any other value of
 * a fixed one counts as a break.
 */
const limits: Readonly<Record<string, 'upper' | 'lower' | 'fixed'>> = {
  maximum: 'upper',
  exclusiveMaximum: 'upper',
  maxLength: 'upper',
  maxItems: 'upper',
  minimum: 'lower',
  exclusiveMinimum: 'lower',
  minLength: 'lower',
  minItems: 'lower',
  format: 'fixed',
  pattern: 'fixed',
  multipleOf: 'fixed',
  uniqueItems: 'fixed',
  const: 'fixed',
}

function limitBreaks(before: Schema, now: Schema, { direction, where }: Comparison): string[] {
  return Object.entries(limits).flatMap(([keyword, kind]) => {
    const [had, has] = [before[keyword], now[keyword]]
    if (had === has) return []
    const isHarmless = direction === 'request' ? isWithin(kind, had, has) : isWithin(kind, has, had)
    return isHarmless ? [] : [`${where}: ${keyword} was ${had ?? 'absent'} and is ${has ?? 'absent'}`]
  })
}

/** Returns whether `outer` allows everything that `inner` allows. */
function isWithin(kind: 'upper' | 'lower' | 'fixed', inner: unknown, outer: unknown): boolean {
  if (outer === undefined) return true
  if (inner === undefined || kind === 'fixed') return false
  return kind === 'upper' ? Number(inner) <= Number(outer) : Number(inner) >= Number(outer)
}

function requiredBreaks(before: Schema, now: Schema, { direction, where }: Comparison): string[] {
  const [had, has] = [before.required ?? [], now.required ?? []]
  return direction === 'request'
    ? has.flatMap((name) => (had.includes(name) ? [] : [`${where}.${name}: is required now`]))
    : had.flatMap((name) => (has.includes(name) ? [] : [`${where}.${name}: may be missing now`]))
}

function propertyBreaks(before: Schema, now: Schema, comparison: Comparison): string[] {
  return Object.entries(before.properties ?? {}).flatMap(([name, schema]) => {
    const found = now.properties?.[name]
    const where = `${comparison.where}.${name}`
    return found ? schemaBreaks(schema, found, { ...comparison, where }) : [`${where}: is gone`]
  })
}

function itemBreaks(before: Schema, now: Schema, comparison: Comparison): string[] {
  const parts = [
    [before.items, now.items, '[]'],
    [before.additionalProperties, now.additionalProperties, '.*'],
  ] as const
  return parts.flatMap(([had, has, suffix]) => {
    if (typeof had !== 'object') return []
    const where = `${comparison.where}${suffix}`
    return typeof has === 'object' ? schemaBreaks(had, has, { ...comparison, where }) : [`${where}: is gone`]
  })
}

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

/** What we read may only get wider, what we write only narrower. */
export type Direction = 'request' | 'answer'

export interface Comparison {
  readonly direction: Direction
  /** The location of the schemas, for the sentence. */
  readonly where: string
  resolveReleased(schema: Schema): Schema
  resolveCurrent(schema: Schema): Schema
}

/** What a client of the released schema could no longer send or read, a sentence each. */
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

/** Generators make types of these names. */
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

function enumBreaks(before: Schema, now: Schema, { direction, where }: Comparison): string[] {
  if (direction === 'answer') {
    if (before.enum === undefined) return []
    if (now.enum === undefined) return [`${where}: is no longer one of ${before.enum.join(', ')}`]
    return now.enum.flatMap((value) =>
      before.enum?.includes(value) ? [] : [`${where}: may now be ${String(value)}`],
    )
  }
  if (now.enum === undefined) return []
  if (before.enum === undefined) return [`${where}: must now be one of ${now.enum.join(', ')}`]
  return before.enum.flatMap((value) =>
    now.enum?.includes(value) ? [] : [`${where}: ${String(value)} is no longer taken`],
  )
}

/** Keywords that only ever make a schema narrower, and which way they do. */
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

/** Whether everything that `inner` lets through is let through by `outer` too. */
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

import { newId } from '../../db/columns.ts'
import type { Action, Row, Values } from '../../db/rows.ts'
import { labelOf } from '../../model/field.ts'
import { uuid } from '../../model/field-kinds.ts'
import { collectViolations, Problem, parseObject, type Violations } from '../../model/problem.ts'
import { resources } from '../../resources/all.ts'
import type { Resource } from '../../resources/define-resource.ts'
import { batchItemsMax, batchPasswordsMax, labelCharactersMax } from '../list-query.ts'

export const batchModes = ['allOrNothing', 'eachForItself'] as const
export const batchOperations = ['create', 'update', 'remove', 'restore'] as const satisfies Action[]

export interface Batch {
  readonly mode: (typeof batchModes)[number]
  readonly items: readonly BatchItem[]
}

/** Parses the batch itself. Its items are parsed as in single operations. */
export function parseBatch(body: unknown): Batch {
  const { mode = 'allOrNothing', items } = parseObject(body)
  const violations = collectViolations()
  if (!isOneOf(batchModes, mode)) violations.add('mode', `Mode must be ${batchModes.join(' or ')}.`)
  if (!Array.isArray(items)) violations.add('items', 'Items must be an array.')
  else if (items.length < 1 || items.length > batchItemsMax)
    violations.add('items', `Items must contain 1 to ${batchItemsMax} items.`)
  violations.throwIfAny()
  const shapes = (items as unknown[]).map((item, index) => parseShape(item, index, violations))
  const labels = labelsOf(shapes, violations)
  const read = shapes.map((shape, index) => withIds(shape, index, labels, violations))
  requireFewRows(read, violations)
  violations.throwIfAny()
  return { mode: mode as Batch['mode'], items: read }
}

interface Shape extends Omit<BatchItem, 'index'> {
  readonly label: string | undefined
}

function parseShape(item: unknown, index: number, violations: Violations): Shape {
  const given = isObject(item) ? item : {}
  const { operation, body = {}, label, ifMatch } = given
  const reject = (key: string, message: string) => violations.add(keyOf(index, key), message)
  const resource = resources.find(({ name }) => name === given.resource)
  if (!isObject(item)) reject('', 'An item must be an object.')
  if (!isOneOf(batchOperations, operation))
    reject('operation', `Operation must be one of ${batchOperations.join(', ')}.`)
  if (!resource)
    reject('resource', `Resource must be one of ${resources.map(({ name }) => name).join(', ')}.`)
  if (!isObject(body)) reject('body', 'Body must be an object.')
  if (label !== undefined && !isLabel(label))
    reject('label', `Label must be 1 to ${labelCharactersMax} letters, digits, dots, dashes or underscores.`)
  else if (label !== undefined && operation !== 'create') reject('label', 'Label is for creates only.')
  if (ifMatch !== undefined && typeof ifMatch !== 'string') reject('ifMatch', 'IfMatch must be text.')
  return {
    operation: operation as Action,
    resource: resource as Resource,
    body: body as Values,
    label: label as string | undefined,
    ifMatch: ifMatch as string | undefined,
  }
}

const isObject = (input: unknown): input is Values =>
  typeof input === 'object' && input !== null && !Array.isArray(input)

const isOneOf = (known: readonly string[], input: unknown): boolean =>
  typeof input === 'string' && known.includes(input)

const labelPattern = new RegExp(`^[\\w.-]{1,${labelCharactersMax}}$`)
const isLabel = (input: unknown): boolean => typeof input === 'string' && labelPattern.test(input)

/** Maps each label to the id that the created row will have. */
function labelsOf(shapes: readonly Shape[], violations: Violations): ReadonlyMap<string, string> {
  const labels = new Map<string, string>()
  for (const [index, { label, body }] of shapes.entries()) {
    if (label === undefined) continue
    if (labels.has(label)) violations.add(keyOf(index, 'label'), 'Label is that of another item.')
    const given = uuid.read(body.id, 'Id')
    labels.set(label, 'value' in given ? given.value : newId())
  }
  return labels
}

/** Replaces labels by ids: a label with an @ before it may be used wherever an id is expected. */
function withIds(
  { label, ...shape }: Shape,
  index: number,
  labels: ReadonlyMap<string, string>,
  violations: Violations,
): BatchItem {
  const { resource, operation, body } = shape
  const read = (input: unknown, key: string): unknown => {
    if (typeof input !== 'string' || !input.startsWith('@')) return input
    const id = labels.get(input.slice(1))
    if (id === undefined)
      violations.add(keyOf(index, key), `${labelOf(key)} refers to ${input}, which no item has.`)
    return id
  }
  const replaced = Object.entries(body).map(([name, value]) => {
    if (name === 'ids' && Array.isArray(value)) return [name, value.map((one) => read(one, name))]
    const isId = (name === 'id' && operation !== 'create') || resource?.fields[name]?.references !== undefined
    return [name, isId ? read(value, name) : value]
  })
  const own = label !== undefined && operation === 'create' ? { id: labels.get(label) } : {}
  return { ...shape, index, body: { ...Object.fromEntries(replaced), ...ownId(body, own) } }
}

/** An id that cannot be parsed is kept, to be rejected later. */
const ownId = (body: Values, own: Values): Values => (isAbsent(body.id) ? own : {})
const isAbsent = (id: unknown): boolean => id === undefined || id === null

/** Limits the cost beyond the number of items: the rows they name and the passwords to hash. */
function requireFewRows(items: readonly BatchItem[], violations: Violations): void {
  const named = items.flatMap(({ body: { ids } }) => (Array.isArray(ids) ? ids : []))
  if (named.length > batchItemsMax)
    violations.add('items', `Items must not name more than ${batchItemsMax} rows to remove and restore.`)
  const withPassword = items.filter(({ resource, body }) =>
    Object.entries(resource?.fields ?? {}).some(([name, { isSecret }]) => isSecret && !isAbsent(body[name])),
  )
  if (withPassword.length > batchPasswordsMax)
    violations.add('items', `Items must not contain more than ${batchPasswordsMax} passwords.`)
}

/** One item as received, with its labels replaced by ids. */
export interface BatchItem {
  readonly index: number
  readonly operation: Action
  readonly resource: Resource
  readonly ifMatch: string | undefined
  readonly body: Values
}

/** An item that was parsed and may be tried. */
export interface ReadyItem extends BatchItem {
  /** The rows that it writes. */
  readonly ids: readonly string[]
  /** The parsed input of a create or an update. */
  readonly values: Values
  /** The part of it that is stored. */
  readonly stored: Values
}

/** The outcome of one item. */
export interface Outcome {
  readonly index: number
  readonly problem?: Problem | undefined
  /** The row after a create or an update. */
  readonly row?: Row | undefined
}

/** Combines the errors of all items into one, each under its own keys; the first one determines the kind. */
export function problemOfAll(outcomes: readonly Outcome[]): Problem | undefined {
  const rejected = outcomes
    .flatMap(({ index, problem }) => (problem ? [{ index, problem }] : []))
    .sort((one, other) => one.index - other.index)
  const [first] = rejected
  if (!first) return undefined
  const errors = rejected.flatMap(({ index, problem }) =>
    Object.entries(problem.errors ?? { '': [problem.message] }).map(([key, messages]) => [
      keyOf(index, key),
      messages,
    ]),
  )
  return new Problem(first.problem.kind, first.problem.message, { errors: Object.fromEntries(errors) })
}

const keyOf = (index: number, key = ''): string => `items[${index}]${key && `.${key}`}`

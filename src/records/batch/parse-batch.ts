import { type Action, newId, type Values } from '../../db/rows.ts'
import { capitalize } from '../../model/field.ts'
import { isNullOrBlank, uuid } from '../../model/field-kinds.ts'
import { collectViolations, Problem, parseObject, type Violations } from '../../model/problem.ts'
import { resources } from '../../resources/all.ts'
import type { Resource } from '../../resources/define-resource.ts'
import { isIdAbsent } from '../record-json.ts'
import type { Outcome } from '../write-many.ts'

export const batchModes = ['allOrNothing', 'eachForItself'] as const
export const batchOperations = ['create', 'update', 'remove', 'restore'] as const satisfies Action[]

/** The maximum number of items in a batch, and of rows that its removals and restores name together. */
export const batchItemsMax = 1000
/** Each password takes a tenth of a second of CPU time to hash. */
const passwordsMax = 10
export const labelCharactersMax = 64

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
  const parsedItems = (items as unknown[]).map((item, index) => parseItem(item, index, violations))
  // The casts in `parseItem` are valid only from here on.
  violations.throwIfAny()
  const labels = idsByLabel(parsedItems, violations)
  const batchItems = parsedItems.map((item, index) => replaceLabels(item, index, labels, violations))
  limitRowsAndPasswords(batchItems, violations)
  violations.throwIfAny()
  return { mode: mode as Batch['mode'], items: batchItems }
}

/** An item as received: its body may contain labels. */
interface ParsedItem extends Omit<BatchItem, 'index'> {
  readonly label: string | undefined
}

/** Adds what is wrong with the item to `violations`. The returned item is valid only if nothing was added. */
function parseItem(item: unknown, index: number, violations: Violations): ParsedItem {
  const fields = isObject(item) ? item : {}
  const { operation, body = {}, label, ifMatch } = fields
  const reject = (key: string, message: string) => violations.add(keyOf(index, key), message)
  const resource = resources.find(({ name }) => name === fields.resource)
  if (!isObject(item)) reject('', 'An item must be an object.')
  if (!isOneOf(batchOperations, operation))
    reject('operation', `Operation must be one of ${batchOperations.join(', ')}.`)
  if (!resource)
    reject('resource', `Resource must be one of ${resources.map(({ name }) => name).join(', ')}.`)
  else if (isUncreatable(resource, operation))
    reject('operation', `${resource.pluralTitle} cannot be created in a batch.`)
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

const isUncreatable = ({ withoutCreate }: Resource, operation: unknown): boolean =>
  operation === 'create' && withoutCreate === true

const isObject = (input: unknown): input is Values =>
  typeof input === 'object' && input !== null && !Array.isArray(input)

const isOneOf = (names: readonly string[], input: unknown): boolean =>
  typeof input === 'string' && names.includes(input)

const labelPattern = new RegExp(`^[\\w.-]{1,${labelCharactersMax}}$`)
const isLabel = (input: unknown): boolean => typeof input === 'string' && labelPattern.test(input)

/**
 * Maps each label to the id that the created row will have. If the body has an invalid id, the label gets an
 * arbitrary one, because `parseBody` rejects the item later.
 */
function idsByLabel(items: readonly ParsedItem[], violations: Violations): ReadonlyMap<string, string> {
  const labels = new Map<string, string>()
  for (const [index, { label, body }] of items.entries()) {
    if (label === undefined) continue
    if (labels.has(label)) violations.add(keyOf(index, 'label'), 'Label is already used by another item.')
    const parsedId = isIdAbsent(body.id, 'create') ? undefined : uuid.parse(body.id, 'Id')
    labels.set(label, parsedId && 'value' in parsedId ? parsedId.value : newId())
  }
  return labels
}

/** Replaces labels by ids: `@label` may be used wherever an id is expected. */
function replaceLabels(
  { label, ...item }: ParsedItem,
  index: number,
  labels: ReadonlyMap<string, string>,
  violations: Violations,
): BatchItem {
  const { resource, operation, body } = item
  const resolve = (input: unknown, key: string): unknown => {
    if (typeof input !== 'string' || !input.startsWith('@')) return input
    const id = labels.get(input.slice(1))
    if (id === undefined)
      violations.add(keyOf(index, key), `${capitalize(key)} refers to ${input}, but no item has this label.`)
    return id
  }
  const replaced = Object.entries(body).map(([name, value]) => {
    if (name === 'ids' && Array.isArray(value)) return [name, value.map((id) => resolve(id, name))]
    const isId = (name === 'id' && operation !== 'create') || resource.fields[name]?.references !== undefined
    return [name, isId ? resolve(value, name) : value]
  })
  // A label is for creates only. Other items refer to the row by this id, so the row must get it.
  const needsId = label !== undefined && isIdAbsent(body.id, 'create')
  const idOfLabel = needsId ? { id: labels.get(label) } : {}
  return { ...item, index, body: { ...Object.fromEntries(replaced), ...idOfLabel } }
}

/** Limits the rows that the items name, and the passwords to hash. */
function limitRowsAndPasswords(items: readonly BatchItem[], violations: Violations): void {
  const namedIds = items.flatMap(({ body: { ids } }) => (Array.isArray(ids) ? ids : []))
  if (namedIds.length > batchItemsMax)
    violations.add('items', `Items must remove and restore at most ${batchItemsMax} rows in total.`)
  const withPassword = items.filter(({ resource, body }) =>
    Object.entries(resource.fields).some(([name, { isSecret }]) => isSecret && !isNullOrBlank(body[name])),
  )
  if (withPassword.length > passwordsMax)
    violations.add('items', `Items must not contain more than ${passwordsMax} passwords.`)
}

/** An item with ids instead of labels. Its body is not parsed yet. */
export interface BatchItem {
  readonly index: number
  readonly operation: Action
  readonly resource: Resource
  readonly ifMatch: string | undefined
  readonly body: Values
}

/** Combines the errors of all items into one error. Its kind is that of the first error. */
export function problemOfAll(outcomes: readonly Outcome[]): Problem | undefined {
  const rejected = outcomes
    .flatMap(({ index, problem }) => (problem ? [{ index, problem }] : []))
    .sort((a, b) => a.index - b.index)
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

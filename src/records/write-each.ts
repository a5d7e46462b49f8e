import type { Queries } from '../db/database.ts'
import { inputOf, insertEach, type ManyRows, updateEach, writerOfInput } from '../db/many-rows.ts'
import { isOtherVersion, type Values } from '../db/rows.ts'
import type { Caller } from '../model/caller.ts'
import type { WireKind } from '../model/field.ts'
import { changed } from '../model/problem.ts'
import type { Resource } from '../resources/define-resource.ts'
import type { Outcome, ReadyItem } from './batch/parse-batch.ts'
import type { CallerOfEach } from './rights.ts'
import {
  createConditions,
  type RequiredVersions,
  referenceConditionsPerInputRow,
  updateConditions,
} from './write-conditions.ts'

/** The parts of an item that are written. */
export type EachItem = Pick<ReadyItem, 'index' | 'ids' | 'values' | 'stored'>

/** The callers of items, one for each. They have the same role. */
export interface Callers extends CallerOfEach {
  readonly all: readonly Caller[]
}

export const callersOf = (all: readonly Caller[]): Callers => ({
  id: writerOfInput,
  isAdministrator: all[0]?.isAdministrator === true,
  all,
})

/** Runs one statement, which checks each row as a single create does. */
export async function createEach(
  transaction: Queries,
  resource: Resource,
  caller: Caller | Callers,
  items: readonly EachItem[],
): Promise<Outcome[]> {
  const names = Object.keys(items[0]?.stored ?? {})
  const references = referenceConditionsPerInputRow(
    resource,
    items.map(({ values }) => values),
    { caller },
  )
  const many = manyRows(resource, items, ['id', ...names], {
    conditions: createConditions(resource, caller, symbolic(resource, names), references),
  })
  const { alsoCreate } = resource.rules
  if ('all' in caller) {
    if (alsoCreate) throw new Error(`Every ${resource.noun} is created with rows of its own caller.`)
    return outcomesOf(await insertEach(transaction, { each: caller.all }, many, []))
  }
  const also = items.flatMap(({ ids: [id = ''] }) =>
    (alsoCreate?.(caller, id) ?? []).map((one) => ({ ...one, with: id })),
  )
  return outcomesOf(await insertEach(transaction, { one: caller }, many, also))
}

/** Runs one statement for items that change the same fields. */
export async function updateAlike(
  transaction: Queries,
  resource: Resource,
  caller: Caller | Callers,
  items: readonly EachItem[],
  versions: RequiredVersions,
): Promise<Outcome[]> {
  const [first] = items
  if (!first) return []
  const isVersioned = versions.has(first.ids[0] ?? '')
  const asked = Object.keys(first.values)
  const conditions = updateConditions(resource, caller, {
    ids: items.flatMap(({ ids }) => ids),
    values: symbolic(resource, asked),
    references: referenceConditionsPerInputRow(
      resource,
      items.map(({ values }) => values),
      { before: 'before', caller },
    ),
    versions: isVersioned
      ? [{ rejectIf: isOtherVersion(inputOf(requiredVersion)), problem: () => changed(resource.title) }]
      : [],
  })
  const names = ['id', ...new Set([...asked, ...Object.keys(first.stored)])]
  const many = manyRows(resource, items, isVersioned ? [...names, requiredVersion] : names, {
    conditions,
    versions,
  })
  const writers = 'all' in caller ? { each: caller.all } : { one: caller }
  return outcomesOf(await updateEach(transaction, writers, many, Object.keys(first.stored)))
}

/** Distinguishes updates that one statement cannot combine. */
export const shapeOf = (
  { ids, values }: Pick<EachItem, 'ids' | 'values'>,
  versions: RequiredVersions,
): string => [...Object.keys(values), versions.has(ids[0] ?? '')].join()

/** No field has this name. */
const requiredVersion = ':version'

interface Asking {
  readonly conditions: ManyRows['conditions']
  readonly versions?: RequiredVersions
}

function manyRows(
  resource: Resource,
  items: readonly EachItem[],
  names: readonly string[],
  { conditions, versions }: Asking,
): ManyRows {
  return {
    table: resource,
    types: Object.fromEntries(names.map((name) => [name, typeOf(resource, name)])),
    rows: items.map(({ index, ids: [id = ''], values, stored }) => ({
      ...values,
      ...stored,
      id,
      position: index,
      [requiredVersion]: versions?.get(id),
    })),
    conditions,
  }
}

/** A placeholder for the row of each item, for conditions on a row. */
const symbolic = ({ fields }: Resource, names: readonly string[]): Values =>
  Object.fromEntries(names.filter((name) => name in fields).map((name) => [name, inputOf(name)]))

const types: Readonly<Record<WireKind, string>> = {
  text: 'text',
  uuid: 'uuid',
  timestamp: 'timestamptz',
  number: 'numeric',
  wholeNumber: 'integer',
}

function typeOf({ fields }: Resource, name: string): string {
  if (name === 'id') return types.uuid
  if (name === requiredVersion) return types.timestamp
  // The stored form of a secret has a column that is not a field.
  return types[fields[name]?.wire ?? 'text']
}

const outcomesOf = (asked: Awaited<ReturnType<typeof updateEach>>): Outcome[] =>
  asked.map(({ position, problem, written }) => ({ index: position, problem, row: written }))

import { beforeCte, type Condition, type RowOutcome, selectForLock } from '../db/conditional-write.ts'
import type { Queries } from '../db/database.ts'
import {
  inputColumn,
  inputWriter,
  insertMany,
  type ManyRows,
  type RelatedRowOf,
  updateMany,
} from '../db/many-rows.ts'
import { isOtherVersion, type Row, type Values } from '../db/rows.ts'
import { raw, sql } from '../db/sql.ts'
import type { Caller } from '../model/caller.ts'
import type { WireKind } from '../model/field.ts'
import { changed, contended, type Problem } from '../model/problem.ts'
import type { Resource } from '../resources/define-resource.ts'
import type { CallerInSql } from './rights.ts'
import {
  createConditions,
  type RequiredVersions,
  referenceConditionsPerInputRow,
  updateConditions,
} from './write-conditions.ts'

/** The parts of an item that its statement needs. */
export interface WriteItem {
  readonly index: number
  /** The rows that it writes. */
  readonly ids: readonly string[]
  /** The parsed input, which the conditions check. */
  readonly values: Values
  /** The columns to write: like `values`, but with the hash of a password instead of the password. */
  readonly stored: Values
}

export interface Outcome {
  readonly index: number
  readonly problem?: Problem | undefined
  /** The row after a create or an update. */
  readonly row?: Row | undefined
}

/** The caller of all items, or a caller for each item. The callers of one statement have the same role. */
export type Callers = { readonly one: Caller } | { readonly each: readonly Caller[] }

const callerInSql = (callers: Callers): CallerInSql =>
  'one' in callers
    ? callers.one
    : { id: inputWriter, isAdministrator: callers.each[0]?.isAdministrator === true }

/** An additional input column with the version that the row must have. No field has this name. */
const requiredVersion = ':version'

/**
 * Inserts all items in one statement, with the same checks as a single create. Without `waitsForCounter`, rows
 * whose counter is locked are rejected.
 */
export async function createMany(
  transaction: Queries,
  resource: Resource,
  callers: Callers,
  items: readonly WriteItem[],
  { waitsForCounter = true } = {},
): Promise<Outcome[]> {
  const names = Object.keys(items[0]?.stored ?? {})
  const caller = callerInSql(callers)
  const references = referenceConditionsPerInputRow(
    resource,
    items.map(({ values }) => values),
    { caller },
  )
  const many = manyRows(resource, items, ['id', ...names], {
    conditions: [
      ...createConditions(resource, caller, inputColumnsOf(resource, names), references),
      ...(waitsForCounter ? [] : freeCounterConditions(resource, items)),
    ],
  })
  const relatedRows = relatedRowsOf(resource, callers, items)
  return outcomesOf(await insertMany(transaction, callers, many, relatedRows))
}

/** Rejects rows whose counter is locked, so that rows of other counters do not wait for it. */
function freeCounterConditions({ counter }: Resource, items: readonly WriteItem[]): Condition[] {
  if (!counter) return []
  const ids = [...new Set(items.map(({ values }) => values[counter.per]))]
  const rows = selectForLock({
    table: counter.table,
    columns: raw('row.id'),
    where: sql`row.id = any(${ids}::uuid[])`,
    strength: 'no key update',
  })
  return [
    {
      locks: { name: 'counter', rows },
      rejectIf: sql`${inputColumn(counter.per)} not in (select id from counter)`,
      problem: () => contended(),
    },
  ]
}

function relatedRowsOf(resource: Resource, callers: Callers, items: readonly WriteItem[]): RelatedRowOf[] {
  const { relatedRows } = resource.hooks
  if (!relatedRows) return []
  if (!('one' in callers))
    throw new Error(`Creating ${resource.pluralNoun} with related rows needs a single caller.`)
  return items.flatMap(({ ids: [mainRowId = ''] }) =>
    relatedRows(callers.one, mainRowId).map((row) => ({ ...row, mainRowId })),
  )
}

/** Updates all items in one statement. They must have the same `groupingKeyOf`. */
export async function updateSameFields(
  transaction: Queries,
  resource: Resource,
  callers: Callers,
  items: readonly WriteItem[],
  versions: RequiredVersions,
): Promise<Outcome[]> {
  const [first] = items
  if (!first) return []
  const caller = callerInSql(callers)
  const isVersioned = versions.has(first.ids[0] ?? '')
  const changedNames = Object.keys(first.values)
  const conditions = updateConditions(resource, caller, {
    ids: items.flatMap(({ ids }) => ids),
    values: inputColumnsOf(resource, changedNames),
    references: referenceConditionsPerInputRow(
      resource,
      items.map(({ values }) => values),
      { before: beforeCte, caller },
    ),
    versions: isVersioned
      ? [{ rejectIf: isOtherVersion(inputColumn(requiredVersion)), problem: () => changed(resource.title) }]
      : [],
  })
  const names = ['id', ...new Set([...changedNames, ...Object.keys(first.stored)])]
  const many = manyRows(resource, items, isVersioned ? [...names, requiredVersion] : names, {
    conditions,
    versions,
  })
  return outcomesOf(await updateMany(transaction, callers, many, Object.keys(first.stored)))
}

/**
 * Returns equal texts for updates that one statement can combine. They change the same fields, and either all
 * or none of them require a version.
 */
export const groupingKeyOf = (
  { ids, values }: Pick<WriteItem, 'ids' | 'values'>,
  versions: RequiredVersions,
): string => [...Object.keys(values), versions.has(ids[0] ?? '')].join()

interface ManyRowsOptions {
  readonly conditions: ManyRows['conditions']
  readonly versions?: RequiredVersions
}

function manyRows(
  resource: Resource,
  items: readonly WriteItem[],
  names: readonly string[],
  { conditions, versions }: ManyRowsOptions,
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

/** Maps each field to SQL that reads it from the item's row of the input. */
const inputColumnsOf = ({ fields }: Resource, names: readonly string[]): Values =>
  Object.fromEntries(names.filter((name) => name in fields).map((name) => [name, inputColumn(name)]))

const types: Readonly<Record<WireKind, string>> = {
  text: 'text',
  uuid: 'uuid',
  timestamp: 'timestamptz',
  number: 'numeric',
  integer: 'integer',
  boolean: 'boolean',
}

function typeOf({ fields }: Resource, name: string): string {
  if (name === 'id') return types.uuid
  if (name === requiredVersion) return types.timestamp
  // A secret is stored in a column that is not declared as a field.
  return types[fields[name]?.wire ?? 'text']
}

const outcomesOf = (rows: readonly RowOutcome<Row>[]): Outcome[] =>
  rows.map(({ position, problem, written }) => ({ index: position, problem, row: written }))

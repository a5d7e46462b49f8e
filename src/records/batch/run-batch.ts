import { recordPasswordChange } from '../../accounts/change-password.ts'
import { selectForLock } from '../../db/conditional-write.ts'
import { joinTransaction, type Queries } from '../../db/database.ts'
import { idTaken } from '../../db/failures.ts'
import { type Action, newId, type Row } from '../../db/rows.ts'
import { raw, sql } from '../../db/sql.ts'
import { runInSavepoint } from '../../db/transactions.ts'
import type { Caller } from '../../model/caller.ts'
import { changed, invalid, Problem } from '../../model/problem.ts'
import { resources } from '../../resources/all.ts'
import type { Resource } from '../../resources/define-resource.ts'
import { referencesFrom } from '../../resources/derived.ts'
import type { Context } from '../context.ts'
import { parseIds } from '../list-query.ts'
import { leavesProjectProblem, needsProjectRules, requireProjectRules } from '../project-rules.ts'
import { parseBody } from '../record-json.ts'
import { removeWithin, restoreWithin } from '../remove.ts'
import { isAccountResource, recordAccountChange, requireAccess } from '../rights.ts'
import { needsTransaction, storedValues, writeUpdate } from '../update.ts'
import { restorersMemberships, visibleRows } from '../visible-rows.ts'
import type { RequiredVersions } from '../write-conditions.ts'
import { createMany, groupingKeyOf, type Outcome, updateSameFields, type WriteItem } from '../write-many.ts'
import { type Batch, type BatchItem, batchOperations, problemOfAll } from './parse-batch.ts'

/** An item that was parsed and can be run. */
export interface ReadyItem extends BatchItem, WriteItem {}

/** The versions that rows must still have, by resource. */
export type VersionsByResource = ReadonlyMap<Resource, RequiredVersions>

interface BatchRun {
  readonly context: Context
  readonly transaction: Queries
  readonly caller: Caller
  readonly versions: VersionsByResource
}

/**
 * Runs restores, creates and updates, parents before children, and then removals, children before parents.
 * Items may therefore refer to each other in any order. Everything is one transaction. If a conflict makes it
 * run again, the outcomes are those of the last run.
 */
export async function runBatch(
  context: Context,
  caller: Caller,
  { mode, items }: Batch,
  readVersions: (items: readonly ReadyItem[]) => Promise<VersionsByResource>,
): Promise<readonly Outcome[]> {
  const prepared = prepareItems(context, caller, items)
  if (mode === 'allOrNothing') throwIfAnyRejected(prepared.rejected)
  const ready: ReadyItem[] = []
  for (const item of prepared.ready) ready.push(await addStoredValues(context, item))
  const versions = await readVersions(ready)
  const outcomes = await context.database.transaction(async (transaction) => {
    await lockAll(transaction, caller, ready)
    const done: Outcome[] = []
    for (const [resource, items] of stepsOf(ready)) {
      const step = await runStep({ context, transaction, caller, versions }, resource, items)
      if (mode === 'allOrNothing') throwIfAnyRejected(step)
      done.push(...step)
    }
    return done
  })
  recordAccounts(context, caller, ready, outcomes)
  return [...prepared.rejected, ...outcomes].sort((a, b) => a.index - b.index)
}

function throwIfAnyRejected(outcomes: readonly Outcome[]): void {
  const problem = problemOfAll(outcomes)
  if (problem) throw problem
}

async function addStoredValues({ passwords }: Context, item: ReadyItem): Promise<ReadyItem> {
  const { resource, values } = item
  const prepared = (await resource.hooks.prepare?.(values, passwords)) ?? values
  return { ...item, stored: storedValues(resource, prepared) }
}

function stepsOf(items: readonly ReadyItem[]): [Resource, ReadyItem[]][] {
  const step = (operation: string, orderedResources: readonly Resource[]) =>
    orderedResources.map((resource): [Resource, ReadyItem[]] => [
      resource,
      items.filter((item) => item.operation === operation && item.resource === resource),
    ])
  return [
    ...step('restore', resources),
    ...step('create', resources),
    ...step('update', resources),
    ...step('remove', resources.toReversed()),
  ].filter(([, items]) => items.length > 0)
}

/** Performs the items of one operation on one resource. */
async function runStep(run: BatchRun, resource: Resource, items: ReadyItem[]): Promise<Outcome[]> {
  const { context, transaction, caller } = run
  const versions = run.versions.get(resource) ?? new Map()
  switch (items[0]?.operation) {
    case 'create':
      return createAll(transaction, resource, caller, items)
    case 'update':
      return updateAll(run, resource, items, versions)
    case 'remove':
      return runTogether(transaction, items, (ids) =>
        removeWithin(context, transaction, resource, caller, { ids, versions }),
      )
    default:
      return runTogether(transaction, items, (ids) => restoreWithin(transaction, resource, caller, ids))
  }
}

/** Creates the rows that need project rules last, each after the rows that it refers to. */
async function createAll(
  transaction: Queries,
  resource: Resource,
  caller: Caller,
  items: readonly ReadyItem[],
): Promise<Outcome[]> {
  const [plain, withRules] = partition(items, ({ values }) => !needsProjectRules(resource, values))
  const outcomes = plain.length > 0 ? await createMany(transaction, resource, { one: caller }, plain) : []
  for (let remaining = withRules; remaining.length > 0; ) {
    const ids = new Set(remaining.flatMap((item) => item.ids))
    const [waiting, next] = partition(remaining, ({ values }) =>
      referencesFrom(resource).some(({ column }) => ids.has(String(values[column]))),
    )
    // No row of a cycle can be first. The statement then reports the missing references.
    const isCycle = next.length === 0
    outcomes.push(...(await createWithRules(transaction, resource, caller, isCycle ? remaining : next)))
    remaining = isCycle ? [] : waiting
  }
  return outcomes
}

/** Returns the items that match, then the others. */
const partition = <Item>(items: readonly Item[], matches: (item: Item) => boolean): [Item[], Item[]] => [
  items.filter(matches),
  items.filter((item) => !matches(item)),
]

/**
 * Creates all items together. If they break a rule together, creates them one by one, so that as many as
 * possible are kept.
 */
async function createWithRules(
  transaction: Queries,
  resource: Resource,
  caller: Caller,
  items: readonly ReadyItem[],
): Promise<Outcome[]> {
  const createInSavepoint = (subset: readonly ReadyItem[]) =>
    runInSavepoint(transaction, async () => {
      const outcomes = await createMany(transaction, resource, { one: caller }, subset)
      await requireProjectRules(
        transaction,
        resource,
        outcomes.flatMap(({ row }) => row?.id ?? []),
      )
      return outcomes
    })
  const together = await createInSavepoint(items)
  if ('result' in together) return together.result
  const outcomes: Outcome[] = []
  for (const item of items) {
    const alone = await createInSavepoint([item])
    outcomes.push(...('result' in alone ? alone.result : [{ index: item.index, problem: alone.problem }]))
  }
  return outcomes
}

async function updateAll(
  { context, transaction, caller }: BatchRun,
  resource: Resource,
  items: readonly ReadyItem[],
  versions: RequiredVersions,
): Promise<Outcome[]> {
  const database = joinTransaction(context.database, transaction)
  const updateOneByOne = (subset: readonly ReadyItem[]) =>
    runOneByOne(transaction, subset, ({ ids: [id = ''], values, stored }) =>
      writeUpdate(database, resource, caller, { id, values, stored, versions }),
    )
  const [separate, groupable] = partition(items, ({ values }) => needsTransaction(resource, values))
  const outcomes = await updateOneByOne(separate)
  for (const sameFields of Map.groupBy(groupable, (item) => groupingKeyOf(item, versions)).values())
    outcomes.push(...(await updateSameFields(transaction, resource, { one: caller }, sameFields, versions)))
  // A single statement rejects a row that moves to another project. Such a row is then updated alone, in a
  // transaction that removes its links.
  const leavingIndexes = outcomes
    .filter(({ problem }) => problem === leavesProjectProblem)
    .map(({ index }) => index)
  const moved = await updateOneByOne(items.filter(({ index }) => leavingIndexes.includes(index)))
  return [...outcomes.filter(({ index }) => !leavingIndexes.includes(index)), ...moved]
}

/** Logs changes to accounts once they are committed, as after single operations. */
function recordAccounts(
  { securityLog }: Context,
  caller: Caller,
  items: readonly ReadyItem[],
  outcomes: readonly Outcome[],
): void {
  const rejected = new Set(outcomes.filter(({ problem }) => problem).map(({ index }) => index))
  const accountItems = items.filter(({ resource }) => isAccountResource(resource))
  for (const operation of batchOperations)
    for (const item of accountItems) {
      if (item.operation !== operation || rejected.has(item.index)) continue
      recordAccountChange(securityLog, caller, operation, item.ids)
      if (operation === 'update' && 'passwordHash' in item.stored)
        recordPasswordChange(securityLog, caller, item.ids[0] ?? '')
    }
}

/** Ordered from the weakest to the strongest. */
const lockStrengths = ['key share', 'no key update', 'update'] as const

const strengthOf: Readonly<Record<Action, number>> = { create: 0, update: 1, remove: 2, restore: 2 }

/**
 * Locks all rows that the batch will write or refer to, in the same order as every other transaction: tables
 * of parents first, and rows of a table by their ids. So two batches never deadlock.
 */
async function lockAll(transaction: Queries, caller: Caller, items: readonly ReadyItem[]): Promise<void> {
  const rowsToLock = new Map(resources.map((resource) => [resource, { ids: new Set<string>(), strength: 0 }]))
  const addRows = (resource: Resource, ids: readonly unknown[], strength: number) => {
    const rows = rowsToLock.get(resource)
    if (!rows) return
    for (const id of ids) if (typeof id === 'string') rows.ids.add(id)
    rows.strength = Math.max(rows.strength, strength)
  }
  for (const { resource, operation, ids, values } of items) {
    if (operation !== 'create') addRows(resource, ids, strengthOf[operation])
    for (const { column, parent } of referencesFrom(resource)) addRows(parent, [values[column]], 0)
  }
  const countersToLock = Map.groupBy(
    items.flatMap(({ resource: { counter }, values }) =>
      counter ? [{ counter, id: values[counter.per] }] : [],
    ),
    ({ counter }) => counter.table,
  )
  const locks = [...rowsToLock].filter(([, { ids }]) => ids.size > 0)
  await Promise.all([
    ...locks.map(([resource, { ids, strength }]) =>
      transaction.query(
        selectForLock({
          table: resource.table,
          columns: raw('row.id'),
          where: sql`row.id = any(${[...ids]}::uuid[]) and ${isLockable(resource, caller, strength)}`,
          strength: lockStrengths[strength] ?? 'update',
        }),
      ),
    ),
    ...[...countersToLock].map(([table, counters]) =>
      transaction.query(
        sql`select from ${raw(table)} where id = any(${counters.flatMap(({ id }) => id ?? [])}::uuid[]) order by id for no key update`,
      ),
    ),
  ])
}

/** Any caller may refer to an active row. Only a caller who sees the row may lock it for a change. */
const isLockable = (resource: Resource, caller: Caller, strength: number) =>
  strength === 0 ? raw('row.active') : visibleRows(resource, caller, restorersMemberships)

/** Parses each item as the single operation would, and reports the errors that need no query. */
function prepareItems(context: Context, caller: Caller, items: readonly BatchItem[]) {
  const seenKeys = new Set<string>()
  const ready: ReadyItem[] = []
  const rejected: Outcome[] = []
  for (const item of items) {
    try {
      const prepared = prepareItem(context, caller, item)
      requireDistinct(prepared, seenKeys)
      ready.push(prepared)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      rejected.push({ index: item.index, problem: error })
    }
  }
  return { ready, rejected }
}

function prepareItem(context: Context, caller: Caller, item: BatchItem): ReadyItem {
  const { operation, resource, body, ifMatch } = item
  const isNew = operation === 'create' || operation === 'restore'
  // A row that does not exist or is removed has no ETag.
  if (isNew && ifMatch !== undefined && ifMatch.trim() !== '') throw changed(resource.title)
  requireAccess(resource, caller, 'write')
  if (operation === 'create' || operation === 'update') {
    const { id = newId(), values } = parseBody(resource, body, operation, context, caller.id)
    return { ...item, ids: [id], values, stored: values }
  }
  const ids = parseIds(body, { duplicates: operation === 'remove' ? 'ignored' : 'rejected' })
  return { ...item, ids, values: {}, stored: {} }
}

/** Rejects a second item with the same operation on the same row. */
function requireDistinct({ operation, resource, ids }: ReadyItem, seenKeys: Set<string>): void {
  const keys = ids.map((id) => `${operation} ${resource.name} ${id}`)
  if (!keys.some((key) => seenKeys.has(key))) {
    for (const key of keys) seenKeys.add(key)
    return
  }
  if (operation === 'create') throw idTaken()
  if (operation === 'update') throw invalid({ id: ['Id is that of another item.'] })
  throw invalid({ ids: ['Ids contains one of another item.'] })
}

/** Runs all items in one step. If that is rejected, runs them one by one to find which item is rejected. */
async function runTogether(
  transaction: Queries,
  items: readonly ReadyItem[],
  work: (ids: readonly string[]) => Promise<void>,
): Promise<Outcome[]> {
  const run = async (ids: readonly string[]) => {
    await work(ids)
    return undefined
  }
  if (items.length > 1) {
    const together = await runInSavepoint(transaction, () => run(items.flatMap(({ ids }) => ids)))
    if ('result' in together) return items.map(({ index }) => ({ index }))
  }
  return runOneByOne(transaction, items, ({ ids }) => run(ids))
}

/** Runs each item in a savepoint, so that a rejected item is rolled back alone. */
async function runOneByOne(
  transaction: Queries,
  items: readonly ReadyItem[],
  work: (item: ReadyItem) => Promise<Row | undefined>,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const item of items) {
    const outcome = await runInSavepoint(transaction, () => work(item))
    const { index } = item
    outcomes.push('problem' in outcome ? { index, problem: outcome.problem } : { index, row: outcome.result })
  }
  return outcomes
}

import { newId } from '../../db/columns.ts'
import { lockedRows } from '../../db/conditional-write.ts'
import { type Queries, within } from '../../db/database.ts'
import { idTaken } from '../../db/failures.ts'
import type { Action, Row } from '../../db/rows.ts'
import { raw, sql } from '../../db/sql.ts'
import type { Caller } from '../../model/caller.ts'
import { changed, invalid, Problem } from '../../model/problem.ts'
import { resources } from '../../resources/all.ts'
import type { Resource } from '../../resources/define-resource.ts'
import { referencesFrom } from '../../resources/derived.ts'
import type { Context } from '../context.ts'
import { parseIds } from '../list-query.ts'
import { parseInput } from '../parse-input.ts'
import { recordAccountChange, recordPasswordChange } from '../record-account-change.ts'
import { removeWithin } from '../remove.ts'
import { restoreWithin } from '../restore.ts'
import { isOfAccounts, requireRole } from '../rights.ts'
import { storedOf, writeUpdate } from '../update.ts'
import { restorersMemberships, visibleRows } from '../visible-rows.ts'
import type { RequiredVersions } from '../write-conditions.ts'
import { createEach, shapeOf, updateAlike } from '../write-each.ts'
import {
  type Batch,
  type BatchItem,
  batchOperations,
  type Outcome,
  problemOfAll,
  type ReadyItem,
} from './parse-batch.ts'

/** The versions that rows must still have, by resource. */
export type VersionsOf = ReadonlyMap<Resource, RequiredVersions>

interface Work {
  readonly context: Context
  readonly transaction: Queries
  readonly caller: Caller
  readonly versions: VersionsOf
}

/**
 * Runs restores, then creates, then updates, each with parents before children, and finally removals, with
 * children before parents: so items may refer to each other in any order. Everything is one transaction; the
 * answer is what was committed.
 */
export async function runBatch(
  context: Context,
  caller: Caller,
  { mode, items }: Batch,
  readVersions: (items: readonly ReadyItem[]) => Promise<VersionsOf>,
): Promise<readonly Outcome[]> {
  const read = prepareItems(context, caller, items)
  if (mode === 'allOrNothing') rejectAll(read.refused)
  const ready: ReadyItem[] = []
  for (const item of read.ready) ready.push(await prepare(context, item))
  const versions = await readVersions(ready)
  const outcomes = await context.database.transaction(async (transaction) => {
    await lockAll(transaction, caller, ready)
    const done: Outcome[] = []
    for (const [resource, alike] of stepsOf(ready)) {
      const step = await perform({ context, transaction, caller, versions }, resource, alike)
      if (mode === 'allOrNothing') rejectAll(step)
      done.push(...step)
    }
    return done
  })
  recordAccounts(context, caller, ready, outcomes)
  return [...read.refused, ...outcomes].sort((one, other) => one.index - other.index)
}

function rejectAll(outcomes: readonly Outcome[]): void {
  const problem = problemOfAll(outcomes)
  if (problem) throw problem
}

async function prepare({ passwords }: Context, item: ReadyItem): Promise<ReadyItem> {
  const { resource, values } = item
  const prepared = (await resource.rules.prepare?.(values, passwords)) ?? values
  return { ...item, stored: storedOf(resource, prepared) }
}

function stepsOf(items: readonly ReadyItem[]): [Resource, ReadyItem[]][] {
  const of = (operation: string, inOrder: readonly Resource[]) =>
    inOrder.map((resource): [Resource, ReadyItem[]] => [
      resource,
      items.filter((item) => item.operation === operation && item.resource === resource),
    ])
  return [
    ...of('restore', resources),
    ...of('create', resources),
    ...of('update', resources),
    ...of('remove', resources.toReversed()),
  ].filter(([, alike]) => alike.length > 0)
}

/** Performs the items of one operation on one resource. */
async function perform(work: Work, resource: Resource, items: ReadyItem[]): Promise<Outcome[]> {
  const { transaction, caller } = work
  const versions = work.versions.get(resource) ?? new Map()
  switch (items[0]?.operation) {
    case 'create':
      return createEach(transaction, resource, caller, items)
    case 'update':
      return updateEach(work, resource, items, versions)
    case 'remove':
      return together(transaction, items, (ids) => removeWithin(transaction, resource, caller, ids, versions))
    default:
      return together(transaction, items, (ids) => restoreWithin(transaction, resource, caller, ids))
  }
}

async function updateEach(
  { context, transaction, caller }: Work,
  resource: Resource,
  items: readonly ReadyItem[],
  versions: RequiredVersions,
): Promise<Outcome[]> {
  const { beforeUpdate, afterUpdate } = resource.rules
  // Such a rule checks one row at a time, in the program.
  if (beforeUpdate || afterUpdate) {
    const database = within(context.database, transaction)
    return eachAlone(transaction, items, ({ ids: [id = ''], values, stored }) =>
      writeUpdate(database, resource, caller, { id, values, stored, versions }),
    )
  }
  const outcomes: Outcome[] = []
  for (const alike of Map.groupBy(items, (item) => shapeOf(item, versions)).values())
    outcomes.push(...(await updateAlike(transaction, resource, caller, alike, versions)))
  return outcomes
}

/** Logs changes to accounts once they are committed, as after single operations. */
function recordAccounts(
  { securityLog }: Context,
  caller: Caller,
  items: readonly ReadyItem[],
  outcomes: readonly Outcome[],
): void {
  const rejected = new Set(outcomes.filter(({ problem }) => problem).map(({ index }) => index))
  const ofAccounts = items.filter(({ resource }) => isOfAccounts(resource))
  for (const operation of batchOperations)
    for (const item of ofAccounts) {
      if (item.operation !== operation || rejected.has(item.index)) continue
      recordAccountChange(securityLog, caller, operation, item.ids)
      if (operation === 'update' && 'passwordHash' in item.stored)
        recordPasswordChange(securityLog, caller, item.ids[0] ?? '')
    }
}

/** From the weakest to the strongest. */
const strengths = ['key share', 'no key update', 'update'] as const

const strengthOf: Readonly<Record<Action, number>> = { create: 0, update: 1, remove: 2, restore: 2 }

/**
 * Locks all rows that the batch will write or refer to before anything else, in the same order as every other
 * transaction: tables of parents before tables of children, rows of a table by their ids. So two batches
 * never deadlock, whatever the order of their items. All locks are sent in one packet.
 */
async function lockAll(transaction: Queries, caller: Caller, items: readonly ReadyItem[]): Promise<void> {
  const wanted = new Map(resources.map((resource) => [resource, { ids: new Set<string>(), strength: 0 }]))
  const want = (resource: Resource, ids: readonly unknown[], strength: number) => {
    const known = wanted.get(resource)
    if (!known) return
    for (const id of ids) if (typeof id === 'string') known.ids.add(id)
    known.strength = Math.max(known.strength, strength)
  }
  for (const { resource, operation, ids, values } of items) {
    if (operation !== 'create') want(resource, ids, strengthOf[operation])
    for (const { column, parent } of referencesFrom(resource)) want(parent, [values[column]], 0)
  }
  const locks = [...wanted].filter(([, { ids }]) => ids.size > 0)
  await Promise.all(
    locks.map(([resource, { ids, strength }]) =>
      transaction.query(
        lockedRows({
          table: resource.table,
          columns: raw('row.id'),
          where: sql`row.id = any(${[...ids]}::uuid[]) and ${isLockable(resource, caller, strength)}`,
          strength: strengths[strength] ?? 'update',
        }),
      ),
    ),
  )
}

/** Any caller may refer to a row; only those who see it may block others. */
const isLockable = (resource: Resource, caller: Caller, strength: number) =>
  strength === 0 ? raw('row.active') : visibleRows(resource, caller, restorersMemberships)

/** Parses each item as the single operation would, and reports the errors that need no query. */
function prepareItems(context: Context, caller: Caller, items: readonly BatchItem[]) {
  const written = new Set<string>()
  const ready: ReadyItem[] = []
  const rejected: Outcome[] = []
  for (const item of items) {
    try {
      const read = prepareItem(context, caller, item)
      requireOnce(read, written)
      ready.push(read)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      rejected.push({ index: item.index, problem: error })
    }
  }
  return { ready, refused: rejected }
}

function prepareItem(context: Context, caller: Caller, item: BatchItem): ReadyItem {
  const { operation, resource, body, ifMatch } = item
  const isNew = operation === 'create' || operation === 'restore'
  // No tag can name a row that does not exist yet.
  if (isNew && ifMatch !== undefined && ifMatch.trim() !== '') throw changed(resource.title)
  requireRole(resource, caller, 'write')
  if (operation === 'create' || operation === 'update') {
    const { id = newId(), values } = parseInput(resource, body, operation, context, caller.id)
    return { ...item, ids: [id], values, stored: values }
  }
  const ids = parseIds(body, operation === 'remove' ? 'ignored' : 'refused')
  return { ...item, ids, values: {}, stored: {} }
}

/** Two items that do the same with one row would hide each other's outcome. */
function requireOnce({ operation, resource, ids }: ReadyItem, written: Set<string>): void {
  const keys = ids.map((id) => `${operation} ${resource.name} ${id}`)
  if (!keys.some((key) => written.has(key))) {
    for (const key of keys) written.add(key)
    return
  }
  if (operation === 'create') throw idTaken()
  if (operation === 'update') throw invalid({ id: ['Id is that of another item.'] })
  throw invalid({ ids: ['Ids contains one of another item.'] })
}

/** Tries all items at once; if that is rejected, one by one, to find the one that is rejected. */
async function together(
  transaction: Queries,
  items: readonly ReadyItem[],
  work: (ids: readonly string[]) => Promise<void>,
): Promise<Outcome[]> {
  const workOn = async (ids: readonly string[]) => {
    await work(ids)
    return undefined
  }
  if (items.length > 1) {
    const { problem } = await attempt(transaction, () => workOn(items.flatMap(({ ids }) => ids)))
    if (!problem) return items.map(({ index }) => ({ index }))
  }
  return eachAlone(transaction, items, ({ ids }) => workOn(ids))
}

/** Rolls back the effects of an item that is rejected. */
async function eachAlone(
  transaction: Queries,
  items: readonly ReadyItem[],
  work: (item: ReadyItem) => Promise<Row | undefined>,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const item of items)
    outcomes.push({ index: item.index, ...(await attempt(transaction, () => work(item))) })
  return outcomes
}

async function attempt(
  transaction: Queries,
  work: () => Promise<Row | undefined>,
): Promise<Pick<Outcome, 'problem' | 'row'>> {
  await transaction.query(sql`savepoint item`)
  try {
    const row = await work()
    return row ? { row } : {}
  } catch (error) {
    // Any other error ends the transaction, and a conflict restarts it.
    if (!(error instanceof Problem)) throw error
    await transaction.query(sql`rollback to savepoint item`)
    return { problem: error }
  } finally {
    await transaction.query(sql`release savepoint item`).catch(() => undefined)
  }
}

import type { Caller } from '../../model/caller.ts'
import { resources } from '../../resources/all.ts'
import type { Resource } from '../../resources/define-resource.ts'
import type { Queries } from '../../store/database.ts'
import { within } from '../../store/within.ts'
import { noteAccountChange, notePasswordChange } from '../note-account-change.ts'
import { removeWithin } from '../remove.ts'
import type { RequiredVersions } from '../required-versions.ts'
import { restoreWithin } from '../restore.ts'
import type { Tracker } from '../tracker.ts'
import { storedOf, writeUpdate } from '../update.ts'
import { createEach, shapeOf, updateAlike } from '../write-each.ts'
import { type Outcome, type ReadyItem, refusalOfAll } from './batch-item.ts'
import { lockAll } from './lock-all.ts'
import { prepareItems } from './prepare-items.ts'
import { type Batch, batchOperations } from './read-batch.ts'
import { eachAlone, together } from './together.ts'

/** By resource, the versions that its rows must still have. */
export type VersionsOf = ReadonlyMap<Resource, RequiredVersions>

interface Work {
  readonly tracker: Tracker
  readonly transaction: Queries
  readonly caller: Caller
  readonly versions: VersionsOf
}

/**
 * Restores, then creates, then updates, parents before children, then removals, children before parents: so items may refer
 * to each other in any order. Everything is one transaction; what it answers is what was committed.
 */
export async function runBatch(
  tracker: Tracker,
  caller: Caller,
  { mode, items }: Batch,
  readVersions: (items: readonly ReadyItem[]) => Promise<VersionsOf>,
): Promise<readonly Outcome[]> {
  const read = prepareItems(tracker, caller, items)
  if (mode === 'allOrNothing') refuseAll(read.refused)
  const ready: ReadyItem[] = []
  for (const item of read.ready) ready.push(await prepare(tracker, item))
  const versions = await readVersions(ready)
  const outcomes = await tracker.database.transaction(async (transaction) => {
    await lockAll(transaction, caller, ready)
    const done: Outcome[] = []
    for (const [resource, alike] of stepsOf(ready)) {
      const step = await perform({ tracker, transaction, caller, versions }, resource, alike)
      if (mode === 'allOrNothing') refuseAll(step)
      done.push(...step)
    }
    return done
  })
  noteAccounts(tracker, caller, ready, outcomes)
  return [...read.refused, ...outcomes].sort((one, other) => one.index - other.index)
}

function refuseAll(outcomes: readonly Outcome[]): void {
  const refusal = refusalOfAll(outcomes)
  if (refusal) throw refusal
}

async function prepare({ passwords }: Tracker, item: ReadyItem): Promise<ReadyItem> {
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

/** Items of one operation on one resource. */
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
  { tracker, transaction, caller }: Work,
  resource: Resource,
  items: readonly ReadyItem[],
  versions: RequiredVersions,
): Promise<Outcome[]> {
  const { beforeUpdate, afterUpdate } = resource.rules
  // Such a rule looks at one row, in the program.
  if (beforeUpdate || afterUpdate) {
    const database = within(tracker.database, transaction)
    return eachAlone(transaction, items, ({ ids: [id = ''], values, stored }) =>
      writeUpdate(database, resource, caller, { id, values, stored, versions }),
    )
  }
  const outcomes: Outcome[] = []
  for (const alike of Map.groupBy(items, (item) => shapeOf(item, versions)).values())
    outcomes.push(...(await updateAlike(transaction, resource, caller, alike, versions)))
  return outcomes
}

/** Written to the log once it is committed, as after single operations. */
function noteAccounts(
  { securityLog }: Tracker,
  caller: Caller,
  items: readonly ReadyItem[],
  outcomes: readonly Outcome[],
): void {
  const refused = new Set(outcomes.filter(({ refusal }) => refusal).map(({ index }) => index))
  for (const operation of batchOperations)
    for (const item of items) {
      if (item.operation !== operation || refused.has(item.index)) continue
      noteAccountChange(securityLog, item.resource, caller, operation, item.ids)
      if (operation === 'update' && 'passwordHash' in item.stored)
        notePasswordChange(securityLog, caller, item.ids[0] ?? '')
    }
}

import { type BatchResult, TrackerError } from '#tracker-client'
import type { Api, BatchRequest, Page, RecordOf } from '../api/api.ts'
import { byId, loadByIds } from '../api/load-all.ts'
import { isOutage, sentenceOf } from '../api/problems.ts'
import { changedAt } from '../data/assignments.ts'
import { type Services, useRemoval, useServices } from '../services/services.ts'
import type { Toasts } from '../services/toasts.ts'
import { t, tn } from '../texts/text.ts'
import { updateBodyOf } from './assignment-values.ts'
import { type ChangeServices, changedText, isEqual, offerUndo, warnOfOpenParts } from './change-assignment.ts'
import { type StageChange, sendOrQueue, withQueuedStage } from './queue.ts'

type Assignment = RecordOf<'assignment'>
/** The fields to change. An assignment that already has these values stays unchanged. */
export type Change = Partial<
  ReturnType<typeof updateBodyOf> & Pick<Assignment, 'isUnscheduled' | 'isUnassigned' | 'priority'>
>

/**
 * Changes fields of one assignment, unless they have other values than the user saw. Shows a message with
 * Undo, or the error; neither if the fields already have these values. Returns false after an error.
 */
export async function changeAssignment(
  services: ChangeServices,
  seen: Assignment,
  change: Partial<Assignment>,
  messageOf: () => string,
): Promise<boolean> {
  try {
    await saveChange(services, seen, change, messageOf)
    return true
  } catch (error) {
    services.toasts.show({ kind: 'problem', text: sentenceOf(error) })
    return false
  }
}

async function saveChange(
  services: ChangeServices,
  seen: Assignment,
  change: Partial<Assignment>,
  messageOf: () => string,
): Promise<void> {
  const { api } = services
  const before = await api.get('assignment', seen.id)
  const names = Object.keys(change) as (keyof Assignment)[]
  if (names.some((name) => !isEqual(before[name], seen[name]))) throw new Error(changedText())
  if (!isChange(before, change)) return
  await api.update('assignment', { ...updateBodyOf(before), ...change })
  offerUndo(services, { before, after: { ...before, ...change }, names, text: messageOf() })
}

/** Changes assignments. The message is `text` for a single one, and contains `value` for several. */
export async function changeValue(
  services: ChangeServices,
  rows: readonly Assignment[],
  changeOf: (row: Assignment) => Change,
  { text, value }: { readonly text: string; readonly value: string },
): Promise<void> {
  const [first] = rows
  const messageOf = (count: number) =>
    tn(count, 'One assignment: {value}.', '{count} assignments: {value}.', { value })
  if (first && rows.length === 1) await changeAssignment(services, first, changeOf(first), () => text)
  else await changeMany(services, rows, changeOf, { messageOf })
}

/** Moves assignments to another stage. Without a network, the moves are queued one by one. */
export async function moveAssignments(
  services: Services,
  rows: readonly Assignment[],
  to: StageChange['to'],
): Promise<void> {
  const textOf = (name: string) => t('{name} is now in {stage}.', { name, stage: to.name })
  if (rows.length > 1 && services.isReachable.peek())
    return changeValue(services, rows, () => ({ workflowId: to.id }), { text: textOf(''), value: to.name })
  for (const seen of rows.filter((row) => withQueuedStage(row).workflowId !== to.id)) {
    const { id: assignmentId, name, workflowId: from } = seen
    const send = () => saveChange(services, seen, { workflowId: to.id }, () => textOf(name))
    await sendOrQueue(services, { kind: 'stage', assignmentId, from, to }, seen, send).catch((error) =>
      services.toasts.show({ kind: 'problem', text: sentenceOf(error) }),
    )
  }
}

/** Loads assignments by id, or returns those seen last while the server cannot be reached. */
export async function loadOrRecall(
  { api, lastSeen }: Services,
  ids: readonly string[],
): Promise<readonly Assignment[]> {
  try {
    return [...(await loadByIds(api, 'assignment', ids, new AbortController().signal)).values()]
  } catch (error) {
    const pages = isOutage(error) ? await lastSeen.recallAll<Partial<Page<Assignment>>>('assignment ') : []
    const work = isOutage(error) ? await lastSeen.recallAll<{ rows: readonly Assignment[] }>('my work ') : []
    const seen = [...pages.flatMap(({ data }) => data ?? []), ...work.flatMap(({ rows }) => rows)]
    const newestLast = seen.toSorted((a, b) => changedAt(a) - changedAt(b))
    const rows = byId(newestLast.filter(({ id }) => ids.includes(id)))
    if (rows.size < ids.length) throw error
    return ids.flatMap((id) => rows.get(id) ?? [])
  }
}

/** Returns whether a change gives any field another value. */
const isChange = (row: Assignment, change: Partial<Assignment>): boolean =>
  (Object.keys(change) as (keyof Assignment)[]).some((name) => !isEqual(row[name], change[name]))

interface RequestedChange {
  readonly id: string
  readonly change: Change
  /** Makes the change conditional on this version. */
  readonly ifMatch?: string | undefined
}

/**
 * Returns a function that changes many assignments. `onChanged` receives the changed rows, so that the view
 * shows them.
 */
export function useChangeMany(onChanged: (rows: readonly Assignment[]) => void) {
  const services = useServices()
  return (rows: readonly Assignment[], changeOf: (row: Assignment) => Change, messageOf?: MessageOf) =>
    changeMany(services, rows, changeOf, { messageOf, onChanged })
}

type MessageOf = (count: number) => string

interface ChangeManyOptions {
  readonly messageOf?: MessageOf | undefined
  onChanged?(rows: readonly Assignment[]): void
}

/**
 * Changes many assignments at once. Each change is based on the current state, so that changes by others are
 * kept. Undo skips the assignments that were changed since.
 */
export async function changeMany(
  services: ChangeServices,
  rows: readonly Assignment[],
  changeOf: (row: Assignment) => Change,
  { messageOf = countText, onChanged }: ChangeManyOptions,
): Promise<void> {
  const { api, configuration, toasts } = services
  const send = async (requests: readonly RequestedChange[]) => {
    const result = await sendRequests(api, configuration.extensions, requests)
    onChanged?.(result.rows)
    return result
  }
  const requests = rows
    .map((row) => ({ row, id: row.id, change: changeOf(row) }))
    .filter(({ row, change }) => isChange(row, change))
  try {
    const result = await send(requests)
    let { undoRequests } = result
    // Undoing an undo repeats the change.
    const revert = async () => {
      const reverted = await send(undoRequests)
      undoRequests = reverted.undoRequests
      reportUnchanged(toasts, reverted.rejectedCount)
    }
    const text = messageOf(undoRequests.length)
    if (undoRequests.length > 0) toasts.show({ kind: 'done', text, undo: revert, redo: revert })
    reportUnchanged(toasts, result.rejectedCount, result.reason)
    if (requests.some(({ change }) => change.workflowId)) await warnOfOpenParts(services, result.rows)
  } catch (error) {
    toasts.show({ kind: 'problem', text: sentenceOf(error) })
  }
}

const countText: MessageOf = (count) =>
  tn(count, 'One assignment was changed.', '{count} assignments were changed.')

function reportUnchanged(
  toasts: Toasts,
  count: number,
  reason = tn(
    count,
    'It was changed or removed in the meantime.',
    'They were changed or removed in the meantime.',
  ),
): void {
  const text = tn(count, 'One assignment was not changed.', '{count} assignments were not changed.')
  if (count > 0) toasts.show({ kind: 'problem', text: `${text} ${reason}` })
}

/** Returns the changed rows, the requests that undo the changes, and the number and reason of rejections. */
async function sendRequests(api: Api, hasBatches: boolean, requests: readonly RequestedChange[]) {
  // The signal is never aborted, because a change continues when the user leaves the screen.
  const load = (ids: readonly string[]) => loadByIds(api, 'assignment', ids, new AbortController().signal)
  const stored = await load(requests.map(({ id }) => id))
  const updates = requests.flatMap((requested) => {
    const row = stored.get(requested.id)
    return row === undefined
      ? []
      : [{ ...requested, row, body: { ...updateBodyOf(row), ...requested.change } }]
  })
  const results = hasBatches
    ? await api.batch(
        'assignment',
        updates.map(({ body, ifMatch }) => ({ operation: 'update', body, ...(ifMatch && { ifMatch }) })),
      )
    : await updateEach(api, updates)
  const undoRequests = updates.flatMap(({ id, row, change }, index): RequestedChange[] => {
    const result = results[index]
    if (result?.statusCode !== 200) return []
    const names = Object.keys(change) as (keyof Change)[]
    return [{ id, change: Object.fromEntries(names.map((name) => [name, row[name]])), ifMatch: result.etag }]
  })
  const rows = [...(await load(undoRequests.map(({ id }) => id))).values()]
  const reason = results.find(({ statusCode }) => statusCode !== 200 && statusCode !== 412)?.message
  return { rows, undoRequests, rejectedCount: requests.length - undoRequests.length, reason }
}

interface Update {
  readonly body: ReturnType<typeof updateBodyOf>
  readonly ifMatch?: string | undefined
}

/** Updates the assignments one after the other, because there are no batches without the extensions. */
async function updateEach(api: Api, updates: readonly Update[]): Promise<BatchResult[]> {
  const results: BatchResult[] = []
  for (const { body, ifMatch } of updates)
    results.push(
      await api.updateTagged('assignment', body, ifMatch).then(
        ({ tag }) => ({ statusCode: 200, id: body.id, etag: tag }),
        (error) => ({
          statusCode: error instanceof TrackerError ? error.status : 0,
          message: sentenceOf(error),
        }),
      ),
    )
  return results
}

/**
 * Returns a function that removes the assignments that can be removed. A message says why others stay, for
 * example because they have recorded time. Without the extensions, one request removes all of them or none.
 */
export function useRemoveMany() {
  const { api, configuration, toasts } = useServices()
  const removeTogether = useRemoval()
  const report = (error: unknown) => toasts.show({ kind: 'problem', text: sentenceOf(error) })
  const reportFailed = (text: string, { failedCount, reason }: EachResult) => {
    if (failedCount > 0) toasts.show({ kind: 'problem', text: `${text} ${reason}` })
  }
  const restore = async (ids: readonly string[]) => {
    const result = await runEach(api, 'restore', ids)
    const { failedCount } = result
    reportFailed(
      tn(failedCount, 'One assignment was not restored.', '{count} assignments were not restored.'),
      result,
    )
  }
  const remove = async (ids: readonly string[]) => {
    const result = await runEach(api, 'remove', ids)
    const { failedCount } = result
    reportFailed(
      tn(failedCount, 'One assignment was not removed.', '{count} assignments were not removed.'),
      result,
    )
    return result.succeededIds
  }
  const removeEach = async (ids: readonly string[]) => {
    const succeededIds = await remove(ids)
    if (succeededIds.length > 0)
      toasts.show({
        kind: 'done',
        text: tn(succeededIds.length, 'One assignment was removed.', '{count} assignments were removed.'),
        undo: () => restore(succeededIds),
        redo: () => remove(succeededIds),
      })
  }
  return async (ids: readonly string[]): Promise<void> => {
    if (configuration.extensions) await removeEach(ids).catch(report)
    else {
      const name = tn(ids.length, 'One assignment', '{count} assignments')
      const message = ids.length === 1 ? '{name} was removed.' : '{name} were removed.'
      await removeTogether('assignment', ids, name, message)
    }
  }
}

interface EachResult {
  readonly succeededIds: readonly string[]
  readonly failedCount: number
  /** The error message of the first failed assignment. */
  readonly reason: string
}

/**
 * Returns functions that add a label to assignments or remove it. One Undo reverts a whole operation. Part of
 * the extensions.
 */
export const useLabelActions = () => createLabelActions(useServices())

export function createLabelActions({ api, toasts }: Pick<Services, 'api' | 'toasts'>) {
  const report = (error: unknown) => toasts.show({ kind: 'problem', text: sentenceOf(error) })
  /** Returns the ids of the changed links, from `ids` or from the results. */
  const run = async (requests: readonly BatchRequest[], ids: readonly string[] = []) => {
    const results = await api.batch('assignmentLabel', requests)
    const failed = results.filter(({ statusCode }) => statusCode !== 200)
    reportUnchanged(toasts, failed.length, failed[0]?.message)
    return results.flatMap(({ statusCode, id }, index) =>
      statusCode === 200 ? (ids[index] ?? id ?? []) : [],
    )
  }
  const changeEach = (operation: 'remove' | 'restore', ids: readonly string[]) =>
    run(
      ids.map((id) => ({ operation, body: { ids: [id] } })),
      ids,
    )
  const show = (text: string, undo: 'remove' | 'restore', ids: readonly string[]) =>
    toasts.show({
      kind: 'done',
      text,
      undo: () => changeEach(undo, ids),
      redo: () => changeEach(undo === 'remove' ? 'restore' : 'remove', ids),
    })
  const add = async (
    links: readonly Pick<RecordOf<'assignmentLabel'>, 'assignmentId' | 'labelId'>[],
    label: string,
  ) => {
    const ids = await run(links.map((body) => ({ operation: 'create', body })))
    const text = tn(
      ids.length,
      '{label} was added to one assignment.',
      '{label} was added to {count} assignments.',
      { label },
    )
    if (ids.length > 0) show(text, 'remove', ids)
  }
  const remove = async (linkIds: readonly string[], label: string) => {
    const ids = await changeEach('remove', linkIds)
    const text = tn(
      ids.length,
      '{label} was removed from one assignment.',
      '{label} was removed from {count} assignments.',
      { label },
    )
    if (ids.length > 0) show(text, 'restore', ids)
  }
  return {
    add: (...parameters: Parameters<typeof add>) => add(...parameters).catch(report),
    remove: (...parameters: Parameters<typeof remove>) => remove(...parameters).catch(report),
  }
}

/** Sends one operation per assignment, so that an error affects no other. There may be any number of ids. */
async function runEach(
  api: Api,
  operation: 'remove' | 'restore',
  ids: readonly string[],
): Promise<EachResult> {
  const results = await api.batch(
    'assignment',
    ids.map((id) => ({ operation, body: { ids: [id] } })),
  )
  const succeededIds = ids.filter((_, index) => results[index]?.statusCode === 200)
  const reason = results.find(({ statusCode }) => statusCode !== 200)?.message ?? ''
  return { succeededIds, failedCount: ids.length - succeededIds.length, reason }
}

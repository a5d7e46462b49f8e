import type { RecordOf } from '../api/api.ts'
import { sentenceOf } from '../api/problems.ts'
import { loadStages } from '../data/project-stages.ts'
import type { Services } from '../services/services.ts'
import { t, tn } from '../texts/text.ts'
import { doneStagesOf, updateBodyOf } from './assignment-values.ts'

type Assignment = RecordOf<'assignment'>
export type ChangeServices = Pick<Services, 'api' | 'configuration' | 'lastSeen' | 'toasts' | 'tracker'>

interface DoneChange {
  readonly before: Assignment
  readonly after: Assignment
  /** The fields that were changed. */
  readonly names: readonly (keyof Assignment)[]
  readonly text: string
  /** Receives the record that Undo or Redo has saved, before lists report it. */
  onSaved?(row: Assignment): void
}

/**
 * Shows that an assignment was changed. Undo and Redo change the same fields, unless they have other values
 * by then.
 */
export function offerUndo(
  services: ChangeServices,
  { before, after, names, text, onSaved }: DoneChange,
): void {
  const { api, toasts } = services
  const change = async (from: Assignment, to: Assignment) => {
    const current = await api.get('assignment', before.id)
    if (names.some((name) => !isEqual(current[name], from[name]))) throw new Error(changedText())
    const values = Object.fromEntries(names.map((name) => [name, to[name] ?? null]))
    await api.update('assignment', { ...updateBodyOf(current), ...values })
    onSaved?.(await api.get('assignment', before.id))
  }
  const run = (from: Assignment, to: Assignment) => () => change(from, to).catch(throwUnchanged(after.name))
  toasts.show({ kind: 'done', text, undo: run(after, before), redo: run(before, after) })
  if (names.includes('workflowId')) void warnOfOpenParts(services, [after])
}

export const changedText = () => t('It was changed or removed in the meantime.')

/** Absent, null and false all mean that there is no value. A day and the timestamp of its start are the same. */
export const isEqual = (a: unknown, b: unknown): boolean => comparable(a) === comparable(b)

function comparable(value: unknown): unknown {
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\d(T|$)/.test(value)) return Date.parse(value)
  return value === false ? null : (value ?? null)
}

/** Names the record that could not be changed, because the user may no longer look at it. */
export const throwUnchanged =
  (name: string) =>
  (error: unknown): never => {
    throw new Error(t('{name} stays as it is. {reason}', { name, reason: sentenceOf(error) }))
  }

/** The number of ids that fit into a filter. */
const idsMax = 40

/** Shows how many parts are still open after assignments were moved to a stage that means done. */
export async function warnOfOpenParts(
  services: ChangeServices,
  rows: readonly Pick<Assignment, 'id' | 'projectId' | 'workflowId'>[],
): Promise<void> {
  const { configuration, toasts, tracker } = services
  const [first] = rows
  if (!configuration.extensions || first === undefined) return
  try {
    const stages = await loadStages(services, first.projectId, new AbortController().signal)
    const doneStageIds = doneStagesOf(first.projectId, stages)
    const ids = rows.filter(({ workflowId }) => doneStageIds.has(workflowId)).map(({ id }) => `'${id}'`)
    if (ids.length === 0) return
    const conditions = [...doneStageIds].map((id) => `workflowId ne '${id}'`).slice(0, 10)
    const filter = [`parentId in (${ids.slice(0, idsMax).join(', ')})`, ...conditions].join(' and ')
    const query = { filter, fields: 'id', pageSize: 1, count: true }
    const count = (await tracker.call('GET /ext/query/assignments', { query })).result.totalCount ?? 0
    if (count > 0)
      toasts.show({ kind: 'done', text: tn(count, '1 part is still open.', '{count} parts are still open.') })
  } catch {
    // The move has succeeded; only the warning is missing.
  }
}

import type { RecordOf } from '../api/api.ts'
import { sentenceOf } from '../api/problems.ts'
import type { Services } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { updateBodyOf } from './assignment-values.ts'
import { warnOfOpenParts } from './open-parts.ts'

type Assignment = RecordOf<'assignment'>
type Change = Partial<Assignment>
type ChangeServices = Pick<Services, 'api' | 'configuration' | 'toasts' | 'tracker'>

/**
 * Changes fields of one assignment, unless they have other values than the user saw. Shows a message with
 * Undo, or the error.
 */
export async function changeAssignment(
  services: ChangeServices,
  seen: Assignment,
  change: Change,
  messageOf: () => string,
): Promise<void> {
  const { api, toasts } = services
  try {
    const before = await api.get('assignment', seen.id)
    const names = Object.keys(change) as (keyof Assignment)[]
    if (names.some((name) => !isEqual(before[name], seen[name]))) throw new Error(changedText())
    await api.update('assignment', { ...updateBodyOf(before), ...change })
    offerUndo(services, { before, after: { ...before, ...change }, names, text: messageOf() })
  } catch (error) {
    toasts.show({ kind: 'problem', text: sentenceOf(error) })
  }
}

interface DoneChange {
  readonly before: Assignment
  readonly after: Assignment
  /** The fields that were changed. */
  readonly names: readonly (keyof Assignment)[]
  readonly text: string
  /** Receives the restored record before lists report it. */
  onUndone?(row: Assignment): void
}

/**
 * Shows that an assignment was changed. Undo restores the fields that changed, unless they were changed again
 * since.
 */
export function offerUndo(
  services: ChangeServices,
  { before, after, names, text, onUndone }: DoneChange,
): void {
  const { api, toasts } = services
  const undo = async () => {
    const current = await api.get('assignment', before.id)
    if (names.some((name) => !isEqual(current[name], after[name]))) throw new Error(changedText())
    const restored = Object.fromEntries(names.map((name) => [name, before[name] ?? null]))
    await api.update('assignment', { ...updateBodyOf(current), ...restored })
    onUndone?.(await api.get('assignment', before.id))
  }
  const run = () =>
    undo().catch((error) => toasts.show({ kind: 'problem', text: undoProblem(after.name, error) }))
  toasts.show({ kind: 'done', text, undo: run })
  if (names.includes('workflowId')) void warnOfOpenParts(services, [after])
}

const changedText = () => t('It was changed or removed in the meantime.')

/** Absent and null both mean that there is no value. */
const isEqual = (a: unknown, b: unknown): boolean => (a ?? null) === (b ?? null)

const undoProblem = (name: string, error: unknown): string =>
  t('{name} was not changed back. {reason}', { name, reason: sentenceOf(error) })

import { Problem } from '../../model/problem.ts'
import type { Resource } from '../../resources/define-resource.ts'
import type { Action, Row, Values } from '../../store/rows.ts'

/** One item as it came, with its labels replaced by ids. */
export interface BatchItem {
  readonly index: number
  readonly operation: Action
  readonly resource: Resource
  readonly ifMatch: string | undefined
  readonly body: Values
}

/** One that was read and may be tried. */
export interface ReadyItem extends BatchItem {
  /** The rows that it writes. */
  readonly ids: readonly string[]
  /** What a create or an update asks for. */
  readonly values: Values
  /** What of it is stored. */
  readonly stored: Values
}

/** What became of one item. */
export interface Outcome {
  readonly index: number
  readonly refusal?: Problem | undefined
  /** As a create or an update left it. */
  readonly row?: Row | undefined
}

/** One refusal of all, with that of each item under its own keys; the first one says the kind. */
export function refusalOfAll(outcomes: readonly Outcome[]): Problem | undefined {
  const refused = outcomes
    .flatMap(({ index, refusal }) => (refusal ? [{ index, refusal }] : []))
    .sort((one, other) => one.index - other.index)
  const [first] = refused
  if (!first) return undefined
  const errors = refused.flatMap(({ index, refusal }) =>
    Object.entries(refusal.errors ?? { '': [refusal.message] }).map(([key, messages]) => [
      keyOf(index, key),
      messages,
    ]),
  )
  return new Problem(first.refusal.kind, first.refusal.message, { errors: Object.fromEntries(errors) })
}

export const keyOf = (index: number, key = ''): string => `items[${index}]${key && `.${key}`}`

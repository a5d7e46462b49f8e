import { membershipConditions, ownerConditions } from '../access/require-write.ts'
import type { Callers } from '../access/visible-rows.ts'
import type { Caller } from '../model/caller.ts'
import { missing } from '../model/problem.ts'
import type { Resource } from '../resources/define-resource.ts'
import type { Condition } from '../store/conditional-write.ts'
import type { Values } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import { visibleForLock } from './lock-visible.ts'

/** The conditions of a new row, in the order in which they refuse. */
export const createConditions = (
  resource: Resource,
  caller: Caller,
  values: Values,
  references: readonly Condition[],
): Condition[] => [
  ...references,
  ...ownerConditions(resource, caller, values),
  ...membershipConditions(resource, caller, values),
]

export const toUpdate = { state: 'active', strength: 'no key update' } as const

interface Updating {
  readonly ids: readonly string[]
  readonly values: Values
  readonly references: readonly Condition[]
  readonly versions: readonly Condition[]
  readonly callers?: Callers
}

/** The conditions of an update, in the order in which they refuse. The row as it was is called `before`. */
export function updateConditions(
  resource: Resource,
  caller: Caller,
  { ids, values, references, versions, callers = 'one' }: Updating,
): Condition[] {
  const before = { before: 'before' }
  return [
    {
      locks: { name: 'before', rows: visibleForLock(resource, caller, ids, { ...toUpdate, callers }) },
      refusedIf: sql`before.id is null`,
      refusal: () => missing(resource.title),
    },
    ...references,
    ...ownerConditions(resource, caller, values, before),
    ...membershipConditions(resource, caller, values, before),
    ...versions,
    ...(resource.rules.updateConditions?.(values) ?? []),
  ]
}

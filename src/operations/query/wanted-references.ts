import type { Filter, Value } from './filter.ts'
import { partsOf } from './text-conditions.ts'

/** For each column, the ids that the filter allows: a matching row has one of them. */
export const wantedReferences = (filter: Filter | undefined): Readonly<Record<string, readonly Value[]>> =>
  Object.fromEntries(
    partsOf(filter).flatMap((part) =>
      'column' in part && part.shape === 'uuid' && (part.operator === 'eq' || part.operator === 'in')
        ? [[part.column, part.values]]
        : [],
    ),
  )

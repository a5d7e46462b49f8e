import type { Filter, Value } from './filter.ts'
import { partsOf } from './text-conditions.ts'

/** By column, the ids of which a row of this filter has to have one. */
export const wantedReferences = (filter: Filter | undefined): Readonly<Record<string, readonly Value[]>> =>
  Object.fromEntries(
    partsOf(filter).flatMap((part) =>
      'column' in part && part.shape === 'uuid' && (part.operator === 'eq' || part.operator === 'in')
        ? [[part.column, part.values]]
        : [],
    ),
  )

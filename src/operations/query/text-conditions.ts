import { hasTrigram } from '../found-rows.ts'
import type { Filter } from './filter.ts'

/** The parts of a filter that all have to hold. */
export const partsOf = (filter: Filter | undefined): readonly Filter[] => {
  if (filter === undefined) return []
  return 'all' in filter ? filter.all : [filter]
}

/** Whether it is about what a text contains. */
export function asksTexts(filter: Filter): boolean {
  if ('not' in filter) return asksTexts(filter.not)
  if ('column' in filter) return filter.operator === 'contains' || filter.operator === 'startsWith'
  return ('all' in filter ? filter.all : filter.any).some(asksTexts)
}

/** Whether the text of every row has to be searched, because no index helps: for short words, and for negated ones. */
export function looksIntoTexts(filter: Filter): boolean {
  if ('not' in filter) return asksTexts(filter.not)
  if ('all' in filter) return asksTexts(filter) && filter.all.filter(asksTexts).every(looksIntoTexts)
  if ('any' in filter) return filter.any.some(looksIntoTexts)
  return asksTexts(filter) && !hasTrigram(String(filter.values[0]))
}

import type { Caller } from '../../model/caller.ts'
import type { Listed } from '../../resources/define-resource.ts'
import { filterCharactersMax, filterComparisonsMax, filterDepthMax } from '../limits.ts'
import type { Filter } from './filter.ts'
import { isSign, isWord, type Source, sourceOf } from './filter-source.ts'
import { FilterFault, readTokens } from './filter-tokens.ts'
import { readComparison } from './read-comparison.ts'

export type FilterReading = { readonly filter: Filter } | { readonly problems: readonly string[] }

/** `docs/reading.md` has the grammar. All that is wrong with fields and values is reported at once, in their order. */
export function readFilter(listed: Listed, caller: Caller, input: string): FilterReading {
  if (input.length > filterCharactersMax)
    return { problems: [`Filter must be at most ${filterCharactersMax} characters.`] }
  const problems: string[] = []
  try {
    const source = sourceOf(listed, caller, readTokens(input), problems)
    const filter = readAny(source, 1)
    const { kind, at } = source.peek()
    if (kind !== 'end') throw new FilterFault(`At character ${at} only and, or, or the end can follow.`)
    if (countOf(filter) > filterComparisonsMax)
      problems.push(`It has more than ${filterComparisonsMax} comparisons.`)
    if (problems.length === 0) return { filter }
  } catch (error) {
    if (!(error instanceof FilterFault)) throw error
    problems.push(error.message)
  }
  return { problems: problems.map((problem) => `Filter: ${problem}`) }
}

function readAny(source: Source, depth: number): Filter {
  const any = [readAll(source, depth)]
  while (isWord(source.peek(), 'or')) {
    source.take()
    any.push(readAll(source, depth))
  }
  return any.length === 1 && any[0] ? any[0] : { any }
}

function readAll(source: Source, depth: number): Filter {
  const all = [readOne(source, depth)]
  while (isWord(source.peek(), 'and')) {
    source.take()
    all.push(readOne(source, depth))
  }
  return all.length === 1 && all[0] ? all[0] : { all }
}

function readOne(source: Source, depth: number): Filter {
  const token = source.peek()
  if (depth > filterDepthMax)
    throw new FilterFault(`At character ${token.at} it is nested more than ${filterDepthMax} deep.`)
  if (isWord(token, 'not')) {
    source.take()
    return { not: readOne(source, depth + 1) }
  }
  if (!isSign(token, '(')) return readComparison(source)
  source.take()
  const inner = readAny(source, depth + 1)
  const closing = source.take()
  if (!isSign(closing, ')')) throw new FilterFault(`At character ${closing.at} a ) is missing.`)
  return inner
}

function countOf(filter: Filter): number {
  if ('not' in filter) return countOf(filter.not)
  if ('column' in filter) return 1
  const parts = 'all' in filter ? filter.all : filter.any
  return parts.reduce((sum, part) => sum + countOf(part), 0)
}

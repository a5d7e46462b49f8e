import { type ParsedUrlQuery, parse } from 'node:querystring'
import { invalid } from '../model/problem.ts'

// Several times the number of keys that any list supports; forms have fewer.
const queryKeysMax = 100

/** Repeated keys become arrays; the object has no prototype, so no key can reach one. */
export function parseQuery(text: string): ParsedUrlQuery {
  if (text === '') return Object.create(null)
  // It must not throw: the router calls it outside of any error handling.
  return countOfPairs(text) > queryKeysMax ? tooManyKeys : parse(text, '&', '=', { maxKeys: 0 })
}

/** Rejects rather than truncates: a lost filter would widen a listing. */
export function requireFewKeys(query: unknown): void {
  if (query !== tooManyKeys) return
  throw invalid({ generalErrors: [`At most ${queryKeysMax} keys can be sent at once.`] })
}

/**
 * Keys are case-insensitive: each is read under its declared name. A key in two spellings is a repeated one, so it becomes an
 * array.
 */
export function keySpeller(declared: Iterable<string>): (query: ParsedUrlQuery) => ParsedUrlQuery {
  const names = new Map(Array.from(declared, (name) => [name.toLowerCase(), name]))
  // No two of these keys differ in case alone.
  const isSpelled = (key: string) => (names.get(key.toLowerCase()) ?? key.toLowerCase()) === key
  return (query) => {
    if (Object.keys(query).every(isSpelled)) return query
    const spellings = new Map<string, string>()
    const spelled: ParsedUrlQuery = Object.create(null)
    for (const [given, value] of Object.entries(query)) {
      const lower = given.toLowerCase()
      const key = names.get(lower) ?? spellings.get(lower) ?? given
      spellings.set(lower, key)
      const before = spelled[key]
      spelled[key] = before === undefined || value === undefined ? value : [before, value].flat()
    }
    return spelled
  }
}

const tooManyKeys: ParsedUrlQuery = Object.freeze(Object.create(null))

function countOfPairs(text: string): number {
  let count = 1
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) count += 1
  return count
}

/** The path of a request target; a query may contain values that must not be logged or compared. */
export function pathOf(url: string): string {
  const end = url.indexOf('?')
  return end === -1 ? url : url.slice(0, end)
}

/**
 * The path in its canonical spelling. The router ignores case, escapes and a trailing slash, so two targets of the same route
 * have the same canonical path.
 */
export function plainPathOf(url: string): string {
  const path = decoded(pathOf(url).replace(/^https?:\/\/[^/]*/i, '')).toLowerCase()
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

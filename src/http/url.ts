import { type ParsedUrlQuery, parse } from 'node:querystring'
import { invalid } from '../model/problem.ts'

/** Several times the number of keys that any list or form has. */
const queryKeysMax = 100

/**
 * Parses a query. Repeated keys become arrays. The object has no prototype, so a key such as `__proto__` is
 * an ordinary key. The router handles no errors here, so too many keys result in a marker, and
 * `rejectTooManyKeys` throws later.
 */
export function parseQuery(text: string): ParsedUrlQuery {
  if (text === '') return Object.create(null)
  return countOfPairs(text) > queryKeysMax ? tooManyKeys : parse(text, '&', '=', { maxKeys: 0 })
}

/** `querystring.parse` would drop the keys beyond its limit, and a lost filter would widen a listing. */
export function rejectTooManyKeys(query: unknown): void {
  if (query !== tooManyKeys) return
  throw invalid({ generalErrors: [`At most ${queryKeysMax} keys can be sent at once.`] })
}

/**
 * Returns a function that renames keys to their declared spelling, because keys are case-insensitive. The
 * values of a key that is sent in two spellings become an array, as if the key was repeated.
 */
export function createKeyNormalizer(declared: Iterable<string>): (query: ParsedUrlQuery) => ParsedUrlQuery {
  const names = new Map(Array.from(declared, (name) => [name.toLowerCase(), name]))
  /**
   * Returns whether the key is spelled as declared or in lower case. Two such keys cannot differ only in
   * case.
   */
  const isUnambiguous = (key: string) => {
    const lower = key.toLowerCase()
    return (names.get(lower) ?? lower) === key
  }
  return (query) => {
    if (Object.keys(query).every(isUnambiguous)) return query
    const firstSpellings = new Map<string, string>()
    const normalized: ParsedUrlQuery = Object.create(null)
    for (const [sentKey, value] of Object.entries(query)) {
      const lower = sentKey.toLowerCase()
      // An undeclared key keeps its first spelling, for the error that names it.
      const key = names.get(lower) ?? firstSpellings.get(lower) ?? sentKey
      firstSpellings.set(lower, key)
      const previous = normalized[key]
      normalized[key] = previous === undefined ? value : [previous, value ?? []].flat()
    }
    return normalized
  }
}

const tooManyKeys: ParsedUrlQuery = Object.freeze(Object.create(null))

function countOfPairs(text: string): number {
  let count = 1
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) count += 1
  return count
}

/** The path of a request target, as the router cuts it. A query may contain secrets. */
export function pathOf(url: string): string {
  const end = url.search(/[?#]/)
  return end === -1 ? url : url.slice(0, end)
}

/**
 * The path in its canonical spelling. The router ignores case, escapes and a trailing slash, so two targets
 * of the same route have the same canonical path.
 */
export function canonicalPathOf(url: string): string {
  const path = decode(pathOf(url).replace(/^https?:\/\/[^/]*/i, '')).toLowerCase()
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

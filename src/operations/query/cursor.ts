import { hash } from 'node:crypto'
import type { Value } from './filter.ts'
import type { SortKey } from './keyset.ts'
import { textReaders } from './text-readers.ts'

/**
 * The place after one row: its sort values and its id. What is checked is that it is one we gave for this very list,
 * order and filter. It is no secret and grants no access, because every request that uses it is checked again.
 */
export const writeCursor = (question: string, place: readonly Value[]): string => {
  const text = Buffer.from(JSON.stringify(place)).toString('base64url')
  return `${text}.${checkOf(question, text)}`
}

/** Undefined for a text that is no cursor. */
export function readCursor(
  question: string,
  keys: readonly SortKey[],
  cursor: string,
): readonly Value[] | undefined {
  const [text = '', check, ...more] = cursor.split('.')
  if (more.length > 0 || check !== checkOf(question, text)) return undefined
  const place = parsed(text)
  const fits = Array.isArray(place) && place.length === keys.length
  return fits && keys.every((key, index) => isPossible(key, place[index])) ? place : undefined
}

const checkOf = (question: string, text: string): string =>
  hash('sha256', `${question}\n${text}`, 'base64url').slice(0, 16)

function parsed(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch {
    return undefined
  }
}

/** Any client can compute the checksum, so the values are checked before the store gets them and refuses them with an error. */
function isPossible({ column: { isNullable, shape } }: SortKey, value: unknown): boolean {
  if (value === null) return isNullable
  if (shape === 'number') return Number.isFinite(value)
  return typeof value === 'string' && 'value' in textReaders[shape](value, '')
}

import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { type Kind, labelOf } from '../model/field.ts'
import { isMissing } from '../model/field-kinds.ts'
import { collectViolations, type FieldErrors, parseObject } from '../model/problem.ts'

type Kinds = Readonly<Record<string, Kind<string>>>
type Fields<K extends Kinds> = { readonly [Name in keyof K]: string }

/**
 * Parses a body in which every field is required; `check` gets the fields that could be parsed, so that all
 * violations are reported at once.
 */
export function parseFields<K extends Kinds>(
  body: unknown,
  kinds: K,
  check: (fields: Partial<Fields<K>>, given: Readonly<Record<string, unknown>>) => FieldErrors = () => ({}),
): Fields<K> {
  const given = parseObject(body)
  const fields: Record<string, string> = {}
  const violations = collectViolations()
  for (const [name, kind] of Object.entries(kinds)) {
    const input = Object.hasOwn(given, name) ? given[name] : undefined
    const reading = isMissing(input)
      ? { problems: [`${labelOf(name)} is required.`] }
      : kind.read(input, labelOf(name))
    if ('value' in reading) fields[name] = reading.value
    else violations.add(name, ...reading.problems)
  }
  for (const [name, problems] of Object.entries(check(fields as Partial<Fields<K>>, given))) {
    violations.add(name, ...problems)
  }
  violations.throwIfAny()
  return fields as Fields<K>
}

/**
 * The prefix lets people, log filters and secret scanners recognize a token; no token of the identity host
 * starts with it.
 */
export const tokenPrefix = 'svc_'
/** Prefix of the secret in an invitation or password-reset link. */
export const linkPrefix = 'svl_'

type Prefix = typeof tokenPrefix | typeof linkPrefix

/** This much entropy cannot be guessed, so a fast hash suffices for storage. */
const secretBytes = 32
const checksumCharacters = 8

/** Only letters and digits, so that a double click selects the whole token. */
export function newTokenText(prefix: Prefix): string {
  const text = prefix + randomBytes(secretBytes).toString('hex')
  return text + checksumOf(text)
}

const patterns: Readonly<Record<Prefix, RegExp>> = { svc_: patternOf('svc_'), svl_: patternOf('svl_') }

/**
 * Returns the hash under which the store knows the token. Truncated or mistyped tokens fail the checksum and
 * never reach the store.
 */
export function hashOfToken(text: string, prefix: Prefix): Buffer | undefined {
  const isWhole =
    patterns[prefix].test(text) &&
    checksumOf(text.slice(0, -checksumCharacters)) === text.slice(-checksumCharacters)
  return isWhole ? hash('sha256', text, 'buffer') : undefined
}

function patternOf(prefix: Prefix): RegExp {
  return new RegExp(`^${prefix}[0-9a-f]{${2 * secretBytes + checksumCharacters}}$`)
}

function checksumOf(text: string): string {
  return crc32(text).toString(16).padStart(checksumCharacters, '0')
}

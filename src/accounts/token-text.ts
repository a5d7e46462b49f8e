import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

/**
 * The prefix lets people, log filters and secret scanners recognize a token; no token of the identity host
 * starts with it.
 */
export const personalTokenPrefix = 'svc_'
/** Prefix of the secret in an invitation or password-reset link. */
export const linkTokenPrefix = 'svl_'

type Prefix = typeof personalTokenPrefix | typeof linkTokenPrefix

/** This much entropy cannot be guessed, so a fast hash suffices for storage. */
const secretBytes = 32
const checksumCharacters = 8

/** Only letters and digits, so that a double click selects the whole token. */
export function generateToken(prefix: Prefix): string {
  const text = prefix + randomBytes(secretBytes).toString('hex')
  return text + checksumOf(text)
}

const patterns: Readonly<Record<Prefix, RegExp>> = { svc_: patternOf('svc_'), svl_: patternOf('svl_') }

/**
 * Returns the hash under which the store knows the token. Truncated or mistyped tokens fail the checksum and
 * never reach the store.
 */
export function hashOfToken(text: string, prefix: Prefix): Buffer | undefined {
  const isWellFormed =
    patterns[prefix].test(text) &&
    checksumOf(text.slice(0, -checksumCharacters)) === text.slice(-checksumCharacters)
  return isWellFormed ? hash('sha256', text, 'buffer') : undefined
}

function patternOf(prefix: Prefix): RegExp {
  return new RegExp(`^${prefix}[0-9a-f]{${2 * secretBytes + checksumCharacters}}$`)
}

function checksumOf(text: string): string {
  return crc32(text).toString(16).padStart(checksumCharacters, '0')
}

import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

/**
 * The prefix of personal access tokens. Secret scanners and people recognize them by it, and this service
 * distinguishes them from tokens of the identity host.
 */
export const personalTokenPrefix = 'svc_'
/** The prefix of the secret in an invitation or password-reset link. */
export const linkTokenPrefix = 'svl_'

type Prefix = typeof personalTokenPrefix | typeof linkTokenPrefix

/** 256 random bits cannot be guessed, so a fast hash is enough, unlike for passwords. */
const secretBytes = 32
/** A CRC-32 in hexadecimal. */
const checksumCharacters = 8

/**
 * Generates a token. A double click selects it as one word, because it has only letters, digits and
 * underscores.
 */
export function generateToken(prefix: Prefix): string {
  const text = prefix + randomBytes(secretBytes).toString('hex')
  return text + checksumOf(text)
}

/** Matches the text of a token after its prefix. */
const secretPattern = new RegExp(`^[0-9a-f]{${2 * secretBytes + checksumCharacters}}$`)

/**
 * Returns the hash by which the database finds the token, or undefined if the text is not a token. The
 * checksum rejects mistyped tokens without a query.
 */
export function hashOfToken(text: string, prefix: Prefix): Buffer | undefined {
  const isWellFormed =
    text.startsWith(prefix) &&
    secretPattern.test(text.slice(prefix.length)) &&
    checksumOf(text.slice(0, -checksumCharacters)) === text.slice(-checksumCharacters)
  return isWellFormed ? hash('sha256', text, 'buffer') : undefined
}

function checksumOf(text: string): string {
  return crc32(text).toString(16).padStart(checksumCharacters, '0')
}

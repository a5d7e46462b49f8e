import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** People, log filters and scanners of repositories know a token by it; no token of the identity host begins so. */
export const tokenPrefix = 'svc_'

/** Far beyond guessing, so a fast hash is enough to keep it by. */
const secretBytes = 32

const tokenPattern = new RegExp(`^${tokenPrefix}[0-9a-f]{${2 * secretBytes + 8}}$`)
const checksumCharacters = 8

/** Letters and digits only: a double click selects all of it. */
export function newTokenText(): string {
  const text = tokenPrefix + randomBytes(secretBytes).toString('hex')
  return text + checksumOf(text)
}

export const isTokenText = (text: string): boolean => text.startsWith(tokenPrefix)

/** What the store knows it by; nothing for a text that was cut off or misread, about which the store is not asked. */
export function hashOfToken(text: string): Buffer | undefined {
  const isWhole =
    tokenPattern.test(text) &&
    checksumOf(text.slice(0, -checksumCharacters)) === text.slice(-checksumCharacters)
  return isWhole ? hash('sha256', text, 'buffer') : undefined
}

const checksumOf = (text: string): string => crc32(text).toString(16).padStart(checksumCharacters, '0')

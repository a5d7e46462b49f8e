import { createHash, randomBytes } from 'node:crypto'
import type { Queries } from '../../../db/database.ts'
import { sql } from '../../../db/sql.ts'

export const recoveryCodeCount = 10
/** Eighty bits cannot be guessed from a hash, so a fast hash suffices. */
const codeBytes = 10

/** Creates new codes, which replace existing ones. The store keeps only their hashes. */
export async function createRecoveryCodes(
  transaction: Queries,
  accountId: string,
): Promise<readonly string[]> {
  const codes = Array.from({ length: recoveryCodeCount }, () => base32(randomBytes(codeBytes)))
  const hashes = codes.map((code) => hashOf(accountId, code))
  await transaction.query(sql`delete from recovery_codes where user_id = ${accountId}`)
  await transaction.query(sql`
    insert into recovery_codes (user_id, hash) select ${accountId}, unnest(${hashes}::bytea[])`)
  return codes.map((code) => (code.match(/.{4}/g) ?? []).join('-').toLowerCase())
}

/** Checks a code and deletes it. Deleting the row lets only one of two concurrent uses succeed. */
export async function useRecoveryCode(
  transaction: Queries,
  accountId: string,
  text: string,
): Promise<boolean> {
  const code = text.replaceAll(/[\s-]/g, '').toUpperCase()
  if (!codePattern.test(code)) return false
  const [used] = await transaction.query(sql`
    delete from recovery_codes where user_id = ${accountId} and hash = ${hashOf(accountId, code)} returning true`)
  return used !== undefined
}

const codePattern = /^[A-Z2-7]{16}$/

const hashOf = (accountId: string, code: string): Buffer =>
  createHash('sha256').update(`${accountId} ${code}`).digest()

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** RFC 4648, 6, without padding: easy to type, and the format of secrets for authenticator apps. */
export function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => alphabet[Number.parseInt(five.padEnd(5, '0'), 2)])
    .join('')
}

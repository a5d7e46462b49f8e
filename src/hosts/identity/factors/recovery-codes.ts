import { createHash, randomBytes } from 'node:crypto'
import type { Queries } from '../../../db/database.ts'
import { sql } from '../../../db/sql.ts'

export const recoveryCodesMade = 10
/** Eighty bits cannot be guessed from a hash, so a fast hash suffices. */
const codeBytes = 10

/** Replaces the codes by new ones. They are shown only once; the store keeps their hashes. */
export async function makeRecoveryCodes(transaction: Queries, accountId: string): Promise<readonly string[]> {
  const codes = Array.from({ length: recoveryCodesMade }, () => base32(randomBytes(codeBytes)))
  const hashes = codes.map((code) => hashOf(accountId, code))
  await transaction.query(sql`delete from recovery_codes where user_id = ${accountId}`)
  await transaction.query(sql`
    insert into recovery_codes (user_id, hash) select ${accountId}, unnest(${hashes}::bytea[])`)
  return codes.map((code) => (code.match(/.{4}/g) ?? []).join('-').toLowerCase())
}

/** Deleting the row lets only one of two concurrent uses succeed. */
export async function useRecoveryCode(
  transaction: Queries,
  accountId: string,
  given: string,
): Promise<boolean> {
  const code = given.replaceAll(/[\s-]/g, '').toUpperCase()
  if (!codePattern.test(code)) return false
  const [used] = await transaction.query(sql`
    delete from recovery_codes where user_id = ${accountId} and hash = ${hashOf(accountId, code)} returning true`)
  return used !== undefined
}

const codePattern = /^[A-Z2-7]{16}$/

const hashOf = (accountId: string, code: string): Buffer =>
  createHash('sha256').update(`${accountId} ${code}`).digest()

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** RFC 4648, 6, without padding: the format in which apps take secrets, and easy to type. */
export function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => alphabet[Number.parseInt(five.padEnd(5, '0'), 2)])
    .join('')
}

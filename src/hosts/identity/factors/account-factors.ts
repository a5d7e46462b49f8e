import { createHash, randomBytes } from 'node:crypto'
import { timestamp } from '../../../db/columns.ts'
import type { Database, Queries } from '../../../db/database.ts'
import { sql } from '../../../db/sql.ts'
import type { Identity } from '../core/endpoint.ts'
import type { Account, ActiveSession } from '../core/sessions.ts'

/** The factors of an account in addition to its password. */
export interface AccountFactors {
  /** The time when the authenticator app was set up. */
  readonly appSince: string | null
  readonly recoveryCodesLeft: number
  readonly passkeyCount: number
}

export async function findFactors(queries: Queries | Database, accountId: string): Promise<AccountFactors> {
  const [factors] = await queries.query<AccountFactors>(sql`
    select (select created_at from authenticator_apps where user_id = ${accountId}) as "appSince",
      (select count(*)::int from recovery_codes where user_id = ${accountId}) as "recoveryCodesLeft",
      (select count(*)::int from passkeys where user_id = ${accountId}) as "passkeyCount"`)
  return factors as AccountFactors
}

export const hasFactor = ({ appSince, passkeyCount }: AccountFactors): boolean =>
  appSince !== null || passkeyCount > 0

export const mustHaveFactor = (
  { settings, administrators }: Pick<Identity, 'settings' | 'administrators'>,
  account: Account,
): boolean =>
  settings.secondFactor === 'all' ||
  (settings.secondFactor === 'administrators' && administrators.isAdministrator(account))

/**
 * True if the account must have a second factor but the session began without one, so the user must sign in
 * again.
 */
export const lacksSecondFactor = (
  identity: Pick<Identity, 'settings' | 'administrators'>,
  session: ActiveSession,
): boolean => mustHaveFactor(identity, session) && !session.methods?.includes('mfa')

/**
 * Marks the step as used; returns false if it already was. The primary key lets only one of two concurrent
 * uses succeed.
 */
export async function consumeStep(
  transaction: Queries,
  { id, expiresAt }: { readonly id: string; readonly expiresAt: number },
): Promise<boolean> {
  const [spent] = await transaction.query(sql`
    insert into spent_steps (id, expires_at) values (${id}, ${timestamp(expiresAt)})
    on conflict do nothing returning true`)
  return spent !== undefined
}

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
    .map((group) => alphabet[Number.parseInt(group.padEnd(5, '0'), 2)])
    .join('')
}

import { createHash } from 'node:crypto'
import { budgetLimits } from '../../../config/budgets.ts'
import { millisecondsOf, timestamp } from '../../../db/columns.ts'
import { sql } from '../../../db/sql.ts'
import { addressKey } from '../../../http/addresses.ts'
import type { RequestOrigin } from '../../../model/caller.ts'
import type { Language } from '../../../model/language.ts'
import type { Identity } from '../core/endpoint.ts'
import type { IdentitySettings } from '../values/settings.ts'
import { FederationError } from './failures.ts'

/**
 * A sign-in at a provider that is in progress. It is stored as sealed JSON, which another version may
 * read, so its property names must not change.
 */
export interface Attempt {
  readonly providerId: string
  /** The id of the browser that must return; a callback in any other browser is rejected. */
  readonly browser: string
  readonly nonce: string
  readonly verifier: string
  /** The earliest allowed sign-in at the provider, in epoch milliseconds. */
  readonly since?: number | undefined
  /** True if the provider must report the time of the sign-in. */
  readonly needsTime?: boolean
  readonly purpose: SignInPurpose | ConnectPurpose
}

interface Purpose {
  /** The page language that the client requested. */
  readonly language?: Language | undefined
}

/** The sign-in continues a pending request. */
export interface SignInPurpose extends Purpose {
  readonly authRequest: string
}

/** Connects the account at the provider to the session's account. `returnTo` is a URL of the web client. */
export interface ConnectPurpose extends Purpose {
  readonly sessionId: string
  readonly returnTo: string
}

/** Long enough for a second factor at the provider. */
const attemptMilliseconds = 15 * 60_000

/**
 * Stores an attempt, or throws if its network address has reached the limit, because anyone can start
 * attempts. Requests from one address are serialized, so that the limit holds under concurrency.
 */
export async function storeAttempt(
  { database, seals, now }: Pick<Identity, 'database' | 'seals' | 'now'>,
  state: string,
  attempt: Attempt,
  origin: Pick<RequestOrigin, 'address'>,
): Promise<void> {
  const address = addressKey(origin.address)
  const expiresAt = now() + attemptMilliseconds
  // Stored names keep an earlier word for external providers: outside.
  const sealed = seals.seal('outsideAttempt', attempt, expiresAt)
  await database.transaction(async (transaction) => {
    await transaction.query(sql`select pg_advisory_xact_lock(hashtextextended(${`attempts ${address}`}, 0))`)
    const [current] = await transaction.query<{ count: number; nextEnd: number | null }>(sql`
      select count(*)::int as count, ${millisecondsOf(sql`min(expires_at)`)} as "nextEnd" from outside_attempts
      where address = ${address} and expires_at > ${timestamp(now())}`)
    const { count = 0, nextEnd } = current ?? {}
    if (count >= budgetLimits.providerAttemptsOfAddress.max)
      throw new FederationError(
        'too many attempts',
        'This address has reached the limit of sign-ins in progress.',
        Math.max(1, Math.ceil(((nextEnd ?? 0) - now()) / 1000)),
      )
    await transaction.query(sql`
      insert into outside_attempts (id, sealed, expires_at, address)
      values (${attemptIdOf(state)}, ${sealed}, ${timestamp(expiresAt)}, ${address})`)
  })
}

/**
 * Returns and deletes an attempt. The row's lock lets only one of two requests with the same state succeed.
 */
export async function consumeAttempt(
  { database, seals }: Pick<Identity, 'database' | 'seals'>,
  state: string,
): Promise<Attempt | undefined> {
  const [deleted] = await database.singleWrites.query<{ sealed: string }>(
    sql`delete from outside_attempts where id = ${attemptIdOf(state)} returning sealed`,
  )
  return deleted && seals.open<Attempt>('outsideAttempt', deleted.sealed)
}

const attemptIdOf = (state: string): Buffer => createHash('sha256').update(state).digest()

export const startPath = '/ext/sign-in/with'
export const connectPath = '/ext/connect'
/** Providers redirect browsers to this path after their own sign-out. */
export const signOutReturnPath = '/ext/signed-out/return'

/**
 * Returns the provider's own callback path, so that a response from one provider is never taken for a
 * response from another (RFC 9700, 4.4.2).
 */
export const callbackPath = (providerId: string): string => `/ext/sign-in/from/${providerId}`

/** Returns the redirect URL that is registered at the provider. */
export const callbackUrl = ({ issuer }: Pick<IdentitySettings, 'issuer'>, providerId: string): string =>
  `${issuer}${callbackPath(providerId)}`

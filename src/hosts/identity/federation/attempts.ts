import { createHash } from 'node:crypto'
import { budgetLimits } from '../../../config/budgets.ts'
import { sql } from '../../../db/sql.ts'
import { addressKey } from '../../../http/addresses.ts'
import type { RequestOrigin } from '../../../model/caller.ts'
import type { Language } from '../../../model/language.ts'
import type { Identity } from '../core/identity.ts'
import type { IdentitySettings } from '../values/settings.ts'
import { millisecondsOf, timestamp } from '../values/timestamps.ts'
import { FederationError } from './failures.ts'

/** A sign-in at a provider that is in progress. */
export interface Attempt {
  readonly providerId: string
  /** The browser that must return: the address is useless in any other one. */
  readonly browser: string
  readonly nonce: string
  readonly verifier: string
  /** The earliest allowed sign-in at the provider, in epoch milliseconds. */
  readonly since?: number | undefined
  /** Fails unless the provider reports the time of the sign-in. */
  readonly needsTime?: boolean
  readonly purpose: SignInPurpose | ConnectPurpose
}

interface Purpose {
  /** The page language that the client requested. */
  readonly language?: Language | undefined
}

/** To continue a pending request. */
export interface SignInPurpose extends Purpose {
  readonly authRequest: string
}

/** To link the provider's account to that of this session; `returnTo` is an address of the web client. */
export interface ConnectPurpose extends Purpose {
  readonly sessionId: string
  readonly returnTo: string
}

/** Long enough to find a second factor for the provider. */
const attemptMilliseconds = 15 * 60_000

/**
 * Anyone can start an attempt, so each network address has a limit. Requests from one address are serialized,
 * so that the limit holds under concurrency; throws when it is reached.
 */
export async function storeAttempt(
  { database, seals, now }: Pick<Identity, 'database' | 'seals' | 'now'>,
  state: string,
  attempt: Attempt,
  origin: Pick<RequestOrigin, 'address'>,
): Promise<void> {
  const address = addressKey(origin.address)
  const expiresAt = now() + attemptMilliseconds
  const sealed = seals.seal('outsideAttempt', attempt, expiresAt)
  await database.transaction(async (transaction) => {
    await transaction.query(sql`select pg_advisory_xact_lock(hashtextextended(${`attempts ${address}`}, 0))`)
    const [pending] = await transaction.query<{ count: number; nextEnd: number | null }>(sql`
      select count(*)::int as count, ${millisecondsOf(sql`min(expires_at)`)} as "nextEnd" from outside_attempts
      where address = ${address} and expires_at > ${timestamp(now())}`)
    const { count = 0, nextEnd } = pending ?? {}
    if (count >= budgetLimits.outsideAttemptsOfAddress.max)
      throw new FederationError(
        'too many attempts',
        'This address has reached the limit of sign-ins in progress.',
        Math.max(1, Math.ceil(((nextEnd ?? 0) - now()) / 1000)),
      )
    await transaction.query(sql`
      insert into outside_attempts (id, sealed, expires_at, address)
      values (${idOf(state)}, ${sealed}, ${timestamp(expiresAt)}, ${address})`)
  })
}

/** An attempt can be taken once: the row's lock lets one of two requests with the same state through. */
export async function consumeAttempt(
  { database, seals }: Pick<Identity, 'database' | 'seals'>,
  state: string,
): Promise<Attempt | undefined> {
  const [taken] = await database.single.query<{ sealed: string }>(
    sql`delete from outside_attempts where id = ${idOf(state)} returning sealed`,
  )
  return taken && seals.open<Attempt>('outsideAttempt', taken.sealed)
}

const idOf = (state: string): Buffer => createHash('sha256').update(state).digest()

export const startPath = '/ext/sign-in/with'
export const connectPath = '/ext/connect'
/** Providers redirect browsers to it after their own sign-out. */
export const signOutReturnPath = '/ext/signed-out/return'

/**
 * Each provider has its own address, so that a response of one is never taken for that of another (RFC 9700,
 * 4.4.2).
 */
export const callbackPath = (providerId: string): string => `/ext/sign-in/from/${providerId}`

/** The address that is registered at the provider. */
export const callbackAddress = ({ issuer }: Pick<IdentitySettings, 'issuer'>, providerId: string): string =>
  `${issuer}${callbackPath(providerId)}`

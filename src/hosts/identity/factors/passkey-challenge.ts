import { randomBytes } from 'node:crypto'
import type { Queries } from '../../../db/database.ts'
import { sql } from '../../../db/sql.ts'
import type { Account } from '../core/accounts.ts'
import type { Identity } from '../core/identity.ts'
import { spendStep } from './account-factors.ts'

/** A challenge that a passkey signs, for one purpose and one account. A sign-in with a passkey alone names no account. */
interface Challenge {
  readonly challenge: string
  readonly purpose: 'create' | 'sign-in' | 'second-step'
  readonly accountId?: string | undefined
  readonly expiresAt: number
}

export interface PasskeyDialog {
  /** Passed to `navigator.credentials`, as JSON. */
  readonly options: object
  /** Sealed; the browser sends it back with the response. */
  readonly challenge: string
}

/** The page may stay open this long before the passkey is used. */
const challengeMilliseconds = 15 * 60_000

/**
 * Opens a sealed challenge and marks it as used. The primary key of `spent_steps` lets each be used only once, so an
 * intercepted response is worthless.
 */
export async function openChallenge(
  { seals }: Identity,
  transaction: Queries,
  text: string,
  { purpose, accountId }: Pick<Challenge, 'purpose' | 'accountId'>,
): Promise<Challenge | undefined> {
  const opened = await seals.open<Challenge>('passkeyChallenge', text)
  if (opened?.purpose !== purpose || opened.accountId !== accountId) return undefined
  return (await spendStep(transaction, { id: opened.challenge, expiresAt: opened.expiresAt }))
    ? opened
    : undefined
}

/** Creates the challenge and the options for registering a new passkey. */
export async function createRegistrationDialog(
  identity: Identity,
  { accountId, login, name }: Account,
  domain: string,
): Promise<PasskeyDialog> {
  const known = await findCredentials(identity, accountId)
  return createDialog(identity, { purpose: 'create', accountId }, (challenge) => ({
    rp: { id: domain, name: domain },
    user: { id: userHandleOf(accountId).toString('base64url'), name: login, displayName: name },
    challenge,
    pubKeyCredParams: passkeyAlgorithms.map((alg) => ({ type: 'public-key', alg })),
    excludeCredentials: known,
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    attestation: 'none',
    timeout: dialogMilliseconds,
  }))
}

/** Creates the challenge and the options for using a passkey. Without an account id, any account's passkey may be used. */
export async function createAuthenticationDialog(
  identity: Identity,
  domain: string,
  accountId?: string,
): Promise<PasskeyDialog> {
  const allowed = accountId === undefined ? [] : await findCredentials(identity, accountId)
  const purpose = accountId === undefined ? 'sign-in' : 'second-step'
  return createDialog(identity, { purpose, accountId }, (challenge) => ({
    rpId: domain,
    challenge,
    allowCredentials: allowed,
    userVerification: accountId === undefined ? 'required' : 'preferred',
    timeout: dialogMilliseconds,
  }))
}

const dialogMilliseconds = 5 * 60_000

function createDialog(
  { seals, now }: Identity,
  scope: Pick<Challenge, 'purpose' | 'accountId'>,
  optionsOf: (challenge: string) => object,
): PasskeyDialog {
  const expiresAt = now() + challengeMilliseconds
  const challenge = randomBytes(32).toString('base64url')
  const sealed: Challenge = { challenge, ...scope, expiresAt }
  return { options: optionsOf(challenge), challenge: seals.seal('passkeyChallenge', sealed, expiresAt) }
}

async function findCredentials({ database }: Identity, accountId: string): Promise<readonly object[]> {
  const known = await database.query<{ id: Buffer; transports: string[] }>(
    sql`select credential_id as id, transports from passkeys where user_id = ${accountId}`,
  )
  return known.map(({ id, transports }) => ({
    type: 'public-key',
    id: id.toString('base64url'),
    transports,
  }))
}

/** ES256, EdDSA, RS256: every authenticator supports at least one. */
export const passkeyAlgorithms = [-7, -8, -257]

/** Returns the user handle of passkeys: the account's id, which reveals nothing about the user. */
export const userHandleOf = (accountId: string): Buffer => Buffer.from(accountId.replaceAll('-', ''), 'hex')

import { randomBytes } from 'node:crypto'
import type { Queries } from '../../../db/database.ts'
import { sql } from '../../../db/sql.ts'
import type { Account } from '../core/accounts.ts'
import type { Identity } from '../core/identity.ts'
import { spendStep } from './account-factors.ts'

/** Signed by the browser, for one purpose and one account; a sign-in by passkey alone names no account. */
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
 * Each challenge is used once: the primary key of spent steps enforces it, so an intercepted response is
 * worthless.
 */
export async function openChallenge(
  { seals }: Identity,
  transaction: Queries,
  text: string,
  { purpose, accountId }: Pick<Challenge, 'purpose' | 'accountId'>,
): Promise<Challenge | undefined> {
  const asked = await seals.open<Challenge>('passkeyChallenge', text)
  if (asked?.purpose !== purpose || asked.accountId !== accountId) return undefined
  return (await spendStep(transaction, { id: asked.challenge, expiresAt: asked.expiresAt }))
    ? asked
    : undefined
}

/** Creates the challenge for registering a new passkey. */
export async function askForNewPasskey(
  identity: Identity,
  { accountId, login, name }: Account,
  domain: string,
): Promise<PasskeyDialog> {
  const known = await credentialsOf(identity, accountId)
  return dialog(identity, { purpose: 'create', accountId }, (challenge) => ({
    rp: { id: domain, name: domain },
    user: { id: handleOf(accountId).toString('base64url'), name: login, displayName: name },
    challenge,
    pubKeyCredParams: passkeyAlgorithms.map((alg) => ({ type: 'public-key', alg })),
    excludeCredentials: known,
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    attestation: 'none',
    timeout: dialogMilliseconds,
  }))
}

/** Creates the challenge for using a passkey; of any account, if the passkey is the whole sign-in. */
export async function askForPasskey(
  identity: Identity,
  domain: string,
  accountId?: string,
): Promise<PasskeyDialog> {
  const allowed = accountId === undefined ? [] : await credentialsOf(identity, accountId)
  const purpose = accountId === undefined ? 'sign-in' : 'second-step'
  return dialog(identity, { purpose, accountId }, (challenge) => ({
    rpId: domain,
    challenge,
    allowCredentials: allowed,
    userVerification: accountId === undefined ? 'required' : 'preferred',
    timeout: dialogMilliseconds,
  }))
}

const dialogMilliseconds = 5 * 60_000

function dialog(
  { seals, now }: Identity,
  about: Pick<Challenge, 'purpose' | 'accountId'>,
  optionsOf: (challenge: string) => object,
): PasskeyDialog {
  const expiresAt = now() + challengeMilliseconds
  const challenge = randomBytes(32).toString('base64url')
  const sealed: Challenge = { challenge, ...about, expiresAt }
  return { options: optionsOf(challenge), challenge: seals.seal('passkeyChallenge', sealed, expiresAt) }
}

async function credentialsOf({ database }: Identity, accountId: string): Promise<readonly object[]> {
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

/** The user handle of a passkey is the account's id, which reveals nothing about the person. */
export const handleOf = (accountId: string): Buffer => Buffer.from(accountId.replaceAll('-', ''), 'hex')

import { randomBytes } from 'node:crypto'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { timestamp } from '../../../db/columns.ts'
import type { Queries } from '../../../db/database.ts'
import { newId } from '../../../db/rows.ts'
import { sql } from '../../../db/sql.ts'
import type { Identity } from '../core/endpoint.ts'
import type { Account } from '../core/sessions.ts'
import { consumeStep } from './account-factors.ts'

export interface Passkey {
  readonly id: string
  readonly name: string
  readonly createdAt: string
  readonly lastUsedAt: string | null
}

/** More than the devices of one user. */
export const passkeysMax = 20
export const passkeyNameCharactersMax = 100

export const listPasskeys = (queries: Queries, accountId: string): Promise<Passkey[]> =>
  queries.query<Passkey>(sql`
    select id, name, created_at as "createdAt", last_used_at as "lastUsedAt" from passkeys
    where user_id = ${accountId} order by created_at, id limit ${passkeysMax}::int`)

/** The browser's response to a passkey dialog. */
export interface PasskeyResponse {
  /** Sealed when the dialog was requested. */
  readonly challenge: string
  /** JSON of the credential. */
  readonly credential: string
}

/** Loaded when the first passkey is used, because it would take a third of the time of the host's start. */
const loadLibrary = () => import('@simplewebauthn/server')

/** Stores a new passkey. Returns false if it is invalid or already stored, or if the account has too many. */
export async function registerPasskey(
  identity: Identity,
  transaction: Queries,
  accountId: string,
  { challenge, credential, name }: PasskeyResponse & { readonly name: string },
): Promise<boolean> {
  const opened = await openChallenge(identity, transaction, challenge, { purpose: 'create', accountId })
  const response = parseCredential<RegistrationResponseJSON>(credential)
  const { passkeys } = identity.settings
  if (!opened || !response || !passkeys) return false
  const { verifyRegistrationResponse } = await loadLibrary()
  const registration = await verifyRegistrationResponse({
    response,
    expectedChallenge: opened.challenge,
    expectedOrigin: [...passkeys.origins],
    expectedRPID: passkeys.domain,
    requireUserVerification: false,
    supportedAlgorithmIDs: passkeyAlgorithms,
  }).catch(() => undefined)
  if (!registration?.verified) return false
  const { id, publicKey, counter, transports } = registration.registrationInfo.credential
  const credentialId = Buffer.from(id, 'base64url')
  if (credentialId.length > credentialIdBytesMax || publicKey.length > publicKeyBytesMax) return false
  // Transports are reported by the browser and may have any shape.
  const reported: readonly unknown[] = Array.isArray(transports) ? transports : []
  const [stored] = await transaction.query(sql`
    insert into passkeys (id, user_id, credential_id, public_key, counter, transports, name, created_at)
    select ${newId()}, ${accountId}, ${credentialId}, ${Buffer.from(publicKey)}, ${counter},
      ${knownTransports.filter((transport) => reported.includes(transport))}::text[], ${name}, ${timestamp(identity.now())}
    where (select count(*) from passkeys where user_id = ${accountId}) < ${passkeysMax}::int
    on conflict do nothing returning true`)
  return stored !== undefined
}

/** WebAuthn, 4: the longest credential id. */
const credentialIdBytesMax = 1023
/** Only an RSA key of 16,384 bits would be longer. */
const publicKeyBytesMax = 2048
const knownTransports: readonly string[] = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']

export interface StoredPasskey {
  readonly id: string
  readonly accountId: string
  readonly credentialId: Buffer
  readonly publicKey: Buffer
}

/** Finds the passkey that the response names, whichever account it belongs to. */
export async function findPasskey(queries: Queries, credential: string): Promise<StoredPasskey | undefined> {
  const response = parseCredential<AuthenticationResponseJSON>(credential)
  if (!response) return undefined
  const [passkey] = await queries.query<StoredPasskey>(sql`
    select id, user_id as "accountId", credential_id as "credentialId", public_key as "publicKey" from passkeys
    where credential_id = ${Buffer.from(response.id, 'base64url')}`)
  return passkey
}

/** `copied` means that the signature is valid but its counter is not higher than the stored counter. */
type PasskeyUse = 'valid' | 'invalid' | 'copied'

/**
 * Checks that the account's passkey has signed this challenge on a page of this host. As the sole factor, it
 * must verify the user by PIN or biometrics, and then counts as two factors.
 */
export async function usePasskey(
  identity: Identity,
  transaction: Queries,
  passkey: StoredPasskey,
  { challenge, credential, isSoleFactor }: PasskeyResponse & { readonly isSoleFactor: boolean },
): Promise<PasskeyUse> {
  const { passkeys, issuer } = identity.settings
  const purpose = isSoleFactor ? 'sign-in' : 'second-step'
  const accountId = isSoleFactor ? undefined : passkey.accountId
  const opened = await openChallenge(identity, transaction, challenge, { purpose, accountId })
  const response = parseCredential<AuthenticationResponseJSON>(credential)
  if (
    !opened ||
    !response ||
    !passkeys ||
    !hasMatchingHandle(passkey, response, { isRequired: isSoleFactor })
  )
    return 'invalid'
  const { verifyAuthenticationResponse } = await loadLibrary()
  const authentication = await verifyAuthenticationResponse({
    response,
    expectedChallenge: opened.challenge,
    expectedOrigin: new URL(issuer).origin,
    expectedRPID: passkeys.domain,
    requireUserVerification: isSoleFactor,
    // The counter is compared below, by the statement that writes it.
    credential: {
      id: response.id,
      publicKey: new Uint8Array(passkey.publicKey),
      counter: 0,
    },
  }).catch(() => undefined)
  if (!authentication?.verified) return 'invalid'
  const { newCounter } = authentication.authenticationInfo
  // Passkeys without a counter always send 0.
  const [counted] = await transaction.query(sql`
    update passkeys set counter = ${newCounter}, last_used_at = ${timestamp(identity.now())},
      alone_domain = case when ${isSoleFactor} then ${passkeys.domain} else alone_domain end
    where id = ${passkey.id} and (counter < ${newCounter} or (counter = 0 and ${newCounter} = 0)) returning true`)
  return counted ? 'valid' : 'copied'
}

/**
 * The response of a passkey may have a user handle, and must have one if the passkey is the sole factor. The
 * handle must belong to the account.
 */
function hasMatchingHandle(
  { accountId }: StoredPasskey,
  { response }: AuthenticationResponseJSON,
  { isRequired }: { readonly isRequired: boolean },
): boolean {
  if (typeof response.userHandle !== 'string') return !isRequired
  return Buffer.from(response.userHandle, 'base64url').equals(userHandleOf(accountId))
}

/** Longer than a response with an RSA key and a chain of certificates that was not requested. */
const credentialCharactersMax = 10_000

/**
 * Validates the parts that are used before the library validates the rest. Returns undefined if they are
 * invalid.
 */
function parseCredential<Credential extends { readonly id: string; readonly response: object }>(
  text: string,
): Credential | undefined {
  if (text.length > credentialCharactersMax) return undefined
  const credential = parseJson(text) as Partial<Credential> | null | undefined
  const isUsable =
    typeof credential === 'object' &&
    typeof credential?.id === 'string' &&
    idPattern.test(credential.id) &&
    typeof credential.response === 'object' &&
    credential.response !== null &&
    Object.values(credential.response).every((value) => typeof value !== 'string' || value.length > 0)
  const handle = isUsable ? (credential.response as { userHandle?: unknown }).userHandle : undefined
  const isValidHandle = handle === undefined || handle === null || typeof handle === 'string'
  return isUsable && isValidHandle && !isFromFrame(credential.response)
    ? (credential as Credential)
    : undefined
}

/**
 * True for a response made in a frame of another site, where users cannot see which site they respond to
 * (WebAuthn, 7.1 and 7.2).
 */
function isFromFrame(response: { clientDataJSON?: unknown } = {}): boolean {
  const { clientDataJSON } = response
  const data =
    typeof clientDataJSON === 'string'
      ? parseJson(Buffer.from(clientDataJSON, 'base64url').toString())
      : undefined
  return (data as { crossOrigin?: unknown } | null | undefined)?.crossOrigin === true
}

const idPattern = /^[\w-]{1,1364}$/

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * A challenge that a passkey signs for one purpose and account. With a passkey as the sole factor, the
 * account is not yet known.
 */
interface Challenge {
  readonly challenge: string
  readonly purpose: 'create' | 'sign-in' | 'second-step'
  readonly accountId?: string | undefined
  readonly expiresAt: number
}

export interface PasskeyDialog {
  /** Passed to `navigator.credentials`, as JSON. */
  readonly options: object
  /** Sealed. The browser sends it back with the response. */
  readonly challenge: string
}

/** The page may stay open this long before the passkey is used. */
const challengeMilliseconds = 15 * 60_000

/**
 * Opens a sealed challenge and marks it as used. The primary key of `spent_steps` lets each challenge be used
 * only once, so an intercepted response is worthless.
 */
async function openChallenge(
  { seals }: Identity,
  transaction: Queries,
  text: string,
  { purpose, accountId }: Pick<Challenge, 'purpose' | 'accountId'>,
): Promise<Challenge | undefined> {
  const opened = await seals.open<Challenge>('passkeyChallenge', text)
  if (opened?.purpose !== purpose || opened.accountId !== accountId) return undefined
  const isFirstUse = await consumeStep(transaction, { id: opened.challenge, expiresAt: opened.expiresAt })
  return isFirstUse ? opened : undefined
}

/** Creates the challenge and the options for registering a new passkey. */
export async function createRegistrationDialog(
  identity: Identity,
  { accountId, login, name }: Account,
  domain: string,
): Promise<PasskeyDialog> {
  const existing = await findCredentials(identity, accountId)
  return createDialog(identity, { purpose: 'create', accountId }, (challenge) => ({
    rp: { id: domain, name: domain },
    user: { id: userHandleOf(accountId).toString('base64url'), name: login, displayName: name },
    challenge,
    pubKeyCredParams: passkeyAlgorithms.map((alg) => ({ type: 'public-key', alg })),
    excludeCredentials: existing,
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    attestation: 'none',
    timeout: dialogMilliseconds,
  }))
}

/**
 * Creates the challenge and the options for using a passkey of this account, or of any account if there is no
 * id.
 */
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
  const value: Challenge = { challenge, ...scope, expiresAt }
  return { options: optionsOf(challenge), challenge: seals.seal('passkeyChallenge', value, expiresAt) }
}

async function findCredentials({ database }: Identity, accountId: string): Promise<readonly object[]> {
  const credentials = await database.query<{ id: Buffer; transports: string[] }>(
    sql`select credential_id as id, transports from passkeys where user_id = ${accountId}`,
  )
  return credentials.map(({ id, transports }) => ({
    type: 'public-key',
    id: id.toString('base64url'),
    transports,
  }))
}

/** The algorithms ES256, EdDSA and RS256. */
const passkeyAlgorithms = [-7, -8, -257]

/** Returns the user handle of passkeys: the id of the account. */
const userHandleOf = (accountId: string): Buffer => Buffer.from(accountId.replaceAll('-', ''), 'hex')

import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { newId } from '../../../db/columns.ts'
import type { Queries } from '../../../db/database.ts'
import { sql } from '../../../db/sql.ts'
import type { Identity } from '../core/identity.ts'
import { timestamp } from '../values/timestamps.ts'
import { handleOf, openChallenge, passkeyAlgorithms } from './passkey-challenge.ts'

export interface Passkey {
  readonly id: string
  readonly name: string
  readonly createdAt: string
  readonly lastUsedAt: string | null
}

/** Enough for the devices of one person. */
export const passkeysMax = 20
export const passkeyNameCharactersMax = 100

export const listPasskeys = (queries: Queries, accountId: string): Promise<Passkey[]> =>
  queries.query<Passkey>(sql`
    select id, name, created_at as "createdAt", last_used_at as "lastUsedAt" from passkeys
    where user_id = ${accountId} order by created_at, id limit ${passkeysMax}::int`)

/** The browser's response to a passkey dialog. */
export interface PasskeyAnswer {
  /** Sealed when the dialog was requested. */
  readonly challenge: string
  /** JSON of the credential. */
  readonly credential: string
}

/** Loaded when the first passkey is used: otherwise it would be a third of the host's memory. */
const library = () => import('@simplewebauthn/server')

/** Stores a new passkey; undefined when it is invalid, already known, or one too many. */
export async function acceptPasskey(
  identity: Identity,
  transaction: Queries,
  accountId: string,
  { challenge, credential, name }: PasskeyAnswer & { readonly name: string },
): Promise<true | undefined> {
  const asked = await openChallenge(identity, transaction, challenge, { purpose: 'create', accountId })
  const response = parseCredential<RegistrationResponseJSON>(credential)
  const { passkeys } = identity.settings
  if (!asked || !response || !passkeys) return undefined
  const { verifyRegistrationResponse } = await library()
  const made = await verifyRegistrationResponse({
    response,
    expectedChallenge: asked.challenge,
    expectedOrigin: [...passkeys.origins],
    expectedRPID: passkeys.domain,
    requireUserVerification: false,
    supportedAlgorithmIDs: passkeyAlgorithms,
  }).catch(() => undefined)
  if (!made?.verified) return undefined
  const { id, publicKey, counter, transports } = made.registrationInfo.credential
  const credentialId = Buffer.from(id, 'base64url')
  if (credentialId.length > credentialIdBytesMax || publicKey.length > publicKeyBytesMax) return undefined
  // Transports are reported by the browser and may have any shape.
  const said: readonly unknown[] = Array.isArray(transports) ? transports : []
  const [kept] = await transaction.query(sql`
    insert into passkeys (id, user_id, credential_id, public_key, counter, transports, name, created_at)
    select ${newId()}, ${accountId}, ${credentialId}, ${Buffer.from(publicKey)}, ${counter},
      ${knownTransports.filter((one) => said.includes(one))}::text[], ${name}, ${timestamp(identity.now())}
    where (select count(*) from passkeys where user_id = ${accountId}) < ${passkeysMax}::int
    on conflict do nothing returning true`)
  return kept ? true : undefined
}

/** WebAuthn, 4: no id is longer. Only an RSA key of 16,384 bits would exceed the limit of keys. */
const credentialIdBytesMax = 1023
const publicKeyBytesMax = 2048
const knownTransports: readonly string[] = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']

export interface StoredPasskey {
  readonly id: string
  readonly accountId: string
  readonly credentialId: Buffer
  readonly publicKey: Buffer
}

/** Finds the passkey that the response names, of any account. */
export async function findPasskey(queries: Queries, credential: string): Promise<StoredPasskey | undefined> {
  const response = parseCredential<AuthenticationResponseJSON>(credential)
  if (!response) return undefined
  const [passkey] = await queries.query<StoredPasskey>(sql`
    select id, user_id as "accountId", credential_id as "credentialId", public_key as "publicKey" from passkeys
    where credential_id = ${Buffer.from(response.id, 'base64url')}`)
  return passkey
}

/** `copied`: the signature is valid, but its counter is not above the highest one seen. */
export type PasskeyUse = 'right' | 'wrong' | 'copied'

/**
 * Checks that the account's passkey has signed this challenge on the pages of this host. Used alone it has to
 * verify the user by PIN or biometrics, so that it is two factors by itself.
 */
export async function usePasskey(
  identity: Identity,
  transaction: Queries,
  passkey: StoredPasskey,
  { challenge, credential, isAlone }: PasskeyAnswer & { readonly isAlone: boolean },
): Promise<PasskeyUse> {
  const { passkeys, issuer } = identity.settings
  const purpose = isAlone ? 'sign-in' : 'second-step'
  const accountId = isAlone ? undefined : passkey.accountId
  const asked = await openChallenge(identity, transaction, challenge, { purpose, accountId })
  const response = parseCredential<AuthenticationResponseJSON>(credential)
  if (!asked || !response || !passkeys || !isHandleOf(passkey, response, isAlone)) return 'wrong'
  const { verifyAuthenticationResponse } = await library()
  const used = await verifyAuthenticationResponse({
    response,
    expectedChallenge: asked.challenge,
    expectedOrigin: new URL(issuer).origin,
    expectedRPID: passkeys.domain,
    requireUserVerification: isAlone,
    // The counter is compared below, by the statement that writes it.
    credential: {
      id: response.id,
      publicKey: new Uint8Array(passkey.publicKey),
      counter: 0,
    },
  }).catch(() => undefined)
  if (!used?.verified) return 'wrong'
  const { newCounter } = used.authenticationInfo
  const [counted] = await transaction.query(sql`
    update passkeys set counter = ${newCounter}, last_used_at = ${timestamp(identity.now())}
    where id = ${passkey.id} and (counter < ${newCounter} or (counter = 0 and ${newCounter} = 0)) returning true`)
  return counted ? 'right' : 'copied'
}

/** A passkey used alone carries its account's id, which must match the stored one. */
function isHandleOf(
  { accountId }: StoredPasskey,
  { response }: AuthenticationResponseJSON,
  isRequired: boolean,
): boolean {
  if (typeof response.userHandle !== 'string') return !isRequired
  return Buffer.from(response.userHandle, 'base64url').equals(handleOf(accountId))
}

/** The longest one has an RSA key and an unrequested chain of certificates. */
const credentialCharactersMax = 10_000

/**
 * Parses the parts of the shape that are used before the library validates the rest; undefined for anything
 * else.
 */
function parseCredential<Credential extends { readonly id: string; readonly response: object }>(
  text: string,
): Credential | undefined {
  if (text.length > credentialCharactersMax) return undefined
  const credential = parse(text) as Partial<Credential> | null | undefined
  const isUsable =
    typeof credential === 'object' &&
    typeof credential?.id === 'string' &&
    idPattern.test(credential.id) &&
    typeof credential.response === 'object' &&
    credential.response !== null &&
    Object.values(credential.response).every((value) => typeof value !== 'string' || value.length > 0)
  const handle = isUsable ? (credential.response as { userHandle?: unknown }).userHandle : undefined
  const isTextOrNone = handle === undefined || handle === null || typeof handle === 'string'
  return isUsable && isTextOrNone && !isFromFrame(credential.response)
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
      ? parse(Buffer.from(clientDataJSON, 'base64url').toString())
      : undefined
  return (data as { crossOrigin?: unknown } | null | undefined)?.crossOrigin === true
}

const idPattern = /^[\w-]{1,1364}$/

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

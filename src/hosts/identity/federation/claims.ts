import * as client from 'openid-client'
import { clockSkewSeconds } from '../../../auth/access-token.ts'
import { nameCharactersMax, withoutHiddenCharacters } from '../../../model/text.ts'
import type { ExternalProvider } from '../core/providers.ts'
import type { Attempt } from './attempts.ts'
import { askProvider, FederationError } from './failures.ts'

/** The user who has returned from a provider. Only issuer and subject together identify them. */
export interface FederatedPerson {
  readonly issuer: string
  readonly subject: string
  /**
   * The time of the authentication there; undefined if the provider does not report it and no new one was
   * requested.
   */
  readonly authenticatedAt: number | undefined
  /** Sent as the hint of the sign-out there. */
  readonly identityToken: string
  /** Requested only at the first sign-in: many providers return profiles only at userinfo. */
  fetchProfile(): Promise<FederatedProfile>
}

export interface FederatedProfile {
  /** The user's name for the account there. */
  readonly label: string
  readonly name: string | undefined
  /** Undefined unless the provider has verified it, or the settings trust the provider. */
  readonly verifiedAddress: string | undefined
}

/** OpenID Connect Core, 2: no longer than 255 ASCII characters. */
const subjectPattern = /^[\x20-\x7e]{1,255}$/
const labelCharactersMax = 256

/**
 * Redeems the parameters the browser brought back: checks state, issuer (RFC 9207), nonce, audience, times
 * and signature, and throws on any mismatch.
 */
export const redeemCallback = (
  provider: ExternalProvider,
  callback: URL,
  state: string,
  { nonce, verifier, since, needsTime }: Attempt,
  now: number,
): Promise<FederatedPerson> =>
  askProvider(async () => {
    const configuration = await provider.configure()
    const tokens = await client.authorizationCodeGrant(configuration, callback, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    })
    const claims = tokens.claims()
    if (claims === undefined || !subjectPattern.test(claims.sub)) throw new Error('The subject is invalid.')
    // A token issued to another client of the same provider, which may have passed it on (OpenID Connect
    // Core, 3.1.3.7).
    if (claims.azp !== undefined && claims.azp !== provider.clientId)
      throw new Error('The token is for another client.')
    if (since !== undefined && (needsTime || claims.auth_time !== undefined))
      requireSignedInSince(since, claims.auth_time)
    return {
      issuer: claims.iss,
      subject: claims.sub,
      authenticatedAt: authenticatedAtOf(claims.auth_time, since, now),
      identityToken: tokens.id_token ?? '',
      fetchProfile: () =>
        askProvider(async () => profileOf(provider, claims, await askForMore(configuration, tokens, claims))),
    }
  })

/**
 * Returns the current time if a new authentication was requested; otherwise the provider's value, but never a
 * future one.
 */
function authenticatedAtOf(
  authTime: number | undefined,
  since: number | undefined,
  now: number,
): number | undefined {
  if (since !== undefined) return now
  return authTime === undefined ? undefined : Math.min(Math.max(authTime, 0) * 1000, now)
}

/**
 * A provider that does not report the time of the sign-in may not have authenticated the user. Some never
 * report it: they are trusted if a new sign-in was requested without an age.
 */
function requireSignedInSince(since: number, authTime: number | undefined): void {
  if (authTime === undefined || (authTime + clockSkewSeconds) * 1000 < since)
    throw new FederationError('not asked again', `The sign-in there is of ${authTime ?? 'an unknown time'}.`)
}

function profileOf(
  { trustsAddresses }: ExternalProvider,
  claims: Claims & { readonly sub: string },
  more: Claims,
): FederatedProfile {
  // Address and verification must come from one source: a source that verifies one address says nothing about
  // another.
  const { email, email_verified: promise } = claims.email === undefined ? more : claims
  const address = textOf(email)
  const name = textOf(claims.name) ?? textOf(more.name)
  const called = textOf(claims.preferred_username) ?? textOf(more.preferred_username)
  const isVouchedFor = promise === true || promise === 'true' || trustsAddresses
  const verifiedAddress = isVouchedFor ? address : undefined
  return {
    label:
      verifiedAddress?.slice(0, labelCharactersMax) ?? unverified(called ?? address ?? name ?? claims.sub),
    name: name?.slice(0, nameCharactersMax),
    verifiedAddress,
  }
}

/**
 * Anyone can choose such a name at some provider. Hidden characters are removed, so that the mark stays
 * visible.
 */
const unverified = (text: string): string =>
  `${withoutHiddenCharacters(text).replaceAll(/\s+/g, ' ').slice(0, 100)} (not verified)`

type Tokens = Awaited<ReturnType<typeof client.authorizationCodeGrant>>
type Claims = Readonly<Record<string, unknown>>

async function askForMore(
  configuration: client.Configuration,
  tokens: Tokens,
  claims: Claims & { readonly sub: string },
): Promise<Claims> {
  const isComplete = claims.email !== undefined && claims.name !== undefined
  if (isComplete || configuration.serverMetadata().userinfo_endpoint === undefined) return {}
  return client.fetchUserInfo(configuration, tokens.access_token, claims.sub)
}

/** Trimmed; undefined if it would be displayed as nothing, or could not be stored unchanged. */
function textOf(claim: unknown): string | undefined {
  const text = typeof claim === 'string' ? claim.trim() : ''
  return text === '' || !text.isWellFormed() || /\p{Cc}/u.test(text) ? undefined : text
}

import * as client from 'openid-client'
import { clockSkewSeconds } from '../../../auth/access-token.ts'
import { nameCharactersMax, withoutHiddenCharacters } from '../../../model/text.ts'
import type { ExternalProvider } from '../core/providers.ts'
import { callProvider, FederationError } from './failures.ts'
import type { Attempt } from './provider-redirects.ts'

/** A user who has returned from a provider. Issuer and subject together identify the user. */
export interface FederatedUser {
  readonly issuer: string
  readonly subject: string
  /**
   * The time of the authentication at the provider. Undefined if the provider does not report it and no new
   * authentication was requested.
   */
  readonly authenticatedAt: number | undefined
  /** The hint for a sign-out at the provider. */
  readonly identityToken: string
  /** Called only before an account is connected or created, because it may send a request to the provider. */
  fetchProfile(): Promise<FederatedProfile>
}

interface FederatedProfile {
  /** The name by which the user recognizes the account. */
  readonly label: string
  readonly name: string | undefined
  /** The address, if the provider has verified it or the settings trust the provider. */
  readonly verifiedEmail: string | undefined
}

/** A subject has at most 255 ASCII characters (OpenID Connect Core, 2). */
const subjectPattern = /^[\x20-\x7e]{1,255}$/
const labelCharactersMax = 256

/**
 * Redeems the code of the callback. Throws if state, issuer (RFC 9207), nonce, audience, times or signature
 * are wrong.
 */
export const redeemCallback = (
  provider: ExternalProvider,
  callback: URL,
  state: string,
  { nonce, verifier, since: earliestSignIn, needsTime: requiresAuthTime }: Attempt,
  now: number,
): Promise<FederatedUser> =>
  callProvider(async () => {
    const configuration = await provider.loadConfiguration()
    const tokens = await client.authorizationCodeGrant(configuration, callback, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    })
    const claims = tokens.claims()
    if (claims === undefined || !subjectPattern.test(claims.sub)) throw new Error('The subject is invalid.')
    // Another client of the provider may have passed on its token (OpenID Connect Core, 3.1.3.7).
    if (claims.azp !== undefined && claims.azp !== provider.clientId)
      throw new Error('The token is for another client.')
    if (earliestSignIn !== undefined && (requiresAuthTime || claims.auth_time !== undefined))
      requireSignedInSince(earliestSignIn, claims.auth_time)
    return {
      issuer: claims.iss,
      subject: claims.sub,
      authenticatedAt: authenticatedAtOf(claims.auth_time, earliestSignIn, now),
      identityToken: tokens.id_token ?? '',
      fetchProfile: () =>
        callProvider(async () =>
          profileOf(provider, claims, await fetchMissingClaims(configuration, tokens, claims)),
        ),
    }
  })

/**
 * Returns the time of the authentication at the provider. Clocks differ, so a time in the future becomes the
 * current time, and a time before the earliest allowed sign-in becomes that time. If a new authentication was
 * requested but its time is not reported, the current time is returned.
 */
function authenticatedAtOf(
  authTime: number | undefined,
  earliestSignIn: number | undefined,
  now: number,
): number | undefined {
  if (authTime === undefined) return earliestSignIn === undefined ? undefined : now
  return Math.min(Math.max(authTime * 1000, earliestSignIn ?? 0), now)
}

/** Throws unless the user signed in at the provider recently enough. */
function requireSignedInSince(earliestSignIn: number, authTime: number | undefined): void {
  if (authTime === undefined || (authTime + clockSkewSeconds) * 1000 < earliestSignIn)
    throw new FederationError(
      'not asked again',
      `The sign-in at the provider is too old: its time is ${authTime ?? 'unknown'}.`,
    )
}

function profileOf(
  { trustsAddresses }: ExternalProvider,
  claims: Claims & { readonly sub: string },
  userinfo: Claims,
): FederatedProfile {
  // Two sources may mean different addresses, so both claims must come from the same source.
  const { email: claimedEmail, email_verified: emailVerified } =
    claims.email === undefined ? userinfo : claims
  const email = displayableText(claimedEmail)
  const name = displayableText(claims.name) ?? displayableText(userinfo.name)
  const username = displayableText(claims.preferred_username) ?? displayableText(userinfo.preferred_username)
  const isVerified = emailVerified === true || emailVerified === 'true' || trustsAddresses
  const verifiedEmail = isVerified ? email : undefined
  return {
    label:
      verifiedEmail?.slice(0, labelCharactersMax) ?? markUnverified(username ?? email ?? name ?? claims.sub),
    name: name?.slice(0, nameCharactersMax),
    verifiedEmail,
  }
}

/** Marks a name that is not verified. Hidden characters are removed, so that the mark stays visible. */
const markUnverified = (text: string): string =>
  `${withoutHiddenCharacters(text).replaceAll(/\s+/g, ' ').slice(0, 100)} (not verified)`

type Tokens = Awaited<ReturnType<typeof client.authorizationCodeGrant>>
type Claims = Readonly<Record<string, unknown>>

async function fetchMissingClaims(
  configuration: client.Configuration,
  tokens: Tokens,
  claims: Claims & { readonly sub: string },
): Promise<Claims> {
  const isComplete = claims.email !== undefined && claims.name !== undefined
  if (isComplete || configuration.serverMetadata().userinfo_endpoint === undefined) return {}
  return client.fetchUserInfo(configuration, tokens.access_token, claims.sub)
}

/** Returns the trimmed text of a claim, or undefined if it is empty or could not be stored unchanged. */
function displayableText(claim: unknown): string | undefined {
  const text = typeof claim === 'string' ? claim.trim() : ''
  return text === '' || !text.isWellFormed() || /\p{Cc}/u.test(text) ? undefined : text
}
